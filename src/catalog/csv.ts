import { parse as parseRecords, type CsvError } from "csv-parse/sync";
import { linkFields } from "../link/fields";
import type { Row } from "../fields/row";
import { findingAt, placesIn, type Finding, type Parsed } from "./written";

// Parses the text of a table into entries with their places.

/** The kind of each column: of the fields, and of the columns that a catalog adds. */
const kindOf: { readonly [column: string]: Row["kind"] | "keys" | undefined } = {
  ...Object.fromEntries(Object.entries(linkFields).map(([name, { kind }]) => [name, kind])),
  formerly: "keys",
  protect: "flag",
};

/**
 * A row for each link, a column for each field. `targets.DE` is the destination of the target DE, and `password.secret` names a
 * secret. A cell may have several ids; an empty cell has no value.
 */
export function parseCsv(file: string, whole: string): Parsed {
  // A line for Excel only. Blanks replace it, to keep the numbers of the lines after it.
  const text = whole.replace(/^\ufeff?"?sep=[,;\t]"?(?=\n)/i, (line) => " ".repeat(line.length));
  const place = placesIn(file, text);
  const findings: Finding[] = [];
  const parsed: Parsed = { file, sections: new Map(), entriesOf: () => [], findings };
  const [top = ""] = /\S.*/.exec(text) ?? [];
  const delimiter = /[,;\t]/.exec(top.replace(/"[^"]*"/g, ""))?.[0] ?? ",";
  let rows: { record: string[]; raw: string }[];
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
    rows = parseRecords(text, { ...options, trim: true }) as unknown as typeof rows;
  } catch (error) {
    const isOpen = /quote not closed/i.test((error as CsvError).message);
    // The parser names the line where it stopped. The row with the mistake begins after the last complete one.
    const line = lastLine + 1;
    const reason = isOpen
      ? "a quoted cell begins in this row and does not end: add the closing quotation mark"
      : "quotation marks must begin and end a cell: put the whole cell in quotes, and write each quotation mark in it twice";
    findings.push(findingAt("syntax", { file, line, column: 1 }, undefined, reason));
    return parsed;
  }
  let end = 0;
  const starts = rows.map(({ raw }) => {
    // The parser alters a row that begins with an unusual space. Such a row begins about where the last one ends.
    const found = text.indexOf(raw, end);
    const start = found < 0 ? end : found;
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
          ? `the column ${JSON.stringify(name)} is a duplicate`
          : undefined;
    if (message !== undefined) findings.push(findingAt("syntax", cell(0, column), undefined, message));
  }
  for (const [row, { record }] of rows.entries()) {
    if (record.length === header.length) continue;
    const hint =
      record.length > header.length ? `: put cells with ${JSON.stringify(delimiter)} in quotes` : "";
    const message = `the row has ${record.length} cells and the header ${header.length}${hint}`;
    findings.push(findingAt("syntax", cell(row, 0), undefined, message));
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
