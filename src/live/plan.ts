import type { PlanNote } from "../account/account";
import { isUnknown } from "../fields/problem";
import { secretsOf } from "../fields/table";
import { collate } from "../service/collate";
import {
  Addresses,
  fieldsOf,
  isLink,
  nameOf,
  notKnown,
  tableOf,
  typeOf,
  valuesOf,
  type FieldChange,
  type Preview,
  type PreviewStep,
} from "./preview";

// What `pulumi preview --json` says, in the words of catalogs and of those who use the links.

/** What happens to a domain or a link. */
export type Action = "delete" | "replace" | "conflict" | "adopt" | "update" | "create";

export interface Change {
  action: Action;
  type: "domain" | "link";
  /** Name of the resource in the program. */
  resource: string;
  urn: string;
  /** Id of the object on the service that it is about; undefined for one that is created. */
  id?: number;
  /** File, line and column of its entry in a catalog. */
  place?: string;
  /** Domain and alias of a link, as visitors know it; of a domain its name. */
  address: string;
  /** The same afterwards, where it changes. */
  newAddress?: string;
  /** Where a link leads afterwards; before, where it is deleted. */
  url?: string;
  /** Values of a catalog, null for none; of secrets "[secret]", and "(not known yet)" for what a run only tells later. */
  fields: readonly FieldChange[];
  /** Why it is deleted or replaced, or what exists already. */
  reason?: string;
}

/** An address under which visitors find another thing after the run, or nothing. */
export interface LostLink {
  address: string;
  resource: string;
  urn: string;
  place?: string;
  why: "deleted" | "other alias" | "other domain";
  /** The address that the link has instead. */
  newAddress?: string;
  /** Where the address leads from then on, if another link of the program gets it. */
  leadsTo?: string;
}

export interface Plan {
  /** Stack and project, like "dev of links"; undefined where Pulumi could not begin to plan. */
  stack?: string;
  /** In the order of actions, deletions first, and of addresses. */
  changes: Change[];
  /** Resources that stay as they are, those of other kinds too. */
  unchanged: number;
  /** Resources of other kinds that change, and what Pulumi calls that. */
  others: { resource: string; action: string }[];
  /** Short links that stop working, or lead elsewhere; those that stop first. */
  lost: LostLink[];
  /** Requests that the run is going to send; more where links swap aliases or answers are lost, and for a refresh. */
  requests: number;
  /** True if the run refreshes before, with a request for a hundred links. */
  isRefreshing: boolean;
  /** The run's problems as Pulumi tells them: it will not begin. */
  errors: string[];
}

const actions: Action[] = ["delete", "replace", "conflict", "adopt", "update", "create"];
const kinds = /^pulumi-nodejs:dynamic\/shortlink:(Domain|Link)$/;

/** Requests to move a link out of the way of another: one that is refused, the look at who has the alias, and the move. */
const makingWay = 3;

/** What a change does, and what it costs. */
interface Costed {
  change: Change;
  requests: number;
}

/** What else is known. */
export interface Known {
  /** What the provider knows beyond the plan. */
  notes: readonly PlanNote[];
  /** The names of the account's domains by their ids. */
  domains: ReadonlyMap<number, string>;
}

/** What `pulumi up` would do. */
export function toPlan({ steps = [], diagnostics, changeSummary }: Preview, { notes, domains }: Known): Plan {
  // A replacement may be told in three steps; the one of that name has both states. A refresh comes before the plan and is none.
  const parts = new Set(["create-replacement", "delete-replaced", "refresh"]);
  const own = steps.filter(({ urn, op }) => kinds.test(typeOf(urn)) && !parts.has(op));
  const addresses = new Addresses(own, domains);
  const noted = new Map<string, PlanNote>();
  for (const note of notes) noted.set(note.urn, { ...noted.get(note.urn), ...note });
  // What another link gives up in the same run is in nobody's way.
  const leaving = new Set(
    own
      .filter((step) => step.op === "update" && isMoving(step))
      .map(({ oldState }) => `link ${oldState?.id}`),
  );
  const costed = own.flatMap((step): Costed[] => {
    const { existing, ...note } = noted.get(step.urn) ?? {};
    const isInWay = existing !== undefined && !leaving.has(existing.object);
    return toChange(step, addresses, isInWay ? { ...note, existing } : note);
  });
  // Pulumi deletes at the end of a run.
  const ending = new Set(
    own
      .filter((step) => isLink(step) && (step.op === "delete" || step.op === "replace"))
      .map((step) => collate(addresses.before(step) ?? "")),
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
    lost: lostIn(own, changes, addresses),
    requests: costed.reduce((sum, { requests }) => sum + requests, takings * makingWay),
    isRefreshing: steps.some(({ op }) => op === "refresh"),
    errors: (diagnostics ?? [])
      .filter(({ severity }) => severity === "error")
      .map(({ message = "" }) => message.replace(/<\{%.*?%\}>/g, "").trim()),
  };
}

function toChange(
  step: PreviewStep,
  addresses: Addresses,
  { entry: place, existing: known }: Partial<PlanNote> = {},
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
  // The deletion of a domain is preceded by a look for links on it.
  const deletion = type === "domain" ? 2 : 1;
  if (op === "delete" && oldState) {
    const { url, forceDestroy } = valuesOf(oldState, urn);
    const stays = oldState.retainOnDelete === true;
    const reason = stays
      ? "the program does not name it any more; it stays on the service (retainOnDelete)"
      : forceDestroy
        ? "the program does not name it any more; every other link on it goes too (forceDestroy)"
        : "the program does not name it any more";
    const change = {
      ...about,
      action: op,
      address: addresses.before(step) ?? resource,
      fields: [],
      reason,
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
    const reason = `exists already as ${object}${differing.length > 0 ? ` and differs in ${differing.join(", ")}` : ""}`;
    const passwords = secretsOf(tableOf(urn)).filter((name) => valuesOf(newState, urn)[name] !== undefined);
    // A create that is refused, a look at what has the name, and a write of what differs.
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
  const change = { ...about, address: before, ...moved, ...urlOf(url), fields };
  if (op === "replace") {
    // Without a diff the new link comes before the old one goes, and has its alias.
    const isInOwnWay = type === "link" && !isMoved && !step.replaceReasons?.length;
    const requests = 1 + deletion + (isInOwnWay ? makingWay : 0);
    return [{ change: { ...change, action: op, reason: reasonOf(step) }, requests }];
  }
  const clears = fields.some(({ name, new: value }) => name === "password" && value === null);
  const guards = fields.some(({ name, new: value }) => name === "privacy" && value === "password");
  // What the engine plans although no value differs, of those that it shows.
  const hidden =
    fields.length === 0 ? { reason: "a secret value, or one that an interrupted run left in doubt" } : {};
  return [{ change: { ...change, ...hidden, action: op }, requests: clears && guards ? 2 : 1 }];
}

function urlOf(url: unknown): { url?: string } {
  return typeof url === "string" ? { url: isUnknown(url) ? notKnown : url } : {};
}

/** Why it is a replacement. */
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

/** The addresses of links that change hands. */
function lostIn(steps: readonly PreviewStep[], changes: readonly Change[], addresses: Addresses): LostLink[] {
  const stepOf = new Map(steps.map((step) => [step.urn, step]));
  const after = new Map(
    steps
      .filter((step) => isLink(step) && step.newState !== undefined)
      .map((step) => [collate(addresses.after(step)), step] as const),
  );
  const lost = changes.flatMap((change): LostLink[] => {
    const { action, address, newAddress, resource, urn, place, type } = change;
    if (type !== "link" || (action !== "delete" && newAddress === undefined)) return [];
    if (change.reason?.endsWith("(retainOnDelete)")) return [];
    const heir = after.get(collate(address));
    const url = heir?.newState && valuesOf(heir.newState, heir.urn).url;
    const before = stepOf.get(change.urn)?.oldState;
    // Another resource leads to the same destination.
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
