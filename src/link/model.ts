import { findLink } from "../account/find";
import type { ValuesOf } from "../fields/values";
import { visibleOf } from "../fields/table";
import { digestOf } from "../resource/drift";
import type { Model } from "../resource/model";
import type { LinkRecord } from "../service/client";
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
    const owner = await account.ownerOfLink(link);
    return owner === undefined ? [] : [owner];
  },
};
