import type { Account } from "../account/account";
import { findLink } from "../account/find";
import type { ValuesOf } from "../fields/values";
import { visibleOf } from "../fields/table";
import { digestOf } from "../resource/drift";
import type { Model } from "../resource/model";
import type { LinkRecord } from "../service/client";
import { collate } from "../service/collate";
import { linkFields } from "./fields";

/** The arguments of a link in canonical form. The alias is absent if the service chooses it. */
export type LinkValues = ValuesOf<typeof linkFields>;

const naturalKey = ["domainId", "alias"];

export const linkModel: Model<LinkRecord> = {
  type: "link",
  table: linkFields,
  outputsOf: (link) => ({ shortUrl: link.short_url ?? "" }),
  naturalKey,
  telling: visibleOf(linkFields).filter((field) => !naturalKey.includes(field)),
  // `*` if the service chooses the alias, and a digest of a secret alias.
  keyOf: ({ args, about: { secrets = [] } }) => {
    const { domainId, alias = "*" } = args as LinkValues;
    return `link ${domainId}/${secrets.includes("alias") ? `#${digestOf(["alias"], { alias })}` : alias}`;
  },
  show: (client, id) => client.showLink(id),
  find: findLink,
  delete: (client, id) => client.deleteLink(id),
  ownersOf: async (account, link) => {
    const owner = await ownerOf(account, link);
    return owner === undefined ? [] : [owner];
  },
};

/** The resource in the state of this stack that has this link. Someone may have put another link in its place. */
export async function ownerOf(
  account: Account,
  { domain_id: domainId, alias, url }: LinkRecord,
): Promise<string | undefined> {
  const isSame = (args: Record<string, unknown>) =>
    Number(args.domainId) === domainId && collate(String(args.alias)) === collate(alias) && args.url === url;
  const state = [...(await account.stackState())];
  return state.find(([, { inputs }]) => isSame(inputs.args))?.[0];
}
