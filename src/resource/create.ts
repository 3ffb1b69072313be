import type { Account } from "../account/account";
import type { CreateNotes } from "../account/create-once";
import { nameOf, type ObjectName } from "../account/ownership";
import type { Inputs } from "../account/saved";
import { comparable, managedOf, secretsOf, wishOf } from "../fields/table";
import { isLost } from "../service/errors";
import { assertAdoptable, conflict, nothingToImport, type Adopt } from "./adopt";
import { changedFields, digestOf } from "./drift";
import { asWritten, objectOf, type Created, type Item, type Model } from "./model";
import { savedAfter } from "./write";

// Creates of domains and links: import, finish after an interrupted run, store, or adopt.

/** The create of one object. */
export interface Create<Each extends Item> {
  account: Account;
  model: Model<Each>;
  inputs: Inputs;
  notes: CreateNotes;
  /** Writes fields of an object that exists. */
  write: (id: number, wish: Inputs, fields: readonly string[]) => Promise<Each>;
}

/** The object that a create has made or adopted. */
export interface Making<Each extends Item> {
  record: Each;
  /** False if the object existed before, or may have, because of a lost response. */
  isNew: boolean;
  /** The mark of the journal's note, if the object was another resource's. */
  mark?: string | undefined;
  /** Name of the journal's note, if a resource in the state already has the object. */
  revision?: string | undefined;
  /** The inputs that the object was made from, with another alias if the derived one was in use. */
  wish: Inputs;
  /** The fields that the provider checks in the record. */
  fields: readonly string[];
}

/** The state of an object that a create has made or adopted. */
export async function finish<Each extends Item>(
  { account, model, inputs }: Create<Each>,
  { record, isNew, mark, revision, wish, fields }: Making<Each>,
): Promise<Created> {
  const { urn } = inputs.about;
  const object = objectOf(model, record.id);
  account.ownership.claim(object, urn);
  await account.changes.settle(object, { except: revision });
  await account.changes.settleOtherAdoptions(object, urn);
  const memory = { ...account.ownership.provenanceOf(object, urn, isNew, mark), revision };
  const saved = await savedAfter(account, model, { record, inputs: wish, fields, memory });
  return { id: record.id, saved };
}

/** How a create treats an existing object. */
export function modeOf<Each extends Item>({ account, inputs }: Create<Each>): Adopt {
  return (inputs.args.adopt as Adopt | undefined) ?? account.settings.adopt;
}

/**
 * Adopts the object that the option `import` names. Undefined without the option, or if the resource is in the state: a replacement
 * stores a new object.
 */
export async function importObject<Each extends Item>(
  create: Create<Each>,
  toWish: (found: Each) => Inputs = () => create.inputs,
): Promise<Making<Each> | undefined> {
  const { account, model, inputs } = create;
  const { importKey, urn } = inputs.about;
  if (importKey === undefined || (await account.isInState(urn))) return undefined;
  const found = await model.find(account.client, importKey);
  if (!found) throw nothingToImport(model.type, importKey);
  return adoptFound(create, found, modeOf(create), toWish(found));
}

/** The digest by which the journal recognises an object. */
export function digestOfItem<Each extends Item>(
  { account, model, inputs }: Create<Each>,
  item: Each,
): string {
  const { table, telling } = model;
  return digestOf(telling, comparable(table, asWritten(account, model, item, inputs.args)));
}

/** The same digest for the inputs of a create. */
export function digestOfWish(
  { table, telling }: Pick<Model<never>, "table" | "telling">,
  { args }: Inputs,
): string {
  return digestOf(telling, comparable(table, args));
}

/** The fields in which an object differs from the program. A field that the service chooses never differs. */
export function differences<Each extends Item>(
  { account, model: { table }, model }: Pick<Create<Each>, "account" | "model">,
  { args }: Inputs,
  found: Each,
): string[] {
  const answer = asWritten(account, model, found, args);
  const managed = managedOf(table).filter((field) => !table[field]?.kept || args[field] !== undefined);
  return changedFields(managed, wishOf(table, args), comparable(table, answer));
}

/** True if another resource of the stack has the object, in the state or in this run. */
export async function isAnothers<Each extends Item>(
  { account, model, inputs }: Create<Each>,
  item: Each,
): Promise<boolean> {
  if (account.ownership.isOwned(objectOf(model, item.id))) return true;
  const owners = await model.ownersOf(account, item);
  return owners.some((owner) => owner !== inputs.about.urn);
}

/** Adopts the object that is in the way, if it is this resource's or the program allows it. */
export async function adoptObject<Each extends Item>(
  create: Create<Each>,
  {
    found,
    refusal,
    wish,
    isOwn = false,
    isTaken = () => false,
    maker,
  }: {
    found: Each;
    refusal: Error;
    wish: Inputs;
    /** True if something beside the journal shows that an interrupted run made it for this resource. */
    isOwn?: boolean;
    /** True if another resource of this run has the object: two resources never share one, whatever `adopt` says. */
    isTaken?: () => boolean;
    /** The resource for which an interrupted run made it. */
    maker?: string | undefined;
  },
): Promise<Making<Each>> {
  const { account, model, inputs, notes } = create;
  const { urn } = inputs.about;
  const { ownership } = account;
  // This resource had the object before it was replaced, so the mode of adoption does not matter.
  if (ownership.isFormer(objectOf(model, found.id), urn)) return adoptFound(create, found, "always", wish);
  const differing = differences(create, wish, found);
  const isFinished =
    differing.length === 0 &&
    ((await notes.isOwn(model.keyOf(wish), found, digestOfItem(create, found))) || isOwn);
  const mode = modeOf(create);
  if (isTaken() || (!isFinished && mode === "never")) {
    const object = objectOf(model, found.id);
    ownership.assertFree(object, urn);
    const way = wayOut(account, object, maker);
    if (way !== undefined) throw new Error(`${refusal.message} ${way}`);
    throw conflict(refusal, model.type, found.id, differing, account.entryOf(urn));
  }
  return adoptFound(create, found, isFinished ? "ifEqual" : mode, wish);
}

/**
 * The fix for a conflict with an object that this stack has made and no entry of its state has. Either a run failed between a
 * replacement and the pending deletion, or it ended before the engine saved the object. Undefined for any other object.
 *
 * @param maker The resource for which an interrupted run made the object, if there is one.
 */
export function wayOut(
  { ownership }: Account,
  object: ObjectName,
  maker: string | undefined,
): string | undefined {
  const former = ownership.formerOwner(object);
  if (former !== undefined)
    return (
      `${object} has it: the resource ${nameOf(former)} had it before its replacement, and the deletion is pending. ` +
      `Run "pulumi up --target '${former}'", and "pulumi up" again.`
    );
  if (maker === undefined || ownership.isOwned(object) || !ownership.isInState(maker)) return undefined;
  return (
    `${object} has it: an interrupted run made it for the resource ${nameOf(maker)}. Run "pulumi up --replace '${maker}'", ` +
    `which uses it.`
  );
}

/** Adopts an existing object and makes it what the program says. */
export async function adoptFound<Each extends Item>(
  create: Create<Each>,
  found: Each,
  mode: Adopt,
  wish: Inputs,
): Promise<Making<Each>> {
  const { account, model, inputs, notes, write } = create;
  const { table, naturalKey } = model;
  const { urn } = inputs.about;
  const object = objectOf(model, found.id);
  const { release } = account.ownership.claim(object, urn);
  let [mark, revision]: (string | undefined)[] = [];
  try {
    const differing = differences(create, wish, found);
    // No mode can change a field that replaces the object. An import by id may name an object that differs in one.
    const isOther = differing.some((field) => table[field]?.replaces);
    assertAdoptable(object, differing, isOther ? "never" : mode);
    // The provider cannot compare passwords, so it writes them.
    const secrets = secretsOf(table).filter((field) => wish.args[field] !== undefined);
    const fields = managedOf(table).filter((field) => differing.includes(field) || secrets.includes(field));
    const answer = asWritten(account, model, found, wish.args);
    const key = Object.fromEntries(naturalKey.map((field) => [field, answer[field]]));
    const own = model.keyOf({ args: { ...wish.args, ...key }, about: wish.about });
    await notes.taken(own, found.id, digestOfWish(model, wish));
    const owners = await model.ownersOf(account, found);
    const isAnothers = owners.some((owner) => owner !== urn);
    mark = isAnothers ? await account.changes.noteAdoption(object, urn) : undefined;
    // Until the engine saves this create, the owner's state shows neither this write nor earlier unsaved ones.
    const isInState = owners.length > 0 || account.ownership.isPlanned(object);
    const unsaved = account.changes.unsaved(object, undefined) ?? [];
    const noted = isInState ? [...new Set([...fields, ...unsaved])] : [];
    revision = noted.length > 0 ? await account.changes.note(object, noted) : undefined;
    const record = fields.length > 0 ? await write(found.id, wish, fields) : found;
    return { record, isNew: false, mark, revision, wish, fields: managedOf(table) };
  } catch (error) {
    release();
    // The other resource keeps the object as it was, unless the write may have happened.
    if (!isLost(error)) {
      await account.changes.settleFailedAdoption(object, mark);
      if (revision !== undefined) await account.changes.settle(object, { only: revision });
    }
    throw error;
  }
}
