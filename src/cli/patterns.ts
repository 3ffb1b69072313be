import { minimatch } from "minimatch";

/** Collects the values of a repeatable option. */
export function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}

/** True for an address that one of the patterns matches; case does not matter, and `*` ends at a slash. */
export function matchesOne(patterns: readonly string[]): (address: string) => boolean {
  return (address) => patterns.some((pattern) => minimatch(address, pattern, { nocase: true }));
}
