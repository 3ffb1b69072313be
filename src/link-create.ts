import { assertAdoptable, conflict } from "./adopt";
import type { Adopt } from "./adopt";
import * as aliases from "./aliases";
import { changedFields, digestOf } from "./drift";
import { findAlias, findLink, findUrl } from "./find";
import { inZone, managed, observe, secret, toForm, visible, wishOf } from "./link-fields";
import type { Field, LinkInputs } from "./link-fields";
import { namingTargets, writeLink } from "./link-writes";
import { ExistsError, Notes, storeOnce } from "./once";
import type { Client, LinkRecord } from "./service/client";
import { isNotFound, type ServiceError } from "./service/errors";
import { readLink } from "./session";
import type { Settings } from "./settings";

// How links come to be: imported, adopted, left over from a run that was killed, or stored.

export interface Made {
  record: LinkRecord;
  /** What the record was made from: the inputs, with another alias where somebody else had the derived one. */
  made: LinkInputs;
  /** The fields that the record answers for. */
  fields: readonly Field[];
}

/** What a create is going to make, for `noteOwner`; the derived alias tells those apart whose alias the service chooses. */
export function targetOf({ domainId, alias, __alias }: LinkInputs): string {
  return `link ${domainId}/${alias ?? __alias}`;
}

/** The natural key of a link in the journal; without alias where the service chooses it. */
function keyOf(domainId: number, alias = "*"): string {
  return `link ${domainId}/${alias}`;
}

/** The fields that tell a link from others of its key. */
const telling = visible.filter((field) => field !== "alias" && field !== "domainId");

/** Ids of the links that creates of this process have, for certain or by a guess. */
const claimed = new Set<number>();
/** The last request of this process to make a link, by its key. */
const posted = new Map<string, Promise<unknown>>();

/** The link that an entry of the journal speaks of, unless this run knows it as that of another resource. */
async function findLeft(client: Client, key: string, inputs: LinkInputs): Promise<LinkRecord | undefined> {
  const [, id, alias = ""] = /^link (\d+)\/(.*)$/.exec(key) ?? [];
  const domainId = Number(id);
  if (key !== keyOf(inputs.domainId, inputs.alias) || alias === "*") await aliases.allPlanned();
  if (alias === "*") return findUnknown(client, domainId, inputs.url);
  const found = await findAlias(client, domainId, alias);
  // Another resource may be given the alias at this moment.
  await posted.get(key);
  return found && !claimed.has(found.id) && !aliases.hasPlan(found.id) ? found : undefined;
}

/** What a lost request may have made. Where the service chose the alias, only links that nothing in this run knows. */
async function findStored(client: Client, made: LinkInputs): Promise<LinkRecord | undefined> {
  const { alias, domainId, url } = made;
  return alias === undefined ? findUnknown(client, domainId, url) : findAlias(client, domainId, alias);
}

/** The newest link of a destination that nothing in this run knows. */
async function findUnknown(client: Client, domainId: number, url: string): Promise<LinkRecord | undefined> {
  const links = await findUrl(client, domainId, url);
  const found = links.findLast(({ id }) => !claimed.has(id) && !aliases.hasPlan(id));
  if (found) claimed.add(found.id);
  return found;
}

/** Sends the request that makes a link. */
async function store(client: Client, made: LinkInputs, fields: Field[]): Promise<LinkRecord> {
  const post = async () => {
    const record = await namingTargets(made, client.storeLink(toForm(made, fields)));
    // A create whose answer was lost may have taken this one for its own: they are alike, so its own will do here.
    const isTaken = made.alias === undefined && claimed.has(record.id);
    claimed.add(record.id);
    return (isTaken ? await findStored(client, made) : undefined) ?? record;
  };
  const posting = post();
  const settled = posting.catch(() => undefined);
  posted.set(keyOf(made.domainId, made.alias), settled);
  return posting;
}

/** The create of one link. */
interface Create {
  client: Client;
  inputs: LinkInputs;
  settings: Settings;
}

/** Imports, finishes, stores or adopts a link. */
export async function makeLink(client: Client, inputs: LinkInputs, settings: Settings): Promise<Made> {
  const create = { client, inputs, settings };
  if (inputs.__import !== undefined) return importLink(create, inputs.__import);
  const notes = new Notes(client, settings, targetOf(inputs));
  const isDerived = inputs.alias !== undefined && inputs.alias === inputs.__alias;
  const candidates = isDerived ? aliases.candidatesOf(inputs.alias as string) : [inputs.alias];
  const finished = await finishLink(create, notes, candidates);
  if (finished) return finished;
  let refusal: ServiceError | undefined;
  for (const alias of candidates) {
    const made = alias === undefined ? inputs : { ...inputs, alias };
    try {
      return await storeLink(create, notes, made);
    } catch (error) {
      if (isNotFound(error))
        throw new Error(`${error.message} Is there a domain ${inputs.domainId} in this account?`);
      if (!(error instanceof aliases.AliasTaken)) throw error;
      if (error.holder) return adoptLink(create, notes, made, error.refusal, error.holder);
      refusal ??= error.refusal;
    }
  }
  if (!refusal || !isDerived) throw refusal as ServiceError;
  throw new Error(
    `${refusal.message} The program names no alias, and this one was made for it: name one, or leave it to the service ` +
      `with "pulumi config set shortlink:aliases service".`,
  );
}

async function importLink(create: Create, key: string): Promise<Made> {
  const { client, inputs, settings } = create;
  const found = await findLink(client, key);
  if (!found) throw new Error(`There is no link ${JSON.stringify(key)} to import in this account.`);
  const made = inputs.__alias === undefined ? inputs : { ...inputs, alias: found.alias };
  return takeOver(create, found, inputs.adopt ?? settings.adopt, made);
}

/** Takes over what a run that was killed has made for this resource. */
async function finishLink(
  create: Create,
  notes: Notes,
  candidates: (string | undefined)[],
): Promise<Made | undefined> {
  const { client, inputs, settings } = create;
  const { domainId, alias } = inputs;
  const left = await notes.leftOver(
    (id) => readLink(client, id, domainId),
    (key) => findLeft(client, key, inputs),
    (link) => digestOf(telling, inZone(observe(link, inputs), settings.timeZone)),
    (link) => (link.domain_id ?? domainId) === domainId,
  );
  if (!left) return undefined;
  claimed.add(left.id);
  const isKept = alias === undefined || candidates.includes(left.alias);
  aliases.notePlan(left.id, !isKept);
  return takeOver(create, left, "always", isKept ? { ...inputs, alias: left.alias } : inputs);
}

/** Throws `AliasTaken` where another link has the alias. */
async function storeLink({ client, settings }: Create, notes: Notes, made: LinkInputs): Promise<Made> {
  const fields = managed.filter((field) => made[field] !== undefined);
  const once = () =>
    storeOnce(
      client,
      () => store(client, made, fields),
      () => findStored(client, made),
      (link) => differingFields(made, link, settings).length === 0,
    );
  const take = () => aliases.takeAlias(client, made, once);
  try {
    const key = keyOf(made.domainId, made.alias);
    return { record: await notes.during(key, digestOf(telling, made), take), made, fields };
  } catch (error) {
    throw error instanceof ExistsError
      ? new aliases.AliasTaken(error.refusal, error.found as LinkRecord)
      : error;
  }
}

/** Takes over the link that has the alias, where it is this resource's or the program allows it. */
async function adoptLink(
  create: Create,
  notes: Notes,
  made: LinkInputs,
  refusal: ServiceError,
  holder: LinkRecord,
): Promise<Made> {
  const { inputs, settings } = create;
  const adopt = inputs.adopt ?? settings.adopt;
  const isEqual = differingFields(made, holder, settings).length === 0;
  // An alias that comes from the URN shows as well that an interrupted run of this stack has made the link.
  const isDerived = inputs.alias !== undefined && inputs.alias === inputs.__alias;
  const isOwn = isEqual && ((await notes.isOwn(keyOf(made.domainId, made.alias), holder)) || isDerived);
  if (!isOwn && adopt === "never") throw conflict(refusal, "the link", holder.id);
  return takeOver(create, holder, isOwn ? "ifEqual" : adopt, made);
}

/** Makes of a link that exists what the program says. */
async function takeOver(
  { client, settings }: Create,
  found: LinkRecord,
  mode: Adopt,
  made: LinkInputs,
): Promise<Made> {
  const differing = differingFields(made, found, settings);
  // A link cannot be moved, so no mode helps where one of another domain was named by its id.
  assertAdoptable(`link ${found.id}`, differing, differing.includes("domainId") ? "never" : mode);
  // Whether a password is the right one cannot be seen.
  const fields = managed.filter(
    (field) =>
      differing.includes(field) || (secret.some((each) => each === field) && made[field] !== undefined),
  );
  const record = fields.length > 0 ? await writeLink(client, found.id, made, fields) : found;
  return { record, made, fields: managed };
}

function differingFields(wish: LinkInputs, found: LinkRecord, { timeZone }: Settings): Field[] {
  const differing = changedFields(managed, wishOf(wish), inZone(observe(found, wish), timeZone));
  return wish.alias === undefined ? differing.filter((field) => field !== "alias") : differing;
}
