import type * as pulumi from "@pulumi/pulumi";
import { assertAdoptable, conflict, isRefusedFor, nothingToImport } from "./adopt";
import type { Adopt } from "./adopt";
import { checkInputs, takeMark, toFailure, type Failure } from "./check";
import { isUnknown } from "./check-fields";
import { collate } from "./collate";
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
import { entryOf } from "./entries";
import * as existing from "./existing";
import { domainFields } from "./fields";
import { findDomain } from "./find";
import {
  ExistsError,
  isLeftOver,
  deleteNoted,
  keptRevision,
  Notes,
  noteSaved,
  noteHolder,
  settleChanges,
  settleHolder,
  storeOnce,
  unsavedChanges,
  writeOrDoubt,
  type Revision,
} from "./once";
import {
  assertFree,
  claim,
  hasPlanned,
  importClashes,
  isComparing,
  isFormer,
  isLast,
  keptProvenance,
  nameOf,
  noteDeleted,
  notePlaced,
  notePlan,
  notePlanning,
  noteRefreshing,
  noteWanted,
  noteWishes,
  provenanceOf,
  type Provenance,
} from "./ownership";
import { digested, redactor, type Secrets } from "./redact";
import type { Client, DomainRecord, LinkRecord } from "./service/client";
import type { FormFields } from "./service/form";
import {
  configure,
  isInState,
  isSettled,
  knownSettings,
  notKept,
  orGone,
  refuseOtherService,
  stackState,
  unlessGone,
  withClient,
  type Doubt,
  type Origin,
} from "./session";
import type { Settings } from "./settings";

const managed = ["name", "homepageUrl", "notFoundUrl"] as const;
type Field = (typeof managed)[number];

/** A change of these replaces the domain. */
const replacing: readonly Field[] = ["name"];

/** Canonical arguments, as `check` makes them. */
export interface DomainInputs extends Secrets {
  __provider: string;
  /** URN of the resource; states of 0.1.0 have none. */
  __urn?: string;
  name: string;
  homepageUrl?: string;
  notFoundUrl?: string;
  forceDestroy?: true;
  adopt?: Adopt;
  /** The value of the option `import`. */
  __import?: string;
}

/** What the state keeps of a domain. */
export interface DomainState extends DomainInputs, Origin, Doubt, Provenance, Revision {
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
  kept: Provenance & Revision,
  settings: Settings,
): Promise<DomainState> {
  const missing = (answer: DomainRecord) => ignoredFields(fields, inputs, observe(answer));
  // A write may be answered with less than the whole record.
  const whole = missing(record).length === 0 ? record : await client.showDomain(record.id);
  const newEcho = echoOf(fields, digested(inputs, inputs), digested(observe(whole), inputs), echo);
  const state = { ...toState(whole, inputs, newEcho, settings), ...kept };
  const ignored = missing(whole);
  if (ignored.length > 0) throw notKept(record.id, state, ignored);
  return state;
}

function toInputs(state: DomainState): DomainInputs {
  const { url: _url, __echo, __origin, __doubtful, __adoption, __former, __revision, ...inputs } = state;
  return inputs;
}

/** The managed fields as the service answers them, in canonical form. */
function observe(record: DomainRecord): Record<Field, unknown> {
  return { name: record.name, homepageUrl: record.homepage_url, notFoundUrl: record.not_found_url };
}

/** The natural key of a domain in the journal. */
function keyOf({ name, __secrets = [] }: Pick<DomainInputs, "name" | "__secrets">): string {
  return `domain ${__secrets.includes("name") ? `#${digestOf(["name"], { name })}` : name}`;
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
    notePlanning();
    const { mark, args } = takeMark("url", news);
    const { isPreview, ...checked } = checkInputs(domainFields, args);
    const { __wishes, ...inputs } = checked.inputs as DomainInputs & { __wishes?: string };
    noteWishes(__wishes);
    const failures = [...checked.failures];
    const isNew = Object.keys(olds).length === 0;
    if (!isNew) notePlaced(inputs.__urn);
    if (failures.length === 0) failures.push(...clashes(inputs));
    if (isPreview && isNew && failures.length === 0) await announceExisting(inputs);
    return { inputs: { ...inputs, ...mark }, failures };
  }

  diff(id: string, olds: DomainState, news: DomainInputs): Promise<pulumi.dynamic.DiffResult> {
    refuseOtherService(olds);
    const changed = changedFields([...managed, "forceDestroy"], olds, news);
    const replaces = replacing.filter((field) => changed.includes(field));
    if (!isComparing()) {
      noteSaved("domain", id);
      notePlan("domain", id, news.__urn, olds, replaces.length === 0);
      settleHolder("domain", id, olds.__adoption);
    }
    // Left undefined, `changes` makes the engine compare the inputs itself and show each property in the plan.
    return Promise.resolve(
      changed.length === 0
        ? { changes: !isComparing() && unsavedChanges("domain", id, olds) !== undefined }
        : { replaces, deleteBeforeReplace: isSame(olds.name, news.name) },
    );
  }

  create(inputs: DomainInputs): Promise<pulumi.dynamic.CreateResult<DomainState>> {
    return withClient(inputs, async (client, settings) => {
      const { record, isNew, mark, fields } = await make(client, inputs, settings);
      claim("domain", record.id, inputs.__urn);
      await settleChanges("domain", record.id);
      const provenance = provenanceOf(record.id, inputs.__urn, isNew, mark);
      const outs = await written(client, record, inputs, fields, {}, provenance, settings);
      return { id: String(record.id), outs };
    });
  }

  read(id: string, state: DomainState): Promise<pulumi.dynamic.ReadResult> {
    return withClient(state, async (client, settings) => {
      // Of `Domain.get` there is no output yet, of a refresh there always is.
      if ((state.url as string | undefined) === undefined) return get(client, id, state, settings);
      noteRefreshing();
      // Of a domain that another stack has made, `Domain.get` proves nothing.
      if (!("__id" in state)) noteSaved("domain", id);
      const record = await unlessGone(client.showDomain(Number(id)));
      // An empty answer drops the resource from the state.
      if (!record) return {};
      const old = toInputs(state);
      const answer = observe(record);
      const answered = digested(answer, state);
      const drifted = driftedFields(managed, digested(old, state), answered, state.__echo);
      const inputs = replaceFields(old, drifted, answer);
      const echo = echoOf(drifted, digested(inputs, state), answered, state.__echo);
      const props = {
        ...toState(record, inputs, echo, settings),
        ...keptProvenance(state),
        ...keptRevision(state),
      };
      return isSettled(state, drifted) ? { id, props } : { id, props, inputs };
    });
  }

  update(
    id: string,
    olds: DomainState,
    news: DomainInputs,
  ): Promise<pulumi.dynamic.UpdateResult<DomainState>> {
    return withClient({ ...olds, ...news }, async (client, settings) => {
      // What the service did not keep the last time is tried again.
      const ignored = ignoredFields(managed, olds, { ...olds, ...olds.__echo });
      const unsaved = unsavedChanges("domain", id, olds);
      const names = [...(olds.__doubtful ?? []), ...(unsaved ?? [])];
      const doubtful = managed.filter((field) => names.includes(field));
      const fields = [...new Set([...changedFields(managed, olds, news), ...ignored, ...doubtful])];
      // The service knows nothing of forceDestroy.
      if (fields.length === 0 && unsaved === undefined)
        return { outs: replaceFields(olds, ["forceDestroy"], news) };
      const isAstray = () => false;
      return writeOrDoubt("domain", id, olds, fields, isAstray, async (revision) => {
        const write =
          fields.length === 0
            ? client.showDomain(Number(id))
            : client.updateDomain(Number(id), toForm(news, fields));
        const record = await orGone("domain", id, write);
        const kept = { ...keptProvenance(olds), ...revision };
        return { outs: await written(client, record, news, fields, olds.__echo, kept, settings) };
      });
    });
  }

  delete(id: string, state: DomainState): Promise<void> {
    return withClient(state, async (client) => {
      noteSaved("domain", id);
      if (!isLast("domain", id, state)) return;
      if (!state.forceDestroy) await refuseToDeleteLinks(client, Number(id), state);
      await deleteNoted("domain", id, state.__adoption, () => client.deleteDomain(Number(id)));
      noteDeleted(id, state.__urn);
    });
  }
}

/** Says in a preview what the plan of a new domain does not show. */
async function announceExisting(inputs: DomainInputs): Promise<void> {
  if (isUnknown(inputs)) return;
  const adopt = inputs.adopt ?? knownSettings()?.adopt ?? "never";
  const outcomeOf = (found: DomainRecord) => ({
    differing: changedFields(managed, inputs, observe(found)),
    adopt,
    entry: entryOf(inputs.__urn),
  });
  if (inputs.__import !== undefined) {
    const found = await existing.domainToImport(inputs.__import);
    return existing.announceImport("domain", inputs.__import, found && outcomeOf(found));
  }
  const found = await existing.existingDomain(inputs.name);
  if (found)
    existing.announce(`domain ${found.id}`, redactor(inputs)(found.url ?? found.name), outcomeOf(found));
}

/** What another domain of the program wants as well. */
function clashes({ __urn: urn, name, __import: key }: DomainInputs): Failure[] {
  const failures = importClashes("domain", key, urn);
  const other = isUnknown(name) ? undefined : noteWanted(`domain ${collate(name)}`, urn);
  if (other === undefined) return failures;
  const reason = `is also that of the resource ${nameOf(other)} (${other}); use its id in the place of a second domain`;
  return [toFailure({ property: "name", reason }), ...failures];
}

/** Stores, imports or adopts a domain, and says which fields the record answers for. */
async function make(
  client: Client,
  inputs: DomainInputs,
  settings: Settings,
): Promise<{ record: DomainRecord; isNew: boolean; mark?: string | undefined; fields: readonly Field[] }> {
  const { __urn: urn } = inputs;
  const adopt = inputs.adopt ?? settings.adopt;
  const notes = new Notes(client, settings, urn);
  const digest = (domain: DomainRecord) => digestOf(managed, observe(domain));
  const differences = (domain: DomainRecord) => changedFields(managed, inputs, observe(domain));
  const takeOver = async (found: DomainRecord, mode: Adopt) => {
    const { release } = claim("domain", found.id, urn);
    try {
      const differing = differences(found);
      // A name cannot be changed, so no mode helps where another domain was named by its id.
      assertAdoptable(`domain ${found.id}`, differing, differing.includes("name") ? "never" : mode);
      await notes.taken(keyOf(inputs), found.id, digestOf(managed, inputs));
      const record =
        differing.length > 0 ? await client.updateDomain(found.id, toForm(inputs, differing)) : found;
      const isAnothers = (await ownersOf(found)).some((owner) => owner !== urn);
      const mark = isAnothers ? await noteHolder("domain", found.id) : undefined;
      return { record, isNew: false, mark, fields: managed };
    } catch (error) {
      release();
      throw error;
    }
  };
  // An import is for a resource without an object: one that is replaced is stored anew.
  if (inputs.__import !== undefined && !(await isInState(urn))) {
    const found = await findDomain(client, inputs.__import);
    if (!found) throw nothingToImport("domain", inputs.__import);
    return takeOver(found, adopt);
  }
  const given = managed.filter((field) => inputs[field] !== undefined);
  const left = await notes.leftOver(
    (id) => unlessGone(client.showDomain(id)),
    async (key) => {
      const found = await findDomain(
        client,
        key === keyOf(inputs) ? inputs.name : key.slice("domain ".length),
      );
      return found ? [found] : [];
    },
    digest,
    ({ name }) => name === inputs.name,
  );
  if (left) return takeOver(left, "always");
  try {
    const once = () =>
      storeOnce(
        client,
        () => client.storeDomain(toForm(inputs, given)),
        () => findDomain(client, inputs.name),
        (domain) => differences(domain).length === 0,
      );
    const record = await notes.during(keyOf(inputs), digestOf(managed, inputs), once, digest);
    return { record, isNew: true, fields: given };
  } catch (error) {
    const found =
      error instanceof ExistsError
        ? (error.found as DomainRecord)
        : isRefusedFor(error, "name")
          ? await findDomain(client, inputs.name)
          : undefined;
    if (!found) throw error;
    // This resource had, or still has, the domain, so the mode of adoption does not matter.
    if (isFormer(found.id, urn) || (urn !== undefined && (await ownersOf(found)).includes(urn)))
      return takeOver(found, "always");
    const differing = differences(found);
    if (differing.length === 0 && (await notes.isOwn(keyOf(inputs), found, digest(found))))
      return takeOver(found, "ifEqual");
    if (adopt === "never") {
      assertFree("domain", found.id, urn);
      throw conflict(error as Error, "domain", found.id, differing, entryOf(urn));
    }
    return takeOver(found, adopt);
  }
}

/** The resources in the state of this stack that have this domain. */
async function ownersOf(domain: DomainRecord): Promise<string[]> {
  // Somebody may have put another one in its place.
  const isSame = (saved: Partial<DomainState>) =>
    !("__id" in saved) && driftedFields(managed, saved, observe(domain), saved.__echo).length === 0;
  return [...(await stackState())].flatMap(([urn, saved]) => (isSame(saved) ? [urn] : []));
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
async function refuseToDeleteLinks(client: Client, id: number, { name, __urn }: DomainState): Promise<void> {
  const { value: all = [] } = (await client.listLinks({ domain_id: id }).next()) as {
    value?: LinkRecord[];
  };
  // Links of an interrupted run are in no state; all other links of the stack were planned by now and count as saved.
  const isOwn = (link: LinkRecord) => __urn !== undefined && hasPlanned() && isLeftOver(link, __urn);
  const links = all.length < 100 ? all.filter((link) => !isOwn(link)) : all;
  if (links.length === 0) return;
  const aliases = [...links.slice(0, 3).map(({ alias }) => alias), ...(links.length > 3 ? ["..."] : [])];
  const count = links.length < 100 ? links.length : "100 or more";
  throw new Error(
    `delete domain ${id}: ${count} ${count === 1 ? "link" : "links"} on ${name} (${aliases.join(", ")}) would be deleted ` +
      `with it, and this stack does not delete them itself. Remove them first, or set forceDestroy to true and run "pulumi up".`,
  );
}
