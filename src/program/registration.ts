import * as pulumi from "@pulumi/pulumi";
import type { CatalogNews } from "../catalog/guard";
import type { Table } from "../fields/row";
import { secretsOf } from "../fields/table";
import { warnIfClear } from "./clear-secrets";
import { checkProgram } from "./mistakes";
import { currentProgram } from "./program";
import { recordNoPromises, showPlaceOfProgram } from "./sdk";
import { hasEngine, stateSource } from "./state-source";

// What a resource class sends to the engine beside its arguments. The keys that begin with "__" are read by engine/codec.ts.

/** The resources of this package; part of every URN, so never to be renamed. */
export type ResourceType = "Domain" | "Link" | "Catalog";

/** The engine's name for the type of a resource whose life cycle this package implements. */
export function typeToken(type: ResourceType): string {
  return `pulumi-nodejs:dynamic/shortlink:${type}`;
}

/**
 * The text that a dynamic resource carries as its provider, twice in each resource's state. It is a constant
 * and captures nothing: no secret can land in it, and a new release of this package changes no resource. As
 * public as the type token: state of every earlier release holds it.
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
  /** The output that is no argument, and the argument that it repeats. */
  output: { name: string; repeats: string };
  /** What the provider needs beside the arguments, each part once it is known. */
  beside: (urn: Promise<string>) => {
    /** The aliases that the links of the program name, as one text. */
    wishes: Promise<string | undefined> | undefined;
    /** The alias of a link for which the program names none. */
    derivedAlias?: Promise<string> | undefined;
  };
}

/** What the provider needs and is no argument, by the keys of engine/codec.ts. */
type Hidden = Record<string, unknown>;

/** What a catalog gives its resources beside their arguments. */
export interface OfCatalog {
  /** Until then the resource is not registered. */
  after: Promise<void>;
  /** File, line and column of its entry. */
  entry: string;
}
const ofCatalog = Symbol("of a catalog");

/** The arguments of a resource that is the entry of a catalog, which has checked them. */
export function asEntry<Args extends object>(args: object, entry: OfCatalog): Args {
  return { ...args, [ofCatalog]: entry } as unknown as Args;
}

const reading = Symbol("reading");

/** The arguments of a resource that is only read. */
export function readArgs<Args extends object>(): Args {
  return { [reading]: true } as unknown as Args;
}

/**
 * The arguments for the constructor of `pulumi.CustomResource`. The inputs are those of a `pulumi.dynamic.Resource`, but with
 * the constant text instead of a serialised provider. The class extends `pulumi.CustomResource` itself, because
 * the SDK takes the caller of a direct subclass for the place in the program, and it must `declare` its properties: a plain
 * field would overwrite the output that the SDK puts there.
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
  // An output must be named here, or be a lazy one: else it would stay unknown for ever.
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
 * @param after Until then it is not registered; not at all where one of these is rejected.
 */
function dynamicInputs(
  type: ResourceType,
  inputs: pulumi.Inputs,
  hidden: Hidden = {},
  after: unknown[] = [],
): pulumi.Inputs {
  warnIfClear("shortlink", "apiKey");
  const program = currentProgram();
  // What is read only comes to no check, and a catalog is no work.
  const isManaged = type !== "Catalog" && !("__id" in inputs);
  if (program && isManaged) program.made++;
  // The engine does not tell its providers when they plan only.
  const isPreview = pulumi.runtime.isDryRun() ? { __preview: true } : {};
  const state = program && isManaged ? { __state: stateSource(program) } : {};
  return {
    ...inputs,
    __private: textOf({ ...hidden, ...isPreview, ...state }, after),
    __provider: providerText(type),
  };
}

/** As one text: the SDK makes a dozen promises of each input, and of each part of an object. */
async function textOf(hidden: Hidden, after: unknown[]): Promise<string> {
  const entries = Object.entries(hidden).map(async ([name, value]) => [name, await value] as const);
  const [known] = await Promise.all([Promise.all(entries), ...after]);
  return JSON.stringify(Object.fromEntries(known));
}

/** The inputs of the record that a catalog keeps of itself. */
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

/** URNs without a name, which all resources of a type have in common that have the same parent. */
const siblingUrns = new WeakMap<pulumi.Resource, Map<ResourceType, Promise<string>>>();

/**
 * The URN that a resource is going to have; the provider never hears the URN of what it creates. A promise and no output, which would
 * depend on the parent: the SDK takes that for a dependency on all of a component's children, and a child would wait for itself.
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

/** The SDK carries no dates. */
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
 * The names of the arguments that a program marks as secrets, or of which it marks a part: their values must not get into a message,
 * and the engine gives them to a provider without the mark. Undefined for none.
 */
function secretsIn(table: Table, args: Record<string, unknown>): Promise<string[] | undefined> | undefined {
  // The id of another resource is none, and mostly all that is an output.
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
 * Undefined, marked as a secret if the value is one. The engine marks an output as secret if the input of the same name is; an output
 * that repeats a secret argument under another name needs such an input.
 */
function markOf(value: unknown): unknown {
  return pulumi.Output.isInstance(value) ? value.apply(() => undefined) : undefined;
}

/** The outputs that the engine is asked for when they are read; the others it always has. */
export function lazyNames(table: Table): string[] {
  return Object.keys(table).filter((field) => {
    const { required, kept, creation } = table[field] ?? {};
    return !required && !kept && !creation;
  });
}

/** Registers a resource at its place in the program. */
export function atItsPlace(register: () => void): void {
  const restore = showPlaceOfProgram();
  try {
    register();
  } finally {
    restore();
  }
}

/**
 * For a resource that was read by a name: the SDK keeps the name as its `id`, so the record's own id comes as the
 * output `__id` and takes that place, where a program needs it for other resources.
 */
export function withRecordId<Resource extends pulumi.CustomResource>(resource: Resource): Resource {
  const { __id } = resource as unknown as { __id: pulumi.Output<pulumi.ID> };
  return Object.assign(resource, { id: __id });
}
