import type * as pulumi from "@pulumi/pulumi";
import * as aliases from "./aliases";
import { checkInputs } from "./check";
import { isUnknown } from "./check-fields";
import {
  changedFields,
  driftedFields,
  echoOf,
  ignoredFields,
  isSame,
  replaceFields,
  type Echo,
} from "./drift";
import * as existing from "./existing";
import { linkFields } from "./fields";
import { findLink } from "./find";
import { makeLink, targetOf } from "./link-create";
import { inZone, observe, replacing, visible, wishOf, type LinkInputs } from "./link-fields";
import { managed, type Field } from "./link-names";
import { together } from "./link-rules";
import { writeLink } from "./link-writes";
import { isHeld, noteHeld, noteOwner, noteSaved } from "./once";
import type { Client, LinkRecord } from "./service/client";
import {
  configure,
  isSettled,
  knownSettings,
  notKept,
  refuseOtherService,
  readsOf,
  unlessGone,
  withClient,
  writeOrDoubt,
  type Doubt,
  type Origin,
} from "./session";
import type { Settings } from "./settings";

/** What the state keeps of a link. */
export interface LinkState extends LinkInputs, Origin, Doubt {
  alias: string;
  shortUrl: string;
  __echo?: Echo;
}

function toState(record: LinkRecord, inputs: LinkInputs, echo: Echo, { baseUrl }: Settings): LinkState {
  const alias = inputs.alias ?? record.alias;
  const state: LinkState = { ...inputs, alias, shortUrl: record.short_url ?? "", __origin: baseUrl };
  if (Object.keys(echo).length > 0) state.__echo = echo;
  return state;
}

/** The state after a write of these fields. Throws where the service did not keep one of them. */
async function written(
  client: Client,
  record: LinkRecord,
  inputs: LinkInputs,
  fields: readonly Field[],
  echo: Echo | undefined,
  settings: Settings,
): Promise<LinkState> {
  const wish = wishOf(inputs);
  // The answer to a password can be "none" for another reason: a service that cannot read what it has encrypted.
  const told = visible.filter((field) => fields.includes(field));
  const missing = (answer: LinkRecord) => ignoredFields(told, wish, observe(answer, inputs));
  // A write may be answered with less than the whole record.
  const whole = missing(record).length === 0 ? record : await client.showLink(record.id);
  const state = toState(whole, inputs, echoOf(fields, wish, observe(whole, inputs), echo), settings);
  const ignored = missing(whole);
  if (ignored.length > 0) throw notKept(record.id, state, ignored);
  return state;
}

function toInputs({ shortUrl: _shortUrl, __echo, __origin, __doubtful, ...inputs }: LinkState): LinkInputs {
  return inputs;
}

/**
 * The alias of links that name none, by the one that was derived for them. A replacement checks its inputs a second
 * time and without the old ones; a printed alias must be the same there, so the diff before it leaves it here.
 */
const keptAliases = new Map<string, string>();

/** The alias of a link for which the program names none; without `olds` it is a new one. */
function chooseAlias(inputs: LinkInputs, olds: Partial<LinkInputs> | undefined): LinkInputs {
  const derived = inputs.__alias ?? "";
  const ofNew = () =>
    knownSettings()?.aliases === "service" ? undefined : (keptAliases.get(derived) ?? derived);
  const alias = olds ? (olds.__keptAlias ?? olds.alias) : ofNew();
  return alias === undefined || alias === "" ? inputs : { ...inputs, alias };
}

/** An alias is never given up: a link for which the program names none keeps the one that it has. */
function keepAlias(olds: LinkState, news: LinkInputs): LinkInputs & { alias: string } {
  const alias = news.__alias === undefined ? news.alias : undefined;
  return { ...news, alias: alias ?? olds.__keptAlias ?? olds.alias };
}

/** The life cycle of links, as the engine calls it. */
export class LinkProvider implements pulumi.dynamic.ResourceProvider {
  configure = configure;

  async check(olds: Partial<LinkInputs>, news: Record<string, unknown>): Promise<pulumi.dynamic.CheckResult> {
    aliases.notePlanning();
    const checked = checkInputs(linkFields, news, (fields, refused) =>
      together(fields as Partial<LinkInputs>, refused, { timeZone: knownSettings()?.timeZone }),
    );
    const { failures, isPreview } = checked;
    const { __freed, __urn, ...fields } = checked.inputs as LinkInputs & { __freed?: string; __urn?: string };
    const isNew = Object.keys(olds).length === 0;
    const inputs = fields.alias === undefined ? chooseAlias(fields, isNew ? undefined : olds) : fields;
    if (fields.alias !== undefined) {
      delete inputs.__alias;
      if (__freed !== undefined) aliases.noteFreed(inputs.domainId, fields.alias, __freed);
    }
    noteOwner(targetOf(inputs), __urn);
    if (isPreview && isNew && failures.length === 0) await announceExisting(inputs);
    return { inputs, failures };
  }

  diff(id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.DiffResult> {
    refuseOtherService(olds);
    noteSaved("link", id);
    const wanted = keepAlias(olds, news);
    const changed = changedFields(managed, olds, wanted);
    // An alias in doubt is written again, over one that another link may need.
    const inDoubt = olds.__doubtful?.includes("alias") ?? false;
    aliases.notePlan(Number(id), inDoubt || changed.includes("alias") || changed.includes("domainId"));
    if (news.__alias !== undefined) keptAliases.set(news.__alias, wanted.alias);
    // Left undefined, `changes` makes the engine compare the inputs itself and show each property in the plan.
    return Promise.resolve(
      changed.length === 0
        ? { changes: false }
        : {
            replaces: replacing.filter((field) => changed.includes(field)),
            // Two links cannot share an alias, should anything else ask for a replacement.
            deleteBeforeReplace: isSame([olds.domainId, olds.alias], [wanted.domainId, wanted.alias]),
          },
    );
  }

  create(inputs: LinkInputs): Promise<pulumi.dynamic.CreateResult<LinkState>> {
    return withClient({}, async (client, settings) => {
      const { record, fields, made } = await makeLink(client, inputs, settings);
      aliases.notePlan(record.id, false);
      noteHeld(targetOf(inputs), "link", record.id);
      return { id: String(record.id), outs: await written(client, record, made, fields, {}, settings) };
    });
  }

  read(id: string, state: LinkState): Promise<pulumi.dynamic.ReadResult> {
    return withClient(state, async (client, settings) => {
      // Of `Link.get` there is no output yet, of a refresh there always is.
      if ((state.shortUrl as string | undefined) === undefined) return get(client, id, state, settings);
      aliases.noteRefresh();
      // Of a link that another stack has made, `Link.get` proves nothing.
      if (!("__id" in state)) noteSaved("link", id);
      const record = await readsOf(client).read(Number(id), state.domainId);
      // An empty answer drops the resource from the state.
      if (!record) return {};
      const old = toInputs(state);
      const answer = observe(record, old);
      const drifted = driftedFields(managed, wishOf(old), answer, state.__echo);
      const inputs = replaceFields(old, drifted, inZone(answer, settings.timeZone));
      // Nobody but this state knows which alias to go back to.
      if (inputs.__alias !== undefined && drifted.includes("alias")) inputs.__keptAlias ??= state.alias;
      const echo = echoOf(drifted, wishOf(inputs), answer, state.__echo);
      const props = toState(record, inputs, echo, settings);
      return isSettled(state, drifted) ? { id, props } : { id, props, inputs };
    });
  }

  update(id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.UpdateResult<LinkState>> {
    return withClient(olds, async (client, settings) => {
      const wanted = keepAlias(olds, news);
      // What the service did not keep the last time is tried again.
      const ignored = ignoredFields(visible, olds, { ...olds, ...olds.__echo });
      const doubtful = managed.filter((field) => olds.__doubtful?.includes(field));
      const fields = [...new Set([...changedFields(managed, olds, wanted), ...ignored, ...doubtful])];
      return writeOrDoubt(id, olds, fields, async () => {
        const record = await writeLink(client, Number(id), wanted, fields);
        return { outs: await written(client, record, wanted, fields, olds.__echo, settings) };
      });
    });
  }

  delete(id: string, state: LinkState): Promise<void> {
    return withClient(state, async (client) => {
      noteSaved("link", id);
      if (isHeld("link", id)) return;
      await unlessGone(client.deleteLink(Number(id)));
    });
  }
}

/** Says in a preview what the plan of a new link does not show. */
async function announceExisting(inputs: LinkInputs): Promise<void> {
  const { domainId, alias, __import: key } = inputs;
  if (key !== undefined && !isUnknown(key)) return existing.announceImport("link", key);
  if (alias === undefined || isUnknown([domainId, alias])) return;
  const found = await existing.existingLink(domainId, alias);
  // A link of this program is known by its plan: the resource is to be replaced, or the alias moves.
  if (!found || aliases.hasPlan(found.id)) return;
  const known = visible.filter((field) => !isUnknown(inputs[field]));
  const settings = knownSettings();
  const differing = changedFields(known, inputs, inZone(observe(found, inputs), settings?.timeZone));
  const given = inputs.adopt ?? settings?.adopt ?? "never";
  const adopt = given === "never" && alias === inputs.__alias ? "ifEqual" : given;
  existing.announce(`link ${found.id}`, found.short_url ?? alias, differing, adopt);
}

/** A link that exists, by id or by domain and alias, with everything that the service tells of it. */
async function get(
  client: Client,
  key: string,
  { __provider }: LinkInputs,
  settings: Settings,
): Promise<pulumi.dynamic.ReadResult> {
  const record = await findLink(client, key);
  if (!record) throw new Error(`There is no link ${JSON.stringify(key)} in this account.`);
  const answer = inZone(observe(record, {}), settings.timeZone);
  const inputs = replaceFields({ __provider } as LinkInputs, visible, answer);
  const id = String(record.id);
  return { id, props: { ...toState(record, inputs, {}, settings), __id: id }, inputs };
}
