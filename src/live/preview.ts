import { domainFields } from "../domain/fields";
import { decodeInputs, decodeSaved, type Flat } from "../engine/codec";
import { isUnknown } from "../fields/problem";
import type { Table } from "../fields/row";
import { comparable, managedOf } from "../fields/table";
import { linkFields } from "../link/fields";
import { changedFields } from "../resource/drift";

// Reads domains and links from the steps of `pulumi preview --json`.

/** A step of a preview, as far as it matters here. */
export interface PreviewStep {
  op: string;
  urn: string;
  oldState?: StepState;
  newState?: StepState;
  /** The properties that make it a replacement. */
  replaceReasons?: string[] | null;
  /** True for the deletion of an object that an earlier run replaced. */
  isPending?: true;
}
interface StepState {
  id?: string;
  inputs?: Flat;
  outputs?: Flat;
  propertyDependencies?: Record<string, string[] | null>;
  retainOnDelete?: boolean;
}
/** Output of `pulumi preview --json`. */
export interface Preview {
  steps?: PreviewStep[];
  /** Null if there are none. */
  diagnostics?: { message?: string; severity?: string }[] | null;
  /** Number of resources by operation. */
  changeSummary?: Record<string, number>;
}

/** A field that changes; null for no value, "[secret]" for one that is not shown. */
export interface FieldChange {
  name: string;
  old: unknown;
  new: unknown;
}

/** Placeholder for a value that only the run knows. */
export const notKnown = "(not known yet)";

/** The type of a resource, without its parents' types. */
export function typeOf(urn: string): string {
  return (urn.split("::")[2] ?? "").split("$").at(-1) ?? "";
}

export function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

export function tableOf(urn: string): Table {
  return typeOf(urn).endsWith(":Domain") ? domainFields : linkFields;
}

export function isLink({ urn }: { urn: string }): boolean {
  return typeOf(urn).endsWith(":Link");
}

const kinds = /^pulumi-nodejs:dynamic\/shortlink:(Domain|Link)$/;

/** Parts of a replacement, which has a step with both states too, and the refresh before the plan. */
export const parts: ReadonlySet<string> = new Set(["create-replacement", "delete-replaced", "refresh"]);

/** The steps of domains and links. Deletions that an earlier run left become deletions. */
export function ownSteps(steps: readonly PreviewStep[]): PreviewStep[] {
  const own = steps.filter(({ urn }) => kinds.test(typeOf(urn)));
  const keyOf = ({ urn, oldState }: PreviewStep) => `${urn} ${oldState?.id}`;
  const replaced = new Set(own.filter(({ op }) => op === "replace").map(keyOf));
  return own.flatMap((step) => {
    if (step.op === "delete-replaced" && !replaced.has(keyOf(step)))
      return [{ ...step, op: "delete", isPending: true as const }];
    return parts.has(step.op) ? [] : [step];
  });
}

function withoutScheme(address: string): string {
  return address.replace(/^[a-z]+:\/\//i, "");
}

/** The arguments in a state of a step. */
export function valuesOf({ inputs = {} }: StepState, urn: string): Flat {
  return decodeInputs(inputs, isLink({ urn }) ? ["shortUrl"] : ["url"]).args;
}

/** The addresses of domains and links before and after a run. */
export class Addresses {
  readonly #nameByUrn = new Map<string, string>();
  readonly #nameById: Map<string, string>;

  constructor(steps: readonly PreviewStep[], domains: ReadonlyMap<number, string>) {
    this.#nameById = new Map([...domains].map(([id, name]) => [String(id), name]));
    for (const step of steps) {
      if (isLink(step)) continue;
      const { urn, oldState, newState } = step;
      const state = newState ?? oldState;
      if (!state) continue;
      const name = String(valuesOf(state, urn).name);
      this.#nameByUrn.set(urn, name);
      // The id of a replaced domain belongs to the old name.
      if (oldState?.id !== undefined) this.#nameById.set(oldState.id, String(valuesOf(oldState, urn).name));
    }
  }

  before({ urn, oldState = {} }: PreviewStep): string | undefined {
    if (!isLink({ urn })) return String(valuesOf(oldState, urn).name);
    const { outputs = {} } = decodeSaved(oldState.outputs ?? {}, ["shortUrl"]);
    return typeof outputs.shortUrl === "string" ? withoutScheme(outputs.shortUrl) : undefined;
  }

  after(step: PreviewStep): string {
    const { urn, oldState, newState = {} } = step;
    const values = valuesOf(newState, urn);
    if (!isLink(step)) return String(values.name);
    const { alias, domainId } = values;
    const path = typeof alias === "string" && !isUnknown(alias) ? alias : notKnown;
    const isSameDomain = oldState !== undefined && valuesOf(oldState, urn).domainId === domainId;
    const [owner = ""] = newState.propertyDependencies?.domainId ?? [];
    const host =
      (isUnknown(domainId) ? undefined : this.#nameById.get(String(domainId))) ??
      this.#nameByUrn.get(owner) ??
      (isSameDomain ? this.before(step)?.split("/")[0] : undefined) ??
      `domain ${isUnknown(domainId) ? notKnown : String(domainId)}`;
    return path === "[secret]" ? path : `${host}/${path}`;
  }
}

/** The fields that change, in the order of the table. */
export function fieldsOf({ urn, oldState = {}, newState = {} }: PreviewStep): FieldChange[] {
  const table = tableOf(urn);
  const [old, news] = [valuesOf(oldState, urn), valuesOf(newState, urn)];
  const names = changedFields(managedOf(table), comparable(table, old), comparable(table, news));
  // The service does not know this one, and it decides about every link on the domain.
  if ((old.forceDestroy ?? false) !== (news.forceDestroy ?? false)) names.push("forceDestroy");
  const shown = (value: unknown) => (isUnknown(value) ? notKnown : (value ?? null));
  return names.map((name) => {
    const hide = (value: unknown) => (table[name]?.secret && value !== undefined ? "[secret]" : shown(value));
    return { name, old: hide(old[name]), new: hide(news[name]) };
  });
}
