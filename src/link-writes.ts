import { assertAdoptable, conflict } from "./adopt";
import type { Adopt } from "./adopt";
import * as aliases from "./aliases";
import { changedFields, digestOf } from "./drift";
import { findAlias, findLink, findUrl } from "./find";
import { inZone, managed, observe, secret, toForm, visible, wishOf } from "./link-fields";
import type { Field, LinkInputs } from "./link-fields";
import { ExistsError, Notes, storeOnce } from "./once";
import type { Client, LinkRecord } from "./service/client";
import { isNotFound, RefusedError, type ServiceError } from "./service/errors";
import { readLink } from "./session";
import type { Settings } from "./settings";

// How links come to be and how they are changed: every request that writes one.

/** Writes the given fields of a link that exists. */
export async function writeLink(
  client: Client,
  id: number,
  inputs: LinkInputs,
  fields: readonly Field[],
): Promise<LinkRecord> {
  if (fields.length === 0) return client.showLink(id);
  // The service does not clear the password in a request that sets the privacy to "password".
  const apart = inputs.privacy === "password" && inputs.password === undefined && fields.includes("privacy");
  if (apart && fields.includes("password")) await client.updateLink(id, toForm(inputs, ["password"]));
  const rest = apart ? fields.filter((field) => field !== "password") : fields;
  const send = () => namingTargets(inputs, client.updateLink(id, toForm(inputs, rest)));
  if (!rest.includes("alias")) return send();
  try {
    return await aliases.moveAlias(client, id, inputs, send);
  } catch (error) {
    if (!(error instanceof aliases.AliasTaken)) throw error;
    if (!error.holder) throw error.refusal;
    throw new Error(
      `${error.message} It is that of the link with the id ${error.holder.id}. If the program gives that link another ` +
        `alias in the same run, neither of the two may depend on the other, and with "--parallel 1" every alias of the ` +
        `program must be a plain text.`,
    );
  }
}

/** The service counts targets in the order in which they were sent, which is not that of the program: keys tell more. */
async function namingTargets<Value>({ targets = [] }: LinkInputs, call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw error.rename((field) =>
      field.replace(/^targets\.(\d+)/, (index, number: string) => {
        const key = targets[Number(number)]?.key;
        return key === undefined ? index : `targets[${JSON.stringify(key)}]`;
      }),
    );
  }
}

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

/** Stores, imports or adopts a link. */
export async function makeLink(client: Client, inputs: LinkInputs, settings: Settings): Promise<Made> {
  const { timeZone } = settings;
  const adopt = inputs.adopt ?? settings.adopt;
  const differingFields = (wish: LinkInputs, found: LinkRecord) => {
    const differing = changedFields(managed, wishOf(wish), inZone(observe(found, wish), timeZone));
    return wish.alias === undefined ? differing.filter((field) => field !== "alias") : differing;
  };
  const takeOver = async (found: LinkRecord, mode: Adopt, made: LinkInputs): Promise<Made> => {
    const differing = differingFields(made, found);
    // A link cannot be moved, so no mode helps where one of another domain was named by its id.
    assertAdoptable(`link ${found.id}`, differing, differing.includes("domainId") ? "never" : mode);
    // Whether a password is the right one cannot be seen.
    const fields = managed.filter(
      (field) =>
        differing.includes(field) || (secret.some((each) => each === field) && made[field] !== undefined),
    );
    const record = fields.length > 0 ? await writeLink(client, found.id, made, fields) : found;
    return { record, made, fields: managed };
  };
  if (inputs.__import !== undefined) {
    const found = await findLink(client, inputs.__import);
    if (!found)
      throw new Error(`There is no link ${JSON.stringify(inputs.__import)} to import in this account.`);
    return takeOver(found, adopt, inputs.__alias === undefined ? inputs : { ...inputs, alias: found.alias });
  }
  const { domainId } = inputs;
  const isDerived = inputs.alias !== undefined && inputs.alias === inputs.__alias;
  const candidates = isDerived ? aliases.candidatesOf(inputs.alias as string) : [inputs.alias];
  const notes = new Notes(client, settings, targetOf(inputs));
  const left = await notes.leftOver(
    (id) => readLink(client, id, domainId),
    (key) => findLeft(client, key, inputs),
    (link) => digestOf(telling, inZone(observe(link, inputs), timeZone)),
    (link) => (link.domain_id ?? domainId) === domainId,
  );
  if (left) {
    claimed.add(left.id);
    const isCandidate = inputs.alias === undefined || candidates.includes(left.alias);
    aliases.notePlan(left.id, !isCandidate);
    return takeOver(left, "always", isCandidate ? { ...inputs, alias: left.alias } : inputs);
  }
  let refusal: ServiceError | undefined;
  for (const alias of candidates) {
    const made = alias === undefined ? inputs : { ...inputs, alias };
    const fields = managed.filter((field) => made[field] !== undefined);
    try {
      const once = () =>
        storeOnce(
          client,
          () => store(client, made, fields),
          () => findStored(client, made),
          (link) => differingFields(made, link).length === 0,
        );
      const record = await notes.during(keyOf(domainId, alias), digestOf(telling, made), () =>
        aliases.takeAlias(client, made, once),
      );
      return { record, made, fields };
    } catch (caught) {
      const error =
        caught instanceof ExistsError
          ? new aliases.AliasTaken(caught.refusal, caught.found as LinkRecord)
          : caught;
      if (isNotFound(error))
        throw new Error(`${error.message} Is there a domain ${domainId} in this account?`);
      if (!(error instanceof aliases.AliasTaken)) throw error;
      const { holder } = error;
      // An alias that comes from the URN shows as well that an interrupted run of this stack has made the link.
      const isEqual = holder && differingFields(made, holder).length === 0;
      const isOwn = isEqual && ((await notes.isOwn(keyOf(domainId, alias), holder)) || isDerived);
      if (holder && (isOwn || adopt !== "never")) return takeOver(holder, isOwn ? "ifEqual" : adopt, made);
      if (holder) throw conflict(error.refusal, "the link", holder.id);
      refusal ??= error.refusal;
    }
  }
  if (!refusal || !isDerived) throw refusal as ServiceError;
  throw new Error(
    `${refusal.message} The program names no alias, and this one was made for it: name one, or leave it to the service ` +
      `with "pulumi config set shortlink:aliases service".`,
  );
}
