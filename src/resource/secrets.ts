import { createHash, createHmac } from "node:crypto";
import type { Inputs } from "../account/saved";
import { secretsOf, type Values } from "../fields/table";
import type { Table } from "../fields/row";

/** A shorter password occurs in any text, so redacting it would reveal it. */
const shortest = 4;

/** Returns a function that redacts the secret values of a resource: its passwords, and what the program marks as secrets. */
export function redactor(table: Table, ...all: Inputs[]): (text: string) => string {
  const values = all.flatMap(({ args, about: { secrets = [] } }) => [
    ...secretsOf(table).flatMap((name) => textsIn(args[name]).filter(({ length }) => length >= shortest)),
    ...secrets.flatMap((name) => textsIn(args[name])),
  ]);
  const spellings = [
    ...new Set(
      values.flatMap((value) => [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]),
    ),
  ];
  // Longest first: a value may contain another one.
  spellings.sort((a, b) => b.length - a.length);
  return (text) => spellings.reduce((rest, spelling) => rest.replaceAll(spelling, "[secret]"), text);
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The same values with digests in place of secret ones, for data that is stored in clear. */
export function digested(values: Values, secrets: readonly string[] = []): Values {
  if (secrets.length === 0) return values;
  const digest = (value: unknown) =>
    createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      secrets.includes(name) && value !== undefined && value !== null ? digest(value) : value,
    ]),
  );
}

/** Shows whether a field has changed. Without the API key it does not reveal the value. */
export type Fingerprints = Record<string, string>;

/** The fingerprints of the fields that have a value. Testing passwords against them takes the API key. */
export function fingerprintsOf(values: Values, apiKey: string): Fingerprints {
  const fingerprint = (name: string, value: unknown) =>
    createHmac("sha256", apiKey)
      .update(JSON.stringify([name, value]))
      .digest("base64url")
      .slice(0, 16);
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, fingerprint(name, value)]));
}
