import type { CatalogNews } from "./guard";
import type { Catalog } from "./load";
import { formerKeys, type FormerKey } from "./written";

/** The keys of the links by the names of their domains, which the provider compares with those of the last run. */
export function keysOf(
  { domains, links }: Catalog,
  { maxDeletes }: { maxDeletes?: number | undefined } = {},
): Omit<CatalogNews, "moved"> {
  const names = new Map(domains.map(({ key, name }) => [key, name]));
  const keys: Record<string, string[]> = {};
  for (const { key, domain, values } of links) {
    const name = domain === undefined ? `domain ${String(values.domainId)}` : (names.get(domain) ?? domain);
    (keys[name] ??= []).push(key);
  }
  const isOwn = (former: FormerKey) => typeof former === "string";
  const former = links.map(({ key, values }) => [key, formerKeys(values).filter(isOwn)] as const);
  return {
    links: Object.fromEntries(Object.entries(keys).map(([name, list]) => [name, list.join(" ")])),
    formerly: Object.fromEntries(former.filter(([, list]) => list.length > 0)),
    maxDeletes,
  };
}
