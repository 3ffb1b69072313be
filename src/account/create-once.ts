import type { Client } from "../service/client";
import type { Clock } from "../service/clock";
import { isLost, RefusedError, type ServiceError } from "../service/errors";
import type { ServiceJournal } from "./changes";
import type { Journal } from "./journal";
import type { Intent, Owner } from "./journal-files";

// Each create makes exactly one object, despite lost responses and interrupted runs.

/** The properties of an object that matter here. */
export interface Made {
  id: number;
  created_at: string | null;
}

/** The object already exists, and this create did not make it. */
export class ExistsError<Item> extends Error {
  constructor(
    readonly refusal: ServiceError,
    readonly found: Item,
  ) {
    super(refusal.message);
  }
}

/** The most POSTs of one create. */
const mostPosts = 4;
/** Milliseconds before the second lookup, by the number of the POST: the service may still be processing it. */
const secondLook = (post: number) => 250 * 2 ** post;

/** Creates and finds objects of one kind. */
export interface Store<Item> {
  /** Sends the POST. */
  post: (isOwn: (item: Item) => Promise<boolean>) => Promise<Item>;
  /** Finds the object with the same natural key. Without a key, finds only an object that this create certainly made. */
  find: (isOwn: (item: Item) => Promise<boolean>) => Promise<Item | undefined>;
  /** True if an object looks as the POST would make it. */
  isSent: (item: Item) => boolean;
  /** True if another resource of the stack has the object. Its time is no proof: two objects may be made in one second. */
  isAnothers: (item: Item) => Promise<boolean>;
}

/**
 * Creates exactly one object. The service has no idempotency, so after a lost response the provider looks for the object before it
 * retries. A found object is its own if it equals the request, is no older, and no other resource has it. The retries end with an
 * object, a conflict, a refusal, or after a few POSTs.
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
      // After a lost response, "taken" may mean that our own request succeeded.
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

/** The service returns whole seconds, in UTC. */
function isYounger(item: Made, time: number): boolean {
  return createdAt(item) >= Math.floor(time / 1000) * 1000;
}

function createdAt({ created_at: created }: Made): number {
  return Date.parse(created?.replace(" ", "T").replace(/(?:\.\d+)?Z?$/, "Z") ?? "");
}

/** Milliseconds after which a request can no longer arrive. Waits for the rate limit delay it by up to ten minutes. */
const lifetime = 15 * 60_000;

/** True if the request of an intent can have made an object. */
function isInTime(item: Made, { time }: Intent): boolean {
  return isYounger(item, Date.parse(time)) && createdAt(item) < Date.parse(time) + lifetime;
}

/**
 * The resource for which an interrupted run of this stack made the link, which no state has. Reliable only in a run that plans:
 * planning closes the notes of saved links.
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

  /** @param urn The resource that is created. Without it, no note is written. */
  constructor(client: Client, journal: ServiceJournal | undefined, urn = "") {
    const { service = "", backend = "" } = journal ?? {};
    this.#client = client;
    this.#owner = { service, backend, urn };
    if (urn !== "") this.#journal = journal?.journal;
  }

  /**
   * The object that an earlier run made for this resource and the engine did not save. The provider finds it by the id in the note,
   * or by its key. It must be unchanged and no older than the note: any other object may belong to another stack by now.
   *
   * @param show Finds an object by its id.
   * @param find Finds the objects that may have a key and that no other resource of this run has.
   * @param digest The digest of an object; equals the request's digest if the object is unchanged.
   * @param isUsable True if the object can become what the program says now. Others stay in the journal, where users see them.
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
   * Notes that this resource adopts an object, so that no other resource finishes an interrupted create with it.
   *
   * @param digest The digest of the object after the adoption.
   */
  async taken(key: string, id: number, digest: string): Promise<void> {
    await this.#journal?.taken(this.#owner, key, String(id));
    const own = this.#journal?.of(this.#owner).find((each) => each.id === String(id));
    if (own) await this.#journal?.made(own.intent, String(id), digest);
  }

  /**
   * Makes an object between two notes. If this process is killed, the next one knows what it was doing.
   *
   * @param digest The digest of the made object; equal to `sent` if the service kept the values.
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
    // Only the note before the request must be written. A later run can find out what these notes would have said.
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
