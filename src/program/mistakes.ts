import * as pulumi from "@pulumi/pulumi";
import { SettingsError, timeZoneOf } from "../account/settings";
import { checkFields } from "../fields/check";
import { unknownValue, type Problem } from "../fields/problem";
import type { Table } from "../fields/row";
import { linkFields } from "../link/fields";
import { together } from "../link/rules";
import { hasTransforms } from "./sdk";
import { currentProgram, type Mistakes } from "./program";
import { hasEngine } from "./state-source";

// The engine stops at the first resource whose check fails. So this module checks plain values as well, before any resource is
// registered. It covers all resources that a program makes synchronously. The provider checks values that come from outputs.

/** A resource that a program makes. */
interface Made {
  type: string;
  table: Table;
  name: string;
  args: Record<string, unknown>;
  opts: pulumi.CustomResourceOptions;
}

/** Checks a resource of the program. The promise settles when the program has made all its synchronous resources. */
export function checkProgram({ type, table, name, args, opts }: Made): Promise<void> | undefined {
  const program = currentProgram();
  // A unit test with mocks registers nothing.
  if (!program || !hasEngine() || mayBeTransformed(opts)) return undefined;
  const mistakes = (program.mistakes ??= begin(() => delete program.mistakes));
  // The engine may replace these values by the old ones.
  const ignored = Object.fromEntries((opts.ignoreChanges ?? []).map((path) => [rootOf(path), unknownValue]));
  const given = Object.fromEntries(Object.entries(ignored).filter(([field]) => field in args));
  for (const { property, reason } of problemsOf(table, { ...args, ...given }))
    mistakes.texts.push(`${type} ${JSON.stringify(name)}: ${property} ${reason}`);
  return mistakes.checked;
}

/** True if a transformation may still change the arguments: then only the provider sees the final ones. */
function mayBeTransformed({
  parent,
  transformations = [],
  transforms = [],
}: pulumi.CustomResourceOptions): boolean {
  const above = (parent ?? pulumi.runtime.getStackResource()) as
    { __transformations?: unknown[] } | undefined;
  const known = transformations.length + transforms.length + (above?.__transformations?.length ?? 0);
  return known > 0 || hasTransforms();
}

/** `targets` for `targets[0].value`. */
function rootOf(path: string): string {
  return /^\w+/.exec(path)?.[0] ?? path;
}

function begin(end: () => void): Mistakes {
  const texts: string[] = [];
  const checked = new Promise<void>((resolve, reject) => {
    setImmediate(() => {
      end();
      if (texts.length === 0) return resolve();
      const count = texts.length === 1 ? "a mistake" : `${texts.length} mistakes`;
      reject(oneError([`The program has ${count}:`, ...texts.map((text) => `  ${text}`)].join("\n")));
    });
  });
  return { texts, checked };
}

/** Read-only message: the SDK reports a shared error once, but prefixes its message with an input's name per resource. */
function oneError(message: string): Error {
  return Object.defineProperty(new pulumi.RunError(message), "message", {
    get: () => message,
    set: () => undefined,
  });
}

function problemsOf(table: Table, args: Record<string, unknown>): Problem[] {
  const { fields, problems } = checkFields(table, asKnown(args) as Record<string, unknown>);
  if (table === linkFields) problems.push(...together(fields, problems, timeZone()));
  return problems;
}

/** The value, with the engine's mark for unknown values in place of outputs and promises. */
function asKnown(value: unknown): unknown {
  if (pulumi.Output.isInstance(value) || value instanceof Promise) return unknownValue;
  if (value instanceof Date) return JSON.parse(JSON.stringify(value)) ?? "an invalid Date";
  if (Array.isArray(value)) return value.map(asKnown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, asKnown(part)]));
}

/** The account's time zone. For a wrong setting any zone will do, because the provider reports it. */
function timeZone(): string | undefined {
  try {
    return timeZoneOf((key) => new pulumi.Config("shortlink").get(key.replace("shortlink:", "")));
  } catch (error) {
    if (error instanceof SettingsError) return "UTC";
    throw error;
  }
}
