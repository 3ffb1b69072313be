import { createHash } from "node:crypto";
import type { Values } from "./entries";
import type { CatalogNews, Keys } from "./guard";
import type { Catalog } from "./load";
import { formerKeys, type FormerKey } from "./written";

/**
 * The keys of the links by domain name, and marks of their aliases and destinations in the same order. The provider
 * compares them with those of the last run.
 */
export function keysOf(
  { domains, links }: Catalog,
  { maxDeletes }: { maxDeletes?: number | undefined } = {},
): Omit<CatalogNews, "moved"> {
  const names = new Map(domains.map(({ key, name }) => [key, name]));
  const keys: Record<string, string[]> = {};
  const marks: Record<string, string[]> = {};
  for (const { key, domain, values } of links) {
    const name = domain === undefined ? `domain ${String(values.domainId)}` : (names.get(domain) ?? domain);
    (keys[name] ??= []).push(key);
    (marks[name] ??= []).push(markOf(values));
  }
  const isOwn = (former: FormerKey) => typeof former === "string";
  const former = links.map(({ key, values }) => [key, formerKeys(values).filter(isOwn)] as const);
  return {
    links: joined(keys),
    marks: joined(marks),
    formerly: Object.fromEntries(former.filter(([, list]) => list.length > 0)),
    maxDeletes,
  };
}

function joined(lists: Record<string, string[]>): Keys {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.join(" ")]));
}

/** Four characters each for alias and destination: enough to show a change, and little in the state. */
function markOf({ alias, url }: Values): string {
  const sign = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 4);
  // A link without an alias in the catalog keeps its alias.
  return `${typeof alias === "string" ? sign(alias.toLowerCase()) : "----"}${sign(String(url))}`;
}
