import type { Adopt } from "./adopt";
import { collate } from "./collate";
import type { Client, DomainRecord, LinkRecord } from "./service/client";
import { say, withClient } from "./session";

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
  domains ??= list((client) => client.listDomains(), "domains");
  return (await domains).items.find((each) => collate(each.name) === collate(name));
}

/** The link of the account that has this alias on a domain already, as far as can be known in a preview. */
export async function existingLink(domainId: number, alias: string): Promise<LinkRecord | undefined> {
  const listing =
    links.get(domainId) ??
    list((client) => client.listLinks({ domain_id: domainId }), `links of domain ${domainId}`);
  links.set(domainId, listing);
  return (await listing).items.find(
    (each) => each.domain_id === domainId && collate(each.alias) === collate(alias),
  );
}

async function list<Item>(
  read: (client: Client) => AsyncIterable<Item[]>,
  what: string,
): Promise<Listing<Item>> {
  const listing: Listing<Item> = { items: [], isWhole: true };
  let count = 0;
  try {
    await withClient({}, async (client) => {
      for await (const page of read(client)) {
        listing.items.push(...page);
        listing.isWhole = ++count < pages || page.length < 100;
        if (!listing.isWhole) break;
      }
    });
  } catch {
    // A plan can be made without the service; what is wrong with it shows when something is sent.
  }
  if (!listing.isWhole) say(`Only the first ${pages * 100} ${what} were compared with the program.`);
  return listing;
}

/** Says what a create of an object that exists already will do. */
export function announce(what: string, url: string, differing: readonly string[], adopt: Adopt): void {
  const differs = differing.length > 0 ? ` and differs in ${differing.join(", ")}` : "";
  const outcome =
    adopt === "always" || (adopt === "ifEqual" && differing.length === 0)
      ? differing.length > 0
        ? `it will be adopted and changed`
        : `it will be adopted`
      : `unless this stack gives it up in the same run, creating another will fail; see adopt, import and aliases`;
  say(`${url} exists already as ${what}${differs}: ${outcome}.`);
}

/** Says that a resource which the plan shows as created takes over an existing object. */
export function announceImport(what: string, key: string): void {
  say(`${what} ${key} will be imported, which the plan shows as created.`);
}
