import type { Account } from "../account/account";
import { nameOf } from "../account/ownership";
import type { Inputs, Saved } from "../account/saved";
import { checkFields } from "../fields/check";
import { isUnknown, type Problem } from "../fields/problem";
import type { Table } from "../fields/row";
import { comparable, comparedOf, replacingOf } from "../fields/table";
import { changedFields, isSame } from "./drift";
import { fingerprintsOf } from "./secrets";
import { objectOf, type Item, type Model, type Plan } from "./model";

// The plans of both resources.

/** Checks the arguments of a program against each row of the table, and makes them canonical. */
export function checkArgs(
  account: Account,
  table: Table,
  { args, about }: Inputs,
  isInState: boolean,
): { args: Record<string, unknown>; problems: Problem[] } {
  account.ownership.notePlanning();
  account.progress.noteChecked(about.urn, isInState);
  if (isInState) account.ownership.noteInState(about.urn);
  const { fields, problems } = checkFields(table, args);
  if (account.isPlanReported && account.knownSettings)
    account.noteForPlan(about.urn, { inputs: fingerprintsOf(fields, account.knownSettings.apiKey) });
  return { args: fields, problems };
}

/** Conflicts with another resource of the program over an object to import or a unique value. */
export function clashes(
  { ownership }: Account,
  type: "domain" | "link",
  { about: { urn, importKey } }: Inputs,
  wanted: { property: string; what: string; toReason: (other: string) => string } | undefined,
): Problem[] {
  const other = wanted && ownership.noteWanted(wanted.what, urn);
  const own = other && { property: wanted.property, reason: wanted.toReason(`${nameOf(other)} (${other})`) };
  return [...(own ? [own] : []), ...ownership.importClashes(type, importKey, urn)];
}

/** A resource of the state, and its new inputs. */
interface Comparison {
  id: number;
  old: Saved;
  news: Inputs;
  /** True if this run knows that the object differs from the state. */
  isAstray?: boolean;
}

/** The changes from the state to the inputs. Includes whether they replace the object. */
export function plan<Each extends Item>(
  account: Account,
  model: Model<Each>,
  { id, old, news, isAstray = false }: Comparison,
): Plan & { changed: readonly string[] } {
  account.assertOrigin(old.memory.origin);
  const { changes, ownership, progress } = account;
  const { table, naturalKey } = model;
  const object = objectOf(model, id);
  const { urn } = news.about;
  const changed = changedFields(
    comparedOf(table),
    comparable(table, old.inputs.args),
    comparable(table, news.args),
  );
  const replaces = replacingOf(table).filter((field) => changed.includes(field));
  const isPlanned = !ownership.isComparing;
  if (isPlanned) {
    progress.notePlanned(urn);
    changes.noteSaved(object);
    ownership.notePlan(object, { ...old.memory, urn, stays: replaces.length === 0 });
    changes.settleAdoption(object, old.memory.adoption);
  }
  const { doubtful, revision } = old.memory;
  const isInDoubt =
    isPlanned && (isAstray || doubtful !== undefined || changes.unsaved(object, revision) !== undefined);
  // Without `changes` the engine compares the inputs itself and shows each property in the plan. The inputs of an object in doubt are
  // equal, so the engine would find nothing.
  if (changed.length === 0) return { changes: isInDoubt, changed };
  const keyOf = (args: Record<string, unknown>) => naturalKey.map((field) => args[field]);
  // Two objects cannot share a key, so a replacement that keeps the key deletes the old object first.
  return { replaces, deleteBeforeReplace: isSame(keyOf(old.inputs.args), keyOf(news.args)), changed };
}

/** True if these fields are set and known. */
export function areKnown(args: Record<string, unknown>, fields: readonly string[]): boolean {
  return fields.every((field) => args[field] !== undefined && !isUnknown(args[field]));
}
