import { collate } from "./collate";
import type { Client, DomainRecord, LinkRecord } from "./service/client";
import { unlessGone } from "./session";

/** The domain of an id (`12`) or of a name (`go.example`). */
export async function findDomain(client: Client, key: string): Promise<DomainRecord | undefined> {
  if (/^\d+$/.test(key)) return unlessGone(client.showDomain(Number(key)));
  const isWanted = ({ name }: DomainRecord) => collate(name) === collate(key);
  return first(client.listDomains({ search: key }), isWanted);
}

/** The link of an id (`12`) or of a domain and an alias (`go.example/docs`). */
export async function findLink(client: Client, key: string): Promise<LinkRecord | undefined> {
  if (/^\d+$/.test(key)) return unlessGone(client.showLink(Number(key)));
  const slash = key.indexOf("/");
  const domain = slash < 1 ? undefined : await findDomain(client, key.slice(0, slash));
  return domain && findAlias(client, domain.id, key.slice(slash + 1));
}

/** The link of an alias on a domain. */
export async function findAlias(
  client: Client,
  domainId: number,
  alias: string,
): Promise<LinkRecord | undefined> {
  // The service finds parts of texts only, and takes % and _ for wildcards.
  const isWanted = (link: LinkRecord) =>
    link.domain_id === domainId && collate(link.alias) === collate(alias);
  return first(client.listLinks({ domain_id: domainId, search_by: "alias", search: alias }), isWanted);
}

/** The links of a destination on a domain, the oldest first. */
export async function findUrl(client: Client, domainId: number, url: string): Promise<LinkRecord[]> {
  const found: LinkRecord[] = [];
  for await (const page of client.listLinks({ domain_id: domainId, search_by: "url", search: url })) {
    found.push(...page.filter((link) => link.domain_id === domainId && link.url === url));
  }
  return found;
}

async function first<Item>(
  pages: AsyncIterable<Item[]>,
  isWanted: (item: Item) => boolean,
): Promise<Item | undefined> {
  for await (const page of pages) {
    const found = page.find(isWanted);
    if (found) return found;
  }
  return undefined;
}
