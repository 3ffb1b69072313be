/** One problem of one argument; `property` is a path like `targets[0].key`. */
export interface Problem {
  property: string;
  reason: string;
}

/** A problem of a value, or of the part at a path. */
export interface Issue {
  reason: string;
  path: readonly (string | number)[];
  /** Name of a part that should not be there. */
  name: string | undefined;
}

/** Reports an issue. */
export type Tell = (reason: string, path?: Issue["path"], name?: string) => void;

/** `targets[0].key` for the parts of such a path. */
export function pathText(name: string, rest: readonly PropertyKey[]): string {
  return rest.reduce<string>(
    (text, key) => text + (typeof key === "number" ? `[${key}]` : `.${String(key)}`),
    name,
  );
}

/** The engine's mark for a value that is unknown until another resource exists. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True if a value, or a part of it, is not known yet. */
export function isUnknown(value: unknown): boolean {
  return JSON.stringify(value)?.includes(unknownValue) ?? false;
}
