import * as aliases from "./aliases";
import { toForm, type LinkInputs } from "./link-fields";
import type { Field } from "./link-names";
import type { Client, LinkRecord } from "./service/client";
import { RefusedError } from "./service/errors";

// How links that exist are changed.

/** Writes the given fields of a link that exists. */
export async function writeLink(
  client: Client,
  id: number,
  inputs: LinkInputs,
  fields: readonly Field[],
): Promise<LinkRecord> {
  if (fields.length === 0) return client.showLink(id);
  // The service does not clear the password in a request that sets the privacy to "password".
  const apart = inputs.privacy === "password" && inputs.password === undefined && fields.includes("privacy");
  if (apart && fields.includes("password")) await client.updateLink(id, toForm(inputs, ["password"]));
  const rest = apart ? fields.filter((field) => field !== "password") : fields;
  const send = () => namingTargets(inputs, client.updateLink(id, toForm(inputs, rest)));
  if (!rest.includes("alias")) return send();
  try {
    return await aliases.moveAlias(client, id, inputs, send);
  } catch (error) {
    if (!(error instanceof aliases.AliasTaken)) throw error;
    if (!error.holder) throw error.refusal;
    throw new Error(
      `${error.message} It is that of the link with the id ${error.holder.id}. If the program gives that link another ` +
        `alias in the same run, neither of the two may depend on the other, and with "--parallel 1" every alias of the ` +
        `program must be a plain text.`,
    );
  }
}

/** The service counts targets in the order in which they were sent, which is not that of the program: keys tell more. */
export async function namingTargets<Value>(
  { targets = [] }: LinkInputs,
  call: Promise<Value>,
): Promise<Value> {
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
