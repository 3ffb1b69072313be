import * as pulumi from "@pulumi/pulumi";
import { findDomain, findLink } from "../account/find";
import { observe } from "../fields/table";
import { domainFields } from "../domain/fields";
import { linkFields } from "../link/fields";
import type { DomainResult, GetDomainsArgs, GetLinksArgs, LinkResult } from "./results";
import type { ResultOf } from "./outputs";
import { Client, type DomainRecord, type LinkRecord } from "../service/client";
import { wholeList } from "../service/lists";
import { describe } from "../account/messages";
import { resolveSettings } from "../account/settings";

// The requests of a program's lookups. `lookups.ts` describes their results.

export async function domain(key: string): Promise<DomainResult> {
  const record = await ask((client) => findDomain(client, key));
  if (!record) throw new Error(`There is no domain ${JSON.stringify(key)} in this account.`);
  return toDomain(record);
}

export async function domains({ search }: GetDomainsArgs): Promise<DomainResult[]> {
  return (await ask((client) => wholeList("domains", client.listDomains({ search })))).map(toDomain);
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
  return (await ask((client) => wholeList("links", client.listLinks(query)))).filter(isWanted).map(toLink);
}

/**
 * Used instead of the service's filter, which misses links inside their period and links after it. For a status that its version
 * does not know, the service returns all links.
 */
function statusFilter(status: NonNullable<GetLinksArgs["status"]>): (link: LinkRecord) => boolean {
  const now = Date.now();
  // In UTC, although older versions write no zone.
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
    `The service does not return the clicks of link ${id}, so the provider cannot tell whether the link has expired: remove status.`,
  );
}

/** Calls the service with settings from the SDK, which has the stack's configuration in a program. */
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
