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

// The files of the journal: lines of JSON that are only ever appended, so that several runs can write at a time and one that is killed
// leaves at most half a line behind. When most of it is done with, the file is put aside, what is open in it is copied, and only then
// it is deleted; files that were put aside are read too.

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

/** A change of an object that a run made or was about to make; the note ends when a state shows it. */
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
export type Line =
  Omit<Intent, "id" | "left"> | Change | { made: string; id: string; left?: string } | { closed: string };

/** Milliseconds for which the note of a deletion is kept. */
const deletionsKept = 7 * 24 * 60 * 60_000;

const current = "intents.jsonl";
const isJournalFile = (name: string) => /^intents.*\.jsonl$/.test(name);

/** One run at a time compacts: another could not know what the first is about to copy. */
export function compact(folder: string): void {
  const lock = join(folder, "compacting");
  try {
    closeSync(openSync(lock, "wx"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {};
    // It takes milliseconds, so this one was killed; its files are whole at each step, and the next run may go on.
    if (Date.now() - mtimeMs > 60_000) rmSync(lock, { force: true });
    return;
  }
  const path = join(folder, current);
  if (existsSync(path)) renameSync(path, join(folder, `intents-${randomUUID()}.jsonl`));
  const { intents, changes, aside } = readJournal(folder);
  const file = openSync(path, "a", 0o600);
  writeSync(file, toText([...intents.flatMap(toLines), ...changes]));
  fsyncSync(file);
  closeSync(file);
  for (const name of aside) rmSync(join(folder, name), { force: true });
  rmSync(lock, { force: true });
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

export function withMade(intent: Intent, id: string, left: string | undefined): Intent {
  return { ...intent, id, ...(left === undefined ? {} : { left: [...(intent.left ?? []), left] }) };
}

/** The line break comes first, as the last line may be half a one. */
function toText(lines: Line[]): string {
  return lines.map((line) => `\n${JSON.stringify(line)}`).join("");
}

export async function appendLines(folder: string, lines: Line[]): Promise<void> {
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
