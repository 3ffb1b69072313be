import { findNodeAtLocation, getNodeValue, parseTree, type Node, type ParseError } from "jsonc-parser";
import { findingAt, placesIn, placeText, type Parsed, type Written } from "./written";

// Parses JSON into entries with their places.

/** Descriptions of mistakes, by the parser's codes. */
const mistakes: readonly string[] = [
  "",
  "this is not a value: put text in double quotes",
  "this is not a valid number",
  "a field name in double quotes is expected; the last field has no comma after it",
  "a value is expected; the last value has no comma after it",
  "a colon is expected",
  "a comma is expected",
  "a closing brace is expected",
  "a closing bracket is expected",
  "remove the text after the closing brace",
  "JSON has no comments",
  "JSON has no comments",
  "the closing quote is missing on this line",
  "this is not a valid number",
  "\\u takes four hexadecimal digits",
  "a backslash needs another one before it",
  "a control character must be written as an escape, like \\n or \\t",
];

/** Reads JSON. In `collections` a duplicate key makes two entries; anywhere else it is a mistake. */
export function parseJson(file: string, text: string, collections: readonly string[]): Parsed {
  const place = placesIn(file, text);
  const parsed: Parsed = { file, sections: new Map(), entriesOf: () => [], findings: [] };
  const note = (offset: number, reason: string) =>
    parsed.findings.push(findingAt("syntax", place(offset), undefined, reason));
  const errors: ParseError[] = [];
  const top = parseTree(text, errors, { disallowComments: true, allowEmptyContent: true });
  const [error] = errors;
  if (error) {
    note(
      Math.min(error.offset, text.trimEnd().length),
      `is not JSON: ${mistakes[error.error] ?? "it ends too early"}`,
    );
    return parsed;
  }
  if (top && top.type !== "object") {
    if (top.type !== "null") note(top.offset, "must be a map of sections, like domains and links");
    return parsed;
  }
  const isCollection = ({ parent }: Node) =>
    parent !== undefined && parent.parent === top && collections.includes(nameOf(parent));
  noteDuplicates(top, isCollection, (node, first) =>
    note(
      node.offset,
      `${JSON.stringify(nameOf(node))} is a duplicate, first defined at ${placeText(place(first.offset))}`,
    ),
  );
  if (parsed.findings.length > 0) return parsed;
  const entryAt = (
    key: string | undefined,
    value: Node | undefined,
    offset: number,
    isRead = true,
  ): Written => ({
    key,
    // Avoids the conversion of a big section: `entriesOf` converts its entries.
    value: isRead && value ? plain(getNodeValue(value)) : undefined,
    at: (path = [], isKey = false) => place(offsetOf(value, path, isKey) ?? offset),
  });
  const sections = new Map(propertiesOf(top).map((node) => [nameOf(node), node]));
  for (const [name, node] of sections)
    parsed.sections.set(name, entryAt(name, valueOf(node), node.offset, !collections.includes(name)));
  parsed.entriesOf = (name, orList) => {
    const node = valueOf(sections.get(name));
    if (!node || node.type === "null") return [];
    if (node.type === "object")
      return propertiesOf(node).map((each) => entryAt(nameOf(each), valueOf(each), each.offset));
    if (node.type !== "array" || !orList) return undefined;
    return (node.children ?? []).map((each) => entryAt(undefined, each, each.offset));
  };
  return parsed;
}

function propertiesOf(node: Node | undefined): Node[] {
  return node?.type === "object" ? (node.children ?? []) : [];
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function valueOf(property: Node | undefined): Node | undefined {
  return property?.children?.[1];
}

/** With ordinary objects: the parser returns objects without a prototype. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]));
}

function noteDuplicates(
  node: Node | undefined,
  isCollection: (node: Node) => boolean,
  tell: (property: Node, first: Node) => void,
): void {
  const seen = new Map<string, Node>();
  for (const child of node?.children ?? []) {
    if (node?.type === "object" && !isCollection(node)) {
      const first = seen.get(nameOf(child));
      if (first) tell(child, first);
      else seen.set(nameOf(child), child);
    }
    noteDuplicates(child, isCollection, tell);
  }
}

/** The offset of a part, or of its name; undefined if it is missing. */
function offsetOf(node: Node | undefined, path: readonly PropertyKey[], isKey: boolean): number | undefined {
  if (!node || path.length === 0) return undefined;
  // The nearest part that exists.
  for (let length = path.length; length > 0; length--) {
    const found = findNodeAtLocation(node, path.slice(0, length) as (string | number)[]);
    if (found) return isKey && length === path.length ? (found.parent?.offset ?? found.offset) : found.offset;
  }
  return undefined;
}
