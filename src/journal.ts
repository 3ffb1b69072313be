import { randomUUID } from "node:crypto";
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

// What a run has made is in the engine's state only when the engine has saved it, and the engine may be killed before.
// So each create notes first, on disk, what it is about to make for which resource; the note is struck out when a later
// run shows that the engine has the object in its state. What is left open tells the next create of the same resource
// that an object which is there already is its own.

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
}

/** Whose an intent is. */
export type Owner = Pick<Intent, "service" | "backend" | "urn">;

/** A line of the journal; `made` and `closed` hold the name of the intent that they tell of. */
type Line = Omit<Intent, "id"> | { made: string; id: string } | { closed: string };

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
  #queue: { line: Line; done: (error?: Error) => void }[] = [];
  #isWriting = false;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    try {
      const { intents, closed, aside } = readJournal(folder);
      if (aside.length > 0 || closed > intents.length) this.#compact();
      this.#earlier = intents;
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

  /** Notes on disk what a create is about to make, and returns the name of the note. */
  async begin(details: Omit<Intent, "intent" | "id">): Promise<string> {
    const intent = randomUUID();
    this.#own.add(intent);
    await this.#append({ intent, ...details });
    return intent;
  }

  /** Notes the id of what was made, or found to be made, for an intent. */
  made(intent: string, id: string): Promise<void> {
    this.#earlier = this.#earlier.map((each) => (each.intent === intent ? { ...each, id } : each));
    return this.#append({ made: intent, id });
  }

  /** Notes that nothing was made for an intent. */
  close(intent: string): Promise<void> {
    return this.#append({ closed: intent });
  }

  /** Notes that the engine has an object in its state, where an earlier run left that open. */
  saved(service: string, type: string, id: string): Promise<void> {
    // Nearly always there is nothing to strike out, and after a big run there is much.
    this.#byObject ??= new Map(
      this.#earlier.map((each) => [`${each.service} ${each.key.split(" ")[0]} ${each.id}`, each]),
    );
    const object = `${service} ${type} ${id}`;
    const found = this.#byObject.get(object);
    if (!found) return Promise.resolve();
    this.#byObject.delete(object);
    this.#saved.add(found.intent);
    return this.close(found.intent);
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
    const { intents, aside } = readJournal(this.#folder);
    const file = openSync(path, "a", 0o600);
    writeSync(file, toText(intents.flatMap(toLines)));
    fsyncSync(file);
    closeSync(file);
    for (const name of aside) rmSync(join(this.#folder, name), { force: true });
    rmSync(lock, { force: true });
  }
}

const journals = new Map<string, Journal>();

/** The journal of a folder, one for the whole process. Throws where it cannot be had. */
export function openJournal(folder: string): Journal {
  const journal = journals.get(folder) ?? new Journal(folder);
  journals.set(folder, journal);
  return journal;
}

function unusable(folder: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  return new Error(
    `The journal of creates in ${folder} cannot be used (${code ?? message}), and without it a create that is interrupted ` +
      `could not be finished later. Set shortlink:journal to another folder, or to "none" to do without.`,
    { cause: error },
  );
}

/** The open intents of a folder, how many were closed, and the names of the files that were put aside. */
export function readJournal(folder: string): { intents: Intent[]; closed: number; aside: string[] } {
  const list = () => (existsSync(folder) ? readdirSync(folder).filter(isJournalFile).sort() : []);
  let names = list();
  let lines = names.flatMap((name) => readLines(join(folder, name)));
  // Another run may put a file aside in between, or take one in: then its lines are in a file that was not read.
  for (let now = list(); now.join() !== names.join(); now = list()) {
    names = now;
    lines = names.flatMap((name) => readLines(join(folder, name)));
  }
  const intents = new Map(lines.flatMap((line) => ("intent" in line ? [[line.intent, line as Intent]] : [])));
  const closed = new Set<string>();
  for (const line of lines) {
    if ("closed" in line) closed.add(line.closed);
    if (!("made" in line)) continue;
    const intent = intents.get(line.made);
    if (intent) intent.id = line.id;
  }
  for (const name of closed) intents.delete(name);
  return {
    intents: [...intents.values()],
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

function toLines({ id, ...intent }: Intent): Line[] {
  return [intent, ...(id === undefined ? [] : [{ made: intent.intent, id }])];
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
      // Only an intent must be there before something else happens.
      if (lines.some((line) => "intent" in line)) await file.datasync();
      // Another run that put the file aside meanwhile may have read it before.
      const [written, now] = [(await file.stat({ bigint: true })).ino, inodeOf(path)];
      if (written === now) return;
    } finally {
      await file.close();
    }
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
