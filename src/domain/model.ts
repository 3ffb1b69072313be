import { findDomain } from "../account/find";
import type { ValuesOf } from "../fields/values";
import { managedOf, observe } from "../fields/table";
import { digestOf, driftedFields } from "../resource/drift";
import type { Model } from "../resource/model";
import type { DomainRecord } from "../service/client";
import { domainFields } from "./fields";

/** The arguments of a domain in canonical form. */
export type DomainValues = ValuesOf<typeof domainFields>;

export const domainModel: Model<DomainRecord> = {
  type: "domain",
  table: domainFields,
  outputsOf: ({ url, name }) => ({ url: url ?? `https://${name}` }),
  naturalKey: ["name"],
  telling: managedOf(domainFields),
  keyOf: ({ args, about: { secrets = [] } }) => {
    const { name } = args as DomainValues;
    return `domain ${secrets.includes("name") ? `#${digestOf(["name"], { name })}` : name}`;
  },
  show: (client, id) => client.showDomain(id),
  find: findDomain,
  delete: (client, id) => client.deleteDomain(id),
  ownersOf: async (account, domain) => {
    const answer = observe(domainFields, domain);
    const managed = managedOf(domainFields);
    return [...(await account.stackState())].flatMap(([urn, { inputs, memory, outputs }]) =>
      // Someone may have put another domain in its place.
      "url" in outputs && driftedFields(managed, inputs.args, answer, memory.echo).length === 0 ? [urn] : [],
    );
  },
};
