import { kinds, loosened } from "./kinds";
import { pathText, unknownValue, type Issue, type Problem, type Tell } from "./problem";
import type { Row, Table } from "./row";

/** Checks a value of a file: it must have the right type, and a required value must be present. */
export function readField(row: Row, value: unknown): { value: unknown; issues: Issue[] } {
  const issues: Issue[] = [];
  const tell: Tell = (reason, path = [], name) => issues.push({ reason, path, name });
  if (value === undefined) {
    if (row.required) tell(row.missing ?? "is required");
    return { value, issues };
  }
  return { value: kinds[row.kind].read(value, row, tell), issues };
}

/**
 * Checks the arguments of a program field by field and makes them canonical. Unknown values pass unchanged; the provider checks
 * them once they are known.
 */
export function checkFields(
  table: Table,
  values: Record<string, unknown>,
): { fields: Record<string, unknown>; problems: Problem[] } {
  const fields: Record<string, unknown> = {};
  const problems: Problem[] = Object.keys(values)
    .filter((name) => !Object.hasOwn(table, name))
    .map((property) => ({ property, reason: "is not an argument of this resource" }));
  for (const [name, row] of Object.entries(table)) {
    const given = values[name];
    if (given === unknownValue) {
      fields[name] = given;
      continue;
    }
    const { value, issues } = readField(row, loosened(given, row));
    const known = issues.filter(({ path }) => at(given, path) !== unknownValue);
    for (const { path, reason } of known) problems.push({ property: pathText(name, path), reason });
    // If all issues are about unknown parts, for example the key of a target, the value passes unchanged.
    if (issues.length > 0) {
      if (known.length === 0) fields[name] = given;
    } else if (value !== undefined && !kinds[row.kind].isDefault?.(value, row)) fields[name] = value;
  }
  return { fields, problems };
}

function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((inner, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);
}
