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

// The files of the journal hold lines of JSON. Runs only append, so several can write at a time and an interrupted run leaves at most
// half a line behind. When most notes are closed, a run sets the file aside, copies its open notes, and then deletes it. Runs also
// read the files that were set aside.

/** An object that a create was about to make, and that no state is known to have. */
export interface Intent {
  /** Name of the note itself. */
  intent: string;
  /** When the create began, by the clock of the service. */
  time: string;
  /** Address of the service. */
  service: string;
  /** Digest of the engine's backend: two backends may each have a stack of the same name. */
  backend: string;
  /** The resource, with its stack and project. */
  urn: string;
  /** The object by its natural key: `domain go.example`, `link 12/docs`. */
  key: string;
  /** Digest of the sent fields. */
  sent: string;
  /** The object's id, once the service has returned it. */
  id?: string;
  /** Digests of the object as this resource left it, oldest first. */
  left?: string[];
}

/** The resource that an intent is for. */
export type Owner = Pick<Intent, "service" | "backend" | "urn">;

/** A change that a run made or was about to make. A state that shows the change closes the note. */
export interface Change {
  /** Name of the note itself. The object's state has it once the engine has saved the change. */
  change: string;
  time: string;
  /** Address of the service. */
  service: string;
  /** The object by its id: `link 12`. */
  object: string;
  /** The changed properties; none for a deletion. */
  fields: string[];
  /** The resource that adopts the object; only in the note of an adoption. */
  taker?: Pick<Owner, "backend" | "urn">;
}

/** A line of the journal; `made` and `closed` hold the name of the note that they refer to. */
export type Line =
  Omit<Intent, "id" | "left"> | Change | { made: string; id: string; left?: string } | { closed: string };

/** Milliseconds for which the journal keeps the note of a deletion. */
const deletionsKept = 7 * 24 * 60 * 60_000;

const current = "intents.jsonl";
const isJournalFile = (name: string) => /^intents.*\.jsonl$/.test(name);

/** Only one run compacts at a time: another could not know what the first is about to copy. */
export function compact(folder: string): void {
  const lock = join(folder, "compacting");
  try {
    closeSync(openSync(lock, "wx"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const { mtimeMs = Date.now() } = statSync(lock, { throwIfNoEntry: false }) ?? {};
    // Compacting takes milliseconds, so an interrupted run left this lock. The files are whole at each step, so the next run may
    // compact.
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

/** The open notes of a folder, the number of closed ones, and the names of the files that were set aside. */
export function readJournal(folder: string): {
  intents: Intent[];
  changes: Change[];
  closed: number;
  aside: string[];
} {
  const list = () => (existsSync(folder) ? readdirSync(folder).filter(isJournalFile).sort() : []);
  let names = list();
  let lines = names.flatMap((name) => readLines(join(folder, name)));
  // Another run may compact in between. Then some lines are in a file that this run has not read.
  for (let now = list(); now.join() !== names.join(); now = list()) {
    names = now;
    lines = names.flatMap((name) => readLines(join(folder, name)));
  }
  const intents = new Map(lines.flatMap((line) => ("intent" in line ? [[line.intent, line as Intent]] : [])));
  // No state ever closes the note of a deletion, so the note expires.
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

/** The lines of a file; none if the file is gone. */
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
      // The line is empty, or an interrupted run left half of it.
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

/** The line break comes first, because the last line may be half a line. */
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
      // Only an intent must survive a crash of the machine as well: nothing else would reveal the object.
      if (lines.some((line) => "intent" in line)) await file.datasync();
      // A run that compacts may have read the file before this write. Then the loop writes to the new file.
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
