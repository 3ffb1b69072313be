import type { PlanNote } from "../account/account";
import { isUnknown } from "../fields/problem";
import { secretsOf } from "../fields/table";
import { hostOf } from "../account/find";
import type { LinkRecord } from "../service/client";
import { collate } from "../service/collate";
import {
  Addresses,
  fieldsOf,
  isLink,
  nameOf,
  notKnown,
  ownSteps,
  parts,
  tableOf,
  typeOf,
  valuesOf,
  type FieldChange,
  type Preview,
  type PreviewStep,
} from "./preview";

// Translates `pulumi preview --json` into the terms of catalogs and of people who use the links.

/** The action on a domain or link. */
export type Action = "delete" | "replace" | "conflict" | "adopt" | "update" | "create";

export interface Change {
  action: Action;
  type: "domain" | "link";
  /** Name of the resource in the program. */
  resource: string;
  urn: string;
  /** Id of the object on the service; undefined if the run creates it. */
  id?: number;
  /** File, line and column of its entry in a catalog. */
  place?: string;
  /** Domain and alias of a link, as visitors know it; for a domain, its name. */
  address: string;
  /** The address after the run, if it changes. */
  newAddress?: string;
  /** Destination of a link after the run; for a deleted link, before it. */
  url?: string;
  /** Changed catalog values: null for none, "[secret]" for secrets, "(not known yet)" for values that only the run knows. */
  fields: readonly FieldChange[];
  /** Reason for the action, for example the object that already exists. */
  reason?: string;
  /** True for the deletion of an object that an earlier run replaced. Its resource stays. */
  isPending?: true;
}

/** An address that leads elsewhere or nowhere after the run. */
export interface LostLink {
  address: string;
  resource: string;
  urn: string;
  place?: string;
  why: "deleted" | "other alias" | "other domain";
  /** New address of the link. */
  newAddress?: string;
  /** New destination of the address, if another link of the program gets it. */
  leadsTo?: string;
}

export interface Plan {
  /** Stack and project, like "dev of links"; undefined if Pulumi could not begin to plan. */
  stack?: string;
  /** Sorted by action, deletions first, then by address. */
  changes: Change[];
  /** Number of unchanged resources, including those of other kinds. */
  unchanged: number;
  /** Resources of other kinds that change, with Pulumi's name for the action. */
  others: { resource: string; action: string }[];
  /** Short links that stop working, then those that lead elsewhere. */
  lost: LostLink[];
  /** Requests that the run will send. Alias swaps, lost responses and a refresh add more. */
  requests: number;
  /** True if the run refreshes first, with one request per hundred links. */
  isRefreshing: boolean;
  /** Pulumi's error messages. With an error the run will not begin. */
  errors: string[];
}

const actions: Action[] = ["delete", "replace", "conflict", "adopt", "update", "create"];

/** Requests to rename a link that holds a wanted alias: the refused write, the look-up of that link, and the rename. */
const makingWay = 3;

/** A change, and the number of its requests. */
interface Costed {
  change: Change;
  requests: number;
}

/** Information beyond the preview. */
export interface Known {
  /** The provider's notes on the plan. */
  notes: readonly PlanNote[];
  /** The names of the account's domains by their ids. */
  domains: ReadonlyMap<number, string>;
  /** All links on the domains that the run deletes. */
  links?: readonly LinkRecord[];
}

/** Makes the plan of `pulumi up` from a preview. */
export function toPlan(
  { steps = [], diagnostics, changeSummary }: Preview,
  { notes, domains, links = [] }: Known,
): Plan {
  const own = ownSteps(steps);
  const addresses = new Addresses(own, domains);
  const noted = new Map<string, PlanNote>();
  for (const note of notes) noted.set(note.urn, { ...noted.get(note.urn), ...note });
  // A link that gives up its alias in the same run is no conflict.
  const leaving = new Set(
    own
      .filter((step) => step.op === "update" && isMoving(step))
      .map(({ oldState }) => `link ${oldState?.id}`),
  );
  const adopted = new Set(
    notes.flatMap(({ existing }) => (existing?.isAdopted ? [String(existing.object)] : [])),
  );
  const objectOf = (step: PreviewStep) => `${isLink(step) ? "link" : "domain"} ${step.oldState?.id}`;
  /** The resources that the program no longer has, by their objects. */
  const former = new Map(own.filter(({ op }) => op === "delete").map((step) => [objectOf(step), step.urn]));
  const ended = new Set(own.filter(isEnding).map(objectOf));
  /** The links on a domain that stay when the run deletes its own links. */
  const strangers = (id: string | undefined) =>
    links.filter((link) => String(link.domain_id) === id && !ended.has(`link ${link.id}`));
  const costed = own.flatMap((step): Costed[] => {
    // Another resource adopts the object, so nothing is deleted.
    if (step.op === "delete" && adopted.has(objectOf(step))) return [];
    const { existing, ...note } = noted.get(step.urn) ?? {};
    const isInWay = existing !== undefined && !leaving.has(existing.object);
    return toChange(step, addresses, isInWay ? { ...note, existing } : note, { former, strangers });
  });
  // Pulumi deletes at the end of a run.
  const ending = new Set(
    own.filter((step) => isLink(step) && isEnding(step)).map((step) => collate(addresses.before(step) ?? "")),
  );
  const isTaking = ({ action, newAddress }: Change) =>
    action === "update" && newAddress !== undefined && ending.has(collate(newAddress));
  const takings = costed.filter(({ change }) => isTaking(change)).length;
  const changes = costed
    .map(({ change }) => change)
    .sort(
      (one, other) =>
        actions.indexOf(one.action) - actions.indexOf(other.action) ||
        (one.address < other.address ? -1 : one.address > other.address ? 1 : 0),
    );
  const isOther = ({ urn, op }: PreviewStep) =>
    !/^(?:pulumi:|pulumi-nodejs:dynamic\/shortlink:|shortlink:)/.test(typeOf(urn)) &&
    op !== "same" &&
    op !== "read" &&
    !parts.has(op);
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(steps[0]?.urn ?? "") ?? [];
  return {
    ...(stack === undefined ? {} : { stack: `${stack} of ${project}` }),
    changes,
    unchanged: changeSummary?.same ?? 0,
    others: steps
      .filter(isOther)
      .map(({ urn, op }) => ({ resource: `${typeOf(urn)} ${nameOf(urn)}`, action: op })),
    lost: [...lostIn(own, changes, addresses), ...lostWithDomains(own, strangers)],
    requests: costed.reduce((sum, { requests }) => sum + requests, takings * makingWay),
    isRefreshing: steps.some(({ op }) => op === "refresh"),
    errors: (diagnostics ?? [])
      .filter(({ severity }) => severity === "error")
      .map(({ message = "" }) => message.replace(/<\{%.*?%\}>/g, "").trim()),
  };
}

/** True if the object is deleted at the end of the run. */
function isEnding({ op }: PreviewStep): boolean {
  return op === "delete" || op === "replace";
}

function toChange(
  step: PreviewStep,
  addresses: Addresses,
  { entry: place, existing: known }: Partial<PlanNote>,
  {
    former,
    strangers,
  }: {
    former: ReadonlyMap<string, string>;
    strangers: (domainId: string | undefined) => readonly LinkRecord[];
  },
): Costed[] {
  const { op, urn, oldState, newState } = step;
  const type = isLink(step) ? "link" : "domain";
  const resource = nameOf(urn);
  const id = known ? known.object.split(" ")[1] : oldState?.id;
  const about = {
    type,
    resource,
    urn,
    ...(id === undefined ? {} : { id: Number(id) }),
    ...(place === undefined ? {} : { place }),
  } as const;
  // Before it deletes a domain, the provider looks for links on it.
  const deletion = type === "domain" ? 2 : 1;
  if (op === "delete" && oldState) {
    const { url, forceDestroy } = valuesOf(oldState, urn);
    const stays = oldState.retainOnDelete === true;
    const why = step.isPending
      ? "an earlier run replaced it and did not delete it"
      : "the program no longer has it";
    const others = type === "domain" && !stays ? strangers(id) : [];
    const isRefused = others.length > 0 && !forceDestroy;
    const aliases = `${others
      .slice(0, 3)
      .map(({ alias }) => alias)
      .join(", ")}${others.length > 3 ? ", ..." : ""}`;
    const rest = stays
      ? "; it stays on the service (retainOnDelete)"
      : isRefused
        ? `; it has ${others.length} other link${others.length === 1 ? "" : "s"} (${aliases}), so its deletion will be refused: keep ` +
          "it with existing: true (Domain.get in a program), or delete these links first"
        : forceDestroy
          ? "; every other link on it is deleted too (forceDestroy)"
          : "";
    const change = {
      ...about,
      action: isRefused ? "conflict" : op,
      address: addresses.before(step) ?? resource,
      fields: [],
      reason: `${why}${rest}`,
      ...(step.isPending && { isPending: true as const }),
    } as const;
    return [{ change: { ...change, ...urlOf(url) }, requests: stays ? 0 : deletion }];
  }
  if (!newState) return [];
  const address = addresses.after(step);
  const { url } = valuesOf(newState, urn);
  if (op === "create") {
    const change = { ...about, address, ...urlOf(url), fields: [] };
    if (!known) return [{ change: { ...change, action: op }, requests: 1 }];
    const { object, differing, isAdopted } = known;
    const difference = differing.length > 0 ? ` and differs in ${differing.join(", ")}` : "";
    const owner = former.get(object);
    const way = place === undefined ? "the option aliases" : "formerly and the old key";
    const help = isAdopted ? "" : `; to keep it under the new name, add ${way}`;
    const reason = `exists already as ${object}${difference}${owner === undefined ? "" : `, until now ${JSON.stringify(nameOf(owner))}${help}`}`;
    const passwords = secretsOf(tableOf(urn)).filter((name) => valuesOf(newState, urn)[name] !== undefined);
    // The refused create, the look-up of the existing object, and a write of the differing fields.
    const writes = differing.length + passwords.length > 0 ? 1 : 0;
    return [
      {
        change: { ...change, action: isAdopted ? "adopt" : "conflict", reason },
        requests: isAdopted ? 2 + writes : 2,
      },
    ];
  }
  if (op !== "update" && op !== "replace") return [];
  const fields = fieldsOf(step);
  const before = addresses.before(step) ?? address;
  const isMoved = collate(before) !== collate(address);
  const moved = isMoved ? { newAddress: address } : {};
  const change = { ...about, ...own(oldState), address: before, ...moved, ...urlOf(url), fields };
  const holder = isMoved ? known : undefined;
  const differs = holder?.differing.length ? ` and differs in ${holder.differing.join(", ")}` : "";
  // Only a create can adopt the link that has the new address.
  if (holder && !(op === "replace" && holder.isAdopted)) {
    const reason = `${address} exists already as ${holder.object}${differs}`;
    return [{ change: { ...change, action: "conflict", reason }, requests: 2 }];
  }
  if (op === "replace") {
    // Without a diff the engine creates the new link before it deletes the old one, which still has the alias.
    const isInOwnWay = type === "link" && !isMoved && !step.replaceReasons?.length;
    const requests =
      1 + deletion + (isInOwnWay ? makingWay : 0) + (holder ? 1 + (differs === "" ? 0 : 1) : 0);
    const adopts = holder ? `; adopts ${holder.object}, which has the new address already${differs}` : "";
    return [{ change: { ...change, action: op, reason: `${reasonOf(step)}${adopts}` }, requests }];
  }
  const clears = fields.some(({ name, new: value }) => name === "password" && value === null);
  const guards = fields.some(({ name, new: value }) => name === "privacy" && value === "password");
  // The engine plans this update although no visible value differs.
  const hidden =
    fields.length === 0 ? { reason: "a secret value, or one that an interrupted run left in doubt" } : {};
  const isLocal = fields.length > 0 && fields.every(({ name }) => name === "forceDestroy");
  const requests = isLocal ? 0 : clears && guards ? 2 : 1;
  return [{ change: { ...change, ...hidden, action: op }, requests }];
}

/** The id of the object before the run. */
function own(state: PreviewStep["oldState"]): { id?: number } {
  return state?.id === undefined ? {} : { id: Number(state.id) };
}

function urlOf(url: unknown): { url?: string } {
  return typeof url === "string" ? { url: isUnknown(url) ? notKnown : url } : {};
}

/** The reason for a replacement. */
function reasonOf({ urn, replaceReasons }: PreviewStep): string {
  const table = tableOf(urn);
  const names = replaceReasons ?? [];
  const fixed = names.filter((name) => table[name]?.replaces).map((name) => table[name]?.wire ?? name);
  if (fixed.length > 0) return `the service does not take ${fixed.join(" and ")} in an update`;
  if (names.length > 0) return `the option replaceOnChanges names ${names.join(" and ")}`;
  return "it is tainted, or --replace asks for it";
}

/** True if a link gets another alias. */
function isMoving({ urn, oldState = {}, newState = {} }: PreviewStep): boolean {
  return isLink({ urn }) && valuesOf(oldState, urn).alias !== valuesOf(newState, urn).alias;
}

/** The addresses that stop working or lead elsewhere. */
function lostIn(steps: readonly PreviewStep[], changes: readonly Change[], addresses: Addresses): LostLink[] {
  const keyOf = (urn: string, id: unknown) => `${urn} ${String(id)}`;
  const stepOf = new Map(steps.map((step) => [keyOf(step.urn, step.oldState?.id), step]));
  const after = new Map(
    steps
      .filter((step) => isLink(step) && step.newState !== undefined)
      .map((step) => [collate(addresses.after(step)), step] as const),
  );
  const lost = changes.flatMap((change): LostLink[] => {
    const { action, address, newAddress, resource, urn, place, type, id } = change;
    if (type !== "link" || action === "conflict" || (action !== "delete" && newAddress === undefined))
      return [];
    if (change.reason?.endsWith("(retainOnDelete)")) return [];
    const heir = after.get(collate(address));
    const url = heir?.newState && valuesOf(heir.newState, heir.urn).url;
    const before = stepOf.get(keyOf(urn, id))?.oldState;
    // Another resource gets the address and leads to the same destination.
    if (url !== undefined && before && valuesOf(before, change.urn).url === url) return [];
    const isDomain = newAddress !== undefined && newAddress.split("/")[0] !== address.split("/")[0];
    return [
      {
        address,
        resource,
        urn,
        ...(place === undefined ? {} : { place }),
        why: action === "delete" ? "deleted" : isDomain ? "other domain" : "other alias",
        ...(newAddress === undefined ? {} : { newAddress }),
        ...(typeof url === "string" ? { leadsTo: url } : {}),
      },
    ];
  });
  return lost.sort((one, other) => Number(one.leadsTo !== undefined) - Number(other.leadsTo !== undefined));
}

/** The other links on domains with `forceDestroy`, which are deleted with them. */
function lostWithDomains(
  steps: readonly PreviewStep[],
  strangers: (domainId: string | undefined) => readonly LinkRecord[],
): LostLink[] {
  return steps
    .filter((step) => !isLink(step) && isEnding(step) && step.oldState?.retainOnDelete !== true)
    .filter(({ oldState = {}, urn }) => valuesOf(oldState, urn).forceDestroy === true)
    .flatMap(({ oldState, urn }) =>
      strangers(oldState?.id).map((link) => ({
        address: `${hostOf(link)}/${link.alias}`,
        resource: nameOf(urn),
        urn,
        why: "deleted" as const,
      })),
    );
}
