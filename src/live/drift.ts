import type { Account } from "../account/account";
import { hostOf } from "../account/find";
import { domainModel } from "../domain/model";
import { secretsOf } from "../fields/table";
import { linkModel } from "../link/model";
import { isSame } from "../resource/drift";
import type { Item, Model } from "../resource/model";
import { readAgain } from "../resource/read";
import { collate } from "../service/collate";
import type { LinkRecord } from "../service/client";
import { destinationsOf } from "./destinations";
import type { Managed } from "./state";
import type { Survey } from "./survey";

/** A difference between an account and the state of a stack, or a link that needs attention. */
export interface Finding {
  kind: "changed" | "missing" | "unmanaged" | "duplicate" | "expired" | "expiring" | "unreachable";
  /** Domain and alias, as visitors know the link; for a domain, its name. */
  address: string;
  id: number;
  /** Name of the resource in the stack. */
  resource?: string;
  /** For "changed": the values in the state and on the service; "[secret]" for passwords and other secrets. */
  fields?: { name: string; state: unknown; service: unknown }[];
  /** For "expired" and "expiring": the end of the active period in UTC, or the limit of clicks. */
  end?: string;
  /** For "unreachable": the destination, and in `why` the reason. */
  destination?: string;
  why?: string;
}

export interface DriftOptions {
  /** True for an address that is no finding even if no resource manages it. */
  isIgnored: (address: string) => boolean;
  /** Milliseconds before the end of an active period in which a link counts as expiring. */
  soon: number;
  now: number;
  /** Reasons by address, as `checkDestinations` returns them. Default: no address was checked. */
  problems?: ReadonlyMap<string, string>;
}

/** Compares the state of a stack with the whole account. Sorts the findings by kind and address. */
export function findDrift(
  account: Account,
  { domains, links }: Survey,
  managed: readonly Managed[],
  options: DriftOptions,
): Finding[] {
  for (const { saved } of managed) account.assertOrigin(saved.memory.origin);
  const hidden = new Set(managed.filter(isHidden).map(({ id }) => id));
  const addressOf = (link: LinkRecord) =>
    hidden.has(link.id) ? "[secret]" : `${hostOf(link)}/${link.alias}`;
  const [domainsById, linksById] = [byId(domains), byId(links)];
  const compared = managed.flatMap((each) =>
    each.type === "Domain"
      ? compare(account, domainModel, each, domainsById.get(each.id), String(each.saved.inputs.args.name))
      : compare(account, linkModel, each, linksById.get(each.id), addressOfSaved(each)),
  );
  const owned = { Domain: new Set<number>(), Link: new Set<number>() };
  for (const { type, id } of managed) owned[type].add(id);
  const isShown = ({ address }: { address: string }) => !options.isIgnored(address);
  const unmanaged: Finding[] = [
    ...domains.filter(({ id }) => !owned.Domain.has(id)).map(({ id, name }) => ({ id, address: name ?? "" })),
    ...links
      .filter(({ id }) => !owned.Link.has(id))
      .map((link) => ({ id: link.id, address: addressOf(link) })),
  ]
    .filter(isShown)
    .map((each) => ({ kind: "unmanaged", ...each }));
  const ending = links
    .filter(({ id }) => owned.Link.has(id))
    .flatMap((link) => endOf(link, addressOf(link), options))
    .filter(isShown);
  const { problems = new Map<string, string>() } = options;
  const unreachable = managed
    .flatMap((each) => unreachableOf(each, linksById.get(each.id), addressOf, problems))
    .filter(isShown);
  const order = ["missing", "changed", "duplicate", "unmanaged", "unreachable", "expired", "expiring"];
  return [...compared, ...duplicates(links, addressOf), ...unmanaged, ...unreachable, ...ending].sort(
    (one, other) =>
      order.indexOf(one.kind) - order.indexOf(other.kind) ||
      (one.address < other.address ? -1 : one.address > other.address ? 1 : one.id - other.id),
  );
}

function byId<Each extends { id: number }>(items: readonly Each[]): Map<number, Each> {
  return new Map(items.map((item) => [item.id, item]));
}

function compare<Each extends Item>(
  account: Account,
  model: Model<Each>,
  { urn, id, saved }: Managed,
  record: Each | undefined,
  address: string,
): Finding[] {
  const about = { address, id, resource: urn.slice(urn.lastIndexOf("::") + 2) };
  if (!record) return [{ kind: "missing", ...about }];
  const { inputs } = readAgain(account, model, record, saved);
  if (!inputs) return [];
  const secrets = [...secretsOf(model.table), ...(saved.inputs.about.secrets ?? [])];
  const [before, now] = [saved.inputs.args, inputs.args];
  const names = Object.keys(model.table).filter((name) => !isSame(before[name], now[name]));
  const shown = (name: string, value: unknown) =>
    value !== undefined && secrets.includes(name) ? "[secret]" : (value ?? null);
  const fields = names.map((name) => ({
    name,
    state: shown(name, before[name]),
    service: shown(name, now[name]),
  }));
  return fields.length > 0 ? [{ kind: "changed", ...about, fields }] : [];
}

/** True if the program marks the alias of the link as a secret. */
function isHidden({ type, saved }: Managed): boolean {
  return type === "Link" && (saved.inputs.about.secrets?.includes("alias") ?? false);
}

function addressOfSaved(each: Managed): string {
  return isHidden(each) ? "[secret]" : String(each.saved.outputs.shortUrl).replace(/^[a-z]+:\/\//, "");
}

/** Links with the same alias on one domain. Two simultaneous requests can make them, and visitors reach only one of the two. */
function duplicates(links: readonly LinkRecord[], addressOf: (link: LinkRecord) => string): Finding[] {
  const first = new Map<string, LinkRecord>();
  return links.flatMap((link): Finding[] => {
    const key = `${link.domain_id}/${collate(link.alias)}`;
    if (first.has(key)) return [{ kind: "duplicate", address: addressOf(link), id: link.id }];
    first.set(key, link);
    return [];
  });
}

function endOf(link: LinkRecord, address: string, { now, soon }: DriftOptions): Finding[] {
  const about = { address, id: link.id };
  const { clicks, clicks_limit: limit, active_period_end_at: end } = link;
  if (clicks !== null && limit !== null && limit > 0 && clicks >= limit)
    return [{ kind: "expired", ...about, end: `${limit} click${limit === 1 ? "" : "s"}` }];
  const text = end?.slice(0, 19).replace(" ", "T");
  const left = Date.parse(`${text}Z`) - now;
  if (text === undefined || Number.isNaN(left) || left > soon) return [];
  return [{ kind: left <= 0 ? "expired" : "expiring", ...about, end: text }];
}

/** The destinations of the links of a stack. */
export function destinationsIn({ links }: Survey, managed: readonly Managed[]): string[] {
  const linksById = byId(links);
  return managed.flatMap(({ type, id }) => {
    const link = type === "Link" ? linksById.get(id) : undefined;
    return link ? destinationsOf(link) : [];
  });
}

function unreachableOf(
  { type, id, saved }: Managed,
  link: LinkRecord | undefined,
  addressOf: (link: LinkRecord) => string,
  problems: ReadonlyMap<string, string>,
): Finding[] {
  if (type !== "Link" || !link) return [];
  const { secrets = [] } = saved.inputs.about;
  const isSecret = ["url", "expirationUrl", "targets"].some((name) => secrets.includes(name));
  return destinationsOf(link).flatMap((destination): Finding[] => {
    const why = problems.get(destination);
    if (why === undefined) return [];
    const shown = isSecret ? "[secret]" : destination;
    return [{ kind: "unreachable", address: addressOf(link), id, destination: shown, why }];
  });
}
