import { isDeepStrictEqual } from "node:util";
import type { Values } from "../catalog/entries";
import type { Row } from "../fields/row";
import { linkFields } from "../link/fields";
import type { NewCatalog, NewEntry, NewLink } from "./entries";

// Assigns entries to files, and moves common values to the defaults of a folder.

/** The criteria that select the folder of a link. */
export const splits = ["domain", "space", "letter", "none"] as const;
export type Split = (typeof splits)[number];

/** The contents of the files of a catalog. */
export interface Layout {
  /** The domains of the account; undefined if it has none. */
  domains: NewEntry[] | undefined;
  /** By folder: its links, and their common defaults. An empty name means the catalog's own folder. */
  folders: Map<string, { defaults: Values; links: NewEntry[] }>;
}

export function layOut({ domains, links }: NewCatalog, split: Split): Layout {
  const groups = new Map<string, NewLink[]>();
  for (const link of links) {
    const folder = folderOf(link, split);
    groups.set(folder, [...(groups.get(folder) ?? []), link]);
  }
  const folders = [...groups].map(([name, group]) => {
    const defaults = commonOf(group);
    return [name, { defaults, links: group.map((link) => without(defaults, link)) }] as const;
  });
  return {
    domains: domains.length > 0 ? domains : undefined,
    folders: new Map(folders.sort(([one], [other]) => (one < other ? -1 : 1))),
  };
}

function folderOf({ domain, record }: NewLink, split: Split): string {
  switch (split) {
    case "domain":
      return domain ?? `domain-${record.domain_id}`;
    case "space":
      return record.space_id === null ? "no-space" : `space-${record.space_id}`;
    case "letter":
      return /^[a-z]/i.exec(record.alias)?.[0].toLowerCase() ?? "other";
    case "none":
      return "";
  }
}

/** Fields that only make sense together with others of the same link. */
const single: ReadonlySet<string> = new Set([
  "alias",
  "url",
  "targets",
  "targetsType",
  "activePeriodStartAt",
  "activePeriodEndAt",
]);

/**
 * The values that most links have and that all others can override. A link cannot remove a default. So a field that some links lack
 * becomes a default only if it has a value for "none".
 */
function commonOf(links: NewLink[]): Values {
  const common: Values = {};
  if (links.length < 2) return common;
  const names = new Set(links.flatMap(({ values }) => Object.keys(values)));
  for (const name of [...names].filter((each) => !single.has(each))) {
    const counts = new Map<string, number>();
    for (const { values } of links) {
      const text = JSON.stringify(name in values ? values[name] : noneOf(name)) ?? "";
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const [most = ["", 0]] = [...counts].sort(([, one], [, other]) => other - one);
    if (counts.has("") || most[1] * 2 <= links.length) continue;
    const value: unknown = JSON.parse(most[0]);
    if (!isDeepStrictEqual(value, noneOf(name))) common[name] = value;
  }
  return common;
}

/** The value that means the service's default; undefined if the field has none. */
function noneOf(name: string): unknown {
  const { kind, words } = (linkFields as Record<string, Row>)[name] ?? {};
  return kind === "flag" ? false : kind === "count" ? 0 : kind === "choice" ? words?.[0] : undefined;
}

function without(defaults: Values, { key, values }: NewEntry): NewEntry {
  const own = Object.entries(values).filter(([name, value]) => !isDeepStrictEqual(value, defaults[name]));
  const contradicted = Object.keys(defaults).filter((name) => !(name in values));
  return {
    key,
    values: {
      ...Object.fromEntries(own),
      ...Object.fromEntries(contradicted.map((name) => [name, noneOf(name)])),
    },
  };
}
