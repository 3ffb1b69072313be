import { minimatch } from "minimatch";

/** Collects the values of a repeatable option. */
export function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

/**
 * True for an address that one of the patterns matches. Case does not matter, and `*` ends at a slash. A pattern without a slash is
 * about a domain and all links on it.
 */
export function matchesOne(patterns: readonly string[]): (address: string) => boolean {
  const all = patterns.flatMap((each) => (each.includes("/") ? [each] : [each, `${each}/*`]));
  return (address) => all.some((pattern) => minimatch(address, pattern, { nocase: true }));
}
