import * as pulumi from "@pulumi/pulumi";
import { findDomain, findLink } from "../account/find";
import { observe } from "../fields/table";
import { domainFields } from "../domain/fields";
import { linkFields } from "../link/fields";
import type { DomainResult, GetDomainsArgs, GetLinksArgs, LinkResult } from "./results";
import type { ResultOf } from "./outputs";
import { Client, type DomainRecord, type LinkRecord } from "../service/client";
import { describe } from "../account/messages";
import { resolveSettings } from "../account/settings";

// What the lookups of a program ask the service for. `lookups.ts` says what each of them gives.

export async function domain(key: string): Promise<DomainResult> {
  const record = await ask((client) => findDomain(client, key));
  if (!record) throw new Error(`There is no domain ${JSON.stringify(key)} in this account.`);
  return toDomain(record);
}

export async function domains({ search }: GetDomainsArgs): Promise<DomainResult[]> {
  return (await ask((client) => collect(client.listDomains({ search })))).map(toDomain);
}

export async function link(key: string): Promise<LinkResult> {
  const record = await ask((client) => findLink(client, key));
  if (!record) throw new Error(`There is no link ${JSON.stringify(key)} in this account.`);
  return toLink(record);
}

export async function links(args: GetLinksArgs): Promise<LinkResult[]> {
  const id = (value: number | string | undefined) => (value === undefined ? undefined : Number(value));
  const query = {
    search: args.search,
    search_by: args.search === undefined ? undefined : (args.searchBy ?? "title"),
    space_id: id(args.spaceId),
    domain_id: id(args.domainId),
    pixel_id: id(args.pixelId),
  };
  const isWanted = statusFilter(args.status ?? "all");
  return (await ask((client) => collect(client.listLinks(query)))).filter(isWanted).map(toLink);
}

/**
 * The filter of the service misses links inside their period and those whose period is over, and gives everything for what its
 * version does not know.
 */
function statusFilter(status: NonNullable<GetLinksArgs["status"]>): (link: LinkRecord) => boolean {
  const now = Date.now();
  // In UTC, also where an older version writes it without a zone.
  const timeOf = (text: string | null) => Date.parse(`${(text ?? "").slice(0, 19).replace(" ", "T")}Z`);
  const isExpired = (link: LinkRecord) =>
    timeOf(link.active_period_end_at ?? link.ends_at) < now || isUsedUp(link);
  const isWaiting = (link: LinkRecord) => timeOf(link.active_period_start_at) > now;
  switch (status) {
    case "all":
      return () => true;
    case "active":
      return (link) => !link.disabled && !isExpired(link) && !isWaiting(link);
    case "expired":
      return isExpired;
    case "disabled":
      return ({ disabled }) => disabled;
  }
  throw new Error(
    `getLinks has no status ${JSON.stringify(status)}: it is "all", "active", "expired" or "disabled".`,
  );
}

function isUsedUp({ id, clicks_limit, expiration_clicks, clicks }: LinkRecord): boolean {
  const limit = clicks_limit ?? expiration_clicks;
  if (!limit) return false;
  if (clicks !== null) return clicks >= limit;
  throw new Error(
    `The service does not tell the clicks of link ${id}, so it is not known whether the link is expired: leave out status.`,
  );
}

/** In the program the configuration of the stack is the SDK's to tell. */
async function ask<Value>(call: (client: Client) => Promise<Value>): Promise<Value> {
  const prefix = "shortlink:";
  try {
    const settings = resolveSettings((key) => new pulumi.Config("shortlink").get(key.slice(prefix.length)));
    const tell = (text: string) => void pulumi.log.info(text, undefined, undefined, true);
    return await call(new Client(settings, { window: settings.limitWindow, tell }));
  } catch (error) {
    throw new Error(describe(error, true), { cause: error });
  }
}

async function collect<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

function toDomain(record: DomainRecord): DomainResult {
  const fields = observe(domainFields, record) as unknown as ResultOf<typeof domainFields>;
  return { ...fields, id: String(record.id), url: record.url ?? `https://${record.name}` };
}

function toLink(record: LinkRecord): LinkResult {
  const { redirectPassword, password, ...fields } = observe(linkFields, record);
  return {
    ...(fields as unknown as ResultOf<typeof linkFields>),
    id: String(record.id),
    shortUrl: record.short_url ?? "",
    hasRedirectPassword: redirectPassword !== undefined,
    hasPassword: password !== undefined,
  };
}
