import type { z } from "zod";
import { given, nameOf, type RawDomain, type RawEntry, type RawLink, type Values } from "./entries";
import type { Findings } from "./findings";
import * as schema from "./schema";
import { suggest } from "./suggest";
import { placeText, type Parsed, type Written } from "./written";

/** The entries of a catalog, before their layers are merged. */
export interface Items {
  domains: Map<string, RawDomain>;
  links: Map<string, RawLink>;
  /** The entries that overlays removed. */
  removed: Map<string, Written>;
}

/** One kind of entry, with the rules for an overlay's changes. */
interface Section {
  items: Map<string, RawEntry>;
  noun: "domain" | "link";
  changes: z.ZodType;
  key: { rule: z.ZodType; name: string; of: (text: string) => string };
}

/** Applies an overlay to the entries. Returns how many it names. */
export function applyOverlay(parsed: Parsed, items: Items, findings: Findings): number {
  const { domains, links } = items;
  const domainKey = { rule: schema.domainName, name: "name", of: nameOf };
  const linkKey = { rule: schema.entryKey, name: "key", of: (key: string) => key };
  const changes = [
    rename(parsed, domains, findings),
    change(parsed, items, findings, {
      items: domains,
      noun: "domain",
      changes: schema.domainChanges,
      key: domainKey,
    }),
    change(parsed, items, findings, {
      items: links,
      noun: "link",
      changes: schema.linkChanges,
      key: linkKey,
    }),
  ];
  return changes.reduce((sum, count) => sum + count, 0);
}

/** Renames domains. Returns how many the overlay names. */
function rename(parsed: Parsed, domains: Map<string, RawDomain>, findings: Findings): number {
  const map = given(parsed.sections.get("domainMap"));
  if (!map || !findings.isSound(schema.domainMap, map, "domainMap")) return 0;
  const names = Object.entries(map.value as Record<string, string>);
  for (const [from, to] of names) {
    const domain = domains.get(nameOf(from));
    if (domain) [domain.name, domain.nameAt] = [nameOf(to), () => map.at([from])];
    else if (findings.isWhole) {
      const hint = suggest(nameOf(from), [...domains.keys()], findings.all.length);
      const reason = `there is no domain ${JSON.stringify(from)} in the catalog${hint}`;
      findings.note("overlay", map.at([from], true), undefined, reason);
    }
  }
  return names.length;
}

/** Changes or removes entries. Returns how many the overlay names. */
function change(
  parsed: Parsed,
  { removed }: Items,
  findings: Findings,
  { items, noun, changes, key: { rule, name, of } }: Section,
): number {
  const entries = parsed.entriesOf(`${noun}s`, false);
  if (!entries) {
    const place = parsed.sections.get(`${noun}s`)?.at();
    const hint = place?.cell === undefined ? "" : ": write the overlay in YAML or JSON, not as a table";
    if (place) findings.noteUnreadable(place, `${noun}s must be a map of ${noun}s by their keys${hint}`);
    return 0;
  }
  const seen = new Map<string, Written>();
  for (const entry of entries) {
    const key = of(entry.key ?? "");
    const subject = `${noun} ${JSON.stringify(key)}`;
    const [item, first] = [items.get(key), seen.get(key)];
    seen.set(key, entry);
    const isKey = findings.isKey(rule, name, entry, subject);
    const isSound = entry.value === null || findings.isSound(changes, entry, subject);
    if (first) {
      const reason = `${subject} is a duplicate, first defined at ${placeText(first.at())}`;
      findings.note("duplicate", entry.at(), undefined, reason);
    } else if (item) {
      if (entry.value === null) {
        items.delete(key);
        removed.set(`${noun} ${key}`, entry);
      } else if (isSound) item.layers.unshift({ values: entry.value as Values, at: entry.at });
    } else if (findings.isWhole && isKey) {
      const gone = removed.get(`${noun} ${key}`);
      const hint = gone ? removedText(gone) : suggest(key, [...items.keys()], findings.all.length);
      const reason = `there is no ${subject} in the catalog to change${hint}`;
      findings.note("overlay", entry.at(), undefined, reason);
    }
  }
  return entries.length;
}

/** The end of a message about an entry that an overlay removed. */
export function removedText(entry: Written): string {
  return `: it was removed at ${placeText(entry.at())}`;
}
