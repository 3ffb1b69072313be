import { readFileSync } from "node:fs";
import type { Account, PlanNote } from "../account/account";
import { hostOf } from "../account/find";
import { domainModel } from "../domain/model";
import { linkModel } from "../link/model";
import { asWritten } from "../resource/model";
import { fingerprintsOf, type Fingerprints } from "../resource/secrets";
import { collate } from "../service/collate";
import type { Action, Change, Plan } from "./plan";
import type { Planned } from "./plan-report";
import { notKnown } from "./preview";
import type { Survey } from "./survey";

// Saves a plan for a review, and compares it with a newer one.

/** A plan and its basis. Values that the plan hides are present only as fingerprints, made with the API key. */
export interface Review {
  format: 1;
  /** Address of the service. */
  service: string;
  /** Fingerprint of the API key. */
  key: string;
  /** Options of `pulumi preview` that it was made with. */
  options: string[];
  plan: Planned;
  /** The arguments of the resources that change, by their URNs. */
  inputs: Record<string, Fingerprints>;
  /** The service's values of the objects that change, by names like "link 7". */
  objects: Record<string, Fingerprints>;
  /** By domain to delete or replace: the ids of all links on it. */
  linksOf: Record<string, number[]>;
  /** By future address of a link: the ids of the links that have it now. */
  holders: Record<string, number[]>;
}

/** Thrown if a file is not a plan that can be applied. */
export class ReviewError extends Error {}

/** Adds the basis of a plan. */
export function toReview(
  account: Account,
  plan: Planned,
  { options, notes, account: survey }: { options: string[]; notes: readonly PlanNote[]; account: Survey },
): Review {
  const { apiKey, baseUrl } = account.settings;
  const changed = new Set(plan.changes.map(({ urn }) => urn));
  const inputs = notes.flatMap(({ urn, inputs }) =>
    inputs && changed.has(urn) ? [[urn, inputs] as const] : [],
  );
  const domains = new Map(survey.domains.map((each) => [each.id, asWritten(account, domainModel, each)]));
  const links = new Map(survey.links.map((each) => [each.id, each]));
  const review: Review = {
    format: 1,
    service: baseUrl,
    key: fingerprintsOf({ apiKey }, apiKey).apiKey ?? "",
    options,
    plan,
    inputs: Object.fromEntries(inputs),
    objects: {},
    linksOf: {},
    holders: {},
  };
  const holders = new Map<string, number[]>();
  for (const link of survey.links) {
    const address = collate(`${hostOf(link)}/${link.alias}`);
    holders.set(address, [...(holders.get(address) ?? []), link.id]);
  }
  for (const { type, action, id, address, newAddress = address } of plan.changes) {
    if (id !== undefined) {
      const link = links.get(id);
      const values = type === "domain" ? domains.get(id) : link && asWritten(account, linkModel, link);
      if (values) review.objects[`${type} ${id}`] = fingerprintsOf(values, apiKey);
      if (type === "domain" && (action === "delete" || action === "replace"))
        review.linksOf[`${type} ${id}`] = survey.links
          .filter(({ domain_id: domain }) => domain === id)
          .map((each) => each.id);
    }
    if (type === "link" && action !== "delete" && !newAddress.includes(notKnown))
      review.holders[newAddress] = holders.get(collate(newAddress)) ?? [];
  }
  return review;
}

/** Reads a plan from its file. Throws a `ReviewError` if the file is none. */
export function readReview(file: string): Review {
  let review: Partial<Review> | null;
  try {
    review = JSON.parse(readFileSync(file, "utf8")) as Partial<Review> | null;
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? "not JSON" : (cause as Error).message;
    throw new ReviewError(`${file} is not a saved plan: ${reason}. ${makeOne(file)}`, { cause });
  }
  if (review?.format !== 1 || !Array.isArray(review.plan?.changes))
    throw new ReviewError(`${file} is not a plan of this version of pulumi-shortlink. ${makeOne(file)}`);
  return review as Review;
}

function makeOne(file: string): string {
  return `Save one with "npx pulumi-shortlink plan --save ${file}".`;
}

const becoming: Readonly<Record<Action, string>> = {
  delete: "deleted",
  replace: "replaced",
  conflict: "in the way of a new one",
  adopt: "adopted",
  update: "changed",
  create: "created",
};

const verbs: Readonly<Record<Action, string>> = {
  delete: "deletes",
  replace: "replaces",
  conflict: "refuses",
  adopt: "adopts",
  update: "changes",
  create: "creates",
};

/** Lists the changes since a review, one per line; empty if plan and basis are the same. */
export function movedSince(reviewed: Review, now: Review): string[] {
  const foundation = [
    ...differing("stack", reviewed.plan.stack, now.plan.stack),
    ...differing("shortlink:baseUrl", reviewed.service, now.service),
    ...(reviewed.key === now.key ? [] : ["shortlink:apiKey: the plan was made with another key"]),
  ];
  // Further differences would be about another account, or cannot be compared.
  if (foundation.length > 0) return foundation;
  if (now.plan.errors.length > 0)
    return now.plan.errors.map((text) => `Pulumi cannot plan the program: ${text}`);
  // A resource may have several objects whose deletion is pending.
  const keyOf = ({ urn, isPending, id }: Change) => (isPending ? `${urn} ${id}` : urn);
  const before = new Map(reviewed.plan.changes.map((change) => [keyOf(change), change]));
  const after = new Map(now.plan.changes.map((change) => [keyOf(change), change]));
  return [
    ...[...before].flatMap(([key, change]) => {
      const other = after.get(key);
      if (!other)
        return [`${nameOf(change)}: the plan ${verbs[change.action]} it; now it would stay as it is`];
      return movedIn(change, other, reviewed, now).map((text) => `${nameOf(other)}: ${text}`);
    }),
    ...[...after]
      .filter(([key]) => !before.has(key))
      .map(
        ([, change]) =>
          `${nameOf(change)}: not in the plan; now it would be ${becoming[change.action]}${reasonOf(change)}`,
      ),
    ...othersMoved(reviewed.plan, now.plan),
  ];
}

function differing(what: string, before: unknown, now: unknown): string[] {
  const show = (value: unknown) => (value === null || value === undefined ? "none" : JSON.stringify(value));
  return show(before) === show(now) ? [] : [`${what}: ${show(now)}, but ${show(before)} in the plan`];
}

/** The resource as the report of a plan names it. */
function nameOf({ address, place, resource }: Change): string {
  return `${place ?? resource} ${address}`;
}

/** The differences between two versions of a change. */
function movedIn(before: Change, now: Change, reviewed: Review, latest: Review): string[] {
  if (before.action !== now.action)
    return [`the plan ${verbs[before.action]} it; now it would be ${becoming[now.action]}${reasonOf(now)}`];
  const fieldsOf = ({ fields }: Change) => new Map(fields.map((field) => [field.name, field]));
  const [old, news] = [fieldsOf(before), fieldsOf(now)];
  const named = [...new Set([...old.keys(), ...news.keys()])];
  const told = [
    ...differing("id", before.id, now.id),
    ...differing("address", before.address, now.address),
    ...differing("new address", before.newAddress, now.newAddress),
    ...differing("url", before.url, now.url),
    ...differing("reason", before.reason, now.reason),
    ...named.flatMap((name) => {
      const [one, other] = [old.get(name), news.get(name)];
      if (!one) return [`${name} would change too`];
      if (!other) return [`${name} would no longer change`];
      return [
        ...differing(`${name} in the state`, one.old, other.old),
        ...(name === "url" ? [] : differing(name, one.new, other.new)),
      ];
    }),
  ];
  const { urn, type, id, newAddress = now.address } = now;
  // A message about the address covers the alias and the domain.
  const isTold = (name: string) =>
    told.some(
      (text) =>
        new RegExp(`^${name}[ :]`).test(text) ||
        (/^(?:new )?address: /.test(text) && /^(alias|domainId)$/.test(name)),
    );
  const hidden = unlike(reviewed.inputs[urn], latest.inputs[urn]).filter((name) => !isTold(name));
  const object = `${type} ${id}`;
  const [was, is] = [reviewed.objects[object], latest.objects[object]];
  const remote =
    is === undefined ? (was === undefined ? [] : ["it was deleted on the service"]) : unlike(was, is);
  const list = (ids: readonly number[] = []) => (ids.length === 0 ? "none" : ids.join(", "));
  return [
    ...told,
    ...hidden.map((name) => `${name} differs from the plan`),
    ...(is === undefined ? remote : remote.map((name) => `${name} was changed on the service`)),
    ...differing("links on this domain", list(reviewed.linksOf[object]), list(latest.linksOf[object])),
    ...differing(
      "link with this address",
      list(reviewed.holders[newAddress]),
      list(latest.holders[newAddress]),
    ),
  ];
}

function reasonOf({ reason }: Change): string {
  return reason === undefined ? "" : ` (${reason})`;
}

/** The fields whose fingerprints differ. */
function unlike(before: Fingerprints = {}, now: Fingerprints = {}): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.filter((name) => before[name] !== now[name]);
}

/** The differences in changes of other kinds of resources. */
function othersMoved(before: Plan, now: Plan): string[] {
  const text = ({ resource, action }: Plan["others"][number]) => `${resource}: ${action}`;
  const [old, news] = [new Set(before.others.map(text)), new Set(now.others.map(text))];
  return [
    ...[...old].filter((each) => !news.has(each)).map((each) => `${each}: in the plan, but not now`),
    ...[...news].filter((each) => !old.has(each)).map((each) => `${each}: not in the plan`),
  ];
}
