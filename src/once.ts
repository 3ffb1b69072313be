import { setTimeout } from "node:timers/promises";
import { openJournal, type Intent, type Journal } from "./journal";
import type { Client } from "./service/client";
import { isLost, RefusedError, type ServiceError } from "./service/errors";
import { knownSettings } from "./session";
import type { Settings } from "./settings";

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
 * @param find Finds what has the same natural key.
 * @param isSent Does an object look as the POST would make it?
 */
export async function storeOnce<Item extends Made>(
  client: Client,
  store: () => Promise<Item>,
  find: () => Promise<Item | undefined>,
  isSent: (item: Item) => boolean,
): Promise<Item> {
  const begin = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      // Who hears "it is taken" after a lost answer may have taken it himself.
      const isDoubtful =
        isLost(error) || (attempt > 1 && error instanceof RefusedError && error.status === 422);
      if (!isDoubtful) throw error;
      // The service may still be at it: what is not there yet is looked for once more.
      const found = (await find()) ?? (await setTimeout(250 * 2 ** attempt).then(find));
      if (found && isSent(found) && isYounger(found, client.serviceTime(begin))) return found;
      if (found) throw new ExistsError(error, found);
      if (attempt >= attempts || !isLost(error)) throw error;
    }
  }
}

/** The service tells whole seconds, in UTC. */
function isYounger({ created_at: created }: Made, time: number): boolean {
  const iso = created?.replace(" ", "T").replace(/(?:\.\d+)?Z?$/, "Z");
  return Date.parse(iso ?? "") >= Math.floor(time / 1000) * 1000;
}

/** The resources that this process has checked, by what their creates are going to make: a create does not hear its URN. */
const owners = new Map<string, string>();

/** Notes for which resource an object is going to be made. */
export function noteOwner(target: string, urn: string | undefined): void {
  if (urn !== undefined) owners.set(target, urn);
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
  readonly #settings: Settings;
  readonly #urn: string;
  readonly #journal: Journal | undefined;

  /** @param target What the create is going to make, as it was given to `noteOwner`. */
  constructor(client: Client, settings: Settings, target: string) {
    this.#client = client;
    this.#settings = settings;
    this.#urn = owners.get(target) ?? "";
    if (this.#urn !== "" && settings.journal !== undefined) this.#journal = openJournal(settings.journal);
  }

  /**
   * What an earlier run has made for this resource without the engine saving it: what it was told the id of, or what has its
   * key, is as it was sent, and no older.
   *
   * @param show Finds an object by its id.
   * @param find Finds an object by its key.
   * @param digest That of what was sent, for an object that is as it was sent.
   * @param isUsable Can it become what the program says now? Others stay in the journal, where somebody may see them.
   */
  async leftOver<Item extends Made>(
    show: (id: number) => Promise<Item | undefined>,
    find: (key: string) => Promise<Item | undefined>,
    digest: (item: Item) => string,
    isUsable: (item: Item) => boolean,
  ): Promise<Item | undefined> {
    for (const { intent, id, key, time, sent } of this.#open) {
      if (id !== undefined) {
        const item = await show(Number(id));
        if (item && isUsable(item)) return item;
        if (!item) await this.#journal?.close(intent);
      } else {
        const item = await find(key);
        if (!item || digest(item) !== sent || !isYounger(item, Date.parse(time))) continue;
        await this.#journal?.made(intent, String(item.id));
        if (isUsable(item)) return item;
      }
    }
    return undefined;
  }

  get #open(): Intent[] {
    return this.#journal?.of(this.#settings.baseUrl, this.#urn) ?? [];
  }

  /** Was this object, which was not there a moment ago, made for this resource by a run that outlives its engine? */
  async isOwn(key: string, found: Made): Promise<boolean> {
    const id = String(found.id);
    const intents = this.#journal?.of(this.#settings.baseUrl, this.#urn, true) ?? [];
    const own = intents.find(
      (each) =>
        each.id === id ||
        (each.id === undefined && each.key === key && isYounger(found, Date.parse(each.time))),
    );
    if (own && own.id === undefined) await this.#journal?.made(own.intent, id);
    return own !== undefined;
  }

  /** Makes an object between two notes: no one can end this process without the next one knowing what it was at. */
  async during<Item extends Made>(key: string, sent: string, make: () => Promise<Item>): Promise<Item> {
    const journal = this.#journal;
    if (!journal) return make();
    const time = new Date(this.#client.serviceTime(Date.now())).toISOString();
    const intent = await journal.begin({ time, service: this.#settings.baseUrl, urn: this.#urn, key, sent });
    let item: Item;
    try {
      item = await make();
    } catch (error) {
      if (!isLost(error)) await journal.close(intent);
      throw error;
    }
    await journal.made(intent, String(item.id));
    // What was on its way when an earlier run ended has not arrived: it was looked for before.
    for (const each of this.#open) if (each.id === undefined) await journal.close(each.intent);
    return item;
  }
}
