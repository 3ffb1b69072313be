import { collate } from "../service/collate";
import type { Client, DomainRecord, LinkRecord } from "../service/client";
import { unlessGone } from "./messages";

/** An object as a user names it: by an id, or by a domain and perhaps an alias. */
export type Key = { id: number } | { domain: string; alias: string };

/** Parses `12`, `go.example`, `go.example/docs`, or an address copied from a browser (`https://go.example/docs/`). */
export function parseKey(key: string): Key {
  // Programs in JavaScript give ids as numbers.
  const text = String(key).trim();
  if (/^\d+$/.test(text)) return { id: Number(text) };
  const address = text
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, "")
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "");
  const [, domain = "", alias = ""] = /^([^/]*)\/?(.*)$/.exec(address) ?? [];
  return { domain, alias: decoded(alias) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Finds a domain by its id or name. */
export async function findDomain(client: Client, key: string): Promise<DomainRecord | undefined> {
  const parsed = parseKey(key);
  if ("id" in parsed) return unlessGone(client.showDomain(parsed.id));
  return parsed.alias === "" ? findName(client, parsed.domain) : undefined;
}

async function findName(client: Client, wanted: string): Promise<DomainRecord | undefined> {
  return first(client.listDomains({ search: wanted }), ({ name }) => collate(name) === collate(wanted));
}

/** Finds a link by its id, or by domain and alias. */
export async function findLink(client: Client, key: string): Promise<LinkRecord | undefined> {
  const parsed = parseKey(key);
  if ("id" in parsed) return unlessGone(client.showLink(parsed.id));
  if (parsed.domain === "" || parsed.alias === "") return undefined;
  const isId = /^\d+$/.test(parsed.domain);
  const domain = await (isId ? findDomain(client, parsed.domain) : findName(client, parsed.domain));
  if (isId && !domain) return undefined;
  if (domain) return findAlias(client, domain.id, parsed.alias);
  // The service does not list shared domains, but it lists their links, which name them.
  const isWanted = (link: LinkRecord) =>
    collate(hostOf(link)) === collate(parsed.domain) && collate(link.alias) === collate(parsed.alias);
  return first(client.listLinks({ search_by: "alias", search: parsed.alias }), isWanted);
}

/** The name of a link's domain; empty if the service does not return it. */
export function hostOf({ domain_name: name, short_url: url }: LinkRecord): string {
  return name ?? URL.parse(url ?? "")?.hostname ?? "";
}

/** Finds the link with an alias on a domain. */
export async function findAlias(
  client: Client,
  domainId: number,
  alias: string,
): Promise<LinkRecord | undefined> {
  // The service searches for substrings and treats % and _ as wildcards.
  const isWanted = (link: LinkRecord) =>
    link.domain_id === domainId && collate(link.alias) === collate(alias);
  return first(client.listLinks({ domain_id: domainId, search_by: "alias", search: alias }), isWanted);
}

/** Finds the links with a destination on a domain, oldest first. */
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
