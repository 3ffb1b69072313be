import * as pulumi from "@pulumi/pulumi";
import type { CatalogNews } from "../catalog/guard";
import type { Table } from "../fields/row";
import { secretsOf } from "../fields/table";
import { warnIfClear } from "./clear-secrets";
import { checkProgram } from "./mistakes";
import { currentProgram } from "./program";
import { recordNoPromises } from "./sdk";
import { hasEngine, stateSource } from "./state-source";

// The data that a resource class sends to the engine beside its arguments. engine/codec.ts reads the keys that begin with "__".

/** The resources of this package. Never rename them: they are part of every URN. */
export type ResourceType = "Domain" | "Link" | "Catalog";

/** The engine's type token for a resource of this package. */
export function typeToken(type: ResourceType): string {
  return `pulumi-nodejs:dynamic/shortlink:${type}`;
}

/**
 * The provider text of a dynamic resource; each resource's state holds it twice. It is a constant and captures
 * nothing: no secret can land in it, and a new release of this package changes no resource. Never change it:
 * states of all earlier releases hold it.
 */
function providerText(type: ResourceType): string {
  return `exports.handler=()=>require('pulumi-shortlink/provider').${type.toLowerCase()}`;
}

recordNoPromises();

/** A resource that a program makes. */
export interface NewResource {
  type: "Domain" | "Link";
  table: Table;
  name: string;
  args: object;
  opts: pulumi.CustomResourceOptions | undefined;
  /** The computed output, and the argument that it repeats. */
  output: { name: string; repeats: string };
  /** Values that the provider needs beside the arguments, each as soon as it is known. */
  beside: (urn: Promise<string>) => {
    /** The aliases of the program's links, as one text. */
    wishes: Promise<string | undefined> | undefined;
    /** The alias of a link for which the program names none. */
    derivedAlias?: Promise<string> | undefined;
  };
}

/** Values that the provider needs beside the arguments, by the keys of engine/codec.ts. */
type Hidden = Record<string, unknown>;

/** Data that a catalog gives its resources beside their arguments. */
export interface OfCatalog {
  /** The resource is registered only after this. */
  after: Promise<void>;
  /** File, line and column of its entry. */
  entry: string;
}
const ofCatalog = Symbol("of a catalog");

/** The arguments of a resource from a catalog entry. The catalog has already checked them. */
export function asEntry<Args extends object>(args: object, entry: OfCatalog): Args {
  return { ...args, [ofCatalog]: entry } as unknown as Args;
}

const reading = Symbol("reading");

/** The arguments of a resource that is only read. */
export function readArgs<Args extends object>(): Args {
  return { [reading]: true } as unknown as Args;
}

/**
 * The arguments for the constructor of `pulumi.CustomResource`. The inputs match a `pulumi.dynamic.Resource`, but with
 * the constant text instead of a serialised provider. The class extends `pulumi.CustomResource` directly:
 * the SDK reports the caller of a direct subclass as the place in the program. It must `declare` its properties: a plain
 * field would overwrite the output that the SDK sets.
 */
export function registration({ type, table, name, args, opts = {}, output, beside }: NewResource): {
  inputs: pulumi.Inputs;
  options: pulumi.CustomResourceOptions;
} {
  const isRead = opts.id !== undefined;
  const { after, entry } = (args as { [ofCatalog]?: OfCatalog })[ofCatalog] ?? {};
  const known = given(args);
  const urn = urnOf(type, name, opts.parent);
  const { import: key, ...options } = opts;
  const isChecked = isRead || entry !== undefined || checkProgram({ type, table, name, args: known, opts });
  const passwords = secretsOf(table).filter((field) => field in known);
  const secrets = Object.fromEntries(passwords.map((field) => [field, pulumi.secret(known[field])]));
  // An output that is neither named here nor lazy would stay unknown forever.
  const isNamed = (field: string) => isRead || !hasEngine() || table[field]?.kept;
  const fields = Object.keys(table).filter((field) => !table[field]?.creation && isNamed(field));
  const unset = Object.fromEntries(fields.map((field) => [field, undefined]));
  const inputs = {
    ...unset,
    [output.name]: markOf(known[output.repeats]),
    ...(reading in args ? { __id: undefined } : {}),
    ...known,
    ...dates(table, known),
    ...secrets,
  };
  const { wishes, derivedAlias } = isRead ? {} : beside(urn);
  const secretNames = secretsIn(table, known);
  const own: Hidden = isRead
    ? {}
    : {
        __urn: urn,
        __secrets: secretNames,
        __entry: entry,
        __import: key,
        __wishes: wishes,
        __alias: derivedAlias,
      };
  const secretOptions = passwords.length > 0 ? { additionalSecretOutputs: [...passwords] } : {};
  return {
    inputs: dynamicInputs(type, inputs, own, [after, isChecked]),
    options: pulumi.mergeOptions(options, secretOptions),
  };
}

/**
 * The inputs of a dynamic resource.
 *
 * @param after The SDK registers the resource after these, and not at all if one is rejected.
 */
function dynamicInputs(
  type: ResourceType,
  inputs: pulumi.Inputs,
  hidden: Hidden = {},
  after: unknown[] = [],
): pulumi.Inputs {
  warnIfClear("shortlink", "apiKey");
  const program = currentProgram();
  // The engine checks no resource that is only read, and a catalog's record needs no requests.
  const isManaged = type !== "Catalog" && !("__id" in inputs);
  if (program && isManaged) program.made++;
  // The engine does not tell its providers about a preview.
  const isPreview = pulumi.runtime.isDryRun() ? { __preview: true } : {};
  const state = program && isManaged ? { __state: stateSource(program) } : {};
  return {
    ...inputs,
    __private: textOf({ ...hidden, ...isPreview, ...state }, after),
    __provider: providerText(type),
  };
}

/** One text, because the SDK makes many promises for each input and each part of an object. */
async function textOf(hidden: Hidden, after: unknown[]): Promise<string> {
  const entries = Object.entries(hidden).map(async ([name, value]) => [name, await value] as const);
  const [known] = await Promise.all([Promise.all(entries), ...after]);
  return JSON.stringify(Object.fromEntries(known));
}

/** The inputs of the record of a catalog. */
export function catalogInputs({
  links,
  formerly,
  maxDeletes,
  moved,
  marks,
}: Omit<CatalogNews, "moved"> & { moved: Promise<string[]> }): pulumi.Inputs {
  const inputs = { links, marks, __formerly: formerly, __maxDeletes: maxDeletes, __moved: moved };
  return dynamicInputs("Catalog", inputs);
}

/** URNs without a name: resources of the same type and parent share one. */
const siblingUrns = new WeakMap<pulumi.Resource, Map<ResourceType, Promise<string>>>();

/**
 * The future URN of a resource; the engine never tells the provider the URN of a resource to create. A promise, because an output
 * would depend on the parent. The SDK treats that as a dependency on all children of a component, so a child would wait for itself.
 */
function urnOf(
  type: ResourceType,
  name: string,
  parent = pulumi.runtime.getStackResource() as pulumi.Resource | undefined,
): Promise<string> {
  const siblings = (parent && siblingUrns.get(parent)) ?? new Map<ResourceType, Promise<string>>();
  if (parent) siblingUrns.set(parent, siblings);
  const urn =
    siblings.get(type) ??
    new Promise<string>((resolve) => {
      pulumi.createUrn("", typeToken(type), parent).apply(resolve);
    });
  siblings.set(type, urn);
  return urn.then((prefix) => prefix + name);
}

/** Arguments that have a value. */
function given(args: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
}

/** Dates as texts: the SDK cannot send dates. */
function dates(table: Table, args: Record<string, unknown>): Record<string, unknown> {
  const dated = Object.keys(args).filter((field) => table[field]?.kind === "dateTime");
  return Object.fromEntries(dated.map((field) => [field, datesAsTexts(args[field])]));
}

function datesAsTexts(value: unknown): unknown {
  if (value instanceof Promise) return value.then(datesAsTexts);
  if (pulumi.Output.isInstance(value)) return value.apply(datesAsTexts);
  return value instanceof Date ? (JSON.parse(JSON.stringify(value)) ?? "an invalid Date") : value;
}

/**
 * The names of the arguments that a program marks as secrets, in whole or in part; undefined for none. Their values must not get
 * into a message, and the engine removes the mark before it calls a provider.
 */
function secretsIn(table: Table, args: Record<string, unknown>): Promise<string[] | undefined> | undefined {
  // The id of another resource is no secret, and usually the only output.
  const isId = (name: string) => table[name]?.kind === "id" && table[name].required;
  const outputs = Object.entries(args).filter(
    ([name, value]) => typeof value === "object" && value !== null && !isId(name),
  );
  if (outputs.length === 0) return undefined;
  const names = outputs.map(async ([name, value]) =>
    (await pulumi.isSecret(pulumi.output(value))) ? [name] : [],
  );
  return Promise.all(names).then((found) => (found.flat().length > 0 ? found.flat() : undefined));
}

/**
 * Undefined, marked as a secret if the value is one. The engine marks an output as secret if the input of the same name is. So an
 * output that repeats a secret argument under another name needs such an input.
 */
function markOf(value: unknown): unknown {
  return pulumi.Output.isInstance(value) ? value.apply(() => undefined) : undefined;
}

/** The outputs that a resource requests from the engine on demand; the SDK always sets the others. */
export function lazyNames(table: Table): string[] {
  return Object.keys(table).filter((field) => {
    const { required, kept, creation } = table[field] ?? {};
    return !required && !kept && !creation;
  });
}

/**
 * Corrects the `id` of a resource that was read by a name. The SDK keeps the name as `id`, but other resources need
 * the id of the record. The provider returns that id as the output `__id`.
 */
export function withRecordId<Resource extends pulumi.CustomResource>(resource: Resource): Resource {
  const { __id } = resource as unknown as { __id: pulumi.Output<pulumi.ID> };
  return Object.assign(resource, { id: __id });
}
