import type { Account } from "../account/account";
import type { Inputs } from "../account/saved";
import { isUnknown } from "../fields/problem";
import { comparable, secretsOf, visibleOf, type Values } from "../fields/table";
import { changedFields } from "./drift";
import { asWritten, objectOf, type Item, type Model } from "./model";
import { redactor } from "./secrets";

// Messages of a preview about new resources. The engine's plan does not show that the account has such an object already.

/**
 * Prints what a create will do with an existing object.
 *
 * @param found The object.
 * @param address The object as visitors know it.
 * @param args The arguments, with the alias of the object if the program names none.
 * @param mayFinish True if an interrupted run of this stack may have made the object.
 * @param isLeftOver True if the journal says that an interrupted run made it for this resource. The create finishes it.
 */
export function announceExisting<Each extends Item>(
  account: Account,
  model: Model<Each>,
  inputs: Inputs,
  {
    found,
    address,
    args = inputs.args,
    mayFinish = false,
    isLeftOver = false,
  }: { found: Each; address: string; args?: Values; mayFinish?: boolean; isLeftOver?: boolean },
): void {
  const { differing, mode, entry } = outcomeOf(account, model, inputs, found, args);
  const adopt = isLeftOver ? "always" : mayFinish && mode === "never" ? "ifEqual" : mode;
  const ways =
    entry === undefined ? "see adopt, import and aliases" : `see adopt and formerly of the entry at ${entry}`;
  const differs = differing.length > 0 ? ` and differs in ${differing.join(", ")}` : "";
  const isAdopted = adopt === "always" || (adopt === "ifEqual" && differing.length === 0);
  const maker = isLeftOver ? "an interrupted run made it; " : "";
  const outcome = !isAdopted
    ? `creating another will fail, unless this stack deletes it in the same run; ${ways}`
    : differing.length > 0
      ? `it will be adopted and changed`
      : `it will be adopted`;
  const object = objectOf(model, found.id);
  account.noteForPlan(inputs.about.urn, { existing: { object, differing, isAdopted } });
  const text = redactor(model.table, inputs)(address);
  const end = isAdopted ? setting(model, inputs) : "";
  account.say(`${text} exists already as ${object}${differs}: ${maker}${outcome}${end}.`);
}

/** Prints whether an import, which the plan shows as a create, can adopt its object. */
export function announceImport<Each extends Item>(
  account: Account,
  model: Model<Each>,
  inputs: Inputs,
  found: Each | undefined,
  args: Values = inputs.args,
): void {
  const { type } = model;
  const key = inputs.about.importKey ?? "";
  const text = `${type} ${key} will be imported; the plan shows it as a create`;
  // A plan must work without the service.
  if (found === undefined)
    return account.say(`${text}. It was not found, so the preview could not compare it with the program.`);
  const { differing, mode } = outcomeOf(account, model, inputs, found, args);
  const isAdopted = differing.length === 0 || mode === "always";
  const object = objectOf(model, found.id);
  account.noteForPlan(inputs.about.urn, { existing: { object, differing, isAdopted } });
  const end = setting(model, inputs);
  if (differing.length === 0) return account.say(`${text}${end}.`);
  const names = differing.join(", ");
  if (mode === "always") return account.say(`${text}, and changed in ${names}${end}.`);
  account.say(
    `${type} ${key} differs from the program in ${names}: its import will fail unless adopt is "always".`,
  );
}

function outcomeOf<Each extends Item>(
  account: Account,
  model: Model<Each>,
  inputs: Inputs,
  found: Each,
  args: Values,
) {
  const known = visibleOf(model.table).filter((field) => !isUnknown(inputs.args[field]));
  return {
    /** The properties in which the object differs from the program. */
    differing: differencesOf(account, model, args, found, known),
    mode: inputs.args.adopt ?? account.knownSettings?.adopt ?? "never",
    entry: account.entryOf(inputs.about.urn),
  };
}

/** The visible properties in which an object differs from the program, of those given. */
export function differencesOf<Each extends Item>(
  account: Account,
  model: Model<Each>,
  args: Values,
  found: Each,
  names: readonly string[],
): string[] {
  const { table } = model;
  const visible = visibleOf(table).filter((field) => names.includes(field));
  const answer = asWritten(account, model, found, args);
  return changedFields(visible, comparable(table, args), comparable(table, answer));
}

/** Passwords cannot be compared, so the provider writes them. */
function setting<Each extends Item>({ table }: Model<Each>, { args }: Inputs): string {
  const passwords = secretsOf(table).filter((field) => args[field] !== undefined);
  return passwords.length > 0 ? `, and its ${passwords.join(" and ")} will be set` : "";
}
