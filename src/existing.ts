import type { Adopt } from "./adopt";
import { collate } from "./collate";
import { say } from "./engine-log";
import { findLink, hostOf, parseKey } from "./find";
import type { Client, DomainRecord, LinkRecord, Page } from "./service/client";
import { withClient } from "./session";

// A preview of a new resource says whether the account has such an object already, from one listing for all
// resources. It is a word to the user and nothing more: what is in the way now may be gone when the plan is
// carried out, since a link of this stack may give up its alias in the same run.

/** Pages of 100 that are read at most, for the domains and for the links of each domain. */
const pages = 10;

interface Listing<Item> {
  items: Item[];
  /** False where there are more than were read. */
  isWhole: boolean;
}
let domains: Promise<Listing<DomainRecord>> | undefined;
const links = new Map<number, Promise<Listing<LinkRecord>>>();

/** The domain of the account that has this name already, as far as can be known in a preview. */
export async function existingDomain(name: string): Promise<DomainRecord | undefined> {
  return (await listOfDomains()).items.find((each) => collate(each.name) === collate(name));
}

/** The link of the account that has this alias on a domain already, as far as can be known in a preview. */
export async function existingLink(domainId: number, alias: string): Promise<LinkRecord | undefined> {
  return (await listOf(domainId)).items.find(
    (each) => each.domain_id === domainId && collate(each.alias) === collate(alias),
  );
}

function listOfDomains(): Promise<Listing<DomainRecord>> {
  return (domains ??= list((client) => client.listDomains(), "domains"));
}

function listOf(domainId: number): Promise<Listing<LinkRecord>> {
  const listing =
    links.get(domainId) ??
    list((client) => client.listLinks({ domain_id: domainId }), `links of domain ${domainId}`);
  links.set(domainId, listing);
  return listing;
}

async function list<Item>(
  read: (client: Client) => AsyncIterable<Page<Item>>,
  what: string,
): Promise<Listing<Item>> {
  const listing: Listing<Item> = { items: [], isWhole: true };
  let count = 0;
  try {
    await withClient({}, async (client) => {
      for await (const page of read(client)) {
        listing.items.push(...page);
        listing.isWhole = ++count < pages || count >= (page.lastPage ?? Infinity) || page.length < 100;
        if (!listing.isWhole) break;
      }
    });
  } catch {
    // A plan can be made without the service; what is wrong with it shows when something is sent.
  }
  if (!listing.isWhole) say(`Only the first ${pages * 100} ${what} were compared with the program.`);
  return listing;
}

/** The link that an import names, as far as can be known in a preview: by id, or by domain and alias. */
export async function linkToImport(
  domainId: number | undefined,
  key: string,
): Promise<LinkRecord | undefined> {
  const parsed = parseKey(key);
  if ("domain" in parsed) {
    const domain = await existingDomain(parsed.domain);
    if (domain) return existingLink(domain.id, parsed.alias);
  }
  // The list of the domain is there for all its links; one of another domain is not worth a list.
  const isWanted = (link: LinkRecord) =>
    "id" in parsed
      ? link.id === parsed.id
      : collate(hostOf(link)) === collate(parsed.domain) && collate(link.alias) === collate(parsed.alias);
  const listed = domainId === undefined ? undefined : (await listOf(domainId)).items.find(isWanted);
  return listed ?? withClient({}, (client) => findLink(client, key)).catch(() => undefined);
}

/** The domain that an import names, as far as can be known in a preview: by id or name. */
export async function domainToImport(key: string): Promise<DomainRecord | undefined> {
  const parsed = parseKey(key);
  if ("domain" in parsed) return existingDomain(parsed.domain);
  return (await listOfDomains()).items.find(({ id }) => id === parsed.id);
}

/** How an existing object compares with the program, and which mode of adoption holds for it. */
interface Outcome {
  /** The properties in which it differs from the program. */
  differing: readonly string[];
  /** The passwords of the program, which cannot be compared. */
  passwords?: readonly string[];
  adopt: Adopt;
  /** File, line and column of the entry, for a resource of a catalog. */
  entry?: string | undefined;
}

/** Says what a create of an object that exists already will do. */
export function announce(
  what: string,
  url: string,
  { differing, passwords = [], adopt, entry }: Outcome,
): void {
  const ways =
    entry === undefined ? "see adopt, import and aliases" : `see adopt and formerly of the entry at ${entry}`;
  const differs = differing.length > 0 ? ` and differs in ${differing.join(", ")}` : "";
  const isAdopted = adopt === "always" || (adopt === "ifEqual" && differing.length === 0);
  const outcome = !isAdopted
    ? `unless this stack gives it up in the same run, creating another will fail; ${ways}`
    : differing.length > 0
      ? `it will be adopted and changed`
      : `it will be adopted`;
  say(`${url} exists already as ${what}${differs}: ${outcome}${isAdopted ? setting(passwords) : ""}.`);
}

/** Says that a resource which the plan shows as created takes over an existing object, or cannot. */
export function announceImport(what: string, key: string, found: Outcome | undefined): void {
  const text = `${what} ${key} will be imported, which the plan shows as created`;
  // The service may be out of reach, and a plan is possible all the same.
  if (found === undefined)
    return say(`${text}. It was not found, so it could not be compared with the program.`);
  const { differing, passwords = [], adopt } = found;
  if (differing.length === 0) return say(`${text}${setting(passwords)}.`);
  const names = differing.join(", ");
  if (adopt === "always") return say(`${text}, and changed in ${names}${setting(passwords)}.`);
  say(`${what} ${key} differs from the program in ${names}: its import will fail unless adopt is "always".`);
}

/** Nobody can see whether a password is the right one, so it is written. */
function setting(passwords: readonly string[]): string {
  return passwords.length > 0 ? `, and its ${passwords.join(" and ")} will be set` : "";
}
