import { randomBytes, randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { join } from "node:path";

// What a run has made or changed is in the engine's state only when the engine has saved it, and the engine may be killed before.
// So each create notes first, on disk, what it is about to make for which resource, and each other write what it is about to
// change; the note is struck out when a later run shows that the engine has saved it. What is left open tells the next
// create of the same resource that an object which is there already is its own, and the next plan of an object that it
// may not be as the state says.

/** What a create set out to make, and no state is known to have. */
export interface Intent {
  /** Name of the note itself. */
  intent: string;
  /** When the create began, by the clock of the service. */
  time: string;
  /** Address of the service. */
  service: string;
  /** Where the engine keeps the state: two backends may each have a stack of the same name. */
  backend: string;
  /** The resource, with its stack and project. */
  urn: string;
  /** The object by its natural key: `domain go.example`, `link 12/docs`. */
  key: string;
  /** A digest of what was sent. */
  sent: string;
  /** The object's id, once the service has told it. */
  id?: string;
  /** Digests of what the object was like when this resource left it, the last one last. */
  left?: string[];
}

/** Whose an intent is. */
export type Owner = Pick<Intent, "service" | "backend" | "urn">;

/** What a run has changed, or was about to change, of an object; it is done with when a state shows it. */
export interface Change {
  /** Name of the note itself, which the state of the object has once the change is saved. */
  change: string;
  time: string;
  /** Address of the service. */
  service: string;
  /** The object by its id: `link 12`. */
  object: string;
  /** The changed properties; none for a deletion. */
  fields: string[];
  /** The resource that takes the object over; only in the note of that. */
  taker?: Pick<Owner, "backend" | "urn">;
}

/** A line of the journal; `made` and `closed` hold the name of the note that they tell of. */
type Line =
  Omit<Intent, "id" | "left"> | Change | { made: string; id: string; left?: string } | { closed: string };

/** Milliseconds for which the note of a deletion is kept. */
const deletionsKept = 7 * 24 * 60 * 60_000;

const current = "intents.jsonl";
const isJournalFile = (name: string) => /^intents.*\.jsonl$/.test(name);

/**
 * The journal of a folder: lines of JSON that are only ever appended, so that several runs can write at a time and one
 * that is killed leaves at most half a line behind. When most of it is done with, the file is put aside, what is open
 * in it is copied, and only then it is deleted; files that were put aside are read too.
 */
export class Journal {
  /** The intents of other runs, as far as they were open when this one began. */
  #earlier: Intent[] = [];
  readonly #own = new Set<string>();
  readonly #saved = new Set<string>();
  #byObject: Map<string, Intent> | undefined;
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
      if (aside.length > 0 || closed > intents.length + changes.length) this.#compact();
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

  /** Notes that the engine has an object in its state, where an earlier run left that open. */
  saved(service: string, name: string): Promise<void> {
    // Nearly always there is nothing to strike out, and after a big run there is much.
    this.#byObject ??= new Map(
      this.#earlier.map((each) => [`${each.service} ${each.key.split(" ")[0]} ${each.id}`, each]),
    );
    const object = `${service} ${name}`;
    const found = this.#byObject.get(object);
    if (!found) return Promise.resolve();
    this.#byObject.delete(object);
    this.#saved.add(found.intent);
    return this.close(found.intent);
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

  /** The open notes of what a resource takes over. */
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

  /** One run at a time compacts: another could not know what the first is about to copy. */
  #compact(): void {
    const lock = join(this.#folder, "compacting");
    try {
      closeSync(openSync(lock, "wx"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {};
      // It takes milliseconds, so this one was killed; its files are whole at each step, and the next run may go on.
      if (Date.now() - mtimeMs > 60_000) rmSync(lock, { force: true });
      return;
    }
    const path = join(this.#folder, current);
    if (existsSync(path)) renameSync(path, join(this.#folder, `intents-${randomUUID()}.jsonl`));
    const { intents, changes, aside } = readJournal(this.#folder);
    const file = openSync(path, "a", 0o600);
    writeSync(file, toText([...intents.flatMap(toLines), ...changes]));
    fsyncSync(file);
    closeSync(file);
    for (const name of aside) rmSync(join(this.#folder, name), { force: true });
    rmSync(lock, { force: true });
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

/** The open notes of a folder, how many were closed, and the names of the files that were put aside. */
export function readJournal(folder: string): {
  intents: Intent[];
  changes: Change[];
  closed: number;
  aside: string[];
} {
  const list = () => (existsSync(folder) ? readdirSync(folder).filter(isJournalFile).sort() : []);
  let names = list();
  let lines = names.flatMap((name) => readLines(join(folder, name)));
  // Another run may put a file aside in between, or take one in: then its lines are in a file that was not read.
  for (let now = list(); now.join() !== names.join(); now = list()) {
    names = now;
    lines = names.flatMap((name) => readLines(join(folder, name)));
  }
  const intents = new Map(lines.flatMap((line) => ("intent" in line ? [[line.intent, line as Intent]] : [])));
  // Of what is deleted no state tells any more.
  const oldest = new Date(Date.now() - deletionsKept).toISOString();
  const isKept = ({ fields, time }: Change) => fields.length > 0 || time > oldest;
  const changes = new Map(
    lines.flatMap((line) => ("change" in line && isKept(line) ? [[line.change, line]] : [])),
  );
  const closed = new Set<string>();
  for (const line of lines) {
    if ("closed" in line) closed.add(line.closed);
    if (!("made" in line)) continue;
    const intent = intents.get(line.made);
    if (intent) intents.set(line.made, withMade(intent, line.id, line.left));
  }
  for (const name of closed) for (const notes of [intents, changes]) notes.delete(name);
  return {
    intents: [...intents.values()],
    changes: [...changes.values()],
    closed: closed.size,
    aside: names.filter((name) => name !== current),
  };
}

/** The lines of a file, none where it is gone. */
function readLines(path: string): Line[] {
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return text.split("\n").flatMap((line) => {
    try {
      const parsed: unknown = JSON.parse(line);
      return typeof parsed === "object" && parsed !== null ? [parsed as Line] : [];
    } catch {
      // Empty, or what a killed run left of a line.
      return [];
    }
  });
}

function toLines({ id, left, ...intent }: Intent): Line[] {
  if (id === undefined) return [intent];
  const made = { made: intent.intent, id };
  return [intent, ...(left ?? [undefined]).map((digest) => (digest ? { ...made, left: digest } : made))];
}

function withMade(intent: Intent, id: string, left: string | undefined): Intent {
  return { ...intent, id, ...(left === undefined ? {} : { left: [...(intent.left ?? []), left] }) };
}

/** The line break comes first, as the last line may be half a one. */
function toText(lines: Line[]): string {
  return lines.map((line) => `\n${JSON.stringify(line)}`).join("");
}

async function appendLines(folder: string, lines: Line[]): Promise<void> {
  const path = join(folder, current);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const file = await open(path, "a", 0o600);
    try {
      await file.appendFile(toText(lines));
      // Only what is about to be made must survive the machine as well: nothing else would ever tell of it.
      if (lines.some((line) => "intent" in line)) await file.datasync();
      // Another run that put the file aside meanwhile may have read it before.
      const [own, now] = [(await file.stat({ bigint: true })).ino, inodeOf(path)];
      if (own === now) return;
    } finally {
      await file.close();
    }
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
