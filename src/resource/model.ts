import type { Account } from "../account/account";
import type { Made } from "../account/create-once";
import { describe } from "../account/messages";
import type { ObjectName, ObjectType } from "../account/ownership";
import type { Inputs, Memory, Saved } from "../account/saved";
import type { Table } from "../fields/row";
import { inZone, keptOf, observe, type Values } from "../fields/table";
import type { Client } from "../service/client";

/** A domain or a link as the service returns it. */
export type Item = Made & Values;

/** The properties of one resource that the shared steps need. */
export interface Model<Each extends Item> {
  type: ObjectType;
  table: Table;
  /** The values that the service sets and that are no arguments. */
  outputsOf: (item: Each) => Record<string, unknown>;
  /** The fields whose values together are unique. */
  naturalKey: readonly string[];
  /** The fields that distinguish an object in the journal from others of its key. */
  telling: readonly string[];
  /** The natural key in the journal. */
  keyOf: (inputs: Inputs) => string;
  show: (client: Client, id: number) => Promise<Each>;
  /** Finds an object as a user names it: by its id or its name. */
  find: (client: Client, key: string) => Promise<Each | undefined>;
  delete: (client: Client, id: number) => Promise<void>;
  /** The resources in the state of this stack that have an object. */
  ownersOf: (account: Account, item: Each) => Promise<string[]>;
}

/** The context of a check. */
export interface EngineCall {
  isPreview: boolean;
}

/** The result of a diff, for the engine. */
export interface Plan {
  /** False for no change. Undefined makes the engine compare the inputs itself and show each change. */
  changes?: boolean;
  replaces?: string[];
  deleteBeforeReplace?: boolean;
}

/** The result of a create. */
export interface Created {
  id: number;
  saved: Saved;
}

/** The result of a read; `inputs` only if the engine has different ones. */
export interface Read {
  id: number;
  saved: Saved;
  inputs?: Inputs;
}

/** The life cycle of a resource. */
export interface Life {
  readonly table: Table;
  /** The outputs that are no arguments. The first may repeat a secret argument. */
  readonly outputs: readonly [string];
  /** @param olds The inputs of the last run; undefined for a new resource. */
  check(call: EngineCall, olds: Inputs | undefined, given: Inputs): Promise<Checked>;
  diff(id: number, old: Saved, news: Inputs): Plan;
  create(inputs: Inputs): Promise<Created>;
  /** Reads an object that the program names but does not manage. */
  get(key: string): Promise<Read>;
  /** Undefined if the object is gone. */
  read(id: number, old: Saved): Promise<Read | undefined>;
  update(id: number, old: Saved, news: Inputs): Promise<Saved>;
  delete(id: number, old: Saved): Promise<void>;
}

/** Inputs in canonical form, and their problems. */
export interface Checked {
  inputs: Inputs;
  problems: { property: string; reason: string }[];
}

/**
 * Thrown if the object exists but is not as the program says. The engine saves the state, shows the reasons, and calls `update` in
 * the next run.
 */
export class IncompleteError extends Error {
  constructor(
    readonly objectId: number,
    readonly saved: Saved,
    readonly reasons: string[],
  ) {
    super(reasons.join(" "));
  }
}

export function objectOf({ type }: { type: ObjectType }, id: number): ObjectName {
  return `${type} ${id}`;
}

/** The fields of an object as the program would write them. */
export function asWritten<Each extends Item>(
  account: Account,
  { table }: Model<Each>,
  item: Each,
  args: Values = {},
): Record<string, unknown> {
  return inZone(table, observe(table, item, args), account.knownSettings?.timeZone);
}

/** The state of an object. */
export function savedOf<Each extends Item>(
  account: Account,
  { table, outputsOf }: Model<Each>,
  item: Each,
  { args, about }: Inputs,
  memory: Memory,
): Saved {
  let chosen = args;
  // The service has chosen what the program does not name.
  for (const name of keptOf(table))
    if (args[name] === undefined) chosen = { ...chosen, [name]: item[table[name]?.wire ?? ""] };
  return {
    inputs: { args: chosen, about },
    outputs: outputsOf(item),
    memory: { ...memory, origin: account.settings.baseUrl },
  };
}

/** The error of a write that may or may not have happened. */
export function inDoubt(id: number, saved: Saved, doubtful: string[], error: unknown): IncompleteError {
  return new IncompleteError(id, { ...saved, memory: { ...saved.memory, doubtful } }, [describe(error)]);
}
