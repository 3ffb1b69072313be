import { isLost } from "../service/errors";
import type { Journal } from "./journal";
import { unlessGone } from "./messages";
import type { ObjectName, Ownership } from "./ownership";

/** Selects notes of an object by their names. */
interface Which {
  only?: string | undefined;
  except?: string | undefined;
}

/** A journal, with the service and the engine's backend that its notes are about. */
export interface ServiceJournal {
  journal: Journal;
  service: string;
  backend: string;
}

/**
 * The journal's notes about writes to existing objects. The engine may be killed before it saves the result of a write. So the
 * provider notes each write before it sends it. A state that contains the note's name closes the note.
 */
export class Changes {
  readonly #journal: () => ServiceJournal | undefined;
  readonly #ownership: Ownership;
  readonly #say: (text: string) => void;
  #noted: Promise<unknown> = Promise.resolve();

  /** @param journal Returns undefined if the settings name none or are invalid. */
  constructor(journal: () => ServiceJournal | undefined, ownership: Ownership, say: (text: string) => void) {
    this.#journal = journal;
    this.#ownership = ownership;
    this.#say = say;
  }

  /** Resolves once all notes so far are on disk. The engine may end this process with the last answer. */
  get noted(): Promise<unknown> {
    return this.#noted;
  }

  /** Writes a note in the background. A failure stops no plan, because the next run writes the note again. */
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

  /** Notes that this run is about to change properties of an object, or to delete it if there are none. Returns the note's name. */
  async note(object: ObjectName, fields: readonly string[]): Promise<string | undefined> {
    const { journal, service = "" } = this.#journal() ?? {};
    return journal?.changing({ time: new Date().toISOString(), service, object, fields: [...fields] });
  }

  /**
   * The properties that an earlier run may have changed and the state does not show. Undefined without open notes.
   *
   * @param revision Name of the note that the state has.
   */
  unsaved(object: ObjectName, revision: string | undefined): string[] | undefined {
    const { journal, service = "" } = this.#journal() ?? {};
    const changes = journal?.changesOf(service, object) ?? [];
    const saved = changes.slice(0, changes.findIndex(({ change }) => change === revision) + 1);
    if (saved.length > 0) this.#noteLater(() => journal?.settle(saved));
    const open = changes.slice(saved.length).flatMap(({ fields }) => fields);
    return changes.length > saved.length ? [...new Set(open)] : undefined;
  }

  /** Closes notes of changes that did not happen or no longer matter: `only` one of them, all `except` one, or all. */
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

  /** Notes that a resource adopts an object of another one, whose entry may stay in the state. Returns the mark of the new entry. */
  async noteAdoption(object: ObjectName, urn: string | undefined): Promise<string | undefined> {
    const { journal, service = "", backend = "" } = this.#journal() ?? {};
    const taker = urn === undefined ? {} : { taker: { backend, urn } };
    const time = new Date().toISOString();
    return journal?.changing({ time, service, object: ownerOf(object), fields: ["holder"], ...taker });
  }

  /** Closes the resource's notes about other objects: its create used this one, so an interrupted run's adoptions are void. */
  async settleOtherAdoptions(object: ObjectName, urn: string | undefined): Promise<void> {
    const { journal, service = "", backend = "" } = this.#journal() ?? {};
    if (urn === undefined || !journal) return;
    const others = journal
      .adoptionsOf({ service, backend, urn })
      .filter((each) => each.object !== ownerOf(object));
    if (others.length > 0) await journal.settle(others).catch(() => undefined);
  }

  /** Notes that an adoption did not happen. @param mark As `noteAdoption` returned it. */
  settleFailedAdoption(object: ObjectName, mark: string | undefined): Promise<void> {
    return mark === undefined ? Promise.resolve() : this.#settleNotes(ownerOf(object), { only: mark });
  }

  /** Notes that a resource in the state keeps an object: the engine did not save an adoption by another one. */
  settleAdoption(object: ObjectName, adoption: string | undefined): void {
    const { journal, service = "" } = this.#journal() ?? {};
    const notes = journal?.changesOf(service, ownerOf(object)) ?? [];
    if (notes.length > 0 && notes.at(-1)?.change !== adoption) this.#noteLater(() => journal?.settle(notes));
  }

  /**
   * Deletes an object between two notes. A missing object counts as deleted. An object that another resource adopted stays: a destroy
   * or a run with `--target` has no plan that shows the adoption.
   *
   * @param adoption The mark of the state's entry that the engine removes.
   */
  async delete(object: ObjectName, adoption: string | undefined, call: () => Promise<void>): Promise<void> {
    const { journal, service = "" } = this.#journal() ?? {};
    const owners = journal?.changesOf(service, ownerOf(object)) ?? [];
    if (owners.length > 0 && !this.#ownership.isPlanned(object) && owners.at(-1)?.change !== adoption)
      return this.#say(`${object} is kept: another resource of this stack has adopted it.`);
    const deletion = await this.note(object, []);
    try {
      await unlessGone(call());
    } catch (error) {
      if (!isLost(error)) await this.settle(object, { only: deletion });
      throw error;
    }
    await this.settle(object, { except: deletion });
    this.settleAdoption(object, "");
  }
}

/** The name under which the journal notes the owner of an object. */
function ownerOf(object: ObjectName): string {
  return `holder of ${object}`;
}
