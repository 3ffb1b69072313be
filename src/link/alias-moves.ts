import type { Account } from "../account/account";
import { findAlias } from "../account/find";
import { unlessGone } from "../account/messages";
import { isRefusedFor } from "../resource/adopt";
import type { LinkRecord } from "../service/client";
import { collate } from "../service/collate";
import type { ServiceError } from "../service/errors";
import { Slots } from "../service/slots";

/**
 * Milliseconds without any plan after which a write stops waiting for another link's plan. The engine plans a resource in a few
 * milliseconds. If it is silent for longer, it probably waits for this write (`--parallel 1`, `dependsOn`); the provider cannot know.
 */
const silence = 2000;
/**
 * The same if the provider knows enough: the program shows that the alias becomes free, or the engine has planned every resource
 * that the program announced. Only a link made late, in an `apply`, could still change that.
 */
const shortSilence = 200;
/** Milliseconds between two checks. */
const interval = 20;

/** The service refused a write because a link already has its alias. The account may be unable to see that link. */
export class AliasTaken extends Error {
  constructor(
    readonly refusal: ServiceError,
    readonly owner: LinkRecord | undefined,
  ) {
    super(refusal.message);
  }
}

/** A link, and the alias that it should get. */
interface Wish {
  domainId: number;
  alias?: string | undefined;
  /** URN of its resource. */
  urn?: string | undefined;
}

/**
 * Moves aliases between the links of a stack: two links may swap aliases, or one gets an alias that another gives up in the same run.
 * The engine starts such updates and creates in any order. If another link still holds the alias, the provider renames that link to
 * `moving-<id>` for a moment. Its short link does not work then, so the journal notes each move first. The provider undoes a useless
 * move. The next run finishes an interrupted one, even with another program.
 */
export class AliasMoves {
  readonly #account: Account;
  /** The links that this run has planned so far: true if the link gives up its alias. */
  readonly #leaving = new Map<number, boolean>();
  #lastPlanned = 0;
  /** Links that this run has renamed and that have not got an alias since. */
  readonly #displaced = new Map<number, { alias: string; note: string | undefined }>();
  /** One alias moves at a time: nothing may change it between the look-up of its owner and the next write. */
  readonly #turns = new Slots(1);
  /** The addresses and destinations of the links in the state; undefined if it cannot be read. */
  #inState: Promise<Set<string> | undefined> | undefined;
  /** The links that this run has given an alias, in order. */
  readonly #moved: number[] = [];

  constructor(account: Account) {
    this.#account = account;
  }

  /** Notes that the engine is planning: the plan of another link may follow. */
  notePlanning(): void {
    this.#lastPlanned = this.#account.clock.now();
  }

  /** Notes the plan of a link. */
  notePlan(id: number, isLeaving: boolean): void {
    this.notePlanning();
    this.#leaving.set(id, isLeaving);
  }

  /** True if this run has planned the link. */
  hasPlan(id: number): boolean {
    return this.#leaving.has(id);
  }

  /** True while a link that this run renamed still waits for its alias. */
  isAstray(id: number): boolean {
    return this.#displaced.has(id);
  }

  /** Waits until the engine, which plans ahead, has nothing more to plan, or until `isEnough` returns true. */
  async allPlanned(isEnough = () => false, isKnown = false): Promise<void> {
    const { clock, progress } = this.#account;
    const bound = () => (isKnown || progress.isPlanned ? shortSilence : silence);
    while (!isEnough() && clock.now() - this.#lastPlanned < bound()) await clock.sleep(interval);
  }

  async #isLeaving(owner: LinkRecord, urn: string | undefined, isCreate: boolean): Promise<boolean> {
    const { id, alias } = owner;
    const planned = this.#leaving.get(id);
    if (planned !== undefined) return planned;
    const resource = await this.#account.ownerOfLink(owner);
    if (resource === undefined && (await this.#isForeign(owner, urn))) return false;
    // The resource's own link: the engine replaces it without asking the provider for a plan.
    if (resource !== undefined && resource === urn) return true;
    // The engine may plan no further until this write ends, but the program may have announced the link's alias.
    const wish = resource === undefined ? undefined : this.#account.ownership.wishedAlias(resource);
    // A new resource with the alias of a removed one is usually that resource renamed; the option `aliases` would keep it.
    const isLeaving = wish === null ? !isCreate : wish !== undefined && collate(wish) !== collate(alias);
    await this.allPlanned(() => this.#leaving.has(id), isLeaving);
    return this.#leaving.get(id) ?? isLeaving;
  }

  /**
   * True if certainly no resource of this stack has the link, so that none gives up its alias. Neither the state, nor a refresh of
   * this run, nor an open note of an interrupted run mentions it. If someone changed its alias or its destination, the state still has
   * the other one.
   */
  async #isForeign(owner: LinkRecord, urn: string | undefined): Promise<boolean> {
    const { ownership, changes } = this.#account;
    this.#inState ??= this.#marksOfState();
    const inState = await this.#inState;
    return (
      inState !== undefined &&
      !marksOf(owner.domain_id, owner).some((mark) => inState.has(mark)) &&
      !ownership.isRead(`link ${owner.id}`) &&
      changes.unsaved(`link ${owner.id}`, undefined) === undefined &&
      this.#account.makerOf(owner, urn) === undefined
    );
  }

  async #marksOfState(): Promise<Set<string> | undefined> {
    const state = await this.#account.knownState();
    const args = [...(state?.values() ?? [])].map(({ inputs }) => inputs.args);
    return state && new Set(args.flatMap(({ domainId, alias, url }) => marksOf(domainId, { alias, url })));
  }

  /**
   * Repeats a write of an alias while another link has it that gives it up in this run; it renames that link first. It also repeats
   * the write if a move came in between. Throws `AliasTaken`.
   */
  async writeUntilFree<Value>(
    { domainId, alias, urn }: Wish,
    write: () => Promise<Value>,
    isCreate = true,
  ): Promise<Value> {
    const { client } = this.#account;
    const moved: number[] = [];
    try {
      for (;;) {
        const before = this.#moved.length;
        try {
          return await write();
        } catch (error) {
          if (alias === undefined || !isRefusedFor(error, "alias")) throw error;
          const owner = await this.#turns.run(() => findAlias(client, domainId, alias));
          if (owner && (await this.#isLeaving(owner, urn, isCreate))) {
            moved.push(owner.id);
            await this.#turns.run(() => this.#makeWay(owner));
          }
          // The link that had the alias may have given it up by now.
          else if (!this.#moved.slice(before).some((id) => owner === undefined || id === owner.id))
            throw new AliasTaken(error, owner);
        }
      }
    } catch (error) {
      for (const id of moved.reverse()) await this.#turns.run(() => this.#putBack(id));
      throw error;
    }
  }

  /** Changes the alias of an existing link, as `writeUntilFree` does. */
  async moveAlias<Value>(id: number, wish: Wish, write: () => Promise<Value>): Promise<Value> {
    try {
      const writeInTurn = () =>
        this.#turns.run(async () => {
          const value = await write();
          this.#moved.push(id);
          this.#leaving.set(id, false);
          const move = this.#displaced.get(id);
          this.#displaced.delete(id);
          if (move) await this.#account.changes.settle(`link ${id}`, { only: move.note });
          return value;
        });
      return await this.writeUntilFree(wish, writeInTurn, false);
    } catch (error) {
      // The link keeps its alias. No other link may rename it now, because no later write of this run would give it an alias.
      this.#leaving.set(id, false);
      await this.#turns.run(() => this.#putBack(id));
      throw error;
    }
  }

  /** Renames a link that still waits for its new alias; its own update follows in this run. */
  async #makeWay({ id, alias }: LinkRecord): Promise<void> {
    // Its own update, or the update of a third link, may have come in between.
    if (this.#leaving.get(id) === false || this.#displaced.has(id)) return;
    const note = await this.#account.changes.note(`link ${id}`, ["alias"]);
    this.#displaced.set(id, { alias, note });
    await unlessGone(this.#account.client.updateLink(id, { alias: `moving-${id}` }));
  }

  /** Restores the alias of a link after a useless move. If that fails, the next run does it. */
  async #putBack(id: number): Promise<void> {
    const move = this.#displaced.get(id);
    if (!move) return;
    try {
      await unlessGone(this.#account.client.updateLink(id, { alias: move.alias }));
      this.#displaced.delete(id);
      await this.#account.changes.settle(`link ${id}`, { only: move.note });
    } catch {
      // Another link has the alias by now, or the service does not answer. The note stays in the journal.
    }
  }
}

/** Marks that identify a link of the state. */
function marksOf(domainId: unknown, { alias, url }: { alias?: unknown; url?: unknown }): string[] {
  return [`${Number(domainId)} alias ${collate(String(alias))}`, `${Number(domainId)} url ${String(url)}`];
}
