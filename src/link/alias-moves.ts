import type { Account } from "../account/account";
import { findAlias } from "../account/find";
import { unlessGone } from "../account/messages";
import { isRefusedFor } from "../resource/adopt";
import type { LinkRecord } from "../service/client";
import { collate } from "../service/collate";
import type { ServiceError } from "../service/errors";
import { Slots } from "../service/slots";
import { ownerOf } from "./model";

/**
 * A write that needs another link's plan stops waiting after so many milliseconds without any plan. The engine plans a resource
 * in a few milliseconds. If it is silent for so long, it probably waits for this write (`--parallel 1`, `dependsOn`); the
 * provider cannot know.
 */
const silence = 2000;
/**
 * The same if the provider knows enough: the program itself shows that the alias becomes free, or the engine has planned every
 * resource that the program announced. Only a link made late, in an `apply`, could still change that.
 */
const shortSilence = 200;
/** Milliseconds between two looks. */
const interval = 20;

/** A write was refused because its alias is taken, by a link of the account or by one that the account does not see. */
export class AliasTaken extends Error {
  constructor(
    readonly refusal: ServiceError,
    readonly owner: LinkRecord | undefined,
  ) {
    super(refusal.message);
  }
}

/** A link that is to get an alias. */
interface Wish {
  domainId: number;
  alias?: string | undefined;
  /** Its resource. */
  urn?: string | undefined;
}

/**
 * Aliases move between the links of a stack: two may swap theirs, or one takes what another gives up in the same run. The engine
 * starts such updates and creates in any order, so the one that comes too early renames the other to `moving-<id>` for a
 * moment. A short link is dead then, so the move is noted in the journal before it is made, undone where it was for
 * nothing, and finished by the next run, whatever program that has.
 */
export class AliasMoves {
  readonly #account: Account;
  /** The links that this run has planned so far: true if the link gives up its alias. */
  readonly #leaving = new Map<number, boolean>();
  #lastPlanned = 0;
  /** Links that this run has moved out of the way and that have not got an alias since. */
  readonly #displaced = new Map<number, { alias: string; note: string | undefined }>();
  /** One alias moves at a time: nothing may change it between the look at its owner and the next write. */
  readonly #turns = new Slots(1);
  /** The addresses and destinations of the links in the state; undefined where it cannot be had. */
  #inState: Promise<Set<string> | undefined> | undefined;
  /** The links that this run has given an alias, in their order. */
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

  /** True while a link that this run moved out of the way of another still waits for its alias. */
  isAstray(id: number): boolean {
    return this.#displaced.has(id);
  }

  /** Waits until the engine, which plans ahead of what it carries out, has nothing more to plan, or until it is enough. */
  async allPlanned(isEnough = () => false, isKnown = false): Promise<void> {
    const { clock, progress } = this.#account;
    const bound = () => (isKnown || progress.isPlanned ? shortSilence : silence);
    while (!isEnough() && clock.now() - this.#lastPlanned < bound()) await clock.sleep(interval);
  }

  async #isLeaving(owner: LinkRecord, urn: string | undefined, isCreate: boolean): Promise<boolean> {
    const { id, alias } = owner;
    const planned = this.#leaving.get(id);
    if (planned !== undefined) return planned;
    const resource = await ownerOf(this.#account, owner);
    if (resource === undefined && (await this.#isForeign(owner, urn))) return false;
    // Its own link: the engine replaces it without a plan that the provider hears of.
    if (resource !== undefined && resource === urn) return true;
    // The engine may plan no further until this write ends, but the program may have told what the plan is going to be.
    const wish = resource === undefined ? undefined : this.#account.ownership.wishedAlias(resource);
    // A new resource with the alias of one that is removed is most often the same one by another name, which aliases would keep.
    const isLeaving = wish === null ? !isCreate : wish !== undefined && collate(wish) !== collate(alias);
    await this.allPlanned(() => this.#leaving.has(id), isLeaving);
    return this.#leaving.get(id) ?? isLeaving;
  }

  /**
   * True if it is certain that no resource of this stack has the link, so that none gives its alias up: neither the state, nor a
   * refresh of this run, nor an open note of an interrupted one speaks of it. Somebody may have changed its alias or its
   * destination, but then the state has the other one.
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
   * Repeats a write of an alias for as long as a link has it that leaves it in this run, or a move came in between; each time
   * round that link has been moved out of the way. Throws `AliasTaken`.
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
          // The link that had it may have left it by now.
          else if (!this.#moved.slice(before).some((id) => owner === undefined || id === owner.id))
            throw new AliasTaken(error, owner);
        }
      }
    } catch (error) {
      for (const id of moved.reverse()) await this.#turns.run(() => this.#putBack(id));
      throw error;
    }
  }

  /** Gives a link that exists another alias, as `writeUntilFree` does. */
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
      // It keeps what it has: no other link may move it now, as no further write of this run would give it an alias.
      this.#leaving.set(id, false);
      await this.#turns.run(() => this.#putBack(id));
      throw error;
    }
  }

  /** Gives a link that still waits for its new alias an unused one; its own update follows in this run. */
  async #makeWay({ id, alias }: LinkRecord): Promise<void> {
    // Its own update, or that of a third link, may have come in between.
    if (this.#leaving.get(id) === false || this.#displaced.has(id)) return;
    const note = await this.#account.changes.note(`link ${id}`, ["alias"]);
    this.#displaced.set(id, { alias, note });
    await unlessGone(this.#account.client.updateLink(id, { alias: `moving-${id}` }));
  }

  /** Gives a link that was moved for nothing its alias back. Where that fails, the next run does it. */
  async #putBack(id: number): Promise<void> {
    const move = this.#displaced.get(id);
    if (!move) return;
    try {
      await unlessGone(this.#account.client.updateLink(id, { alias: move.alias }));
      this.#displaced.delete(id);
      await this.#account.changes.settle(`link ${id}`, { only: move.note });
    } catch {
      // Somebody has the alias by now, or the service does not answer; the note in the journal stays.
    }
  }
}

/** By what a link of the state is known again. */
function marksOf(domainId: unknown, { alias, url }: { alias?: unknown; url?: unknown }): string[] {
  return [`${Number(domainId)} alias ${collate(String(alias))}`, `${Number(domainId)} url ${String(url)}`];
}
