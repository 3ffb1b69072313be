import { setTimeout } from "node:timers/promises";
import { openJournal, type Intent, type Journal, type Owner } from "./journal";
import type { Client } from "./service/client";
import { isLost, RefusedError, type ServiceError } from "./service/errors";
import { knownSettings } from "./session";
import { backend, type Settings } from "./settings";

// Exactly one object for each create, although answers get lost and runs are killed.

/** An object as far as it matters here. */
interface Made {
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
const attempts = 4;

/**
 * Creates exactly one object. The service knows no idempotency, so a POST whose answer is lost is not sent again before a
 * look at what has become of it: what equals the thing sent and is no older than the attempt is its object.
 *
 * @param store Sends the POST.
 * @param find Finds what has the same natural key, or, where there is none, what is certain to be this create's.
 * @param isSent Does an object look as the POST would make it?
 */
export async function storeOnce<Item extends Made>(
  client: Client,
  store: (isOwn: (item: Item) => boolean) => Promise<Item>,
  find: (isOwn: (item: Item) => boolean) => Promise<Item | undefined>,
  isSent: (item: Item) => boolean,
): Promise<Item> {
  const begin = Date.now();
  const isOwn = (item: Item) => isSent(item) && isYounger(item, client.serviceTime(begin));
  for (let attempt = 1; ; attempt++) {
    try {
      return await store(isOwn);
    } catch (error) {
      // Who hears "it is taken" after a lost answer may have taken it himself.
      const isDoubtful =
        isLost(error) || (attempt > 1 && error instanceof RefusedError && error.status === 422);
      if (!isDoubtful) throw error;
      const look = async () => {
        // The service may still be at it: what is not there yet is looked for once more.
        return (await find(isOwn)) ?? (await setTimeout(250 * 2 ** attempt).then(() => find(isOwn)));
      };
      const found = await look().catch(() => {
        // That nobody can look now makes the request no less doubtful.
        throw error;
      });
      if (found && isOwn(found)) return found;
      if (found) throw new ExistsError(error, found);
      if (attempt >= attempts || !isLost(error)) throw error;
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

/** Can an object have been made by the request of an intent? */
function isInTime(item: Made, { time }: Intent): boolean {
  return isYounger(item, Date.parse(time)) && createdAt(item) < Date.parse(time) + lifetime;
}

/** The resources that this process has checked, by what their creates are going to make: a create does not hear its URN. */
const owners = new Map<string, string>();

/** Notes for which resource an object is going to be made. */
export function noteOwner(target: string, urn: string | undefined): void {
  if (urn !== undefined) owners.set(target, urn);
}

/** What creates of this process have made or taken over. */
const held = new Set<string>();

/** Notes that a resource has an object from now on. */
export function noteHeld(target: string, type: "domain" | "link", id: number): void {
  if (owners.has(target)) held.add(`${type} ${id}`);
}

/**
 * Is an object that is to be deleted one that this run has just given to a resource? A resource under a new name may have
 * taken over the object of the old one, whose deletion comes after, and a replacement the object that it replaces.
 */
export function isHeld(type: "domain" | "link", id: string): boolean {
  return held.has(`${type} ${id}`);
}

/** Notes that the engine has an object in its state. */
export function noteSaved(type: "domain" | "link", id: string): void {
  const { journal, baseUrl = "" } = knownSettings() ?? {};
  if (journal === undefined) return;
  // It is told again in the next run, so a journal that cannot be written stops no plan.
  void (async () => openJournal(journal).saved(baseUrl, type, id))().catch(() => undefined);
}

/** What the journal knows, and is told, of the create of one resource. */
export class Notes {
  readonly #client: Client;
  readonly #owner: Owner;
  readonly #journal: Journal | undefined;
  /** Intents of earlier runs whose requests have not arrived. */
  readonly #absent: Intent[] = [];

  /** @param target What the create is going to make, as it was given to `noteOwner`. */
  constructor(client: Client, settings: Settings, target: string) {
    this.#client = client;
    const urn = owners.get(target) ?? "";
    this.#owner = { service: settings.baseUrl, backend: backend(), urn };
    if (urn !== "" && settings.journal !== undefined) this.#journal = openJournal(settings.journal);
  }

  /**
   * What an earlier run has made for this resource without the engine saving it: what it was told the id of, or what has its
   * key, is as it was sent, and no older.
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
        else if (isYounger(item, Date.parse(intent.time)) && isUsable(item)) return item;
        continue;
      }
      const items = await find(intent.key);
      if (items.length === 0) this.#absent.push(intent);
      const item = items.findLast((each) => digest(each) === intent.sent && isInTime(each, intent));
      if (!item) continue;
      await this.#journal?.made(intent.intent, String(item.id));
      if (isUsable(item)) return item;
    }
    return undefined;
  }

  /** Was this object, which was not there a moment ago, made for this resource by a run that outlives its engine? */
  async isOwn(key: string, found: Made): Promise<boolean> {
    const id = String(found.id);
    const intents = this.#journal?.of(this.#owner, true) ?? [];
    const own = intents.find(
      (each) => each.id === id || (each.id === undefined && each.key === key && isInTime(found, each)),
    );
    if (own && own.id === undefined) await this.#journal?.made(own.intent, id);
    return own !== undefined;
  }

  /** Makes an object between two notes: no one can end this process without the next one knowing what it was at. */
  async during<Item extends Made>(key: string, sent: string, make: () => Promise<Item>): Promise<Item> {
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
    await note(journal.made(intent, String(item.id)));
    for (const { intent: absent } of this.#absent) await note(journal.close(absent));
    return item;
  }
}
