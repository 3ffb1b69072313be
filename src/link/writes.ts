import type { Account } from "../account/account";
import type { ObjectName } from "../account/ownership";
import type { Inputs } from "../account/saved";
import { toForm } from "../fields/table";
import { wayOut } from "../resource/create";
import type { LinkRecord } from "../service/client";
import { RefusedError } from "../service/errors";
import type { FormFields } from "../service/form";
import { AliasTaken, type AliasMoves } from "./alias-moves";
import { linkFields } from "./fields";
import { type LinkValues } from "./model";

/** The form that writes the given fields of a link. */
export function linkForm({ args }: Inputs, fields: readonly string[]): FormFields {
  return toForm(linkFields, args, fields) as FormFields;
}

/** Writes the given fields of an existing link. */
export async function writeLink(
  account: Account,
  moves: AliasMoves,
  id: number,
  inputs: Inputs,
  fields: readonly string[],
): Promise<LinkRecord> {
  const { client } = account;
  if (fields.length === 0) return client.showLink(id);
  const { privacy, password, domainId, alias } = inputs.args as LinkValues;
  // The service does not clear the password in a request that sets the privacy to "password".
  const apart = privacy === "password" && password === undefined && fields.includes("privacy");
  if (apart && fields.includes("password")) await client.updateLink(id, linkForm(inputs, ["password"]));
  const rest = apart ? fields.filter((field) => field !== "password") : fields;
  const send = () => namingTargets(inputs, client.updateLink(id, linkForm(inputs, rest)));
  if (!rest.includes("alias")) return send();
  try {
    return await moves.moveAlias(id, { domainId, alias, urn: inputs.about.urn }, send);
  } catch (error) {
    if (!(error instanceof AliasTaken)) throw error;
    const { owner } = error;
    if (!owner) throw error.refusal;
    const { urn } = inputs.about;
    const object: ObjectName = `link ${owner.id}`;
    const way = wayOut(account, object, account.makerOf(owner, urn));
    if (way !== undefined) throw new Error(`${error.message} ${way}`);
    if (!account.ownership.isOwned(object) && (await account.ownerOfLink(owner)) === undefined)
      throw new Error(
        `${error.message} The link with the id ${owner.id} has it, and no resource of this program manages that link. If a run failed ` +
          `after it replaced that link, its deletion is pending: run "pulumi up --exclude '${urn}'", with one --exclude for each resource with this ` +
          `error, and "pulumi up" again. If not, give one of the two another alias.`,
      );
    throw new Error(
      `${error.message} The link with the id ${owner.id} has it. If the program gives that link another ` +
        `alias in the same run, neither of the two may depend on the other, and with "--parallel 1" every alias in the ` +
        `program must be a plain string.`,
    );
  }
}

/** Names targets by key in messages. The service counts them in the order of the form, which differs from the program's. */
export async function namingTargets<Value>({ args }: Inputs, call: Promise<Value>): Promise<Value> {
  const { targets = [] } = args as LinkValues;
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    throw error.rename((field) =>
      field.replace(/^targets\.(\d+)/, (index, number: string) => {
        const key = targets[Number(number)]?.key;
        return key === undefined ? index : `targets[${JSON.stringify(key)}]`;
      }),
    );
  }
}
