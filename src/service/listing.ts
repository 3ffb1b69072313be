import type { Client, LinkQuery, LinkRecord } from "./client";
import { systemClock, type Clock } from "./clock";
import { isNotFound } from "./errors";
import type { Progress } from "./pacer";

/** Milliseconds to gather the reads of a refresh, since the engine starts several at a time. */
const gathering = 20;
/** Milliseconds without use after which a list is too old. A write makes it too old at once. */
const freshness = 60_000;
/** Number of existing links that a listing may lack, and of a stack's links that may be gone. */
const tolerance = 10;
/** Number of links that may be gone if none is found. */
const fewGone = 3;
/** Milliseconds without a new read after which reads that found nothing stop waiting for one that finds a link. */
const quiet = 300;

/** A page that has come, with its first and last id. */
interface Range {
  page: number;
  first: number;
  last: number;
}

/** A list of links in the order of their ids, which reads only the pages that are needed. */
class List {
  lastPage = Infinity;
  readonly #client: Client;
  readonly #query: LinkQuery;
  readonly #mayAsk: (isNeeded: boolean) => boolean;
  readonly #links = new Map<number, LinkRecord>();
  readonly #asked = new Map<number, Promise<void>>();
  #answered: Range[] = [];
  #writes = 0;

  /** @param mayAsk Takes a request from the budget, for a page that a read needs or that the next reads may need. */
  constructor(client: Client, query: LinkQuery, mayAsk: (isNeeded: boolean) => boolean) {
    this.#client = client;
    this.#query = query;
    this.#mayAsk = mayAsk;
  }

  /** Number of requested pages. */
  get pages(): number {
    return this.#asked.size;
  }

  /** Number of pages that have come. */
  get answered(): number {
    return this.#answered.length;
  }

  /** The link; null if its page lacks it, undefined if the budget has no request for its page. */
  async find(id: number): Promise<LinkRecord | null | undefined> {
    this.#forgetWritten();
    for (;;) {
      const link = this.#links.get(id);
      const page = link ? undefined : this.#pageOf(id);
      if (page === undefined) {
        this.#readAhead(id);
        return link ?? null;
      }
      const answer = this.#asked.get(page);
      if (!answer && !this.#mayAsk(true)) return undefined;
      await (answer ?? this.#ask(page));
    }
  }

  /** Reads the first page, which contains the number of pages. */
  async begin(): Promise<void> {
    this.#forgetWritten();
    await (this.#asked.get(1) ?? (this.#mayAsk(true) ? this.#ask(1) : undefined));
  }

  /** Any write may have changed what the pages hold. */
  #forgetWritten(): void {
    if (this.#writes !== this.#client.writes) this.forget();
  }

  forget(): void {
    this.#links.clear();
    this.#asked.clear();
    this.#answered = [];
    this.#writes = this.#client.writes;
  }

  /** The page to read next in search of an id. Undefined if the pages that have come show that the list lacks it. */
  #pageOf(id: number): number | undefined {
    if (this.#answered.length === 0) return 1;
    const above = this.#answered.findIndex(({ first }) => first > id);
    const high = this.#answered[above];
    const low = above < 0 ? this.#answered.at(-1) : this.#answered[above - 1];
    if (!low || id <= low.last) return undefined;
    const next = high?.page ?? this.lastPage + 1;
    if (next - low.page < 2) return undefined;
    // Assumes that the ids are spread evenly; each answer improves the guess.
    const begin = this.#answered[0]?.first ?? 0;
    const idsPerPage = high
      ? (high.first - low.last) / (high.page - low.page)
      : (low.last - begin + 1) / low.page;
    const guess = low.page + Math.ceil((id - low.last) / idsPerPage);
    return Math.max(low.page + 1, Math.min(guess, next - 1));
  }

  /** Requests the next page early, because most of the next reads need it. */
  #readAhead(id: number): void {
    const page = (this.#answered.findLast(({ first }) => first <= id)?.page ?? 0) + 1;
    if (page > this.lastPage || this.lastPage === Infinity || this.#asked.has(page)) return;
    // The reads that need the page get its error.
    if (this.#mayAsk(false)) this.#ask(page).catch(() => undefined);
  }

  #ask(page: number): Promise<void> {
    const answer = this.#read(page).catch((error: unknown) => {
      // The reads that wait for the page fail. A later read asks again.
      if (this.#asked.get(page) === answer) this.#asked.delete(page);
      throw error;
    });
    this.#asked.set(page, answer);
    return answer;
  }

  async #read(page: number): Promise<void> {
    const writes = this.#writes;
    const links = await this.#client.pageOfLinks(this.#query, page);
    // Drops the page if a write has reset the list. A deletion elsewhere only moves a link to the page before: a show finds it.
    if (writes !== this.#writes) return;
    for (const link of links) this.#links.set(link.id, link);
    const ids = links.map(({ id }) => id);
    this.#answered.push({ page, first: Math.min(...ids), last: Math.max(...ids) });
    this.#answered.sort((a, b) => a.page - b.page);
    this.lastPage = links.lastPage ?? this.lastPage;
  }
}

/**
 * Reads links by their ids, with few requests: from the pages of a list, a hundred at a time, or one by one if that is cheaper. It
 * uses the list of the links' domain, or of the account if the links are on many domains. It never needs over twice the requests of
 * the cheapest way, plus one if the reads come one at a time.
 */
export class LinkReads {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #acceptGone: boolean;
  readonly #freshness: number;
  readonly #account: List;
  readonly #domains = new Map<number, List>();
  readonly #served = new Set<number>();
  #last = 0;
  #used = 0;
  #asked = 0;
  #requests = 0;
  #pending = 0;
  #found = 0;
  #gone = 0;
  #hidden = 0;

  /**
   * @param options.acceptGone True if most of the links may be gone.
   * @param options.freshness Milliseconds without use after which a list is too old.
   */
  constructor(client: Client, options: { acceptGone?: boolean; freshness?: number; clock?: Clock } = {}) {
    this.#client = client;
    this.#clock = options.clock ?? systemClock;
    this.#acceptGone = options.acceptGone ?? false;
    this.#freshness = options.freshness ?? freshness;
    this.#account = this.#listOf({});
  }

  /** The pages of links that are read and left. Undefined without pending reads, or if the number is not known. */
  progress(): Progress | undefined {
    const lists = [this.#account, ...this.#domains.values()].filter(({ answered }) => answered > 0);
    const done = lists.reduce((sum, { answered }) => sum + answered, 0);
    const left = lists.reduce((sum, { lastPage }) => sum + lastPage, -done);
    if (this.#pending === 0 || done === 0 || left === Infinity) return undefined;
    return { done, left, what: "pages of links", requests: left };
  }

  /** The link, or undefined if it is proven gone. Throws if too many are gone. */
  async read(id: number, domainId: number): Promise<LinkRecord | undefined> {
    const link = await this.find(id, domainId);
    if (link) this.#found++;
    else this.#gone++;
    if (link) return link;
    await this.#assertPlausible(id);
    return undefined;
  }

  /** The link, or undefined if neither a list nor a show returns it. */
  async find(id: number, domainId: number): Promise<LinkRecord | undefined> {
    this.#asked++;
    this.#pending++;
    this.#last = this.#clock.now();
    try {
      const listed = await this.#listed(id, domainId);
      if (!listed) return await this.#shown(id, listed === null);
      // A second read of a link needs its current values, so it gets no list.
      this.#served.add(id);
      return listed;
    } finally {
      this.#pending--;
      this.#used = this.#clock.now();
    }
  }

  async #listed(id: number, domainId: number): Promise<LinkRecord | null | undefined> {
    this.#forgetOld();
    const domain = this.#domains.get(domainId) ?? this.#listOf({ domain_id: domainId });
    this.#domains.set(domainId, domain);
    if (this.#asked === 1) {
      await this.#clock.sleep(gathering);
      // A single link is shown: that is cheapest, and its errors name the link.
      if (this.#asked === 1) return undefined;
    }
    if (this.#served.has(id)) return undefined;
    // The list of one domain is never longer than the account's list.
    if (this.#domains.size > 1) await this.#account.begin();
    const listed = await domain.find(id);
    return listed === undefined ? this.#account.find(id) : listed;
  }

  /** A long wait makes no list old: the reads of a refresh are as old as the refresh anyway. */
  #forgetOld(): void {
    const isOld = this.#pending === 1 && this.#clock.now() - this.#used > this.#freshness;
    if (isOld) for (const list of [this.#account, ...this.#domains.values()]) list.forget();
    this.#used = this.#clock.now();
  }

  #listOf(query: LinkQuery): List {
    const mayAsk = (isNeeded: boolean) => {
      // The budget is two requests for a read, even if each read that waits needs a show. A page that no read needs yet may only use
      // what other pages have saved.
      const most = isNeeded ? 2 * this.#asked : this.#asked;
      const isAffordable =
        this.#requests + 1 + this.#pending <= most && (query.domain_id === undefined || this.#isSpare());
      if (isAffordable) this.#requests++;
      return isAffordable;
    };
    return new List(this.#client, query, mayAsk);
  }

  /** True if the budget has a request for a domain's list, on top of all pages of the account's list and a show. */
  #isSpare(): boolean {
    const { lastPage, pages } = this.#account;
    if (lastPage === Infinity || this.#requests + 2 + lastPage - pages <= 2 * lastPage) return true;
    const known = [...this.#domains.values()].map((list) => (list.lastPage === Infinity ? 1 : list.lastPage));
    return known.reduce((sum, each) => sum + each, 0) <= lastPage;
  }

  async #shown(id: number, isHidden: boolean): Promise<LinkRecord | undefined> {
    this.#requests++;
    try {
      const link = await this.#client.showLink(id);
      if (isHidden && ++this.#hidden > tolerance) {
        throw new Error(
          `The list of links lacks link ${id} and at least ${tolerance} more that exist. Nothing was changed. ` +
            `Run the command again.`,
        );
      }
      return link;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** An account that has nothing, or nearly nothing, of the stack may be the wrong one. */
  async #assertPlausible(id: number): Promise<void> {
    if (this.#acceptGone) return;
    const isDecided = () =>
      this.#found > 0 || (this.#pending === 0 && this.#clock.now() - this.#last > quiet);
    while (!isDecided()) await this.#clock.sleep(gathering);
    const isPlausible =
      this.#found === 0 ? this.#gone <= fewGone : this.#gone <= tolerance || this.#gone <= this.#found;
    if (isPlausible) return;
    throw new Error(
      `Link ${id} is gone, and so are ${this.#gone - 1} of the other ${this.#gone + this.#found - 1} links that were read. ` +
        `Check that the key is of the right account. If they were deleted on purpose, set shortlink:acceptGone to true for one ` +
        `refresh, which removes them from the state.`,
    );
  }
}
