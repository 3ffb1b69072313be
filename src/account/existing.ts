import type { Client, DomainRecord, LinkRecord, Page } from "../service/client";
import { collate } from "../service/collate";
import { findLink, hostOf, parseKey } from "./find";

/** The most pages of 100 that a preview reads, for the domains and for the links of each domain. */
const pages = 10;

interface Listing<Item> {
  items: Item[];
  /** False if there are more than the provider read. */
  isWhole: boolean;
}

/**
 * The existing objects of the account, as far as a preview can know them, from one listing for all resources. They are only for
 * messages: a link of this stack may give up its alias before the engine carries the plan out.
 */
export class Existing {
  readonly #client: () => Client;
  readonly #say: (text: string) => void;
  #domains: Promise<Listing<DomainRecord>> | undefined;
  readonly #links = new Map<number, Promise<Listing<LinkRecord>>>();

  /** @param client Throws if the settings are missing or wrong. */
  constructor(client: () => Client, say: (text: string) => void) {
    this.#client = client;
    this.#say = say;
  }

  /** The domain that has this name. */
  async domain(name: string): Promise<DomainRecord | undefined> {
    return (await this.#listDomains()).items.find((each) => collate(each.name) === collate(name));
  }

  /** The link that has this alias on a domain. */
  async link(domainId: number, alias: string): Promise<LinkRecord | undefined> {
    return (await this.#listLinks(domainId)).items.find(
      (each) => each.domain_id === domainId && collate(each.alias) === collate(alias),
    );
  }

  /** The domain that an import names: by id or name. */
  async domainToImport(key: string): Promise<DomainRecord | undefined> {
    const parsed = parseKey(key);
    if ("domain" in parsed) return this.domain(parsed.domain);
    return (await this.#listDomains()).items.find(({ id }) => id === parsed.id);
  }

  /** The link that an import names: by id, or by domain and alias. */
  async linkToImport(domainId: number | undefined, key: string): Promise<LinkRecord | undefined> {
    const parsed = parseKey(key);
    if ("domain" in parsed) {
      const domain = await this.domain(parsed.domain);
      if (domain) return this.link(domain.id, parsed.alias);
    }
    // All links of the domain share its list. A link of another domain is not worth a list.
    const isWanted = (link: LinkRecord) =>
      "id" in parsed
        ? link.id === parsed.id
        : collate(hostOf(link)) === collate(parsed.domain) && collate(link.alias) === collate(parsed.alias);
    const listed =
      domainId === undefined ? undefined : (await this.#listLinks(domainId)).items.find(isWanted);
    if (listed) return listed;
    try {
      return await findLink(this.#client(), key);
    } catch {
      // A plan must work without the service. The first write of the run reports the problem.
      return undefined;
    }
  }

  #listDomains(): Promise<Listing<DomainRecord>> {
    return (this.#domains ??= this.#list((client) => client.listDomains(), "domains"));
  }

  #listLinks(domainId: number): Promise<Listing<LinkRecord>> {
    const listing =
      this.#links.get(domainId) ??
      this.#list((client) => client.listLinks({ domain_id: domainId }), `links of domain ${domainId}`);
    this.#links.set(domainId, listing);
    return listing;
  }

  async #list<Item>(
    read: (client: Client) => AsyncIterable<Page<Item>>,
    what: string,
  ): Promise<Listing<Item>> {
    const listing: Listing<Item> = { items: [], isWhole: true };
    let count = 0;
    try {
      for await (const page of read(this.#client())) {
        listing.items.push(...page);
        listing.isWhole = ++count < pages || count >= (page.lastPage ?? Infinity) || page.length < 100;
        if (!listing.isWhole) break;
      }
    } catch {
      // A plan must work without the service.
    }
    if (!listing.isWhole) this.#say(`Only the first ${pages * 100} ${what} were compared with the program.`);
    return listing;
  }
}
