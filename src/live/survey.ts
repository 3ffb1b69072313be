import type { Account } from "../account/account";
import { describe } from "../account/messages";
import type { Client, DomainRecord, LinkRecord } from "../service/client";
import { isUnauthorized } from "../service/errors";
import { wholeList } from "../service/lists";

/** All domains and links of an account. */
export interface Survey {
  domains: DomainRecord[];
  links: LinkRecord[];
}

/** Lists all domains and links, a hundred per request. Throws if a list and the service's count differ. */
export async function survey(client: Client): Promise<Survey> {
  const domains = await wholeList("domains", client.listDomains());
  return { domains, links: await wholeList("links", client.listLinks()) };
}

/** The names of the account's domains by id; empty if the service does not answer, because a plan works without them. Throws if it refuses the key. */
export async function domainNames({ client, say }: Account): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  try {
    for await (const page of client.listDomains()) for (const { id, name } of page) names.set(id, name ?? "");
  } catch (error) {
    if (isUnauthorized(error)) throw error;
    say(`The plan lacks the names of domains and the duration: ${describe(error, true)}`);
  }
  return names;
}
