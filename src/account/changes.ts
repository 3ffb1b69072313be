import { isLost } from "../service/errors";
import type { Journal } from "./journal";
import { unlessGone } from "./messages";
import type { ObjectName, Ownership } from "./ownership";

/** Which notes of an object are meant, by their names. */
interface Which {
  only?: string | undefined;
  except?: string | undefined;
}

/** A journal, and what its notes are about: the service, and where the engine keeps the state. */
export interface ServiceJournal {
  journal: Journal;
  service: string;
  backend: string;
}

/**
 * What this account's runs change of objects that exist. The engine may be killed before it saves what a write did, so each write
 * is noted before it is sent; a state that shows the note's name strikes it out.
 */
export class Changes {
  readonly #journal: () => ServiceJournal | undefined;
  readonly #ownership: Ownership;
  readonly #say: (text: string) => void;
  #noted: Promise<unknown> = Promise.resolve();

  /** @param journal Undefined where the settings name none, or cannot be read. */
  constructor(journal: () => ServiceJournal | undefined, ownership: Ownership, say: (text: string) => void) {
    this.#journal = journal;
    this.#ownership = ownership;
    this.#say = say;
  }

  /** Fulfilled once the notes so far are on disk: a run may end with its last answer. */
  get noted(): Promise<unknown> {
    return this.#noted;
  }

  /** Lets a note be written while the call goes on. If it fails the next run notes it again, so it stops no plan. */
  #noteLater(note: () => Promise<void> | undefined): void {
    const writing = (async () => note())().catch(() => undefined);
    this.#noted = Promise.all([this.#noted, writing]).then(() => undefined);
  }

  /** Notes that the engine has an object in its state. */
  noteSaved(object: ObjectName): void {
    this.#noteLater(() => {
      const { journal, service = "" } = this.#journal() ?? {};
      return journal?.saved(service, object);
    });
  }

  /** Notes that properties of an object are about to be changed, or without any that it is about to be deleted. Returns the note. */
  async note(object: ObjectName, fields: readonly string[]): Promise<string | undefined> {
    const { journal, service = "" } = this.#journal() ?? {};
    return journal?.changing({ time: new Date().toISOString(), service, object, fields: [...fields] });
  }

  /**
   * The properties that an earlier run may have changed without the state showing it; undefined for none.
   *
   * @param revision The note that the state has.
   */
  unsaved(object: ObjectName, revision: string | undefined): string[] | undefined {
    const { journal, service = "" } = this.#journal() ?? {};
    const changes = journal?.changesOf(service, object) ?? [];
    const saved = changes.slice(0, changes.findIndex(({ change }) => change === revision) + 1);
    if (saved.length > 0) this.#noteLater(() => journal?.settle(saved));
    const open = changes.slice(saved.length).flatMap(({ fields }) => fields);
    return changes.length > saved.length ? [...new Set(open)] : undefined;
  }

  /** Notes that changes of an object did not happen, or do not matter any more: `only` one of them, all `except` one, or all. */
  settle(object: ObjectName, which: Which = {}): Promise<void> {
    return this.#settleNotes(object, which);
  }

  async #settleNotes(object: string, { only, except }: Which): Promise<void> {
    const { journal, service = "" } = this.#journal() ?? {};
    const settled = (journal?.changesOf(service, object) ?? []).filter(
      ({ change }) => (only ?? change) === change && except !== change,
    );
    if (settled.length > 0) await journal?.settle(settled).catch(() => undefined);
  }

  /** Notes that a resource takes an object over from another one, which the state may have for longer. Returns the mark of the new one. */
  async noteTakeOver(object: ObjectName, urn: string | undefined): Promise<string | undefined> {
    const { journal, service = "", backend = "" } = this.#journal() ?? {};
    const taker = urn === undefined ? {} : { taker: { backend, urn } };
    const time = new Date().toISOString();
    return journal?.changing({ time, service, object: ownerOf(object), fields: ["holder"], ...taker });
  }

  /** Notes that a create has ended with an object: what the resource took over in an interrupted run is the other one's again. */
  async settleOtherTakeOvers(object: ObjectName, urn: string | undefined): Promise<void> {
    const { journal, service = "", backend = "" } = this.#journal() ?? {};
    if (urn === undefined || !journal) return;
    const others = journal
      .takeOversOf({ service, backend, urn })
      .filter((each) => each.object !== ownerOf(object));
    if (others.length > 0) await journal.settle(others).catch(() => undefined);
  }

  /** Notes that a taking over did not happen. @param mark As `noteTakeOver` returned it. */
  settleFailedTakeOver(object: ObjectName, mark: string | undefined): Promise<void> {
    return mark === undefined ? Promise.resolve() : this.#settleNotes(ownerOf(object), { only: mark });
  }

  /** Notes that a resource in the state keeps an object: a taking over by another one was not saved. */
  settleTakeOver(object: ObjectName, adoption: string | undefined): void {
    const { journal, service = "" } = this.#journal() ?? {};
    const notes = journal?.changesOf(service, ownerOf(object)) ?? [];
    if (notes.length > 0 && notes.at(-1)?.change !== adoption) this.#noteLater(() => journal?.settle(notes));
  }

  /**
   * Deletes an object between two notes; an object that is gone is one that is deleted. One that another resource took over stays:
   * a run with `--target` and a destroy plan nothing that would show it.
   *
   * @param adoption The mark of the entry of the state that goes.
   */
  async delete(object: ObjectName, adoption: string | undefined, call: () => Promise<void>): Promise<void> {
    const { journal, service = "" } = this.#journal() ?? {};
    const owners = journal?.changesOf(service, ownerOf(object)) ?? [];
    if (owners.length > 0 && !this.#ownership.isPlanned(object) && owners.at(-1)?.change !== adoption)
      return this.#say(`${object} stays: another resource of this stack has taken it over.`);
    const deletion = await this.note(object, []);
    try {
      await unlessGone(call());
    } catch (error) {
      if (!isLost(error)) await this.settle(object, { only: deletion });
      throw error;
    }
    await this.settle(object, { except: deletion });
    this.settleTakeOver(object, "");
  }
}

/** What the journal calls the note of who has an object. */
function ownerOf(object: ObjectName): string {
  return `holder of ${object}`;
}
