import type * as pulumi from "@pulumi/pulumi";
import * as aliases from "./aliases";
import { checkInputs, takeMark, toFailure, type Failure } from "./check";
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
import { entryOf } from "./entries";
import * as existing from "./existing";
import { linkFields } from "./fields";
import { findLink } from "./find";
import { makeLink } from "./link-create";
import {
  canonical,
  inOrderOf,
  inZone,
  observe,
  replacing,
  visible,
  wishOf,
  type LinkInputs,
} from "./link-fields";
import { managed, secret, type Field } from "./link-names";
import { together } from "./link-rules";
import { writeLink } from "./link-writes";
import {
  deleteNoted,
  keptRevision,
  noteSaved,
  settleChanges,
  settleHolder,
  unsavedChanges,
  writeOrDoubt,
  type Revision,
} from "./once";
import {
  claim,
  importClashes,
  isComparing,
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
import { digested, redactor } from "./redact";
import type { Client, LinkRecord } from "./service/client";
import {
  configure,
  isSettled,
  knownSettings,
  notKept,
  orGone,
  refuseOtherService,
  readsOf,
  savedOutputs,
  withClient,
  type Doubt,
  type Origin,
} from "./session";
import type { Settings } from "./settings";

/** What the state keeps of a link. */
export interface LinkState extends LinkInputs, Origin, Doubt, Provenance, Revision {
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
  kept: Provenance & Revision,
  settings: Settings,
): Promise<LinkState> {
  const wish = wishOf(inputs);
  // The answer to a password can be "none" for another reason: a service that cannot read what it has encrypted.
  const told = visible.filter((field) => fields.includes(field));
  const missing = (answer: LinkRecord) => ignoredFields(told, wish, observe(answer, inputs));
  // A write may be answered with less than the whole record.
  const whole = missing(record).length === 0 ? record : await client.showLink(record.id);
  const newEcho = echoOf(fields, digested(wish, inputs), digested(observe(whole, inputs), inputs), echo);
  const state = { ...toState(whole, inputs, newEcho, settings), ...kept };
  const ignored = missing(whole);
  if (ignored.length > 0) throw notKept(record.id, state, ignored);
  return state;
}

function toInputs(state: LinkState): LinkInputs {
  const {
    shortUrl: _shortUrl,
    __echo,
    __origin,
    __doubtful,
    __adoption,
    __former,
    __revision,
    ...inputs
  } = state;
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
    notePlanning();
    aliases.notePlanning();
    const { mark, args } = takeMark("shortUrl", news);
    const checked = checkInputs(linkFields, args, (fields, refused) =>
      together(fields as Partial<LinkInputs>, refused, { timeZone: knownSettings()?.timeZone }),
    );
    const { isPreview } = checked;
    const failures = [...checked.failures];
    const { __wishes, ...fields } = checked.inputs as LinkInputs & { __wishes?: string };
    noteWishes(__wishes);
    const isNew = Object.keys(olds).length === 0;
    if (!isNew) notePlaced(fields.__urn);
    // `pulumi up --replace` and `pulumi state taint` make a link new that the state has.
    const saved = isNew && fields.alias === undefined ? await savedOutputs(fields.__urn) : undefined;
    const inputs = fields.alias === undefined ? chooseAlias(fields, isNew ? saved : olds) : fields;
    if (fields.alias !== undefined) delete inputs.__alias;
    if (failures.length === 0) failures.push(...clashes(inputs));
    if (isPreview && isNew && !saved && failures.length === 0) await announceExisting(inputs);
    return { inputs: { ...inputs, ...mark }, failures };
  }

  diff(id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.DiffResult> {
    refuseOtherService(olds);
    const wanted = keepAlias(olds, news);
    const changed = changedFields(managed, canonical(olds), canonical(wanted));
    const replaces = replacing.filter((field) => changed.includes(field));
    // Two links cannot share an alias, should anything else ask for a replacement.
    const deleteBeforeReplace = isSame([olds.domainId, olds.alias], [wanted.domainId, wanted.alias]);
    const isInDoubt =
      !isComparing() && (aliases.isAstray(Number(id)) || unsavedChanges("link", id, olds) !== undefined);
    if (!isComparing()) {
      noteSaved("link", id);
      notePlan("link", id, news.__urn, olds, replaces.length === 0);
      settleHolder("link", id, olds.__adoption);
      // An alias in doubt is written again, over one that another link may need.
      const leaves =
        changed.includes("alias") || changed.includes("domainId") || doubtful(id, olds).includes("alias");
      aliases.notePlan(Number(id), leaves);
      if (news.__alias !== undefined) keptAliases.set(news.__alias, wanted.alias);
    }
    // Left undefined, `changes` makes the engine compare the inputs itself and show each property in the plan. It would find
    // nothing in those of a link that may not be as the state says.
    if (changed.length === 0) return Promise.resolve({ changes: isInDoubt });
    return Promise.resolve({ replaces, deleteBeforeReplace });
  }

  create(inputs: LinkInputs): Promise<pulumi.dynamic.CreateResult<LinkState>> {
    return withClient(inputs, async (client, settings) => {
      const { record, isNew, mark, fields, made } = await makeLink(client, inputs, settings);
      aliases.notePlan(record.id, false);
      claim("link", record.id, inputs.__urn);
      await settleChanges("link", record.id);
      const provenance = provenanceOf(record.id, inputs.__urn, isNew, mark);
      const outs = await written(client, record, made, fields, {}, provenance, settings);
      return { id: String(record.id), outs };
    });
  }

  read(id: string, state: LinkState): Promise<pulumi.dynamic.ReadResult> {
    return withClient(state, async (client, settings) => {
      // Of `Link.get` there is no output yet, of a refresh there always is.
      if ((state.shortUrl as string | undefined) === undefined) return get(client, id, state, settings);
      noteRefreshing();
      // Of a link that another stack has made, `Link.get` proves nothing, and its passwords it does not know.
      const isOwn = !("__id" in state);
      if (isOwn) noteSaved("link", id);
      const fields = isOwn ? managed : visible;
      const record = await readsOf(client).read(Number(id), state.domainId);
      // An empty answer drops the resource from the state.
      if (!record) return {};
      const old = toInputs(state);
      const answer = observe(record, old);
      const answered = digested(answer, state);
      const drifted = driftedFields(fields, digested(wishOf(old), state), answered, state.__echo);
      const inputs = replaceFields(old, drifted, inOrderOf(old, inZone(answer, settings.timeZone)));
      // Nobody but this state knows which alias to go back to.
      if (inputs.__alias !== undefined && drifted.includes("alias")) inputs.__keptAlias ??= state.alias;
      const echo = echoOf(drifted, digested(wishOf(inputs), state), answered, state.__echo);
      const props = {
        ...toState(record, inputs, echo, settings),
        ...keptProvenance(state),
        ...keptRevision(state),
      };
      return isSettled(state, drifted) ? { id, props } : { id, props, inputs };
    });
  }

  update(id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.UpdateResult<LinkState>> {
    return withClient({ ...olds, ...news }, async (client, settings) => {
      const wanted = keepAlias(olds, news);
      // What the service did not keep the last time is tried again.
      const ignored = ignoredFields(visible, olds, { ...olds, ...olds.__echo });
      const changed = changedFields(managed, canonical(olds), canonical(wanted));
      const fields = [...new Set([...changed, ...ignored, ...doubtful(id, olds)])];
      const isAstray = () => aliases.isAstray(Number(id));
      return writeOrDoubt("link", id, olds, fields, isAstray, async (revision) => {
        const record = await orGone("link", id, writeLink(client, Number(id), wanted, fields));
        const kept = { ...keptProvenance(olds), ...revision };
        return { outs: await written(client, record, wanted, fields, olds.__echo, kept, settings) };
      });
    });
  }

  delete(id: string, state: LinkState): Promise<void> {
    return withClient(state, async (client) => {
      noteSaved("link", id);
      if (!isLast("link", id, state)) return;
      await deleteNoted("link", id, state.__adoption, () => client.deleteLink(Number(id)));
      noteDeleted(id, state.__urn);
    });
  }
}

/** The fields that may not be as the state says, and are written again. */
function doubtful(id: string, olds: LinkState): Field[] {
  const names = [...(olds.__doubtful ?? []), ...(unsavedChanges("link", id, olds) ?? [])];
  if (aliases.isAstray(Number(id))) names.push("alias");
  return managed.filter((field) => names.includes(field));
}

/** What another link of the program wants as well. */
function clashes({ __urn: urn, domainId, alias, __import: key }: LinkInputs): Failure[] {
  const failures: Failure[] = [];
  if (alias !== undefined && !isUnknown([domainId, alias])) {
    const other = noteWanted(`alias ${aliases.aliasKey(domainId, alias)}`, urn);
    if (other !== undefined) {
      const reason = `is also that of the resource ${nameOf(other)} (${other}); on one domain each link needs its own`;
      failures.push(toFailure({ property: "alias", reason }));
    }
  }
  return [...failures, ...importClashes("link", key, urn)];
}

/** Says in a preview what the plan of a new link does not show. */
async function announceExisting(inputs: LinkInputs): Promise<void> {
  const { domainId, alias, __import: key } = inputs;
  const settings = knownSettings();
  const adopt = inputs.adopt ?? settings?.adopt ?? "never";
  const known = visible.filter((field) => !isUnknown(inputs[field]));
  const passwords = secret.filter((field) => inputs[field] !== undefined);
  const outcomeOf = (found: LinkRecord) => {
    const answer = inZone(observe(found, inputs), settings?.timeZone);
    const wish =
      alias === undefined || inputs.__alias !== undefined ? { ...inputs, alias: found.alias } : inputs;
    return {
      differing: changedFields(known, canonical(wish), canonical(answer)),
      passwords,
      adopt,
      entry: entryOf(inputs.__urn),
    };
  };
  if (key !== undefined && !isUnknown(key)) {
    const found = await existing.linkToImport(isUnknown(domainId) ? undefined : domainId, key);
    return existing.announceImport("link", key, found && outcomeOf(found));
  }
  if (alias === undefined || isUnknown([domainId, alias])) return;
  const found = await existing.existingLink(domainId, alias);
  // A link of this program is known by its plan: the resource is to be replaced, or the alias moves.
  if (!found || aliases.hasPlan(found.id)) return;
  const outcome = outcomeOf(found);
  const mayBeOwn = adopt === "never" && alias === inputs.__alias;
  const redact = redactor(inputs);
  existing.announce(`link ${found.id}`, redact(found.short_url ?? alias), {
    ...outcome,
    adopt: mayBeOwn ? "ifEqual" : adopt,
  });
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
