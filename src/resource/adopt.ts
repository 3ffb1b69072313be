import { RefusedError } from "../service/errors";

/** What a create does when it meets an object of the same name: refuse, take it over if it is equal, or in any case. */
export type Adopt = "never" | "ifEqual" | "always";

/** @internal True where a create was refused because of this field, which may mean that it is taken. */
export function isRefusedFor(error: unknown, field: string): error is RefusedError {
  return error instanceof RefusedError && field in error.fields;
}

/**
 * @internal The error of a create that met an object of the account and may not adopt it.
 *
 * @param entry File, line and column of the entry, for a resource of a catalog.
 */
export function conflict(
  refusal: Error,
  type: "domain" | "link",
  id: number,
  differing: readonly string[],
  entry: string | undefined,
): Error {
  const place = entry === undefined ? "" : ` (${entry})`;
  const ways = type === "domain" ? waysOfDomain(entry !== undefined) : [];
  const comparison =
    differing.length > 0
      ? `It differs from the program in ${differing.join(", ")}.`
      : "It equals the program, as objects do that an interrupted run of this stack made: then run " +
        '"pulumi up" once with the environment variable SHORTLINK_ADOPT set to ifEqual.';
  const renamed =
    entry === undefined
      ? 'If the resource was renamed in the program, give it the option aliases: [{ name: "<the old name>" }].'
      : "If the entry had another key, add formerly: <the old key> to it.";
  const adopted =
    entry === undefined
      ? `To manage the existing ${type}, give it the option import: "${id}".`
      : `To manage the existing ${type}, add adopt: ifEqual to the entry, and to change it as well, adopt: always.`;
  const text = [`The ${type} with the id ${id} has it.`, ...ways, comparison, renamed, adopted].join(" ");
  return new Error(`${refusal.message}${place} ${text}`);
}

/** Two stacks that adopt one domain lose it, with all links, when the first of them is destroyed. */
function waysOfDomain(isEntry: boolean): string[] {
  return [
    isEntry
      ? "If another stack manages it, add existing: true to the entry, or give the domain another name in this environment " +
        "with domainMap."
      : "If another stack manages it, read it with Domain.get or name another domain.",
  ];
}

/** @internal The error of an import without an object. */
export function nothingToImport(type: "domain" | "link", key: string): Error {
  return new Error(
    `There is no ${type} ${JSON.stringify(key)} to import in this account. Correct the option import; if the ${type} was ` +
      `deleted, remove the option, and the ${type} is created.`,
  );
}

/** @internal Throws unless a program may take over an object that differs from it in these properties. */
export function assertAdoptable(what: string, differing: readonly string[], mode: Adopt): void {
  if (mode === "always" || differing.length === 0) return;
  throw new Error(
    `${what} cannot be adopted as it is: it differs from the program in ${differing.join(", ")}. ` +
      `Change the program, or set adopt to "always" to change it to what the program says.`,
  );
}
