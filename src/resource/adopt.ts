import { RefusedError } from "../service/errors";

/** How a create treats an existing object of the same name: refuse it, adopt it if it is equal, or adopt it always. */
export type Adopt = "never" | "ifEqual" | "always";

/** @internal True if the service refused a write because of this field, which may mean that its value is in use. */
export function isRefusedFor(error: unknown, field: string): error is RefusedError {
  return error instanceof RefusedError && field in error.fields;
}

/**
 * @internal The error of a create that found an existing object and may not adopt it.
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
      : "It equals the program. If an interrupted run of this stack made it, run " +
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

/** If two stacks adopt one domain, the first one that is destroyed deletes it with all links. */
function waysOfDomain(isEntry: boolean): string[] {
  return [
    isEntry
      ? "If another stack manages it, add existing: true to the entry, or give the domain another name in this environment " +
        "with domainMap."
      : "If another stack manages it, read it with Domain.get or name another domain.",
  ];
}

/** @internal The error of an import that finds no object. */
export function nothingToImport(type: "domain" | "link", key: string): Error {
  return new Error(
    `There is no ${type} ${JSON.stringify(key)} to import in this account. Correct the option import; if the ${type} was ` +
      `deleted, remove the option, and the ${type} is created.`,
  );
}

/** @internal Throws unless the mode allows the adoption of an object that differs in these properties. */
export function assertAdoptable(what: string, differing: readonly string[], mode: Adopt): void {
  if (mode === "always" || differing.length === 0) return;
  throw new Error(
    `${what} cannot be adopted as it is: it differs from the program in ${differing.join(", ")}. ` +
      `Change the program, or set adopt to "always" to change it to what the program says.`,
  );
}
