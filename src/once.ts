import { setTimeout } from "node:timers/promises";
import { say } from "./engine-log";
import { openJournal, type Intent, type Journal, type Owner } from "./journal";
import type { Client } from "./service/client";
import { isLost, RefusedError, type ServiceError } from "./service/errors";
import { isPlanned } from "./ownership";
import { describe, IncompleteError, knownSettings, unlessGone, type Doubt } from "./session";
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

/** Notes that the engine has an object in its state. */
export function noteSaved(type: "domain" | "link", id: string): void {
  const { journal, baseUrl = "" } = knownSettings() ?? {};
  if (journal === undefined) return;
  // It is told again in the next run, so a journal that cannot be written stops no plan.
  void (async () => openJournal(journal).saved(baseUrl, type, id))().catch(() => undefined);
}

/** What a state remembers of the last change of its object. */
export interface Revision {
  /** Name of the journal's note of the change. */
  __revision?: string;
}

/** The journal, with what tells an object in it from others; undefined where there is none. */
function objectIn<Value>(
  type: "domain" | "link",
  id: string | number,
  use: (journal: Journal, service: string, object: string) => Value,
): Value | undefined {
  const { journal, baseUrl = "" } = knownSettings() ?? {};
  return journal === undefined ? undefined : use(openJournal(journal), baseUrl, `${type} ${id}`);
}

/** Notes that properties of an object are about to be changed, or without any that it is about to be deleted. */
export async function noteChange(
  type: "domain" | "link",
  id: string | number,
  fields: readonly string[],
): Promise<Revision> {
  const time = new Date().toISOString();
  const revision = await objectIn(type, id, (journal, service, object) =>
    journal.changing({ time, service, object, fields: [...fields] }),
  );
  return revision === undefined ? {} : { __revision: revision };
}

/** The properties that an earlier run may have changed without the state showing it; undefined for none. */
export function unsavedChanges(
  type: "domain" | "link",
  id: string | number,
  { __revision }: Revision,
): string[] | undefined {
  return objectIn(type, id, (journal, service, object) => {
    const changes = journal.changesOf(service, object);
    const saved = changes.slice(0, changes.findIndex(({ change }) => change === __revision) + 1);
    // Told again in the next run where the journal cannot be written.
    if (saved.length > 0) void journal.settle(saved).catch(() => undefined);
    const open = changes.slice(saved.length).flatMap(({ fields }) => fields);
    return changes.length > saved.length ? [...new Set(open)] : undefined;
  });
}

/** Notes that changes of an object did not happen, or do not matter any more: `only` one of them, all `except` one, or all. */
export async function settleChanges(
  type: "domain" | "link",
  id: string | number,
  { only, except }: { only?: Revision; except?: Revision } = {},
): Promise<void> {
  await objectIn(type, id, (journal, service, object) => {
    const changes = journal.changesOf(service, object);
    const settled = changes.filter(
      ({ change }) => (only?.__revision ?? change) === change && except?.__revision !== change,
    );
    return settled.length > 0 ? journal.settle(settled) : undefined;
  })?.catch(() => undefined);
}

/** Notes that a resource takes an object over from another one, which the state may have for longer. Returns the mark of the new one. */
export async function noteHolder(type: "domain" | "link", id: number): Promise<string | undefined> {
  const time = new Date().toISOString();
  return objectIn(type, id, (journal, service, object) =>
    journal.changing({ time, service, object: `holder of ${object}`, fields: ["holder"] }),
  );
}

/** Notes that a resource in the state keeps an object: a taking over by another one was not saved. */
export function settleHolder(type: "domain" | "link", id: string, adoption: string | undefined): void {
  void objectIn(type, id, (journal, service, object) => {
    const notes = journal.changesOf(service, `holder of ${object}`);
    return notes.length > 0 && notes.at(-1)?.change !== adoption ? journal.settle(notes) : undefined;
  })?.catch(() => undefined);
}

/**
 * Deletes an object between two notes; an object that is gone is one that is deleted. One that another resource took over stays:
 * a run with `--target` and a destroy plan nothing that would show it.
 *
 * @param adoption The mark of the entry of the state that goes.
 */
export async function deleteNoted(
  type: "domain" | "link",
  id: string,
  adoption: string | undefined,
  call: () => Promise<void>,
): Promise<void> {
  const holders = objectIn(type, id, (journal, service, object) =>
    journal.changesOf(service, `holder of ${object}`),
  );
  if (holders?.length && !isPlanned(type, id) && holders.at(-1)?.change !== adoption)
    return say(`${type} ${id} stays: another resource of this stack has taken it over.`);
  const deletion = await noteChange(type, id, []);
  try {
    await unlessGone(call());
  } catch (error) {
    if (!isLost(error)) await settleChanges(type, id, { only: deletion });
    throw error;
  }
  await settleChanges(type, id, { except: deletion });
  settleHolder(type, id, "");
}

/** The same for a resource that is read. */
export function keptRevision({ __revision }: Revision): Revision {
  return __revision === undefined ? {} : { __revision };
}

/**
 * Writes some fields. Where nobody knows whether they were written, the state keeps them for the next run to write again; the
 * journal does where the run ends before the engine saves the state.
 *
 * @param isAstray Has the object no alias of its own although the write was refused?
 */
export async function writeOrDoubt<Value>(
  type: "domain" | "link",
  id: string,
  state: Doubt & Revision,
  fields: readonly string[],
  isAstray: () => boolean,
  write: (revision: Revision) => Promise<Value>,
): Promise<Value> {
  const revision = await noteChange(type, id, fields);
  try {
    return await write(revision);
  } catch (error) {
    if (error instanceof IncompleteError) throw error;
    const doubtful = isLost(error) ? fields : isAstray() ? ["alias"] : [];
    if (doubtful.length === 0) {
      await settleChanges(type, id, { only: revision });
      throw error;
    }
    const all = [...new Set([...(state.__doubtful ?? []), ...doubtful])];
    throw new IncompleteError(id, { ...state, ...revision, __doubtful: all }, [describe(error)]);
  }
}

/** Did an interrupted run of the same stack make this link, so that no state has it? Only a run that plans can tell. */
export function isLeftOver(link: Made & { alias: string; domain_id: number | null }, urn: string): boolean {
  const { journal, baseUrl: service = "" } = knownSettings() ?? {};
  if (journal === undefined) return false;
  const stack = `${urn.split("::").slice(0, 2).join("::")}::`;
  const key = `link ${link.domain_id}/${link.alias}`;
  return openJournal(journal)
    .ofStack({ service, backend: backend(), urn: stack })
    .some((each) =>
      each.id === undefined
        ? each.key === key && isInTime(link, each)
        : each.key.startsWith("link ") && each.id === String(link.id),
    );
}

/** What the journal knows, and is told, of the create of one resource. */
export class Notes {
  readonly #client: Client;
  readonly #owner: Owner;
  readonly #journal: Journal | undefined;
  /** Intents of earlier runs whose requests have not arrived. */
  readonly #absent: Intent[] = [];

  /** @param urn The resource that is created; without one nothing is noted. */
  constructor(client: Client, settings: Settings, urn = "") {
    this.#client = client;
    this.#owner = { service: settings.baseUrl, backend: backend(), urn };
    if (urn !== "" && settings.journal !== undefined) this.#journal = openJournal(settings.journal);
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

  /** Was this object, which was not there a moment ago, made for this resource by a run that outlives its engine? */
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
