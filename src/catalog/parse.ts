import { parseCsv } from "./csv";
import { findingAt, type Parsed, type Written } from "./written";
import { parseYaml } from "./yaml";

// From the text of a file to entries that know where they stand.

/** Bytes of a file. A file of YAML takes some eighty times as much memory. */
const longest = 20 * 1024 * 1024;

/** The extensions of catalog files. */
export const extensions = [".yaml", ".yml", ".json", ".csv"];

function isOf(file: string, extension: string): boolean {
  return file.toLowerCase().endsWith(extension);
}

/** Reads a file as far as it can be read; `collections` names the sections whose entries are told apart later. */
export function parseFile(file: string, bytes: Uint8Array, collections: readonly string[]): Parsed {
  const unreadable = (message: string, line = 1, column = 1): Parsed => ({
    file,
    sections: new Map(),
    entriesOf: () => [],
    findings: [findingAt("syntax", { file, line, column }, undefined, message)],
  });
  if (bytes.length > longest) return unreadable("is larger than 20 MB: split it");
  let text;
  try {
    // A break of two characters counts twice in a quoted cell of CSV, and YAML knows none of a single CR.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r\n?/g, "\n");
  } catch {
    const before = new TextDecoder().decode(bytes).split("\ufffd", 1)[0] ?? "";
    const lines = before.split("\n");
    return unreadable(
      "is not UTF-8: save it in that encoding",
      lines.length,
      (lines.at(-1) ?? "").length + 1,
    );
  }
  try {
    if (isOf(file, ".csv")) return parseCsv(file, text);
    return isOf(file, ".json")
      ? parseJson(file, text, collections)
      : parseYaml(file, text, collections, false);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unreadable("is nested too deeply");
  }
}

/**
 * JSON as the language itself reads it, in a quarter of the time and memory; where things stand is found out when somebody
 * asks. JSON that is broken, or has a key twice, is left to the parser that can say where.
 */
function parseJson(file: string, text: string, collections: readonly string[]): Parsed {
  const top = plainJson(text);
  if (!isMapOf(top)) return parseYaml(file, text, collections, true);
  let slow: Parsed | undefined;
  const placed = new Map<string, Map<string | number, Written>>();
  /** The same thing as the parser has it that knows places. */
  const find = (section: string, id?: string | number): Written | undefined => {
    slow ??= parseYaml(file, text, collections, true);
    if (id === undefined) return slow.sections.get(section);
    const entries =
      placed.get(section) ??
      new Map((slow.entriesOf(section, true) ?? []).map((entry, index) => [entry.key ?? index, entry]));
    placed.set(section, entries);
    return entries.get(id);
  };
  const written = (
    key: string | undefined,
    value: unknown,
    section: string,
    id?: string | number,
  ): Written => ({
    key,
    value,
    at: (path, isKey) => find(section, id)?.at(path, isKey) ?? { file, line: 1, column: 1 },
  });
  const sections = new Map(Object.entries(top).map(([name, value]) => [name, written(name, value, name)]));
  const entriesOf: Parsed["entriesOf"] = (name, orList) => {
    const value = top[name] ?? {};
    if (Array.isArray(value)) {
      return orList ? value.map((each, index) => written(undefined, each, name, index)) : undefined;
    }
    return isMapOf(value)
      ? Object.entries(value).map(([key, each]) => written(key, each, name, key))
      : undefined;
  };
  return { file, sections, entriesOf, findings: [] };
}

function isMapOf(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of JSON in which no key stands twice; undefined for any other text. */
function plainJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const keysOf = (each: unknown): number =>
    typeof each === "object" && each !== null
      ? Object.values(each).reduce<number>(
          (sum, inner) => sum + keysOf(inner),
          Array.isArray(each) ? 0 : Object.keys(each).length,
        )
      : 0;
  const key = /"(?:[^"\\]|\\.)*"(\s*:)?/g;
  let written = 0;
  for (let match = key.exec(text); match; match = key.exec(text)) if (match[1] !== undefined) written++;
  return written === keysOf(value) ? value : undefined;
}
