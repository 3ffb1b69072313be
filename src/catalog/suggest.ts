import { closest, distance } from "fastest-levenshtein";

/** After this many findings there are no more suggestions: in a file full of mistakes they would take too long. */
const mostHints = 100;

/**
 * `: did you mean "url"?` if one of the names is similar.
 *
 * @param told Number of findings so far.
 */
export function suggest(name: string, known: readonly string[], told = 0): string {
  if (known.length === 0 || told > mostHints) return "";
  const camel = name.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const small = known.map((each) => each.toLowerCase());
  const near = closest(camel.toLowerCase(), small);
  const found = [small.indexOf(near), small.findIndex((each) => each.startsWith(camel.toLowerCase()))]
    .map((index) => known[index] ?? "")
    .find(
      (each) =>
        each.toLowerCase() === camel.toLowerCase() ||
        each.startsWith(camel) ||
        distance(camel, each) <= Math.max(2, each.length / 4),
    );
  return found === undefined || found === "" ? "" : `: did you mean ${JSON.stringify(found)}?`;
}
