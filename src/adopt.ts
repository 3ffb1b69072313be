import { RefusedError } from "./service/errors";

/** What a create does when it meets an object of the same name: refuse, take it over if it is equal, or in any case. */
export type Adopt = "never" | "ifEqual" | "always";

/** @internal True where a create was refused because of this field, which may mean that it is taken. */
export function isRefusedFor(error: unknown, field: string): error is RefusedError {
  return error instanceof RefusedError && field in error.fields;
}

/** @internal The error of a create that met an object of the account and may not adopt it. */
export function conflict(
  refusal: Error,
  type: "domain" | "link",
  id: number,
  differing: readonly string[],
): Error {
  const interrupted =
    differing.length > 0
      ? `It differs from the program in ${differing.join(", ")}. `
      : "It equals the program, as objects do that an interrupted run of this stack made: then run " +
        '"pulumi up" once with the environment variable SHORTLINK_ADOPT set to ifEqual. ';
  return new Error(
    `${refusal.message} The ${type} with the id ${id} has it. ${interrupted}If the resource was renamed in the program, give ` +
      `it the option aliases: [{ name: "<the old name>" }]. To manage the existing ${type}, give it the option import: "${id}".`,
  );
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
    `${what} cannot be taken over as it is: it differs from the program in ${differing.join(", ")}. ` +
      `Change the program, or set adopt to "always" to change it to what the program says.`,
  );
}
