import * as pulumi from "@pulumi/pulumi";
import { findDomain, findLink } from "./find";
import { observe } from "./link-fields";
import { describe } from "./session";
import { Client, type DomainRecord, type LinkRecord } from "./service/client";
import { resolveSettings } from "./settings";
import type { Target, TargetsType } from "./targets";

/** A domain as {@link getDomain} and {@link getDomains} find it. */
export interface DomainResult {
  /** Its id, for the `domainId` of a link. */
  id: string;
  name: string;
  /** Address, for example `https://go.example.com`. */
  url: string;
  homepageUrl?: string;
  notFoundUrl?: string;
}

/** A link as {@link getLink} and {@link getLinks} find it. What equals the service's default is left out. */
export interface LinkResult {
  id: string;
  url: string;
  domainId: number;
  alias: string;
  /** The whole short link, for example `https://go.example.com/docs`. */
  shortUrl: string;
  spaceId?: number;
  pixelIds?: number[];
  sensitiveContent?: true;
  privacy?: "private" | "password";
  /** In UTC, whatever the time zone of the account is. */
  activePeriodStartAt?: string;
  /** In UTC, whatever the time zone of the account is. */
  activePeriodEndAt?: string;
  clicksLimit?: number;
  expirationUrl?: string;
  targetsType?: TargetsType;
  targets?: Target[];
  /** Whether visitors are asked for a password; the password itself is never told. */
  hasRedirectPassword: boolean;
  /** Whether a password of the statistics is set; the password itself is never told. */
  hasPassword: boolean;
}

/** Which domains {@link getDomains} finds. Default: all of the account. */
export interface GetDomainsArgs {
  /** A part of the name. Case makes no difference; `%` and `_` stand for any text and any character. */
  search?: string;
}

/** Which links {@link getLinks} finds. Default: all of the account. */
export interface GetLinksArgs {
  /** A part of the field named by `searchBy`. Case makes no difference; `%` and `_` are wildcards. */
  search?: string;
  /** Default: `"title"`, the title of the destination's page; links whose page could not be read have none. */
  searchBy?: "title" | "alias" | "url";
  /**
   * The service's own filter, with its defects: `"active"` (1) leaves out links that are *inside* their active period,
   * `"expired"` (2) finds only links whose clicks are used up and none whose period is over, and `"disabled"` (3)
   * filters nothing in recent versions. Compare the fields of the results instead where it matters.
   */
  status?: "all" | "active" | "expired" | "disabled";
  /** Id of a space; 0 finds links without one. */
  spaceId?: number | string;
  /** Id of a domain. */
  domainId?: number | string;
  /** Id of a pixel. */
  pixelId?: number | string;
}

/**
 * Finds a domain of the account by id or name. Fails where there is none.
 *
 * It runs with the program, in the preview too; the settings are those of the stack.
 */
export async function getDomain(key: string): Promise<DomainResult> {
  const record = await ask((client) => findDomain(client, key));
  if (!record) throw new Error(`There is no domain ${JSON.stringify(key)} in this account.`);
  return toDomain(record);
}

/** {@link getDomain} for a key that is an output. */
export function getDomainOutput(key: pulumi.Input<string>): pulumi.Output<DomainResult> {
  return pulumi.output(key).apply(getDomain);
}

/** Finds all domains of the account that match, in the order of their ids; 100 with each request. */
export async function getDomains(args: GetDomainsArgs = {}): Promise<DomainResult[]> {
  const records = await ask((client) => collect(client.listDomains({ search: args.search })));
  return records.map(toDomain);
}

/** {@link getDomains} for arguments that are outputs. */
export function getDomainsOutput(args: pulumi.Input<GetDomainsArgs> = {}): pulumi.Output<DomainResult[]> {
  return pulumi.output(args).apply((known) => getDomains(known));
}

/**
 * Finds a link of the account by id, or by domain and alias as in `go.example.com/docs`. Fails where there is none.
 *
 * It runs with the program, in the preview too; the settings are those of the stack.
 */
export async function getLink(key: string): Promise<LinkResult> {
  const record = await ask((client) => findLink(client, key));
  if (!record) throw new Error(`There is no link ${JSON.stringify(key)} in this account.`);
  return toLink(record);
}

/** {@link getLink} for a key that is an output. */
export function getLinkOutput(key: pulumi.Input<string>): pulumi.Output<LinkResult> {
  return pulumi.output(key).apply(getLink);
}

/** Finds all links of the account that match, in the order of their ids; 100 with each request. */
export async function getLinks(args: GetLinksArgs = {}): Promise<LinkResult[]> {
  const id = (value: number | string | undefined) => (value === undefined ? undefined : Number(value));
  const query = {
    search: args.search,
    search_by: args.search === undefined ? undefined : (args.searchBy ?? "title"),
    status:
      args.status === undefined ? undefined : ["all", "active", "expired", "disabled"].indexOf(args.status),
    space_id: id(args.spaceId),
    domain_id: id(args.domainId),
    pixel_id: id(args.pixelId),
  };
  return (await ask((client) => collect(client.listLinks(query)))).map(toLink);
}

/** {@link getLinks} for arguments that are outputs. */
export function getLinksOutput(args: pulumi.Input<GetLinksArgs> = {}): pulumi.Output<LinkResult[]> {
  return pulumi.output(args).apply((known) => getLinks(known));
}

/** In the program the configuration of the stack is the SDK's to tell. */
async function ask<Value>(call: (client: Client) => Promise<Value>): Promise<Value> {
  const prefix = "shortlink:";
  try {
    const settings = resolveSettings((key) => new pulumi.Config("shortlink").get(key.slice(prefix.length)));
    return await call(new Client(settings, { window: settings.limitWindow }));
  } catch (error) {
    throw new Error(describe(error, true), { cause: error });
  }
}

async function collect<Item>(pages: AsyncIterable<Item[]>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const page of pages) all.push(...page);
  return all;
}

function toDomain({ id, name, url, homepage_url, not_found_url }: DomainRecord): DomainResult {
  return {
    id: String(id),
    name,
    url: url ?? `https://${name}`,
    ...(homepage_url === null ? {} : { homepageUrl: homepage_url }),
    ...(not_found_url === null ? {} : { notFoundUrl: not_found_url }),
  };
}

function toLink(record: LinkRecord): LinkResult {
  const { redirectPassword, password, ...fields } = observe(record, {});
  const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return {
    ...(Object.fromEntries(told) as unknown as LinkResult),
    id: String(record.id),
    shortUrl: record.short_url ?? "",
    hasRedirectPassword: redirectPassword !== undefined,
    hasPassword: password !== undefined,
  };
}
