import { RefusedError } from "./service/errors";

/** What a create does when it meets an object of the same name: refuse, take it over if it is equal, or in any case. */
export type Adopt = "never" | "ifEqual" | "always";

/** @internal True where a create was refused because of this field, which may mean that it is taken. */
export function isRefusedFor(error: unknown, field: string): error is RefusedError {
  return error instanceof RefusedError && field in error.fields;
}

/** @internal The error of a create that met an existing object and was not told to take it over. */
export function conflict(error: Error, what: string, id: number): Error {
  return new Error(
    `${error.message} It is that of ${what} with the id ${id}. If this stack manages it under another name, this looks ` +
      `like a rename: give the resource the option aliases: [{ name: "<the old name>" }]. Otherwise give it the option ` +
      `import: "${id}", or set adopt to "ifEqual" or "always".`,
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
