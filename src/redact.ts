import { createHash } from "node:crypto";

/** What the program marks as secrets, as the inputs and the state of a resource remember it. */
export interface Secrets {
  /** Names of the properties. */
  __secrets?: string[];
}

/** A function that takes the secret values of a resource out of texts. */
export function redactor(state: Secrets): (text: string) => string {
  const values = (state.__secrets ?? []).flatMap((name) => textsIn((state as Record<string, unknown>)[name]));
  const spellings = [
    ...new Set(
      values.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]),
    ),
  ];
  // A value may hold another one.
  spellings.sort((a, b) => b.length - a.length);
  return (text) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, "[secret]"), text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The same values with digests in the place of secret ones, for what is kept in clear. */
export function digested<Values extends object>(values: Values, { __secrets = [] }: Secrets): Values {
  if (__secrets.length === 0) return values;
  const digest = (value: unknown) =>
    createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      __secrets.includes(name) && value !== undefined && value !== null ? digest(value) : (value as unknown),
    ]),
  ) as Values;
}
