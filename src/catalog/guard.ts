/** The links of a catalog by the names of their domains: their keys, with a space between two. */
export type Keys = Record<string, string>;

/** Of fewer links than this no share is counted. */
const fewest = 10;
/** The share of the links that a run may delete or replace without being asked. */
const share = 0.2;
/** So many names stand in a message. */
const shown = 8;

/** A catalog, and what its program says of this run. */
export interface CatalogNews {
  links: Keys;
  /** Keys that links had before, by their keys. */
  formerly: Record<string, string[]>;
  /** Keys that other catalogs of the program have taken over. */
  moved: readonly string[];
  /** As `LinkCatalogArgs.maxDeletes`. */
  maxDeletes: number | undefined;
}

/**
 * Refuses to delete a great part of a catalog: a file that was emptied, cut, moved or not read looks like links that were
 * removed on purpose. The engine keeps what the catalog had the last time, so this needs neither the service nor the state, and it
 * comes before the domains and links of the catalog are planned.
 *
 * @param before What the catalog had the last time.
 * @param allowDeletes The setting of this name.
 */
export function refusals(
  before: Keys,
  { links: news, formerly, moved, maxDeletes }: CatalogNews,
  allowDeletes: number | undefined,
): string[] {
  const olds = without(before, moved);
  const had = places(olds);
  const now = new Map<string, string>();
  for (const [key, domain] of places(news)) {
    for (const each of [...(formerly[key] ?? []), key]) now.set(each, domain);
  }
  const lost = [...had].filter(([key, domain]) => now.get(key) !== domain);
  const allowed = Math.max(allowDeletes ?? 0, maxDeletes ?? 0);
  if (lost.length <= allowed) return [];
  const isTooMuch = (count: number, of: number) => of >= fewest && count > of * share;
  const text = (where: string, keys: string[], of: number) =>
    `${keys.length} of ${of} links${where} would be deleted or replaced (${listed(keys)})`;
  const byDomain = Object.entries(olds).flatMap(([domain, keys]) => {
    const gone = lost.filter(([, each]) => each === domain).map(([key]) => key);
    const count = keys.split(" ").length;
    return isTooMuch(gone.length, count) ? [text(` on ${domain}`, gone, count)] : [];
  });
  const all = lost.map(([key]) => key);
  const isRefused = maxDeletes !== undefined || byDomain.length > 0 || isTooMuch(lost.length, had.size);
  if (!isRefused) return [];
  const domains = Object.keys(olds).length > 1 && byDomain.length > 0 ? `: ${byDomain.join("; ")}` : "";
  const limit = maxDeletes === undefined ? "a fifth" : `maxDeletes: ${maxDeletes}`;
  return [
    `${text("", all, had.size)}, which is more than ${limit}${domains}. Nothing was changed. If some of the files were emptied, cut ` +
      `or not found, put them back. To allow it once, run the command with SHORTLINK_ALLOW_DELETES=${lost.length}; to allow it ` +
      `for good, give the catalog maxDeletes: ${lost.length}.`,
  ];
}

function without(olds: Keys, moved: readonly string[]): Keys {
  if (moved.length === 0) return olds;
  const entries = Object.entries(olds).map(([domain, keys]) => {
    const left = keys.split(" ").filter((key) => !moved.includes(key));
    return [domain, left.join(" ")] as const;
  });
  return Object.fromEntries(entries.filter(([, keys]) => keys !== ""));
}

/** The domain of each key. */
function places(keys: Keys): Map<string, string> {
  return new Map(
    Object.entries(keys).flatMap(([domain, list]) => list.split(" ").map((key) => [key, domain] as const)),
  );
}

function listed(keys: string[]): string {
  const more = keys.length - shown;
  return [...keys.slice(0, shown), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
