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

// The engine may be killed before it saves what a run made or changed. So the provider notes each create and each other write on disk
// before it sends the request. It closes the note when a later run shows that the engine has saved the result. An open note of a
// create shows the next create of the same resource that an existing object is its own. An open note of a change shows the next plan
// that the object may differ from the state.

/** The journal of a folder: the notes of earlier runs and of this run. */
export class Journal {
  /** The intents of other runs that were open when this run began. */
  #earlier: Intent[] = [];
  readonly #own = new Set<string>();
  readonly #saved = new Set<string>();
  #byObject: Map<string, Intent[]> | undefined;
  /** The open notes of changes, by service and object. */
  readonly #changes = new Map<string, Change[]>();
  /** The notes among them that are about adoptions. */
  readonly #adoptions = new Set<Change>();
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

  /** The intents that other runs left open for all resources whose URNs begin with `urn`. */
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

  /** Notes the id and a digest of the object that an intent made, or that the provider found for it. */
  made(intent: string, id: string, left?: string): Promise<void> {
    this.#earlier = this.#earlier.map((each) => (each.intent === intent ? withMade(each, id, left) : each));
    return this.#append({ made: intent, id, ...(left === undefined ? {} : { left }) });
  }

  /** Closes a note: nothing was made, or a state shows the result. */
  close(intent: string): Promise<void> {
    return this.#append({ closed: intent });
  }

  /** Closes the notes that earlier runs left open for an object, because the engine has it in its state. */
  async saved(service: string, name: string): Promise<void> {
    // Mostly there is nothing to close, but after a big run there is much.
    this.#byObject ??= this.#intentsByObject();
    const object = `${service} ${name}`;
    const found = this.#byObject.get(object);
    if (!found) return;
    this.#byObject.delete(object);
    for (const { intent } of found) this.#saved.add(intent);
    await Promise.all(found.map(({ intent }) => this.close(intent)));
  }

  /**
   * The intents that made an object, or would have made it. A provider that outlived its engine and the next run note the same
   * create, and the service refuses one. Only a key that the program or the URN names shows that.
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

  /** Notes on disk that this run is about to change an object, and returns the name of the note. */
  async changing(details: Omit<Change, "change">): Promise<string> {
    const change = { change: randomBytes(6).toString("base64url"), ...details };
    this.#add(change);
    await this.#append(change);
    return change.change;
  }

  /** The changes of an object that the engine is not known to have saved, oldest first. */
  changesOf(service: string, object: string): Change[] {
    return this.#changes.get(`${service} ${object}`) ?? [];
  }

  /** The open notes of a resource's adoptions. */
  adoptionsOf({ service, backend, urn }: Owner): Change[] {
    return [...this.#adoptions].filter(
      (each) => each.service === service && each.taker?.backend === backend && each.taker.urn === urn,
    );
  }

  /** Notes that changes of an object are saved, or were never made. */
  async settle(changes: Change[]): Promise<void> {
    for (const change of changes) {
      const { service, object } = change;
      this.#adoptions.delete(change);
      const open = this.changesOf(service, object).filter((each) => !changes.includes(each));
      this.#changes.set(`${service} ${object}`, open);
    }
    await Promise.all(changes.map(({ change }) => this.close(change)));
  }

  #add(change: Change): void {
    const { service, object } = change;
    this.#changes.set(`${service} ${object}`, [...this.changesOf(service, object), change]);
    if (change.taker !== undefined) this.#adoptions.add(change);
  }

  /** Notes that a resource has adopted an object: no other resource may finish an interrupted create with it. */
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

  /** Creates run at the same time, so one write to disk takes the notes of several. */
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
      `later. Set shortlink:journal to another folder, or to "none" to run without it.`,
    { cause: error },
  );
}
