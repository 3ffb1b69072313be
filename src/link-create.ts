import { assertAdoptable, conflict, nothingToImport } from "./adopt";
import type { Adopt } from "./adopt";
import * as aliases from "./aliases";
import { changedFields, digestOf } from "./drift";
import { entryOf } from "./entries";
import { findAlias, findLink, findUrl } from "./find";
import { canonical, inZone, observe, toForm, visible, wishOf, type LinkInputs } from "./link-fields";
import { candidatesOf, managed, secret, type Field } from "./link-names";
import { namingTargets, writeLink } from "./link-writes";
import { ExistsError, noteHolder, Notes, storeOnce } from "./once";
import { assertFree, claim, isFormer, isOwned } from "./ownership";
import type { Client, LinkRecord } from "./service/client";
import { isNotFound, type ServiceError } from "./service/errors";
import { isInState, readsOf } from "./session";
import type { Settings } from "./settings";

// How links come to be: imported, adopted, left over from a run that was killed, or stored.

export interface Created {
  record: LinkRecord;
  /** False where the link existed before. */
  isNew: boolean;
  /** That of the journal's note where the link was another resource's. */
  mark?: string | undefined;
  /** What the record was made from: the inputs, with another alias where somebody else had the derived one. */
  made: LinkInputs;
  /** The fields that the record answers for. */
  fields: readonly Field[];
}

/** The natural key of a link in the journal; `*` where the service chooses the alias, and a digest of a secret one. */
function keyOf({
  domainId,
  alias = "*",
  __secrets = [],
}: Pick<LinkInputs, "domainId" | "alias" | "__secrets">): string {
  return `link ${domainId}/${__secrets.includes("alias") ? `#${digestOf(["alias"], { alias })}` : alias}`;
}

/** The fields that tell a link from others of its key. */
const telling = visible.filter((field) => field !== "alias" && field !== "domainId");

/** Ids of the links that creates of this process have, for certain or by a guess. */
const claimed = new Set<number>();
/** The last request of this process to make a link, by its key. */
const posted = new Map<string, Promise<unknown>>();

/** The links that may be what an entry of the journal speaks of, without those that this run knows as other resources'. */
async function findLeft(client: Client, key: string, inputs: LinkInputs): Promise<LinkRecord[]> {
  const [, id, noted = ""] = /^link (\d+)\/(.*)$/.exec(key) ?? [];
  const domainId = Number(id);
  const isSame = key === keyOf(inputs);
  // Of a secret alias that the program has changed nothing is known.
  if (!isSame && noted.startsWith("#")) return [];
  const alias = isSame ? (inputs.alias ?? "*") : noted;
  if (!isSame || alias === "*") await aliases.allPlanned();
  const found =
    alias === "*"
      ? await findUrl(client, domainId, inputs.url)
      : [await findAlias(client, domainId, alias)].filter((link) => link !== undefined);
  // Another resource may be given the alias at this moment.
  await posted.get(key);
  return found.filter(isUnknown);
}

/** Is a link one that no other resource of this run has? */
function isUnknown({ id }: LinkRecord): boolean {
  return !claimed.has(id) && !isOwned("link", id);
}

/** What a lost request may have made: the link of the alias, or, where the service chose it, one that is certainly its own. */
async function findStored(
  client: Client,
  { alias, domainId, url }: LinkInputs,
  isOwn: (link: LinkRecord) => boolean,
): Promise<LinkRecord | undefined> {
  if (alias !== undefined) return findAlias(client, domainId, alias);
  const links = await findUrl(client, domainId, url);
  const found = links.findLast((link) => isUnknown(link) && isOwn(link));
  if (found) claimed.add(found.id);
  return found;
}

/** Sends the request that makes a link. */
function store(
  client: Client,
  made: LinkInputs,
  fields: Field[],
  isOwn: (link: LinkRecord) => boolean,
): Promise<LinkRecord> {
  const post = async (): Promise<LinkRecord> => {
    const record = await namingTargets(made, client.storeLink(toForm(made, fields)));
    if (made.alias !== undefined || !claimed.has(record.id)) {
      claimed.add(record.id);
      return record;
    }
    // A create whose answer was lost has taken this one for its own: they are alike, so its own will do, if there is one.
    return (await findStored(client, made, isOwn)) ?? post();
  };
  const posting = post();
  const settled = posting.catch(() => undefined);
  posted.set(keyOf(made), settled);
  return posting;
}

/** The create of one link. */
interface Create {
  client: Client;
  inputs: LinkInputs;
  settings: Settings;
}

/** Imports, finishes, stores or adopts a link. */
export async function makeLink(client: Client, inputs: LinkInputs, settings: Settings): Promise<Created> {
  const create = { client, inputs, settings };
  const notes = new Notes(client, settings, inputs.__urn);
  // An import is for a resource without an object: one that is replaced is stored anew.
  if (inputs.__import !== undefined && !(await isInState(inputs.__urn)))
    return importLink(create, notes, inputs.__import);
  const isDerived = inputs.alias !== undefined && inputs.alias === inputs.__alias;
  const candidates = isDerived ? candidatesOf(inputs.alias as string) : [inputs.alias];
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

async function importLink(create: Create, notes: Notes, key: string): Promise<Created> {
  const { client, inputs, settings } = create;
  const found = await findLink(client, key);
  if (!found) throw nothingToImport("link", key);
  const made = inputs.__alias === undefined ? inputs : { ...inputs, alias: found.alias };
  return takeOver(create, notes, found, inputs.adopt ?? settings.adopt, made);
}

/** Takes over what a run that was killed has made for this resource. */
async function finishLink(
  create: Create,
  notes: Notes,
  candidates: (string | undefined)[],
): Promise<Created | undefined> {
  const { client, inputs } = create;
  const { domainId, alias } = inputs;
  const left = await notes.leftOver(
    (id) => readsOf(client).find(id, domainId),
    (key) => findLeft(client, key, inputs),
    (link) => digestOfLink(create, link),
    (link) => (link.domain_id ?? domainId) === domainId && isUnknown(link),
  );
  if (!left) return undefined;
  claimed.add(left.id);
  const isKept = alias === undefined || candidates.includes(left.alias);
  aliases.notePlan(left.id, !isKept);
  return takeOver(create, notes, left, "always", isKept ? { ...inputs, alias: left.alias } : inputs);
}

function digestOfLink({ inputs, settings }: Create, link: LinkRecord): string {
  return digestOf(telling, canonical(inZone(observe(link, inputs), settings.timeZone)));
}

/** Throws `AliasTaken` where another link has the alias. */
async function storeLink(create: Create, notes: Notes, made: LinkInputs): Promise<Created> {
  const { client, settings } = create;
  const fields = managed.filter((field) => made[field] !== undefined);
  const once = () =>
    storeOnce<LinkRecord>(
      client,
      (isOwn) => store(client, made, fields, isOwn),
      (isOwn) => findStored(client, made, isOwn),
      (link) => differingFields(made, link, settings).length === 0,
    );
  const take = () => aliases.takeAlias(client, made, once);
  try {
    const sent = digestOf(telling, canonical(made));
    const record = await notes.during(keyOf(made), sent, take, (link) => digestOfLink(create, link));
    return { record, isNew: true, made, fields };
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
): Promise<Created> {
  const { inputs, settings } = create;
  const { __urn: urn } = inputs;
  // This resource had the link before it was replaced, so the mode of adoption does not matter.
  if (isFormer(holder.id, urn)) return takeOver(create, notes, holder, "always", made);
  const adopt = inputs.adopt ?? settings.adopt;
  const differing = differingFields(made, holder, settings);
  const isEqual = differing.length === 0;
  // An alias that comes from the URN shows as well that an interrupted run of this stack has made the link.
  const isDerived = inputs.alias !== undefined && inputs.alias === inputs.__alias;
  const key = keyOf(made);
  const isOwn = isEqual && ((await notes.isOwn(key, holder, digestOfLink(create, holder))) || isDerived);
  // Not even with leave to adopt may two resources have one link.
  if (claimed.has(holder.id) || (!isOwn && adopt === "never")) {
    assertFree("link", holder.id, urn);
    throw conflict(refusal, "link", holder.id, differing, entryOf(urn));
  }
  return takeOver(create, notes, holder, isOwn ? "ifEqual" : adopt, made);
}

/** Makes of a link that exists what the program says. */
async function takeOver(
  { client, inputs, settings }: Create,
  notes: Notes,
  found: LinkRecord,
  mode: Adopt,
  made: LinkInputs,
): Promise<Created> {
  const { release } = claim("link", found.id, inputs.__urn);
  try {
    const differing = differingFields(made, found, settings);
    // A link cannot be moved, so no mode helps where one of another domain was named by its id.
    assertAdoptable(`link ${found.id}`, differing, differing.includes("domainId") ? "never" : mode);
    // Whether a password is the right one cannot be seen.
    const fields = managed.filter(
      (field) =>
        differing.includes(field) || (secret.some((each) => each === field) && made[field] !== undefined),
    );
    const key = keyOf({ ...made, domainId: found.domain_id ?? made.domainId, alias: found.alias });
    await notes.taken(key, found.id, digestOf(telling, canonical(made)));
    const owner = await aliases.ownerOf(found);
    const mark =
      owner === undefined || owner === inputs.__urn ? undefined : await noteHolder("link", found.id);
    const record = fields.length > 0 ? await writeLink(client, found.id, made, fields) : found;
    return { record, isNew: false, mark, made, fields: managed };
  } catch (error) {
    release();
    throw error;
  }
}

function differingFields(wish: LinkInputs, found: LinkRecord, { timeZone }: Settings): Field[] {
  const answer = inZone(observe(found, wish), timeZone);
  const differing = changedFields(managed, canonical(wishOf(wish)), canonical(answer));
  return wish.alias === undefined ? differing.filter((field) => field !== "alias") : differing;
}
