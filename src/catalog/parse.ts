import { parse as parseRecords, type CsvError } from "csv-parse/sync";
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import type { Node, Pair, YAMLMap } from "yaml";

// From the text of a file to entries that know where they stand.

/** Lines and columns count from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
}

/** What kind of mistake a finding is. */
export type FindingKind =
  "syntax" | "field" | "reference" | "duplicate" | "circle" | "rule" | "overlay" | "files";

/** A mistake in a file. */
export interface Finding extends Place {
  kind: FindingKind;
  message: string;
}

/** Something that stands in a file. */
export interface Written {
  /** Undefined for an item of a list. */
  key: string | undefined;
  value: unknown;
  /** Where the thing, or a part of it, stands; of a part's name with `isKey`. What is not there is where it would be. */
  at: (path?: readonly PropertyKey[], isKey?: boolean) => Place;
}

/** The top of a file. Entries stand in order; maps and lists are told apart by their keys. */
export interface Parsed {
  file: string;
  /** The sections by their names. */
  sections: Map<string, Written>;
  /** The entries of a section that is a map, or with `orList` a list; undefined where it is neither. */
  entriesOf: (section: string, orList: boolean) => Written[] | undefined;
  findings: Finding[];
}

const longest = 100 * 1024 * 1024;

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
  if (bytes.length > longest) return unreadable("is larger than 100 MB: split it");
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
function compose(file: string, text: string) {
  const isJson = isOf(file, ".json");
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
  const { doc, place, resolve } = compose(file, text);
  const findings: Finding[] = [];
  const note = (offset: number, message: string) =>
    findings.push({ ...place(offset), kind: "syntax", message });
  // The parser of YAML takes more than JSON has.
  const problem = isOf(file, ".json") && text.trim() !== "" ? jsonError(text) : undefined;
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
    const { line, column } = place(startOf(first.key));
    return `${JSON.stringify(textOf(pair.key))} stands twice: first at ${file}:${line}:${column}`;
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
      if (!own.has(map)) duplicates(map, (pair, first) => note(startOf(pair.key), again(pair, first)));
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

const numbers = new Set(["domainId", "spaceId", "clicksLimit"]);
const lists = new Set(["pixelIds", "formerly"]);
const flags = new Set(["sensitiveContent", "protect"]);

/**
 * A row for each link, a column for each field; `targets.DE` is the destination of the target DE, `password.secret` names a
 * secret, several ids stand in one cell. An empty cell is none.
 */
function parseCsv(file: string, text: string): Parsed {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (let at = -1; (at = text.indexOf("\n", at + 1)) >= 0;) lines.addNewLine(at + 1);
  const place = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const findings: Finding[] = [];
  const parsed: Parsed = { file, sections: new Map(), entriesOf: () => [], findings };
  const [top = ""] = /\S.*/.exec(text) ?? [];
  const delimiter = /[,;\t]/.exec(top.replace(/"[^"]*"/g, ""))?.[0] ?? ",";
  let rows: { record: string[]; raw: string }[];
  try {
    const options = {
      delimiter,
      info: true,
      raw: true,
      skip_empty_lines: true,
      // Spreadsheets leave such rows behind.
      skip_records_with_empty_values: true,
      relax_column_count: true,
    } as const;
    rows = parseRecords(text, { ...options, trim: true }) as unknown as typeof rows;
  } catch (error) {
    const { message, lines: line = 1 } = error as CsvError & { lines?: number };
    findings.push({
      file,
      line,
      column: 1,
      kind: "syntax",
      message: `is not CSV: ${message.replace(/, value is .*$/s, "")}`,
    });
    return parsed;
  }
  let end = 0;
  const starts = rows.map(({ raw }) => {
    const start = text.indexOf(raw, end);
    end = start + raw.length;
    return start + marginOf(raw);
  });
  const cell = (row: number, column: number) =>
    place((starts[row] ?? 0) + cellStart(rows[row]?.raw ?? "", column, delimiter));
  const header = rows[0]?.record ?? [];
  for (const [column, name] of header.entries()) {
    const message =
      name === ""
        ? "a column needs the name of a field"
        : header.indexOf(name) < column
          ? `the column ${JSON.stringify(name)} stands twice`
          : undefined;
    if (message !== undefined) findings.push({ ...cell(0, column), kind: "syntax", message });
  }
  for (const [row, { record }] of rows.entries()) {
    if (record.length === header.length) continue;
    const hint =
      record.length > header.length ? `: put a cell with ${JSON.stringify(delimiter)} into quotes` : "";
    const message = `the row has ${record.length} cells and the header ${header.length}${hint}`;
    findings.push({ ...cell(row, 0), kind: "syntax", message });
  }
  if (findings.length > 0) return parsed;
  parsed.sections.set("links", { key: "links", value: undefined, at: () => cell(0, 0) });
  parsed.entriesOf = (section, orList) =>
    section !== "links"
      ? []
      : !orList
        ? undefined
        : rows.slice(1).map(({ record }, index) => {
            const { value, columns } = toEntry(header, record);
            return {
              key: undefined,
              value,
              at: (path = [], isKey = false) => {
                const column = columns.get(path.join(".")) ?? columns.get(String(path[0]));
                return cell(isKey ? 0 : index + 1, column ?? 0);
              },
            };
          });
  return parsed;
}

/** The fields of a row, and the column of each. */
function toEntry(header: string[], record: string[]): { value: object; columns: Map<string, number> } {
  const fields: [string, unknown][] = [];
  const columns = new Map<string, number>();
  const targets: { key?: string; value: string }[] = [];
  for (const [column, name] of header.entries()) {
    const text = record[column] ?? "";
    if (text === "") continue;
    const [, target] = /^targets\.(.+)$/.exec(name) ?? [];
    const [, secret] = /^(\w+)\.secret$/.exec(name) ?? [];
    if (target !== undefined) {
      for (const part of ["", ".key", ".value"]) columns.set(`targets.${targets.length}${part}`, column);
      targets.push({ key: target, value: text });
    } else if (secret !== undefined) {
      fields.push([secret, { secret: text }]);
      columns.set(secret, column);
    } else {
      fields.push([name, toTyped(name, text)]);
      columns.set(name, column);
    }
  }
  // Visitors take turns: the keys only keep the columns apart.
  const value: Record<string, unknown> = Object.fromEntries(fields);
  if (value.targetsType === "rotations") for (const target of targets) delete target.key;
  if (targets.length > 0) value.targets = targets;
  return { value, columns };
}

function toTyped(name: string, text: string): unknown {
  const toNumber = (each: string) => (/^-?\d{1,15}$/.test(each) ? Number(each) : each);
  if (numbers.has(name)) return toNumber(text);
  if (lists.has(name)) {
    const parts = text.split(/[\s;,]+/).filter((part) => part !== "");
    return name === "pixelIds" ? parts.map(toNumber) : parts;
  }
  if (flags.has(name) && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return name === "privacy" ? toNumber(text) : text;
}

/** The length of what stands before a row: empty lines, and blanks that separate nothing. */
function marginOf(raw: string): number {
  return /^[\n ]*/.exec(raw)?.[0].length ?? 0;
}

/** Where the cell of a column begins in a row. */
function cellStart(raw: string, column: number, delimiter: string): number {
  let isQuoted = false;
  const margin = marginOf(raw);
  for (let at = margin, left = column; at < raw.length; at++) {
    if (left === 0) return at - margin;
    if (raw[at] === '"') isQuoted = !isQuoted;
    else if (raw[at] === delimiter && !isQuoted) left--;
  }
  return 0;
}
