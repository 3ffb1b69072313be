import type { Account } from "../account/account";
import type { Values } from "../catalog/entries";
import { domainModel } from "../domain/model";
import { secretsOf } from "../fields/table";
import { linkModel } from "../link/model";
import { asWritten } from "../resource/model";
import type { DomainRecord, LinkRecord } from "../service/client";
import type { Survey } from "./survey";

// Domains and links of an account as entries of a catalog.

/** An entry of a catalog to write. */
export interface NewEntry {
  /** For a link its key, for a domain its name. */
  key: string;
  values: Values;
}

/** A link entry, and its record on the service. */
export interface NewLink extends NewEntry {
  record: LinkRecord;
  /** Name of its domain; undefined if the account does not have that domain. */
  domain: string | undefined;
}

/** The catalog entries of an account, sorted by key. */
export interface NewCatalog {
  domains: NewEntry[];
  links: NewLink[];
}

/** Makes catalog entries of an account. Passwords become references, because the service never returns them. */
export function toEntries(account: Account, { domains, links }: Survey): NewCatalog {
  const names = new Map(domains.map(({ id, name }) => [id, name ?? ""]));
  const aliases = new Map<string, number>();
  for (const { alias } of links) aliases.set(alias, (aliases.get(alias) ?? 0) + 1);
  const references = new Names();
  const keyed = links.map((record) => {
    const domain = record.domain_id === null ? undefined : names.get(record.domain_id);
    if (record.domain_id === null)
      throw new Error(`The service does not return the domain of link ${record.id}.`);
    const isOnly = aliases.get(record.alias) === 1;
    return { record, domain, key: isOnly ? record.alias : `${domain ?? record.domain_id}/${record.alias}` };
  });
  return {
    domains: domains.map((record) => toDomain(account, record)).sort(byKey),
    // Sorted first, because the order determines the names of references.
    links: keyed.sort(byKey).map((link) => toLink(account, link, references)),
  };
}

function toDomain(account: Account, record: DomainRecord): NewEntry {
  const { name, ...values } = asWritten(account, domainModel, record);
  return { key: String(name), values };
}

function toLink(
  account: Account,
  { key, record, domain }: Omit<NewLink, "values">,
  references: Names,
): NewLink {
  const { domainId, alias, url, ...others }: Values = asWritten(account, linkModel, record);
  const owner = domain === undefined ? { domainId } : { domain };
  const secrets = secretsOf(linkModel.table).filter((field) => others[field] !== undefined);
  const passwords: Values = {};
  for (const field of secrets) passwords[field] = { secret: `config:${references.next(`${key}.${field}`)}` };
  return { key, record, domain, values: { ...owner, alias, url, ...others, ...passwords } };
}

/** Gives each secret a unique name. */
class Names {
  readonly #given = new Set<string>();

  next(wish: string): string {
    const name = wish.replace(/[^\w.-]/g, "-");
    for (let n = 1; ; n++) {
      const each = n === 1 ? name : `${name}-${n}`;
      if (this.#given.has(each)) continue;
      this.#given.add(each);
      return each;
    }
  }
}

function byKey(one: { key: string }, other: { key: string }): number {
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}
