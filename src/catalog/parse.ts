import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import type { Node, Pair, YAMLMap } from "yaml";
import { parseCsv } from "./csv";
import { placeText, type Finding, type Parsed, type Place, type Written } from "./written";

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
    findings: [{ file, line, column, kind: "syntax", message }],
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
    return isOf(file, ".json") ? parseJson(file, text, collections) : parseYaml(file, text, collections);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unreadable("is nested too deeply");
  }
}

/** A file as nodes that know where they stand. */
function compose(file: string, text: string, isJson: boolean) {
  const lines = new LineCounter();
  const doc = parseDocument(text, {
    lineCounter: lines,
    schema: isJson ? "json" : "core",
    merge: !isJson,
    prettyErrors: false,
    // Found below, for all maps in one go and with both places.
    uniqueKeys: false,
    logLevel: "error",
  });
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const resolve = (node: unknown) => (isAlias(node) ? node.resolve(doc) : node);
  return { doc, place, resolve };
}

/**
 * JSON as the language itself reads it, in a quarter of the time and memory; where things stand is found out when somebody
 * asks. JSON that is broken, or has a key twice, is left to the parser that can say where.
 */
function parseJson(file: string, text: string, collections: readonly string[]): Parsed {
  const top = plainJson(text);
  if (!isMapOf(top)) return parseYaml(file, text, collections);
  let slow: Parsed | undefined;
  const placed = new Map<string, Map<string | number, Written>>();
  /** The same thing as the parser has it that knows places. */
  const find = (section: string, id?: string | number): Written | undefined => {
    slow ??= parseYaml(file, text, collections);
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

function parseYaml(file: string, text: string, collections: readonly string[]): Parsed {
  const isJson = isOf(file, ".json");
  const { doc, place, resolve } = compose(file, text, isJson);
  const findings: Finding[] = [];
  const note = (offset: number, message: string) =>
    findings.push({ ...place(offset), kind: "syntax", message });
  // The parser of YAML takes more than JSON has.
  const problem = isJson && text.trim() !== "" ? jsonError(text) : undefined;
  if (problem) note(problem.offset ?? doc.errors[0]?.pos[0] ?? text.trimEnd().length, problem.message);
  else {
    // What follows at the same place only follows from it.
    const places = new Set<number>();
    for (const { code, pos, message } of doc.errors) {
      const several = "is the begin of a second document: put it into a file of its own";
      // After a colon comes text of the file, which may be a password.
      if (!places.has(pos[0]))
        note(pos[0], code === "MULTIPLE_DOCS" ? several : message.replace(/: [^]*$/, ""));
      places.add(pos[0]);
    }
  }
  const top: Parsed = { file, sections: new Map(), entriesOf: () => [], findings };
  if (findings.length > 0) return top;

  const again = (pair: Pair, first: Pair) => {
    const at = placeText(place(startOf(first.key)));
    return `${JSON.stringify(textOf(pair.key))} stands twice: first at ${at}`;
  };
  const own = new Set<unknown>();
  const contents = doc.contents as Node | null;
  if (isMap(contents)) {
    own.add(contents);
    for (const pair of contents.items) {
      if (collections.includes(textOf(pair.key))) own.add(resolve(pair.value));
    }
  }
  visit(doc, {
    Map(_, map) {
      if (own.has(map)) return;
      duplicates(map, (pair, first) => note(startOf(pair.key), again(pair, first)));
      for (const { key, value } of isJson ? [] : map.items) {
        if (textOf(key) !== "<<") continue;
        const merged = resolve(value);
        const sources = isSeq(merged) ? merged.items.map(resolve) : [merged];
        // Of an anchor that is not there, that alone is told.
        if (!sources.every((each) => each === undefined || isMap(each)))
          note(startOf(key), "<< takes a map, or a list of maps");
      }
    },
    Alias(_, alias, path) {
      const target = alias.resolve(doc);
      if (!target) note(startOf(alias), "there is no anchor of this name before it");
      else if (path.includes(target)) note(startOf(alias), "an anchor cannot hold what repeats it");
    },
  });
  if (findings.length > 0) return top;

  const written = (key: string | undefined, node: unknown, offset: number): Written[] => {
    const at: Written["at"] = (path = [], isKey = false) =>
      place(offsetOf(path, isKey, resolve, node, offset));
    try {
      return [{ key, value: node ? (node as Node).toJS(doc) : null, at }];
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      note(offset, "repeats too much by its anchors");
      return [];
    }
  };
  const pairs = (map: YAMLMap) =>
    map.items.flatMap((pair) => written(textOf(pair.key), pair.value, startOf(pair.key)));
  if (!isMap(contents)) {
    if (contents !== null && !(isScalar(contents) && contents.value === null)) {
      note(startOf(contents), "must be a map of sections, like domains and links");
    }
    return top;
  }
  duplicates(contents, (pair, first) => note(startOf(pair.key), again(pair, first)));
  for (const map of own) {
    const merge = isMap(map) ? map.items.find((pair) => textOf(pair.key) === "<<") : undefined;
    if (merge) note(startOf(merge.key), "<< has a meaning inside of an entry only");
  }
  if (findings.length > 0) return top;
  const nodes = new Map(contents.items.map((pair) => [textOf(pair.key), pair]));
  for (const [name, pair] of nodes) {
    // A big section is not turned into values twice.
    const isCollection = collections.includes(name);
    const [section] = written(name, isCollection ? undefined : pair.value, startOf(pair.key));
    if (section) top.sections.set(name, section);
  }
  top.entriesOf = (name, orList) => {
    const node = resolve(nodes.get(name)?.value);
    if (isMap(node)) return pairs(node);
    if (isSeq(node) && orList) return node.items.flatMap((item) => written(undefined, item, startOf(item)));
    return node === undefined || node === null || (isScalar(node) && node.value === null) ? [] : undefined;
  };
  return top;
}

/** What is wrong with JSON, and where if that is told; undefined where nothing is. */
function jsonError(text: string): { offset: number | undefined; message: string } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    const [what = "", offset] = message.split(/,? (?:in JSON )?at position (\d+)/);
    const reason = what.replace(/, (?:\.\.\.)?"[^]* is not valid JSON$/, "");
    return { offset: offset === undefined ? undefined : Number(offset), message: `is not JSON: ${reason}` };
  }
}

/** The text of a key as it is written: `404` and not a number. */
function textOf(key: unknown): string {
  return isScalar(key) ? (key.source ?? String(key.value)) : String(key);
}

function startOf(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0;
}

function duplicates(map: YAMLMap, tell: (pair: Pair, first: Pair) => void): void {
  const seen = new Map<string, Pair>();
  for (const pair of map.items) {
    const text = textOf(pair.key);
    const first = seen.get(text);
    if (first && text !== "<<") tell(pair, first);
    else seen.set(text, pair);
  }
}

function offsetOf(
  path: readonly PropertyKey[],
  isKey: boolean,
  resolve: (node: unknown) => unknown,
  node: unknown,
  offset: number,
): number {
  const [part, ...rest] = path;
  const parent = resolve(node);
  if (part === undefined) return offset;
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => textOf(key) === String(part));
    if (!pair) return offset;
    const [start, end] = (pair.value as Node | null)?.range ?? [];
    const isEmpty = start === end;
    const own = isEmpty || (isKey && rest.length === 0) ? startOf(pair.key) : startOf(pair.value);
    return offsetOf(rest, isKey, resolve, pair.value, own);
  }
  if (isSeq(parent)) {
    const item = parent.items[Number(part)];
    return item === undefined ? offset : offsetOf(rest, isKey, resolve, item, startOf(item));
  }
  return offset;
}
