import { createHash } from "node:crypto";
import type { Echo } from "../account/saved";
import type { Values } from "../fields/table";

/** Equal as JSON; undefined and null are the same. */
export function isSame(a: unknown, b: unknown): boolean {
  const [one, other] = [a ?? null, b ?? null];
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** The fields in which two sets of values differ. */
export function changedFields(fields: readonly string[], olds: Values, news: Values): string[] {
  return fields.filter((field) => !isSame(olds[field], news[field]));
}

/** A text that is the same for the same values and does not reveal them. */
export function digestOf(fields: readonly string[], values: Values): string {
  const text = JSON.stringify(fields.map((field) => values[field] ?? null));
  return createHash("sha256").update(text).digest("base64url");
}

/** The echo after a write of some fields. The others keep their echo, so their drift still shows. */
export function echoOf(fields: readonly string[], wish: Values, answer: Values, old: Echo = {}): Echo {
  const kept = Object.entries(old).filter(([field]) => !fields.some((name) => name === field));
  const differing = fields.filter((field) => !isSame(wish[field], answer[field]));
  return Object.fromEntries<unknown>([
    ...kept,
    ...differing.map((field) => [field, answer[field] ?? null] as const),
  ]);
}

/** The fields that somebody else changed since our last write. */
export function driftedFields(
  fields: readonly string[],
  wish: Values,
  answer: Values,
  echo: Echo = {},
): string[] {
  return fields.filter((field) => !isSame(answer[field], field in echo ? echo[field] : wish[field]));
}

/** The written fields that the answer lacks, or whose list it has only in part. */
export function ignoredFields(fields: readonly string[], wish: Values, answer: Values): string[] {
  const isKept = (wanted: unknown, kept: unknown): boolean =>
    Array.isArray(wanted) && Array.isArray(kept)
      ? wanted.length <= kept.length
      : (wanted ?? null) === null || (kept ?? null) !== null;
  return fields.filter((field) => !isKept(wish[field], answer[field]));
}

/** A copy of `values` in which the given fields have the values of `answer`. Leaves out absent ones. */
export function replaceFields<State extends object>(
  values: State,
  fields: readonly string[],
  answer: Values,
): State {
  const entries = Object.entries({
    ...values,
    ...Object.fromEntries(fields.map((field) => [field, answer[field]])),
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null)) as State;
}
