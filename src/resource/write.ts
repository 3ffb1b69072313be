import type { Account } from "../account/account";
import { orGone } from "../account/messages";
import type { Inputs, Memory, Saved } from "../account/saved";
import { comparable, managedOf, observe, visibleOf, wishOf } from "../fields/table";
import { isLost } from "../service/errors";
import { changedFields, echoOf, ignoredFields } from "./drift";
import { inDoubt, IncompleteError, objectOf, savedOf, type Item, type Model } from "./model";
import { digested } from "./secrets";

// Writes to existing objects, for both resources.

/** A write that the service has answered. */
interface Write<Each> {
  record: Each;
  inputs: Inputs;
  /** The fields that the provider checks in the record. */
  fields: readonly string[];
  /** The state's memory, from before and of this write. */
  memory: Memory;
}

/** The state after a write. Throws if the service did not keep one of the fields. */
export async function savedAfter<Each extends Item>(
  account: Account,
  model: Model<Each>,
  { record, inputs, fields, memory }: Write<Each>,
): Promise<Saved> {
  const { args, about } = inputs;
  const { table } = model;
  const wish = wishOf(table, args);
  // Passwords are not checked: a service that cannot decrypt its own data answers "none" as well.
  const told = visibleOf(table).filter((field) => fields.includes(field));
  let [whole, answer] = [record, observe(table, record, args)];
  let ignored = ignoredFields(told, wish, answer);
  if (ignored.length > 0) {
    // The service may answer a write with less than the whole record.
    whole = await model.show(account.client, record.id);
    answer = observe(table, whole, args);
    ignored = ignoredFields(told, wish, answer);
  }
  const echo = echoOf(fields, digested(wish, about.secrets), digested(answer, about.secrets), memory.echo);
  const saved = savedOf(account, model, whole, inputs, { ...memory, echo });
  if (ignored.length === 0) return saved;
  const reasons = ignored.map(
    (field) =>
      `${field}: the service answered with success but did not keep all of the value. This version of ` +
      `it may not know the field, or the account may not use it: remove ${field} from the program.`,
  );
  throw new IncompleteError(record.id, saved, reasons);
}

/** An update, with the function for its writes. */
interface Update<Each> {
  id: number;
  old: Saved;
  news: Inputs;
  /** Fields that may differ from the state although nothing shows it. */
  astray?: () => readonly string[];
  write: (fields: readonly string[]) => Promise<Each>;
}

/**
 * Writes the changed fields, those that the service did not keep the last time, and those in doubt. After a lost response the state
 * lists the fields, and the next run writes them again. If the run ends before the engine saves the state, the journal lists them.
 */
export async function update<Each extends Item>(
  account: Account,
  model: Model<Each>,
  { id, old, news, astray = () => [], write }: Update<Each>,
): Promise<Saved> {
  const { changes } = account;
  const object = objectOf(model, id);
  const [managed, { args, about }] = [managedOf(model.table), old.inputs];
  const ignored = ignoredFields(visibleOf(model.table), args, { ...args, ...old.memory.echo });
  const changed = changedFields(managed, comparable(model.table, args), comparable(model.table, news.args));
  const unsaved = changes.unsaved(object, old.memory.revision);
  const names = [...(old.memory.doubtful ?? []), ...(unsaved ?? []), ...astray()];
  const doubtful = managed.filter((field) => names.includes(field));
  const fields = [...new Set([...changed, ...ignored, ...doubtful])];
  // The service does not know the other fields.
  if (fields.length === 0 && unsaved === undefined)
    return { ...old, inputs: { args: news.args, about: { ...about, ...news.about } } };
  const revision = await changes.note(object, fields);
  try {
    const record = await orGone(object, write(fields));
    const { adoption, former, echo } = old.memory;
    const memory = { adoption, former, echo, revision };
    return await savedAfter(account, model, { record, inputs: news, fields, memory });
  } catch (error) {
    if (error instanceof IncompleteError) throw error;
    const lost = isLost(error) ? fields : astray();
    if (lost.length === 0) {
      await changes.settle(object, { only: revision });
      throw error;
    }
    const memory = { ...old.memory, ...(revision === undefined ? {} : { revision }) };
    throw inDoubt(id, { ...old, memory }, [...new Set([...(memory.doubtful ?? []), ...lost])], error);
  }
}

/** Deletes an object unless another resource has it. @param assertAllowed Throws if the deletion is not allowed. */
export async function deleteObject<Each extends Item>(
  account: Account,
  model: Model<Each>,
  id: number,
  { inputs, memory }: Saved,
  assertAllowed: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const object = objectOf(model, id);
  const { changes, client, ownership } = account;
  changes.noteSaved(object);
  if (!ownership.isLast(object, memory)) return;
  await assertAllowed();
  await changes.delete(object, memory.adoption, () => model.delete(client, id));
  ownership.noteDeleted(object, inputs.about.urn);
}
