import { parse as parseRecords, type CsvError } from "csv-parse/sync";
import { linkFields } from "../link/fields";
import type { Row, Table } from "../fields/row";
import { findingAt, placesIn, type Finding, type Parsed, type Place, type Written } from "./written";

// Parses the text of a table into entries with their places.

/** The kind of each column: of the fields, and of the columns that a catalog adds. */
const kindOf: { readonly [column: string]: Row["kind"] | "keys" | undefined } = {
  ...Object.fromEntries(Object.entries(linkFields).map(([name, { kind }]) => [name, kind])),
  formerly: "keys",
  protect: "flag",
};

/** The columns that tell a header from a title or from a link. */
const known: ReadonlySet<string> = new Set(
  [...Object.keys(kindOf), "key", "domain"].map((name) => name.toLowerCase()),
);
const isKnown = (name: string) => /^targets\.|\.secret$/.test(name) || known.has(name.toLowerCase());

/** A row with a value in some cell, without blanks around the values. */
interface TableRow {
  record: string[];
  /** The text of the row. */
  raw: string;
}

/**
 * A row for each link, a column for each field. `targets.DE` is the destination of the target DE, and `password.secret` names a
 * secret. A cell may have several ids; an empty cell has no value.
 */
export function parseCsv(file: string, whole: string): Parsed {
  // A line for Excel only. Blanks replace it, to keep the numbers of the lines after it.
  const text = whole.replace(/^\ufeff?"?sep=[,;\t]"?(?=\n)/i, (line) => " ".repeat(line.length));
  const findings: Finding[] = [];
  const parsed: Parsed = { file, sections: new Map(), entriesOf: () => [], findings };
  const [top = ""] = /\S.*/.exec(text) ?? [];
  const delimiter = /[,;\t]/.exec(top.replace(/"[^"]*"/g, ""))?.[0] ?? ",";
  const rows = readRows(file, text, delimiter, findings);
  if (!rows) return parsed;
  const cell = cellsIn(file, text, rows, delimiter, whole === text ? 0 : 1);
  const [{ record: header } = { record: [] }, ...links] = rows;
  checkShape(header, links, delimiter, (row, column, reason) =>
    findings.push(findingAt("syntax", cell(row, column), undefined, reason)),
  );
  if (findings.length > 0) return parsed;
  parsed.sections.set("links", { key: "links", value: undefined, at: () => cell(0, 0) });
  const entries = links.map(({ record }, index) => {
    const { value, columns } = toEntry(header, record);
    const at: Written["at"] = (path = [], isKey = false) => {
      const [name] = path.map(String);
      if (name === undefined) return cell(index + 1, 0);
      const isOf = (each: string) => each === name || each.startsWith(`${name}.`);
      const column = columns.get(path.join(".")) ?? columns.get(name) ?? header.findIndex(isOf);
      // A column that is missing for all links is missing in the header.
      return column < 0 ? cell(0, 0) : cell(isKey ? 0 : index + 1, column);
    };
    return { key: undefined, value, at };
  });
  parsed.entriesOf = (section, orList) => (section !== "links" ? [] : orList ? entries : undefined);
  return parsed;
}

/** The rows, or a finding if quotation marks hide where they end. */
function readRows(
  file: string,
  text: string,
  delimiter: string,
  findings: Finding[],
): TableRow[] | undefined {
  let lastLine = 0;
  try {
    const options = {
      on_record: (record: string[], { lines }: { lines: number }) => {
        lastLine = lines;
        return record;
      },
      delimiter,
      info: true,
      raw: true,
      skip_empty_lines: true,
      // Spreadsheets leave such rows behind.
      skip_records_with_empty_values: true,
      relax_column_count: true,
    } as const;
    return parseRecords(text, { ...options, trim: true }) as unknown as TableRow[];
  } catch (error) {
    const isOpen = /quote not closed/i.test((error as CsvError).message);
    // The parser names the line where it stopped. The row with the mistake begins after the last complete one.
    const line = lastLine + 1;
    const reason = isOpen
      ? "a quoted cell begins in this row and does not end: add the closing quotation mark"
      : "quotation marks must begin and end a cell: put the whole cell in quotes, and write each quotation mark in it twice";
    findings.push(findingAt("syntax", { file, line, column: 1 }, undefined, reason));
    return undefined;
  }
}

/** Finds the place of each cell. @param hidden Number of first lines that a spreadsheet does not show. */
function cellsIn(
  file: string,
  text: string,
  rows: readonly TableRow[],
  delimiter: string,
  hidden: number,
): (row: number, column: number) => Place {
  const place = placesIn(file, text);
  let end = 0;
  // Line ends in quoted cells make no rows.
  let inner = hidden;
  const starts = rows.map(({ raw }) => {
    // The parser alters a row that begins with an unusual space. Such a row begins about where the last one ends.
    const found = text.indexOf(raw, end);
    const begin = found < 0 ? end : found;
    end = begin + raw.length;
    const start = begin + marginOf(raw);
    const number = place(start).line - inner;
    inner += raw.trim().split("\n").length - 1;
    return { start, number };
  });
  return (row, column) => {
    const { start = 0, number = 1 } = starts[row] ?? {};
    const at = place(start + cellStart(rows[row]?.raw ?? "", column, delimiter));
    return { ...at, cell: `${lettersOf(column)}${number}` };
  };
}

/** The name of a column in a spreadsheet: A, B, ... Z, AA, AB. */
function lettersOf(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : lettersOf(Math.floor(column / 26) - 1) + letter;
}

/** Notes mistakes in the header, and rows of another length. Empty columns are none: spreadsheets leave them behind. */
function checkShape(
  header: readonly string[],
  links: readonly TableRow[],
  delimiter: string,
  note: (row: number, column: number, reason: string) => void,
): void {
  if (header.length > 0 && !header.some(isKnown)) {
    note(0, 0, "the first row must have the names of the fields, for example key, domain, alias, url");
    return;
  }
  const isEmpty = (column: number) => links.every(({ record }) => (record[column] ?? "") === "");
  for (const [column, name] of header.entries()) {
    if (name === "" && !isEmpty(column))
      note(0, column, "the column has no name: write the name of its field into the first row");
    else if (name !== "" && header.indexOf(name) < column)
      note(0, column, `the column ${JSON.stringify(name)} is a duplicate`);
    else if ((linkFields as Table)[name]?.secret && !isEmpty(column)) {
      const way = `name the column ${name}.secret, write config:<name> into its cells, and run "pulumi config set --secret <name>"`;
      note(0, column, `passwords must not be in a file: ${way}`);
    }
  }
  const text = JSON.stringify(delimiter);
  for (const [index, { record }] of links.entries()) {
    const isShort = record.length < header.length;
    if (!isShort && record.slice(header.length).every((each) => each === "")) continue;
    const hint = isShort ? `: empty cells need their ${text} too` : `: put cells with ${text} in quotes`;
    note(index + 1, 0, `the row has ${record.length} cells and the header ${header.length}${hint}`);
  }
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
  // Rotations have no keys: those in the header only keep the columns apart.
  const value: Record<string, unknown> = Object.fromEntries(fields);
  if (value.targetsType === "rotations") for (const target of targets) delete target.key;
  if (targets.length > 0) value.targets = targets;
  return { value, columns };
}

function toTyped(name: string, text: string): unknown {
  const toNumber = (each: string) => (/^-?\d{1,15}$/.test(each) ? Number(each) : each);
  const parts = text.split(/[\s;,]+/).filter((part) => part !== "");
  const kind = kindOf[name];
  if (kind === "ids") return parts.map(toNumber);
  if (kind === "keys") return parts;
  if (kind === "flag" && /^(?:true|false)$/i.test(text)) return text.toLowerCase() === "true";
  return kind === "id" || kind === "count" || kind === "choice" ? toNumber(text) : text;
}

/** The length of the empty lines and blanks before a row. */
function marginOf(raw: string): number {
  return /^[\n ]*/.exec(raw)?.[0].length ?? 0;
}

/** The offset of a column's cell in a row. */
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
