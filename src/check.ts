import type { z } from "zod";
import { unknownValue } from "./dynamic";
import { settingsProblems } from "./session";

/** One problem of one argument; `property` is a path like `targets[0].key`. */
export interface Problem {
  property: string;
  reason: string;
}

type Fields = Record<string, z.ZodType>;
type Canonical<Schemas extends Fields> = { [Name in keyof Schemas]?: z.output<Schemas[Name]> };

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
    for (const issue of known) problems.push({ property: path(name, issue.path), reason: issue.message });
  }
  return { fields: fields as Canonical<Schemas>, problems };
}

function at(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

function path(name: string, rest: PropertyKey[]): string {
  return rest.reduce<string>(
    (text, key) => text + (typeof key === "number" ? `[${key}]` : `.${String(key)}`),
    name,
  );
}

/**
 * The answer to the engine's `check`: canonical inputs, or all that is wrong with them and with the settings. What
 * takes several fields at once, or the settings, is done by `together`: it may change the fields.
 */
export function checkInputs<Schemas extends Fields>(
  schemas: Schemas,
  news: Record<string, unknown>,
  together: (fields: Canonical<Schemas>, refused: ReadonlySet<string>) => Problem[] = () => [],
): { inputs: Canonical<Schemas>; failures: Failure[]; isPreview: boolean } {
  // Names that begin so are the engine's and ours: hidden in plans, and nothing that a program sets.
  const isPrivate = ([name]: [string, unknown]) => name.startsWith("__");
  const { __preview, ...own } = Object.fromEntries(Object.entries(news).filter(isPrivate));
  const given = Object.entries(news).filter((entry) => !isPrivate(entry));
  const { fields, problems } = checkFields(schemas, Object.fromEntries(given));
  // What a rule would say of a field that was refused by itself is no second mistake.
  problems.push(...together(fields, new Set(problems.map(({ property }) => rootOf(property)))));
  return {
    inputs: { ...fields, ...own },
    failures: [...settingsProblems().map((reason) => ({ property: "", reason })), ...problems.map(toFailure)],
    isPreview: __preview === true,
  };
}

function rootOf(property: string): string {
  return /^\w+/.exec(property)?.[0] ?? property;
}

/** A problem as the engine takes it. */
interface Failure {
  property: string;
  reason: string;
}

/** The property stands in the reason, because the engine prints the value of a property that is named to it. */
function toFailure({ property, reason }: Problem): Failure {
  return { property: "", reason: `${property} ${reason}` };
}

/** True where a value, or a part of it, is not known yet. */
export function isUnknown(value: unknown): boolean {
  return JSON.stringify(value)?.includes(unknownValue) ?? false;
}
