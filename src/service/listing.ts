import { setTimeout } from "node:timers/promises";
import type { Client, LinkRecord, Page } from "./client";
import { isNotFound } from "./errors";

/** So many reads are shown one by one without a thought. */
const few = 3;
/** Milliseconds in which the reads of a refresh gather, since the engine starts several at a time. */
const gathering = 20;
/** A listing is as good as a show for so long, and until the next write. */
const freshness = 60_000;
/** So many links that can be shown may be missing from a listing: they were made or moved meanwhile. */
const tolerance = 10;

const noPage: Page<LinkRecord> = Object.assign([], { lastPage: 1 });

interface Listing {
  links: Map<number, LinkRecord>;
  writes: number;
  time: number;
}

/**
 * Reads links by their ids, with few requests: one by one while that is the cheaper way, and from a listing of all links
 * of the account, a hundred at a time, once half as many were read as the listing has pages. So it never takes more than
 * twice the requests of the cheaper way.
 */
export class LinkReads {
  readonly #client: Client;
  readonly #served = new Set<number>();
  #asked = 0;
  #hidden = 0;
  #pages: AsyncGenerator<Page<LinkRecord>> | undefined;
  #first: Promise<Page<LinkRecord>> | undefined;
  #listing: Promise<Listing> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The link, or undefined where there is proof that it is gone: it can neither be listed nor shown. */
  async read(id: number): Promise<LinkRecord | undefined> {
    this.#asked++;
    if (this.#asked <= few) await setTimeout(gathering);
    const listed =
      !this.#served.has(id) && (await this.#isListingCheaper())
        ? (await this.#list()).links.get(id)
        : undefined;
    if (listed) {
      // Who reads a link again wants to know what it is like by then.
      this.#served.add(id);
      return listed;
    }
    try {
      const shown = await this.#client.showLink(id);
      if (this.#listing && !this.#served.has(id) && ++this.#hidden > tolerance) {
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

  async #isListingCheaper(): Promise<boolean> {
    if (this.#listing) return true;
    if (this.#asked <= few) return false;
    this.#pages ??= this.#client.listLinks();
    this.#first ??= this.#orForget(this.#pages.next().then(({ value, done }) => (done ? noPage : value)));
    const { lastPage } = await this.#first;
    // Without a count of the pages nobody knows what a listing would cost.
    return lastPage !== undefined && this.#asked * 2 >= lastPage;
  }

  async #list(): Promise<Listing> {
    this.#listing ??= this.#orForget(this.#load());
    const listing = await this.#listing;
    if (listing.writes === this.#client.writes && Date.now() - listing.time < freshness) return listing;
    // A run that refreshes and then changes things does not read again, but who knows.
    this.#forget();
    return { ...listing, links: new Map() };
  }

  #forget(): void {
    this.#listing = this.#first = this.#pages = undefined;
  }

  /** A listing that failed fails those who wait for it, and nobody later. */
  #orForget<Value>(promise: Promise<Value>): Promise<Value> {
    return promise.catch((error: unknown) => {
      this.#forget();
      throw error;
    });
  }

  async #load(): Promise<Listing> {
    const time = Date.now();
    const { writes } = this.#client;
    const all: LinkRecord[] = [...((await this.#first) ?? [])];
    if (this.#pages) for await (const page of this.#pages) all.push(...page);
    return { links: new Map(all.map((link) => [link.id, link])), writes, time };
  }
}
