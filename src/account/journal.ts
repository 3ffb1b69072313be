import { randomBytes, randomUUID } from "node:crypto";
import {
  appendLines,
  compact,
  readJournal,
  withMade,
  type Change,
  type Intent,
  type Line,
  type Owner,
} from "./journal-files";

// What a run has made or changed is in the engine's state only when the engine has saved it, and the engine may be killed before.
// So each create notes first, on disk, what it is about to make for which resource, and each other write what it is about to
// change; the note is struck out when a later run shows that the engine has saved it. What is left open tells the next
// create of the same resource that an object which is there already is its own, and the next plan of an object that it
// may not be as the state says.

/** The journal of a folder: the notes of the runs before, and those that this one makes. */
export class Journal {
  /** The intents of other runs, as far as they were open when this one began. */
  #earlier: Intent[] = [];
  readonly #own = new Set<string>();
  readonly #saved = new Set<string>();
  #byObject: Map<string, Intent[]> | undefined;
  /** The open notes of changes, by service and object. */
  readonly #changes = new Map<string, Change[]>();
  /** Those of them that tell who takes an object over. */
  readonly #takeOvers = new Set<Change>();
  #queue: { line: Line; done: (error?: Error) => void }[] = [];
  #isWriting = false;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    try {
      const { intents, changes, closed, aside } = readJournal(folder);
      if (aside.length > 0 || closed > intents.length + changes.length) compact(folder);
      this.#earlier = intents;
      for (const change of changes) this.#add(change);
    } catch (error) {
      throw unusable(folder, error);
    }
  }

  /** The intents that other runs left open for a resource; `again` reads what they wrote since. */
  of(owner: Owner, again = false): Intent[] {
    if (again)
      this.#earlier = readJournal(this.#folder).intents.filter(({ intent }) => !this.#own.has(intent));
    return this.#earlier.filter(
      ({ intent, service, backend, urn }) =>
        service === owner.service &&
        backend === owner.backend &&
        urn === owner.urn &&
        !this.#saved.has(intent),
    );
  }

  /** The intents that other runs of any resource of a stack left open, of which the URNs begin so. */
  ofStack({ service, backend, urn }: Owner): Intent[] {
    return this.#earlier.filter(
      (each) =>
        each.service === service &&
        each.backend === backend &&
        each.urn.startsWith(urn) &&
        !this.#saved.has(each.intent),
    );
  }

  /** Notes on disk what a create is about to make, and returns the name of the note. */
  async begin(details: Omit<Intent, "intent" | "id" | "left">): Promise<string> {
    const intent = randomUUID();
    this.#own.add(intent);
    await this.#append({ intent, ...details });
    return intent;
  }

  /** Notes the id of what was made, or found to be made, for an intent, and a digest of what it is like. */
  made(intent: string, id: string, left?: string): Promise<void> {
    this.#earlier = this.#earlier.map((each) => (each.intent === intent ? withMade(each, id, left) : each));
    return this.#append({ made: intent, id, ...(left === undefined ? {} : { left }) });
  }

  /** Notes that nothing was made for an intent. */
  close(intent: string): Promise<void> {
    return this.#append({ closed: intent });
  }

  /** Notes that the engine has an object in its state, where earlier runs left that open. */
  async saved(service: string, name: string): Promise<void> {
    // Nearly always there is nothing to strike out, and after a big run there is much.
    this.#byObject ??= this.#intentsByObject();
    const object = `${service} ${name}`;
    const found = this.#byObject.get(object);
    if (!found) return;
    this.#byObject.delete(object);
    for (const { intent } of found) this.#saved.add(intent);
    await Promise.all(found.map(({ intent }) => this.close(intent)));
  }

  /**
   * The intents that made an object, or would have made it: a provider that outlived its engine, and the run after it, both note the
   * same create, and one of them is refused by the service. That is so where the program or the URN names the key.
   */
  #intentsByObject(): Map<string, Intent[]> {
    const createOf = ({ service, backend, urn, key }: Intent) => JSON.stringify([service, backend, urn, key]);
    const unanswered = Map.groupBy(
      this.#earlier.filter(({ id, key }) => id === undefined && !key.endsWith("/*")),
      createOf,
    );
    const objects = Map.groupBy(
      this.#earlier.filter(({ id }) => id !== undefined),
      ({ service, key, id }) => `${service} ${key.split(" ")[0]} ${id}`,
    );
    for (const intents of objects.values())
      for (const create of new Set(intents.map(createOf))) intents.push(...(unanswered.get(create) ?? []));
    return objects;
  }

  /** Notes on disk that properties of an object are about to be changed, and returns the name of the note. */
  async changing(details: Omit<Change, "change">): Promise<string> {
    const change = { change: randomBytes(6).toString("base64url"), ...details };
    this.#add(change);
    await this.#append(change);
    return change.change;
  }

  /** The changes of an object that are not known to be saved, in their order. */
  changesOf(service: string, object: string): Change[] {
    return this.#changes.get(`${service} ${object}`) ?? [];
  }

  /** The open notes of adoptions. */
  takeOversOf({ service, backend, urn }: Owner): Change[] {
    return [...this.#takeOvers].filter(
      (each) => each.service === service && each.taker?.backend === backend && each.taker.urn === urn,
    );
  }

  /** Notes that changes of an object are saved, or were never made. */
  async settle(changes: Change[]): Promise<void> {
    for (const change of changes) {
      const { service, object } = change;
      this.#takeOvers.delete(change);
      const open = this.changesOf(service, object).filter((each) => !changes.includes(each));
      this.#changes.set(`${service} ${object}`, open);
    }
    await Promise.all(changes.map(({ change }) => this.close(change)));
  }

  #add(change: Change): void {
    const { service, object } = change;
    this.#changes.set(`${service} ${object}`, [...this.changesOf(service, object), change]);
    if (change.taker !== undefined) this.#takeOvers.add(change);
  }

  /** Notes that a resource has taken over an object: no other one may finish the create of it any more. */
  async taken({ service, backend, urn }: Owner, key: string, id: string): Promise<void> {
    const [type] = key.split(" ");
    const isOf = (each: Intent) =>
      each.service === service && (each.id === undefined ? each.key === key : each.id === id);
    const others = this.#earlier.filter(
      (each) =>
        isOf(each) && each.key.startsWith(`${type} `) && (each.backend !== backend || each.urn !== urn),
    );
    for (const { intent } of others) this.#saved.add(intent);
    await Promise.all(others.map(({ intent }) => this.close(intent)));
  }

  /** Creates run at the same time: what they note goes to disk together. */
  #append(line: Line): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ line, done: (error) => (error ? reject(error) : resolve()) });
      if (!this.#isWriting) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#isWriting = true;
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await appendLines(
          this.#folder,
          batch.map(({ line }) => line),
        );
        for (const { done } of batch) done();
      } catch (error) {
        for (const { done } of batch) done(unusable(this.#folder, error));
      }
    }
    this.#isWriting = false;
  }
}

function unusable(folder: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Error(
    `The journal in ${folder} cannot be used (${code ?? message}), and without it an interrupted run could not be finished ` +
      `later. Set shortlink:journal to another folder, or to "none" to do without.`,
    { cause: error },
  );
}
