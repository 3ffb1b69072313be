import type { Account } from "../account/account";
import { ExistsError, postUntilCertain } from "../account/create-once";
import { findAlias, findUrl } from "../account/find";
import type { Inputs } from "../account/saved";
import { managedOf } from "../fields/table";
import {
  adoptObject,
  differences,
  digestOfItem,
  digestOfWish,
  importObject,
  isAnothers,
  adoptFound,
  type Create,
  type Making,
} from "../resource/create";
import type { LinkRecord } from "../service/client";
import { isNotFound, type ServiceError } from "../service/errors";
import { candidatesOf } from "./alias";
import { AliasTaken, type AliasMoves } from "./alias-moves";
import { linkFields } from "./fields";
import { linkModel, type LinkValues } from "./model";
import { linkForm, namingTargets, writeLink } from "./writes";

/** Data that all creates of a run share. */
export interface LinkCreates {
  account: Account;
  moves: AliasMoves;
  /** Ids of the links that creates of this run own, or have probably made. */
  claimed: Set<number>;
  /** The last request of this run to make a link, by its key. */
  posted: Map<string, Promise<unknown>>;
}

type CreateOfLink = Create<LinkRecord> & { creates: LinkCreates };

/** The create of one link. */
export function createOf(creates: LinkCreates, inputs: Inputs): CreateOfLink {
  const { account, moves } = creates;
  const notes = account.notesOf(inputs.about.urn);
  const write = (id: number, wish: Inputs, fields: readonly string[]) =>
    writeLink(account, moves, id, wish, fields);
  return { account, model: linkModel, inputs, notes, write, creates };
}

/** Imports, finishes, stores or adopts a link. */
export async function makeLink(create: CreateOfLink): Promise<Making<LinkRecord>> {
  const { inputs } = create;
  const { alias, domainId } = inputs.args as LinkValues;
  const { derivedAlias } = inputs.about;
  const imported = await importObject(create, (found) =>
    derivedAlias === undefined ? inputs : withAlias(inputs, found.alias),
  );
  if (imported) return imported;
  const isDerived = alias !== undefined && alias === derivedAlias;
  const candidates = isDerived ? candidatesOf(alias) : [alias];
  const finished = await finishLink(create, candidates);
  if (finished) return finished;
  let refusal: ServiceError | undefined;
  for (const candidate of candidates) {
    const wish = withAlias(inputs, candidate);
    try {
      return await storeLink(create, wish);
    } catch (error) {
      if (isNotFound(error))
        throw new Error(`${error.message} Check that this account has a domain ${domainId}.`);
      if (!(error instanceof AliasTaken)) throw error;
      if (error.owner) return adoptLink(create, wish, error.owner, error.refusal);
      refusal ??= error.refusal;
    }
  }
  if (!refusal || !isDerived) throw refusal as ServiceError;
  throw new Error(
    `${refusal.message} The provider derived this alias, because the program has none: set one, or let the service choose ` +
      `with "pulumi config set shortlink:aliases service".`,
  );
}

function withAlias({ args, about }: Inputs, alias: string | undefined): Inputs {
  return { args: alias === undefined ? args : { ...args, alias }, about };
}

/** Adopts the link that an interrupted run made for this resource. */
async function finishLink(
  create: CreateOfLink,
  candidates: (string | undefined)[],
): Promise<Making<LinkRecord> | undefined> {
  const { account, inputs, notes, creates } = create;
  const { domainId, alias } = inputs.args as LinkValues;
  const left = await notes.leftOver(
    (id) => account.reads.find(id, domainId),
    (key) => findLeft(create, key),
    (link) => digestOfItem(create, link),
    (link) => (link.domain_id ?? domainId) === domainId && isUnclaimed(creates, link),
  );
  if (!left) return undefined;
  creates.claimed.add(left.id);
  const isKept = alias === undefined || candidates.includes(left.alias);
  creates.moves.notePlan(left.id, !isKept);
  return adoptFound(create, left, "always", isKept ? withAlias(inputs, left.alias) : inputs);
}

/** The links that an entry of the journal may mean, without known links of other resources. */
async function findLeft({ account, inputs, creates }: CreateOfLink, key: string): Promise<LinkRecord[]> {
  const [, id, noted = ""] = /^link (\d+)\/(.*)$/.exec(key) ?? [];
  const domainId = Number(id);
  const args = inputs.args as LinkValues;
  const isSame = key === linkModel.keyOf(inputs);
  // The journal has only a digest of a secret alias, so a changed one cannot be found.
  if (!isSame && noted.startsWith("#")) return [];
  const alias = isSame ? (args.alias ?? "*") : noted;
  if (!isSame || alias === "*") await creates.moves.allPlanned();
  const found =
    alias === "*"
      ? await findUrl(account.client, domainId, args.url)
      : [await findAlias(account.client, domainId, alias)].filter((link) => link !== undefined);
  // Another resource may be getting the alias at this moment.
  await creates.posted.get(key);
  return found.filter((link) => isUnclaimed(creates, link));
}

/** True if no other resource of this run has the link. */
function isUnclaimed({ account, claimed }: LinkCreates, { id }: LinkRecord): boolean {
  return !claimed.has(id) && !account.ownership.isOwned(`link ${id}`);
}

/** Throws `AliasTaken` if another link has the alias. */
async function storeLink(create: CreateOfLink, wish: Inputs): Promise<Making<LinkRecord>> {
  const { account, notes, creates } = create;
  const { client, clock } = account;
  const fields = managedOf(linkFields).filter((field) => wish.args[field] !== undefined);
  let isNew = true;
  const once = () =>
    postUntilCertain<LinkRecord>(client, clock, {
      post: (isOwn) => post(creates, wish, fields, isOwn),
      find: (isOwn) => {
        isNew = false;
        return findStored(creates, wish, isOwn);
      },
      isSent: (link) => differences(create, wish, link).length === 0,
      isAnothers: (link) => isAnothers(create, link),
    });
  const { domainId, alias } = wish.args as LinkValues;
  const take = () => creates.moves.writeUntilFree({ domainId, alias, urn: wish.about.urn }, once);
  try {
    const sent = digestOfWish(linkModel, wish);
    const record = await notes.during(linkModel.keyOf(wish), sent, take, (link) =>
      digestOfItem(create, link),
    );
    return { record, isNew, wish, fields };
  } catch (error) {
    throw error instanceof ExistsError ? new AliasTaken(error.refusal, error.found as LinkRecord) : error;
  }
}

/** Sends the request that makes a link. */
function post(
  creates: LinkCreates,
  wish: Inputs,
  fields: string[],
  isOwn: (link: LinkRecord) => Promise<boolean>,
): Promise<LinkRecord> {
  const { account, claimed, posted } = creates;
  const send = async (): Promise<LinkRecord> => {
    const record = await namingTargets(wish, account.client.storeLink(linkForm(wish, fields)));
    if (wish.args.alias !== undefined || !claimed.has(record.id)) {
      claimed.add(record.id);
      return record;
    }
    // Another create lost its response and claimed this link. The two are alike, so this create uses the other's link, if it exists.
    return (await findStored(creates, wish, isOwn)) ?? send();
  };
  const posting = send();
  const settled = posting.catch(() => undefined);
  posted.set(linkModel.keyOf(wish), settled);
  return posting;
}

/** Finds the result of a lost request: the link with the alias, or, if the service chose the alias, a link that is certainly its own. */
async function findStored(
  creates: LinkCreates,
  wish: Inputs,
  isOwn: (link: LinkRecord) => Promise<boolean>,
): Promise<LinkRecord | undefined> {
  const { alias, domainId, url } = wish.args as LinkValues;
  const { client } = creates.account;
  if (alias !== undefined) return findAlias(client, domainId, alias);
  const links = await findUrl(client, domainId, url);
  for (const link of links.toReversed()) {
    // Another create may claim it meanwhile.
    if (!(await isOwn(link)) || !isUnclaimed(creates, link)) continue;
    creates.claimed.add(link.id);
    return link;
  }
  return undefined;
}

/** Adopts the link that has the alias. */
function adoptLink(
  create: CreateOfLink,
  wish: Inputs,
  found: LinkRecord,
  refusal: ServiceError,
): Promise<Making<LinkRecord>> {
  const { args, about } = create.inputs;
  // An alias derived from the URN also shows that an interrupted run of this stack has made the link.
  const isOwn = args.alias !== undefined && args.alias === about.derivedAlias;
  return adoptObject(create, {
    found,
    refusal,
    wish,
    isOwn,
    isTaken: () => create.creates.claimed.has(found.id),
    maker: create.account.makerOf(found, about.urn),
  });
}
