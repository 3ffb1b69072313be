import { createHash } from "node:crypto";

/**
 * What the service answered after our last write, for those fields only that it spells in another way than we
 * did (dates of another time zone, for example); null stands for absent. Drift is "the echo changed", not "the
 * answer differs from the input".
 */
export type Echo = Record<string, unknown>;

/** Canonical values of some fields; absent means the service's default. */
export type Values<Field extends string> = { readonly [Name in Field]?: unknown };

/** Equal as JSON; undefined and null are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  const [one, other] = [a ?? null, b ?? null];
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The fields in which two sets of values differ. */
export function changedFields<Field extends string>(
  fields: readonly Field[],
  olds: Values<Field>,
  news: Values<Field>,
): Field[] {
  return fields.filter((field) => !isSame(olds[field], news[field]));
}

/** A text that is the same for the same values, and from which they cannot be read. */
export function digestOf<Field extends string>(fields: readonly Field[], values: Values<Field>): string {
  const text = JSON.stringify(fields.map((field) => values[field] ?? null));
  return createHash("sha256").update(text).digest("base64url");
}

/** The echo after a write of the `written` fields; the others keep the echo they had, so their drift still shows. */
export function echoOf<Field extends string>(
  written: readonly Field[],
  wish: Values<Field>,
  answer: Values<Field>,
  old: Echo = {},
): Echo {
  const kept = Object.entries(old).filter(([field]) => !written.some((name) => name === field));
  const differing = written.filter((field) => !isSame(wish[field], answer[field]));
  return Object.fromEntries<unknown>([
    ...kept,
    ...differing.map((field) => [field, answer[field] ?? null] as const),
  ]);
}

/** The fields that somebody else changed since our last write. */
export function driftedFields<Field extends string>(
  fields: readonly Field[],
  wish: Values<Field>,
  answer: Values<Field>,
  echo: Echo = {},
): Field[] {
  return fields.filter((field) => !isSame(answer[field], field in echo ? echo[field] : wish[field]));
}

/** The fields that were written but are not there in the answer, wholly or, of a list, in part. */
export function ignoredFields<Field extends string>(
  written: readonly Field[],
  wish: Values<Field>,
  answer: Values<Field>,
): Field[] {
  const isKept = (wanted: unknown, kept: unknown): boolean =>
    Array.isArray(wanted) && Array.isArray(kept)
      ? wanted.length <= kept.length
      : (wanted ?? null) === null || (kept ?? null) !== null;
  return written.filter((field) => !isKept(wish[field], answer[field]));
}

/** A copy of `values` in which the given fields have the values of `answer`; absent ones are left out. */
export function replaceFields<State extends object, Field extends string>(
  values: State,
  fields: readonly Field[],
  answer: Values<Field>,
): State {
  const entries = Object.entries({
    ...values,
    ...Object.fromEntries(fields.map((field) => [field, answer[field]])),
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null)) as State;
}
