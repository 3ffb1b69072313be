import { parseCsv } from "./csv";
import { parseJson } from "./json";
import { findingAt, type Parsed } from "./written";
import { parseYaml } from "./yaml";

// Parses the text of a file into entries with their places.

/** The largest file, in bytes. A YAML file takes many times as much memory. */
const longest = 20 * 1024 * 1024;

/** The extensions of catalog files. */
export const extensions = [".yaml", ".yml", ".json", ".csv"];

/** The first bytes as Latin-1 text. */
function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 4));
}

function isOf(file: string, extension: string): boolean {
  return file.toLowerCase().endsWith(extension);
}

/** Reads as much of a file as it can. In the sections `collections`, the caller finds duplicate keys. */
export function parseFile(file: string, bytes: Uint8Array, collections: readonly string[]): Parsed {
  const unreadable = (message: string, line = 1, column = 1): Parsed => ({
    file,
    sections: new Map(),
    entriesOf: () => [],
    findings: [findingAt("syntax", { file, line, column }, undefined, message)],
  });
  if (bytes.length > longest) return unreadable("is larger than 20 MB: split it");
  const isUtf16 = /^(?:\xff\xfe|\xfe\xff)/.test(latin1(bytes)) || bytes.subarray(0, 200).includes(0);
  if (latin1(bytes).startsWith("PK\u0003\u0004"))
    return unreadable('is a spreadsheet file: export it as "CSV UTF-8"');
  if (isUtf16) return unreadable('is not UTF-8 but UTF-16: save it as UTF-8 (in a spreadsheet: "CSV UTF-8")');
  let text;
  try {
    // The CSV parser counts a CRLF in a quoted cell twice, and the YAML parser knows no single CR.
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).replace(/\r\n?/g, "\n");
  } catch {
    const before = new TextDecoder().decode(bytes).split("\ufffd", 1)[0] ?? "";
    const lines = before.split("\n");
    return unreadable(
      'is not UTF-8: save it as UTF-8 (in a spreadsheet: "CSV UTF-8")',
      lines.length,
      (lines.at(-1) ?? "").length + 1,
    );
  }
  if (text.startsWith("version https://git-lfs.github.com/"))
    return unreadable('is a pointer of Git LFS: run "git lfs pull" to get the file itself');
  const marker = /^(?:<{7}|={7}|>{7})(?=\s|$)/m.exec(text);
  if (marker)
    return unreadable(
      `is the marker of an unfinished merge: keep one of the two versions and remove the lines with <<<<<<<, ======= and >>>>>>>`,
      text.slice(0, marker.index).split("\n").length,
    );
  try {
    if (isOf(file, ".csv")) return parseCsv(file, text);
    return isOf(file, ".json") ? parseJson(file, text, collections) : parseYaml(file, text, collections);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unreadable("is nested too deeply");
  }
}
