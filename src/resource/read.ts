import type { Account } from "../account/account";
import type { Inputs, Saved } from "../account/saved";
import { inOrderOf, inZone, managedOf, observe, visibleOf, wishOf } from "../fields/table";
import { driftedFields, echoOf, replaceFields } from "./drift";
import { asWritten, objectOf, savedOf, type Item, type Model, type Read } from "./model";
import { digested } from "./secrets";

/** Notes that a refresh is about to read an object. */
export function noteRefresh<Each extends Item>(
  { ownership, changes }: Account,
  model: Model<Each>,
  id: number,
  { readId }: Saved,
): void {
  ownership.noteRefreshing(objectOf(model, id));
  // An object that the program only reads may be another stack's, so reading it proves nothing.
  if (readId === undefined) changes.noteSaved(objectOf(model, id));
}

/**
 * An object as a refresh finds it.
 *
 * @param noteDrift Adds to the new inputs the data that only this state has, after somebody else changed these fields.
 */
export function readAgain<Each extends Item>(
  account: Account,
  model: Model<Each>,
  item: Each,
  old: Saved,
  noteDrift: (news: Inputs, drifted: readonly string[]) => Inputs = (news) => news,
): Read {
  const { table } = model;
  const { args, about } = old.inputs;
  // The provider does not know the passwords of an object that the program only reads.
  const fields = old.readId === undefined ? managedOf(table) : visibleOf(table);
  const answer = observe(table, item, args);
  const answered = digested(answer, about.secrets);
  const drifted = driftedFields(
    fields,
    digested(wishOf(table, args), about.secrets),
    answered,
    old.memory.echo,
  );
  const { adoption, former, revision } = old.memory;
  // The service returns no passwords, so a read resolves no doubt about them.
  const sealed = old.memory.doubtful?.filter((field) => table[field]?.secret);
  const memory = { adoption, former, revision, doubtful: sealed?.length ? sealed : undefined };
  // The engine has the inputs, and sending them again costs time. After an update in doubt it has the inputs of that update, and
  // would find nothing to write.
  if (drifted.length === 0) {
    const saved = savedOf(account, model, item, old.inputs, { ...memory, echo: old.memory.echo });
    const read = { id: item.id, saved: { ...saved, readId: old.readId } };
    return old.memory.doubtful === undefined ? read : { ...read, inputs: old.inputs };
  }
  const local = inZone(table, answer, account.settings.timeZone);
  const news = { args: replaceFields(args, drifted, inOrderOf(table, args, local)), about };
  const inputs = noteDrift(news, drifted);
  const wish = digested(wishOf(table, inputs.args), about.secrets);
  const echo = echoOf(drifted, wish, answered, old.memory.echo);
  const saved = savedOf(account, model, item, inputs, { ...memory, echo });
  return { id: item.id, saved: { ...saved, readId: old.readId }, inputs };
}

/** An object that the program only reads, with all fields that the service returns. */
export async function getObject<Each extends Item>(
  account: Account,
  model: Model<Each>,
  key: string,
): Promise<Read> {
  const item = await model.find(account.client, key);
  if (!item) throw new Error(`There is no ${model.type} ${JSON.stringify(key)} in this account.`);
  const args = replaceFields({}, visibleOf(model.table), asWritten(account, model, item));
  const inputs = { args, about: {} };
  const saved = savedOf(account, model, item, inputs, {});
  return { id: item.id, saved: { ...saved, readId: String(item.id) }, inputs };
}
