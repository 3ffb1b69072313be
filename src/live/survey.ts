import type { Account } from "../account/account";
import { describe } from "../account/messages";
import type { Client, DomainRecord, LinkRecord, Page } from "../service/client";

/** All that an account has. */
export interface Survey {
  domains: DomainRecord[];
  links: LinkRecord[];
}

/** Lists all domains and links, a hundred for a request. Throws where the lists do not have as many as the service counts. */
export async function survey(client: Client): Promise<Survey> {
  const domains = await whole("domains", client.listDomains());
  return { domains, links: await whole("links", client.listLinks()) };
}

/** The names of the account's domains by their ids; none where the service does not answer, as a plan is possible without it. */
export async function domainNames({ client, say }: Account): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  try {
    for await (const page of client.listDomains()) for (const { id, name } of page) names.set(id, name ?? "");
  } catch (error) {
    say(`The plan lacks the names of domains and the time that it takes: ${describe(error)}`);
  }
  return names;
}

async function whole<Item>(noun: string, pages: AsyncGenerator<Page<Item>>): Promise<Item[]> {
  const all: Item[] = [];
  let total: number | undefined;
  for await (const page of pages) {
    all.push(...page);
    total = page.total;
  }
  // Somebody may have deleted one while the pages were read; more than the service counts there cannot be.
  if (total === undefined || all.length === total) return all;
  throw new Error(
    `The service counts ${total} ${noun} and listed ${all.length} of them: the account was changed meanwhile, or its lists are ` +
      `not to be trusted. Nothing was written. Run the command again.`,
  );
}
