import type * as pulumi from "@pulumi/pulumi";
import { assertAdoptable, conflict, isRefusedFor } from "./adopt";
import type { Adopt } from "./adopt";
import { checkInputs } from "./check";
import { isUnknown } from "./check-fields";
import {
  changedFields,
  digestOf,
  driftedFields,
  echoOf,
  ignoredFields,
  isSame,
  replaceFields,
  type Echo,
} from "./drift";
import * as existing from "./existing";
import { domainFields } from "./fields";
import { findDomain } from "./find";
import { ExistsError, isHeld, noteHeld, noteOwner, Notes, noteSaved, storeOnce } from "./once";
import type { Client, DomainRecord, LinkRecord } from "./service/client";
import type { FormFields } from "./service/form";
import {
  configure,
  isSettled,
  knownSettings,
  notKept,
  refuseOtherService,
  unlessGone,
  withClient,
  writeOrDoubt,
  type Doubt,
  type Origin,
} from "./session";
import type { Settings } from "./settings";

const managed = ["name", "homepageUrl", "notFoundUrl"] as const;
type Field = (typeof managed)[number];

/** A change of these replaces the domain. */
const replacing: readonly Field[] = ["name"];

/** Canonical arguments, as `check` makes them. */
export interface DomainInputs {
  __provider: string;
  name: string;
  homepageUrl?: string;
  notFoundUrl?: string;
  forceDestroy?: true;
  adopt?: Adopt;
  /** The value of the option `import`. */
  __import?: string;
}

/** What the state keeps of a domain. */
export interface DomainState extends DomainInputs, Origin, Doubt {
  url: string;
  __echo?: Echo;
}

function toState(record: DomainRecord, inputs: DomainInputs, echo: Echo, { baseUrl }: Settings): DomainState {
  const state: DomainState = { ...inputs, url: record.url ?? `https://${record.name}`, __origin: baseUrl };
  if (Object.keys(echo).length > 0) state.__echo = echo;
  return state;
}

/** The state after a write of these fields. Throws where the service did not keep one of them. */
async function written(
  client: Client,
  record: DomainRecord,
  inputs: DomainInputs,
  fields: readonly Field[],
  echo: Echo | undefined,
  settings: Settings,
): Promise<DomainState> {
  const missing = (answer: DomainRecord) => ignoredFields(fields, inputs, observe(answer));
  // A write may be answered with less than the whole record.
  const whole = missing(record).length === 0 ? record : await client.showDomain(record.id);
  const state = toState(whole, inputs, echoOf(fields, inputs, observe(whole), echo), settings);
  const ignored = missing(whole);
  if (ignored.length > 0) throw notKept(record.id, state, ignored);
  return state;
}

function toInputs({ url: _url, __echo, __origin, __doubtful, ...inputs }: DomainState): DomainInputs {
  return inputs;
}

/** The managed fields as the service answers them, in canonical form. */
function observe(record: DomainRecord): Record<Field, unknown> {
  return { name: record.name, homepageUrl: record.homepage_url, notFoundUrl: record.not_found_url };
}

/** The natural key of a domain in the journal. */
function keyOf({ name }: DomainInputs): string {
  return `domain ${name}`;
}

/** The form that writes the given fields; absent ones are cleared. */
function toForm(inputs: DomainInputs, fields: readonly Field[]): FormFields {
  const form: FormFields = {};
  if (fields.includes("name")) form.name = inputs.name;
  if (fields.includes("homepageUrl")) form.homepage_url = inputs.homepageUrl ?? null;
  if (fields.includes("notFoundUrl")) form.not_found_url = inputs.notFoundUrl ?? null;
  return form;
}

/** The life cycle of domains, as the engine calls it. */
export class DomainProvider implements pulumi.dynamic.ResourceProvider {
  configure = configure;

  async check(olds: object, news: Record<string, unknown>): Promise<pulumi.dynamic.CheckResult> {
    const { inputs: checked, failures, isPreview } = checkInputs(domainFields, news);
    const { __urn, ...inputs } = checked as DomainInputs & { __urn?: string };
    noteOwner(keyOf(inputs), __urn);
    const isNew = Object.keys(olds).length === 0;
    if (isPreview && isNew && failures.length === 0) await announceExisting(inputs);
    return { inputs, failures };
  }

  diff(id: string, olds: DomainState, news: DomainInputs): Promise<pulumi.dynamic.DiffResult> {
    refuseOtherService(olds);
    noteSaved("domain", id);
    const changed = changedFields([...managed, "forceDestroy"], olds, news);
    // Left undefined, `changes` makes the engine compare the inputs itself and show each property in the plan.
    return Promise.resolve(
      changed.length === 0
        ? { changes: false }
        : {
            replaces: replacing.filter((field) => changed.includes(field)),
            deleteBeforeReplace: isSame(olds.name, news.name),
          },
    );
  }

  create(inputs: DomainInputs): Promise<pulumi.dynamic.CreateResult<DomainState>> {
    return withClient({}, async (client, settings) => {
      const { record, fields } = await make(client, inputs, settings);
      noteHeld(keyOf(inputs), "domain", record.id);
      return { id: String(record.id), outs: await written(client, record, inputs, fields, {}, settings) };
    });
  }

  read(id: string, state: DomainState): Promise<pulumi.dynamic.ReadResult> {
    return withClient(state, async (client, settings) => {
      // Of `Domain.get` there is no output yet, of a refresh there always is.
      if ((state.url as string | undefined) === undefined) return get(client, id, state, settings);
      // Of a domain that another stack has made, `Domain.get` proves nothing.
      if (!("__id" in state)) noteSaved("domain", id);
      const record = await unlessGone(client.showDomain(Number(id)));
      // An empty answer drops the resource from the state.
      if (!record) return {};
      const old = toInputs(state);
      const answer = observe(record);
      const drifted = driftedFields(managed, old, answer, state.__echo);
      const inputs = replaceFields(old, drifted, answer);
      const echo = echoOf(drifted, inputs, answer, state.__echo);
      const props = toState(record, inputs, echo, settings);
      return isSettled(state, drifted) ? { id, props } : { id, props, inputs };
    });
  }

  update(
    id: string,
    olds: DomainState,
    news: DomainInputs,
  ): Promise<pulumi.dynamic.UpdateResult<DomainState>> {
    return withClient(olds, async (client, settings) => {
      // What the service did not keep the last time is tried again.
      const ignored = ignoredFields(managed, olds, { ...olds, ...olds.__echo });
      const doubtful = managed.filter((field) => olds.__doubtful?.includes(field));
      const fields = [...new Set([...changedFields(managed, olds, news), ...ignored, ...doubtful])];
      // The service knows nothing of forceDestroy.
      if (fields.length === 0) return { outs: replaceFields(olds, ["forceDestroy"], news) };
      return writeOrDoubt(id, olds, fields, async () => {
        const record = await client.updateDomain(Number(id), toForm(news, fields));
        return { outs: await written(client, record, news, fields, olds.__echo, settings) };
      });
    });
  }

  delete(id: string, state: DomainState): Promise<void> {
    return withClient(state, async (client) => {
      noteSaved("domain", id);
      if (isHeld("domain", id)) return;
      if (!state.forceDestroy) await refuseToDeleteLinks(client, Number(id), state.name);
      await unlessGone(client.deleteDomain(Number(id)));
    });
  }
}

/** Says in a preview what the plan of a new domain does not show. */
async function announceExisting(inputs: DomainInputs): Promise<void> {
  if (isUnknown(inputs)) return;
  if (inputs.__import !== undefined) return existing.announceImport("domain", inputs.__import);
  const found = await existing.existingDomain(inputs.name);
  if (!found) return;
  const differing = changedFields(managed, inputs, observe(found));
  const adopt = inputs.adopt ?? knownSettings()?.adopt ?? "never";
  existing.announce(`domain ${found.id}`, found.url ?? found.name, differing, adopt);
}

/** Stores, imports or adopts a domain, and says which fields the record answers for. */
async function make(
  client: Client,
  inputs: DomainInputs,
  settings: Settings,
): Promise<{ record: DomainRecord; fields: readonly Field[] }> {
  const adopt = inputs.adopt ?? settings.adopt;
  const takeOver = async (found: DomainRecord, mode: Adopt) => {
    const differing = changedFields(managed, inputs, observe(found));
    // A name cannot be changed, so no mode helps where another domain was named by its id.
    assertAdoptable(`domain ${found.id}`, differing, differing.includes("name") ? "never" : mode);
    const record =
      differing.length > 0 ? await client.updateDomain(found.id, toForm(inputs, differing)) : found;
    return { record, fields: managed };
  };
  if (inputs.__import !== undefined) {
    const found = await findDomain(client, inputs.__import);
    if (!found)
      throw new Error(`There is no domain ${JSON.stringify(inputs.__import)} to import in this account.`);
    return takeOver(found, adopt);
  }
  const given = managed.filter((field) => inputs[field] !== undefined);
  const isEqual = (domain: DomainRecord) => changedFields(managed, inputs, observe(domain)).length === 0;
  const notes = new Notes(client, settings, keyOf(inputs));
  const left = await notes.leftOver(
    (id) => unlessGone(client.showDomain(id)),
    async (key) => {
      const found = await findDomain(client, key.slice("domain ".length));
      return found ? [found] : [];
    },
    (domain) => digestOf(managed, observe(domain)),
    ({ name }) => name === inputs.name,
  );
  if (left) return takeOver(left, "always");
  try {
    const once = () =>
      storeOnce(
        client,
        () => client.storeDomain(toForm(inputs, given)),
        () => findDomain(client, inputs.name),
        isEqual,
      );
    return { record: await notes.during(keyOf(inputs), digestOf(managed, inputs), once), fields: given };
  } catch (error) {
    const found =
      error instanceof ExistsError
        ? (error.found as DomainRecord)
        : isRefusedFor(error, "name")
          ? await findDomain(client, inputs.name)
          : undefined;
    if (!found) throw error;
    if (isEqual(found) && (await notes.isOwn(keyOf(inputs), found))) return takeOver(found, "ifEqual");
    if (adopt === "never") throw conflict(error as Error, "the domain", found.id);
    return takeOver(found, adopt);
  }
}

/** A domain that exists, by id or name, with everything that the service tells of it. */
async function get(
  client: Client,
  key: string,
  { __provider }: DomainInputs,
  settings: Settings,
): Promise<pulumi.dynamic.ReadResult> {
  const record = await findDomain(client, key);
  if (!record) throw new Error(`There is no domain ${JSON.stringify(key)} in this account.`);
  const inputs = replaceFields({ __provider } as DomainInputs, managed, observe(record));
  const id = String(record.id);
  return { id, props: { ...toState(record, inputs, {}, settings), __id: id }, inputs };
}

/** The service deletes the links of a domain with it; Pulumi has deleted its own before. */
async function refuseToDeleteLinks(client: Client, id: number, name: string): Promise<void> {
  const { value: links = [] } = (await client.listLinks({ domain_id: id }).next()) as {
    value?: LinkRecord[];
  };
  if (links.length === 0) return;
  const aliases = [...links.slice(0, 3).map(({ alias }) => alias), ...(links.length > 3 ? ["..."] : [])];
  const count = links.length < 100 ? links.length : "100 or more";
  throw new Error(
    `delete domain ${id}: ${count} ${count === 1 ? "link" : "links"} on ${name} (${aliases.join(", ")}) would be deleted ` +
      `with it, and this stack does not delete them itself. Remove them first, or set forceDestroy to true and run "pulumi up".`,
  );
}
