import type { z } from "zod";

/** What the engine sends instead of a value that is not known before another resource exists. */
export const unknownValue = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** True where a value, or a part of it, is not known yet. */
export function isUnknown(value: unknown): boolean {
  return JSON.stringify(value)?.includes(unknownValue) ?? false;
}

/** One problem of one argument; `property` is a path like `targets[0].key`. */
export interface Problem {
  property: string;
  reason: string;
}

/** The schemas of arguments, by their names. */
export type Fields = Record<string, z.ZodType>;
/** What the schemas make of the arguments. */
export type Canonical<Schemas extends Fields> = { [Name in keyof Schemas]?: z.output<Schemas[Name]> };

/**
 * Checks arguments field by field and makes them canonical. Values that are not known yet pass as they are and
 * are checked once they are known.
 */
export function checkFields<Schemas extends Fields>(
  schemas: Schemas,
  values: Record<string, unknown>,
): { fields: Canonical<Schemas>; problems: Problem[] } {
  const fields: Record<string, unknown> = {};
  const problems: Problem[] = [];
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(schemas, name))
      problems.push({ property: name, reason: "is not an argument of this resource" });
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const value = values[name];
    const result = schema.safeParse(value);
    if (result.success) {
      if (result.data !== undefined) fields[name] = result.data;
      continue;
    }
    const known = result.error.issues.filter((issue) => at(value, issue.path) !== unknownValue);
    // A target may lack nothing but its unknown key: then the list goes on unchanged.
    if (known.length === 0) fields[name] = value;
    for (const issue of known) problems.push({ property: pathText(name, issue.path), reason: issue.message });
  }
  return { fields: fields as Canonical<Schemas>, problems };
}

function at(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

/** `targets[0].key` for the parts of such a path. */
export function pathText(name: string, rest: PropertyKey[]): string {
  return rest.reduce<string>(
    (text, key) => text + (typeof key === "number" ? `[${key}]` : `.${String(key)}`),
    name,
  );
}
