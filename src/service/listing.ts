import { setTimeout } from "node:timers/promises";
import type { Client, LinkQuery, LinkRecord, Page } from "./client";
import { isNotFound } from "./errors";

/** So many reads are shown one by one without a thought. */
const few = 3;
/** Milliseconds in which the reads of a refresh gather, since the engine starts several at a time. */
const gathering = 20;
/** A listing is as good as a show for so long, and until the next write. */
const freshness = 60_000;
/** So many links that can be shown may be missing from a listing, and so many of a stack may be gone. */
const tolerance = 10;
/** Milliseconds without a further read after which those that found nothing need not wait for one that does. */
const quiet = 300;

/** The links of a list by their ids, as far as its pages have come. */
interface Pages {
  links: Map<number, LinkRecord>;
  pages: Promise<void>[];
  /** What the client had written, and the time, when the first was asked for. */
  writes: number;
  time: number;
}

/** A list of links that is loaded once it costs less than the reads that it serves. */
class List {
  asked = 0;
  readonly #client: Client;
  readonly #query: LinkQuery;
  #first: Promise<Page<LinkRecord>> | undefined;
  #whole: Promise<Pages> | undefined;

  constructor(client: Client, query: LinkQuery) {
    this.#client = client;
    this.#query = query;
  }

  get isLoaded(): boolean {
    return this.#whole !== undefined;
  }

  /** Once half as many reads were asked for as the list has pages; that it costs a page to find out counts too. */
  async isCheaper(): Promise<boolean> {
    if (this.asked <= few) return false;
    this.#first ??= this.#orForget(this.#client.pageOfLinks(this.#query, 1));
    const { lastPage } = await this.#first;
    // Without a count of the pages nobody knows what the list would cost.
    return lastPage !== undefined && this.asked * 2 >= lastPage;
  }

  /** A link, as soon as its page is there; null where no page has it, undefined where the list is too old by now. */
  async link(id: number): Promise<LinkRecord | null | undefined> {
    // Somebody who waited at the same time may have found it too old.
    if (!this.#first) return undefined;
    this.#whole ??= this.#orForget(this.#load(this.#first));
    const { links, pages, writes, time } = await this.#whole;
    for (const page of pages) {
      if (links.has(id)) break;
      await page;
    }
    if (writes === this.#client.writes && Date.now() - time < freshness) return links.get(id) ?? null;
    // A run that refreshes and then changes things does not read again, but who knows.
    this.#forget();
    return undefined;
  }

  #forget(): void {
    this.#whole = this.#first = undefined;
  }

  /** A list that failed fails those who wait for it, and nobody later. */
  #orForget<Value>(promise: Promise<Value>): Promise<Value> {
    return promise.catch((error: unknown) => {
      this.#forget();
      throw error;
    });
  }

  /** All pages at a time: in the order of the ids only a deletion moves a link to the page before, and then it is shown. */
  async #load(first: Promise<Page<LinkRecord>>): Promise<Pages> {
    const time = Date.now();
    const { writes } = this.#client;
    const { lastPage = 1 } = await first;
    const rest = Array.from({ length: lastPage - 1 }, (_, i) => this.#client.pageOfLinks(this.#query, i + 2));
    const links = new Map<number, LinkRecord>();
    const pages = [first, ...rest].map((page) =>
      this.#orForget(
        page.then((records) => {
          for (const record of records) links.set(record.id, record);
        }),
      ),
    );
    // Perhaps nobody has to wait for the page that fails.
    for (const page of pages) page.catch(() => undefined);
    return { links, pages, writes, time };
  }
}

/**
 * Reads links by their ids, with few requests: one by one while that is the cheaper way, else from a list of all links of the
 * account or of their domain, a hundred at a time. It never takes much more than twice the requests of the cheaper way.
 */
export class LinkReads {
  readonly #client: Client;
  readonly #acceptGone: boolean;
  readonly #account: List;
  readonly #domains = new Map<number, List>();
  readonly #served = new Set<number>();
  #last = 0;
  #pending = 0;
  #found = 0;
  #gone = 0;
  #hidden = 0;

  /** @param acceptGone Is it no error when most of the links are gone? */
  constructor(client: Client, acceptGone = false) {
    this.#client = client;
    this.#acceptGone = acceptGone;
    this.#account = new List(client, {});
  }

  /** The link, or undefined where there is proof that it is gone. Throws where too many are. */
  async read(id: number, domainId: number): Promise<LinkRecord | undefined> {
    this.#pending++;
    try {
      const link = await this.find(id, domainId);
      if (link) this.#found++;
      else this.#gone++;
      if (link) return link;
    } finally {
      this.#pending--;
    }
    await this.#assertPlausible(id);
    return undefined;
  }

  /** The link, or undefined where it can neither be listed nor shown. */
  async find(id: number, domainId: number): Promise<LinkRecord | undefined> {
    const domain = this.#domains.get(domainId) ?? new List(this.#client, { domain_id: domainId });
    this.#domains.set(domainId, domain);
    this.#account.asked++;
    domain.asked++;
    this.#last = performance.now();
    if (this.#account.asked <= few) await setTimeout(gathering);
    const list = this.#served.has(id) ? undefined : await this.#cheapest(domain);
    const listed = await list?.link(id);
    if (listed) {
      // Who reads a link again wants to know what it is like by then.
      this.#served.add(id);
      return listed;
    }
    try {
      const shown = await this.#client.showLink(id);
      if (listed === null && ++this.#hidden > tolerance) {
        throw new Error(
          `The list of links lacks link ${id} and at least ${tolerance} more that the service can show: it is not to be ` +
            `trusted, and nothing was changed. Run the command again.`,
        );
      }
      return shown;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #cheapest(domain: List): Promise<List | undefined> {
    const loaded = [this.#account, domain].find((list) => list.isLoaded);
    if (loaded) return loaded;
    if (await this.#account.isCheaper()) return this.#account;
    return (await domain.isCheaper()) ? domain : undefined;
  }

  /** An account in which nothing, or nearly nothing, of the stack is there may be the wrong one. */
  async #assertPlausible(id: number): Promise<void> {
    const isDecided = () =>
      this.#found > 0 || (this.#pending === 0 && performance.now() - this.#last > quiet);
    while (!isDecided()) await setTimeout(gathering);
    const isPlausible =
      this.#found === 0 ? this.#gone <= few : this.#gone <= tolerance || this.#gone <= this.#found;
    if (isPlausible || this.#acceptGone) return;
    throw new Error(
      `Link ${id} is gone, and so are ${this.#gone - 1} of the other ${this.#gone + this.#found - 1} links that were read. ` +
        `Is this the key of the right account? If they were deleted on purpose, set shortlink:acceptGone to true for one ` +
        `refresh, and the stack gives them up.`,
    );
  }
}
