import { isAlias, isMap, isScalar, isSeq, parseDocument, visit } from "yaml";
import type { Node, Pair, YAMLMap } from "yaml";
import { explain } from "./syntax";
import { findingAt, placesIn, placeText, type Finding, type Parsed, type Written } from "./written";

// Parses YAML into entries with their places.

/** Reads YAML. In `collections` a duplicate key makes two entries; anywhere else it is a mistake. */
export function parseYaml(file: string, text: string, collections: readonly string[]): Parsed {
  const doc = parseDocument(text, {
    schema: "core",
    merge: true,
    prettyErrors: false,
    // The code below finds duplicates, with both places.
    uniqueKeys: false,
    logLevel: "error",
  });
  const place = placesIn(file, text);
  const resolve = (node: unknown) => (isAlias(node) ? node.resolve(doc) : node);
  const findings: Finding[] = [];
  const note = (offset: number, message: string) =>
    findings.push(findingAt("syntax", place(offset), undefined, message));
  // More errors at the same place only follow from the first.
  const places = new Set<number>();
  for (const { code, pos, message } of doc.errors) {
    const { offset, reason } = explain(text, { code, message, offset: pos[0] });
    if (!places.has(offset)) note(offset, reason);
    places.add(offset);
  }
  const top: Parsed = { file, sections: new Map(), entriesOf: () => [], findings };
  if (findings.length > 0) return top;

  const again = (pair: Pair, first: Pair) => {
    const at = placeText(place(startOf(first.key)));
    return `${JSON.stringify(textOf(pair.key))} is a duplicate, first defined at ${at}`;
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
      for (const { key, value } of map.items) {
        if (textOf(key) !== "<<") continue;
        const merged = resolve(value);
        const sources = isSeq(merged) ? merged.items.map(resolve) : [merged];
        // A missing anchor has its own message.
        if (!sources.every((each) => each === undefined || isMap(each)))
          note(startOf(key), "<< takes a map, or a list of maps");
      }
    },
    Alias(_, alias, path) {
      const target = alias.resolve(doc);
      if (!target)
        note(
          startOf(alias),
          "text that begins with * needs quotes (without quotes it repeats an anchor, and the file has none of this name)",
        );
      else if (path.includes(target)) note(startOf(alias), "an anchor cannot contain a reference to itself");
    },
  });
  if (findings.length > 0) return top;

  const entryAt = (key: string | undefined, node: unknown, offset: number): Written[] => {
    const at: Written["at"] = (path = [], isKey = false) =>
      place(offsetOf(path, isKey, resolve, node, offset));
    try {
      return [{ key, value: node ? (node as Node).toJS(doc) : null, at }];
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      note(offset, "repeats too much with its anchors");
      return [];
    }
  };
  const pairs = (map: YAMLMap) =>
    map.items.flatMap((pair) => entryAt(textOf(pair.key), pair.value, startOf(pair.key)));
  if (!isMap(contents)) {
    if (contents !== null && !(isScalar(contents) && contents.value === null)) {
      note(startOf(contents), "must be a map of sections, like domains and links");
    }
    return top;
  }
  duplicates(contents, (pair, first) => note(startOf(pair.key), again(pair, first)));
  for (const map of own) {
    const merge = isMap(map) ? map.items.find((pair) => textOf(pair.key) === "<<") : undefined;
    if (merge) note(startOf(merge.key), "<< works only inside an entry");
  }
  if (findings.length > 0) return top;
  const nodes = new Map(contents.items.map((pair) => [textOf(pair.key), pair]));
  for (const [name, pair] of nodes) {
    // Avoids the conversion of a big section: `entriesOf` converts its entries.
    const isCollection = collections.includes(name);
    const [section] = entryAt(name, isCollection ? undefined : pair.value, startOf(pair.key));
    if (section) top.sections.set(name, section);
  }
  top.entriesOf = (name, orList) => {
    const node = resolve(nodes.get(name)?.value);
    if (isMap(node)) return pairs(node);
    if (isSeq(node) && orList) return node.items.flatMap((item) => entryAt(undefined, item, startOf(item)));
    return node === undefined || node === null || (isScalar(node) && node.value === null) ? [] : undefined;
  };
  return top;
}

/** The text of a key as written: `404` is no number here. */
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
