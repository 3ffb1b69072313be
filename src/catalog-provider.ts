import type * as pulumi from "@pulumi/pulumi";
import { configure, knownSettings } from "./session";

/** The links of a catalog by the names of their domains: their keys, with a space between two. */
export type Keys = Record<string, string>;

/** What the state keeps of a catalog. */
interface CatalogInputs {
  __provider: string;
  links: Keys;
}

/** The record of a catalog, with arguments of this run that the state does not keep. */
export interface CatalogNews extends CatalogInputs {
  /** As `LinkCatalogArgs.maxDeletes`. */
  __maxDeletes?: number;
  /** Keys that links had before, by their keys. */
  __formerly?: Record<string, string[]>;
  /** Keys that other catalogs of the program have taken over. */
  __moved?: string[];
}

/** Of fewer links than this no share is counted. */
const fewest = 10;
/** The share of the links that a run may delete or replace without being asked. */
const share = 0.2;
/** So many names stand in a message. */
const shown = 8;

/**
 * Refuses to delete a great part of a catalog: a file that was emptied, cut, moved or not read looks like links that were
 * removed on purpose. The engine gives `check` what it had the last time, so this needs neither the service nor the state, and it
 * comes before the domains and links of the catalog are planned.
 */
export class CatalogProvider implements pulumi.dynamic.ResourceProvider {
  configure = configure;

  check(olds: Partial<CatalogInputs>, news: CatalogNews): Promise<pulumi.dynamic.CheckResult> {
    const { __provider, links, __maxDeletes: maxDeletes, __formerly: formerly = {}, __moved = [] } = news;
    const reasons = refusals(without(olds.links ?? {}, __moved), links, formerly, maxDeletes);
    const failures = reasons.map((reason) => ({ property: "", reason }));
    return Promise.resolve({ inputs: { __provider, links }, failures });
  }

  /** The engine keeps the new inputs also where nothing is to be done; a plan has enough to show. */
  diff(): Promise<pulumi.dynamic.DiffResult> {
    return Promise.resolve({ changes: false });
  }

  create(): Promise<pulumi.dynamic.CreateResult> {
    return Promise.resolve({ id: "catalog", outs: {} });
  }

  read(id: string, props: object): Promise<pulumi.dynamic.ReadResult> {
    return Promise.resolve({ id, props });
  }

  update(_id: string, olds: object): Promise<pulumi.dynamic.UpdateResult> {
    return Promise.resolve({ outs: olds });
  }

  delete(): Promise<void> {
    return Promise.resolve();
  }
}

function refusals(
  olds: Keys,
  news: Keys,
  formerly: Record<string, string[]>,
  maxDeletes: number | undefined,
): string[] {
  const before = places(olds);
  const now = new Map<string, string>();
  for (const [key, domain] of places(news)) {
    for (const each of [...(formerly[key] ?? []), key]) now.set(each, domain);
  }
  const lost = [...before].filter(([key, domain]) => now.get(key) !== domain);
  const allowed = Math.max(knownSettings()?.allowDeletes ?? 0, maxDeletes ?? 0);
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
  const isRefused = maxDeletes !== undefined || byDomain.length > 0 || isTooMuch(lost.length, before.size);
  if (!isRefused) return [];
  const domains = Object.keys(olds).length > 1 && byDomain.length > 0 ? `: ${byDomain.join("; ")}` : "";
  const limit = maxDeletes === undefined ? "a fifth" : `maxDeletes: ${maxDeletes}`;
  return [
    `${text("", all, before.size)}, which is more than ${limit}${domains}. Nothing was changed. If some of the files were emptied, cut ` +
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
