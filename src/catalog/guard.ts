/** The keys of a catalog's links by the names of their domains, separated by spaces. */
export type Keys = Record<string, string>;

/** The share limits only this many links or more. */
const fewest = 10;
/** The share of the links that a run may delete or replace by default. */
const share = 0.2;
/** Number of keys in a message. */
const shown = 8;

/** The links of a catalog, with four characters of a digest for each alias and each destination. */
export interface CatalogRecord {
  links: Keys;
  /** In the order of the keys; "----" if the catalog names no alias. Undefined in records of older versions. */
  marks: Keys | undefined;
}

/** A catalog, with its program's arguments for this run. */
export interface CatalogNews extends CatalogRecord {
  /** Former keys of links, by their keys. */
  formerly: Record<string, string[]>;
  /** Keys that moved to other catalogs of the program. */
  moved: readonly string[];
  /** As `LinkCatalogArgs.maxDeletes`. */
  maxDeletes: number | undefined;
}

/**
 * Refuses to delete a great part of a catalog: an emptied, truncated, moved or unread file looks like intended removals. A table
 * with one column sorted alone looks like links that get other aliases or exchange destinations. So these count too. The
 * engine keeps the record of the last run, so this needs neither the service nor the state. It runs before the engine plans the
 * domains and links of the catalog.
 *
 * @param before The record of the last run.
 * @param allowDeletes The setting of this name.
 */
export function refusals(
  before: CatalogRecord,
  { formerly, moved, maxDeletes, ...record }: CatalogNews,
  allowDeletes: number | undefined,
): string[] {
  const had = places(before).filter(({ key }) => !moved.includes(key));
  const now = new Map<string, Place>();
  for (const place of places(record)) {
    for (const each of [...(formerly[place.key] ?? []), place.key]) now.set(each, place);
  }
  const isGone = ({ key, domain }: Place) => now.get(key)?.domain !== domain;
  const isRenamed = ({ key, alias }: Place) =>
    alias !== undefined && now.get(key)?.alias !== undefined && now.get(key)?.alias !== alias;
  const exchanged = exchangedOf(had, now);
  const ways: [string, (place: Place) => boolean][] = [
    ["would be deleted or replaced", isGone],
    ["would get another alias", (place) => !isGone(place) && isRenamed(place)],
    [
      "would get the destination of another link",
      (place) => !isGone(place) && !isRenamed(place) && exchanged.has(place.key),
    ],
  ];
  const isLost = (place: Place) => ways.some(([, is]) => is(place));
  const lost = had.filter(isLost);
  const allowed = Math.max(allowDeletes ?? 0, maxDeletes ?? 0);
  if (lost.length <= allowed) return [];
  const isTooMuch = (count: number, of: number) => of >= fewest && count > of * share;
  /** The changes to the given links, with their keys. */
  const text = (where: string, of: readonly Place[]) => {
    const parts = ways.flatMap(([way, is]) => {
      const keys = of.filter(is).map(({ key }) => key);
      return keys.length === 0 ? [] : [{ way, keys }];
    });
    return parts
      .map(({ way, keys }) => `${keys.length} of ${of.length} links${where} ${way} (${listed(keys)})`)
      .join(" and ");
  };
  const domains = [...new Set(had.map(({ domain }) => domain))];
  const byDomain = domains.flatMap((domain) => {
    const own = had.filter((place) => place.domain === domain);
    return isTooMuch(own.filter(isLost).length, own.length) ? [text(` on ${domain}`, own)] : [];
  });
  const isRefused = maxDeletes !== undefined || byDomain.length > 0 || isTooMuch(lost.length, had.length);
  if (!isRefused) return [];
  const details = domains.length > 1 && byDomain.length > 0 ? `: ${byDomain.join("; ")}` : "";
  const limit = maxDeletes === undefined ? "a fifth" : `maxDeletes: ${maxDeletes}`;
  return [
    `${text("", had)}, which is more than ${limit}${details}. Nothing was changed. If files were emptied, truncated, ` +
      `sorted by one column or not found, restore them. To allow it once, run the command with ` +
      `SHORTLINK_ALLOW_DELETES=${lost.length}; to allow it permanently, set maxDeletes of the catalog: ${lost.length}.`,
  ];
}

/** A link of a catalog. */
interface Place {
  key: string;
  domain: string;
  alias: string | undefined;
  url: string | undefined;
}

function places({ links, marks = {} }: CatalogRecord): Place[] {
  return Object.entries(links).flatMap(([domain, keys]) => {
    const signs = marks[domain]?.split(" ") ?? [];
    return keys.split(" ").map((key, i) => {
      const mark = signs[i];
      const alias = mark?.slice(0, 4);
      return { key, domain, alias: alias === "----" ? undefined : alias, url: mark?.slice(4) };
    });
  });
}

/**
 * The links that get a destination which another link gives up in the same run. A new destination does not count, even if many
 * links get it.
 */
function exchangedOf(had: readonly Place[], now: ReadonlyMap<string, Place>): Set<string> {
  const changed = had.flatMap(({ key, url: old }) => {
    const url = now.get(key)?.url;
    return old === undefined || url === undefined || old === url ? [] : [{ key, old, url }];
  });
  const given = new Map<string, number>();
  for (const { old } of changed) given.set(old, (given.get(old) ?? 0) + 1);
  return new Set(
    changed.flatMap(({ key, url }) => {
      const left = given.get(url) ?? 0;
      given.set(url, left - 1);
      return left > 0 ? [key] : [];
    }),
  );
}

function listed(keys: string[]): string {
  const more = keys.length - shown;
  return [...keys.slice(0, shown), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}
