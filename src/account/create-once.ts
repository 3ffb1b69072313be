import type { Client } from "../service/client";
import type { Clock } from "../service/clock";
import { isLost, RefusedError, type ServiceError } from "../service/errors";
import type { ServiceJournal } from "./changes";
import type { Journal } from "./journal";
import type { Intent, Owner } from "./journal-files";

// Exactly one object for each create, although answers get lost and runs are killed.

/** An object as far as it matters here. */
export interface Made {
  id: number;
  created_at: string | null;
}

/** There is an object already that the create did not make. */
export class ExistsError<Item> extends Error {
  constructor(
    readonly refusal: ServiceError,
    readonly found: Item,
  ) {
    super(refusal.message);
  }
}

/** Posts after lost answers, at most. */
const mostPosts = 4;
/** Milliseconds before the second look, by the number of the post: the service may still be at it. */
const secondLook = (post: number) => 250 * 2 ** post;

/** How one kind of object is created and found. */
export interface Store<Item> {
  /** Sends the POST. */
  post: (isOwn: (item: Item) => Promise<boolean>) => Promise<Item>;
  /** Finds what has the same natural key, or, where there is none, what is certain to be this create's. */
  find: (isOwn: (item: Item) => Promise<boolean>) => Promise<Item | undefined>;
  /** True if an object looks as the POST would make it. */
  isSent: (item: Item) => boolean;
  /** True if another resource of the stack has the object. Two may be made in one second, so its time does not tell. */
  isAnothers: (item: Item) => Promise<boolean>;
}

/**
 * Creates exactly one object. The service knows no idempotency, so a POST whose answer is lost is not sent again before a
 * look at what has become of it: what equals the thing sent, is no older than the attempt and no other resource's is its object. It ends where an object
 * is certain to be this create's, or another's, where the service refuses, or after some posts.
 */
export async function postUntilCertain<Item extends Made>(
  client: Client,
  clock: Clock,
  { post, find, isSent, isAnothers }: Store<Item>,
): Promise<Item> {
  const begin = Date.now();
  const isOwn = async (item: Item) =>
    isSent(item) && isYounger(item, client.serviceTime(begin)) && !(await isAnothers(item));
  for (let posts = 1; ; posts++) {
    try {
      return await post(isOwn);
    } catch (error) {
      // After a lost answer, "taken" may mean that our own request succeeded.
      const isDoubtful =
        isLost(error) || (posts > 1 && error instanceof RefusedError && error.status === 422);
      if (!isDoubtful) throw error;
      const look = async () =>
        (await find(isOwn)) ?? (await clock.sleep(secondLook(posts)).then(() => find(isOwn)));
      const found = await look().catch(() => {
        // If the look fails too, the request is still in doubt.
        throw error;
      });
      if (found && (await isOwn(found))) return found;
      if (found) throw new ExistsError(error, found);
      if (posts >= mostPosts || !isLost(error)) throw error;
    }
  }
}

/** The service tells whole seconds, in UTC. */
function isYounger(item: Made, time: number): boolean {
  return createdAt(item) >= Math.floor(time / 1000) * 1000;
}

function createdAt({ created_at: created }: Made): number {
  return Date.parse(created?.replace(" ", "T").replace(/(?:\.\d+)?Z?$/, "Z") ?? "");
}

/** Milliseconds after which a request cannot arrive any more: with the waits for a limit it is ten minutes on its way. */
const lifetime = 15 * 60_000;

/** True if the request of an intent can have made an object. */
function isInTime(item: Made, { time }: Intent): boolean {
  return isYounger(item, Date.parse(time)) && createdAt(item) < Date.parse(time) + lifetime;
}

/**
 * The resource for which an interrupted run of the same stack made this link, so that no state has it. Only a run that plans can
 * tell.
 */
export function leftOverOf(
  { journal, service, backend }: ServiceJournal,
  link: Made & { alias: string; domain_id: number | null },
  urn: string,
): string | undefined {
  const stack = `${urn.split("::").slice(0, 2).join("::")}::`;
  const key = `link ${link.domain_id}/${link.alias}`;
  return journal
    .ofStack({ service, backend, urn: stack })
    .find((each) =>
      each.id === undefined
        ? each.key === key && isInTime(link, each)
        : each.key.startsWith("link ") && each.id === String(link.id),
    )?.urn;
}

/** The journal's notes about the create of one resource. */
export class CreateNotes {
  readonly #client: Client;
  readonly #owner: Owner;
  readonly #journal: Journal | undefined;
  /** Intents of earlier runs whose requests have not arrived. */
  readonly #absent: Intent[] = [];

  /** @param urn The resource that is created; without one nothing is noted. */
  constructor(client: Client, journal: ServiceJournal | undefined, urn = "") {
    const { service = "", backend = "" } = journal ?? {};
    this.#client = client;
    this.#owner = { service, backend, urn };
    if (urn !== "") this.#journal = journal?.journal;
  }

  /**
   * What an earlier run has made for this resource without the engine saving it: what it was told the id of, or what has its
   * key, and in both cases is as it was sent, and no older. Anything else may be another stack's by now.
   *
   * @param show Finds an object by its id.
   * @param find Finds the objects that may have a key and that nothing else in this run has.
   * @param digest That of what was sent, for an object that is as it was sent.
   * @param isUsable Can it become what the program says now? Others stay in the journal, where somebody may see them.
   */
  async leftOver<Item extends Made>(
    show: (id: number) => Promise<Item | undefined>,
    find: (key: string) => Promise<Item[]>,
    digest: (item: Item) => string,
    isUsable: (item: Item) => boolean,
  ): Promise<Item | undefined> {
    for (const intent of this.#journal?.of(this.#owner) ?? []) {
      if (intent.id !== undefined) {
        const item = await show(Number(intent.id));
        if (!item) await this.#journal?.close(intent.intent);
        else if (isYounger(item, Date.parse(intent.time)) && isAsLeft(intent, digest(item)) && isUsable(item))
          return item;
        continue;
      }
      const items = await find(intent.key);
      if (items.length === 0) this.#absent.push(intent);
      const item = items.findLast((each) => digest(each) === intent.sent && isInTime(each, intent));
      if (!item) continue;
      await this.#journal?.made(intent.intent, String(item.id), digest(item));
      if (isUsable(item)) return item;
    }
    return undefined;
  }

  /** True if a provider that outlived its engine has just made this object for this resource. */
  async isOwn(key: string, found: Made, left: string): Promise<boolean> {
    const id = String(found.id);
    const intents = this.#journal?.of(this.#owner, true) ?? [];
    const own = intents.find(
      (each) => each.id === id || (each.id === undefined && each.key === key && isInTime(found, each)),
    );
    if (own && own.id === undefined) await this.#journal?.made(own.intent, id, left);
    return own !== undefined;
  }

  /**
   * Notes that this resource takes over an object, so that none whose create was interrupted takes it for its own.
   *
   * @param digest That of what the object is going to be like.
   */
  async taken(key: string, id: number, digest: string): Promise<void> {
    await this.#journal?.taken(this.#owner, key, String(id));
    const own = this.#journal?.of(this.#owner).find((each) => each.id === String(id));
    if (own) await this.#journal?.made(own.intent, String(id), digest);
  }

  /**
   * Makes an object between two notes: no one can end this process without the next one knowing what it was at.
   *
   * @param digest That of what was made, for an object that is as it was sent.
   */
  async during<Item extends Made>(
    key: string,
    sent: string,
    make: () => Promise<Item>,
    digest: (item: Item) => string,
  ): Promise<Item> {
    const journal = this.#journal;
    if (!journal) return make();
    const time = new Date(this.#client.serviceTime(Date.now())).toISOString();
    const intent = await journal.begin({ time, ...this.#owner, key, sent });
    // Only the note before the request must be there; what one of these would have said shows later.
    const note = (noting: Promise<void>) => noting.catch(() => undefined);
    let item: Item;
    try {
      item = await make();
    } catch (error) {
      if (!isLost(error)) await note(journal.close(intent));
      throw error;
    }
    await note(journal.made(intent, String(item.id), digest(item)));
    for (const { intent: absent } of this.#absent) await note(journal.close(absent));
    return item;
  }
}

function isAsLeft({ sent, left }: Intent, digest: string): boolean {
  return digest === sent || (left?.includes(digest) ?? false);
}
