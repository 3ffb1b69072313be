import { createRequire } from "node:module";
import { dirname, isAbsolute, sep } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { warnIfClear } from "./clear-secrets";

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
export function providerText(type: ResourceType): string {
  return `exports.handler=()=>require('pulumi-shortlink/provider').${type.toLowerCase()}`;
}

/**
 * The URN that a resource is going to have. A promise and no output, which would depend on the parent: the SDK takes that for
 * a dependency on all of a component's children, and a child would wait for itself.
 */
export function urnOf(
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

/** URNs without a name, which all resources of a type have in common that have the same parent. */
const siblingUrns = new WeakMap<pulumi.Resource, Map<ResourceType, Promise<string>>>();

/**
 * The inputs of a resource that is what a `pulumi.dynamic.Resource` is, but with the constant text in the place
 * of a serialised provider. Its class extends `pulumi.CustomResource` itself, because the SDK takes the caller of
 * a direct subclass for the place in the program, and it must `declare` its properties: a plain field would
 * overwrite the output that the SDK puts there.
 */
export function dynamicInputs(type: ResourceType, inputs: pulumi.Inputs, hidden: Hidden = {}): pulumi.Inputs {
  warnIfClear("shortlink", "apiKey");
  // What is read only comes to no check, and a catalog is no work.
  const isManaged = type !== "Catalog" && !("__id" in inputs);
  if (isManaged) countResource();
  // The engine does not tell its providers when they plan only.
  const isPreview = pulumi.runtime.isDryRun() ? { __preview: true } : {};
  return {
    ...inputs,
    __private: textOf({ ...hidden, ...isPreview, ...(isManaged ? stateSource() : {}) }),
    __provider: providerText(type),
  };
}

/** Arguments that have a value. `__id` of an object that is only read has none yet, but is an output. */
export function given<Args extends object>(args: Args): Args {
  const entries = Object.entries(args).filter(([name, value]) => value !== undefined || name === "__id");
  return Object.fromEntries(entries) as Args;
}

/** What a catalog gives its resources beside their arguments. */
export interface OfCatalog {
  /** Until then the resource is not registered. */
  __after?: Promise<void>;
  /** File, line and column of its entry. */
  __entry?: string;
}

/** What the provider is to know and is no argument, each once it is known. */
export type Hidden = Record<string, unknown>;

/** As one text: the SDK makes a dozen promises of each input, and of each part of an object. */
async function textOf(hidden: Hidden): Promise<string> {
  const entries = Object.entries(hidden).map(async ([name, value]) => [name, await value] as const);
  return JSON.stringify(Object.fromEntries(await Promise.all(entries)));
}

/** Can the engine be asked for the outputs of a resource later? In a unit test with mocks there is none. */
export function hasEngine(): boolean {
  const monitor = pulumi.runtime.getMonitor() as { getChannel?: unknown } | undefined;
  return monitor?.getChannel !== undefined;
}

/**
 * Gives a class outputs that cost nothing until a program reads them: the SDK makes a dozen promises of each output that it knows
 * of, and most links say little. What was given as an argument the SDK sets itself, which comes before.
 */
export function lazyOutputs(type: { prototype: pulumi.CustomResource }, names: readonly string[]): void {
  for (const name of names) {
    const set = function (this: pulumi.CustomResource, value: unknown) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    };
    const get = function (this: pulumi.CustomResource) {
      const output = registered(this).apply(({ state }) => state[name]);
      set.call(this, output);
      return output;
    };
    Object.defineProperty(type.prototype, name, { get, set, configurable: true });
  }
}

/** The outputs of a resource as the engine has them, asked for once; a secret if one of them is. */
function registered(resource: pulumi.Resource): pulumi.Output<Registered> {
  const asked =
    outputs.get(resource) ??
    pulumi.runtime.invokeOutput<Registered>("pulumi:pulumi:getResource", { urn: resource.urn }, {});
  outputs.set(resource, asked);
  return asked;
}
interface Registered {
  state: Record<string, unknown>;
}
const outputs = new WeakMap<pulumi.Resource, pulumi.Output<Registered>>();

/**
 * Where the provider can ask for the stack's state, and how many resources the program has, as one text: the SDK makes promises of
 * each part of an object. Nothing where the program runs without an engine.
 */
function stateSource(): Hidden {
  const stackResource = pulumi.runtime.getStackResource();
  const count = stackResource ? (told.get(stackResource) ?? 0) : 0;
  // The provider remembers it, and the engine takes resources in any order.
  if (!stackResource || count >= few) return {};
  told.set(stackResource, count + 1);
  const monitor = pulumi.runtime.getMonitor() as { getChannel?: () => { getTarget(): string } } | undefined;
  const address = monitor?.getChannel?.().getTarget();
  if (address === undefined) return {};
  const stack = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  const opened = states.get(stackResource) ?? openState();
  states.set(stackResource, opened);
  // By then a program that makes its resources in one go has made them all.
  return { __state: opened.then(() => `${address} ${stack} ${made.get(stackResource) ?? 0}`) };
}

/** How many domains and links the program has made, by the stack's own resource: for an estimate of how long a run takes. */
const made = new WeakMap<object, number>();

function countResource(): void {
  const stackResource = pulumi.runtime.getStackResource();
  if (stackResource) made.set(stackResource, (made.get(stackResource) ?? 0) + 1);
}

/** How many resources have told it, by the stack's own resource: a process may run several programs, one after the other. */
const told = new WeakMap<object, number>();
/** So many do: of a program that registers them in any order, one of these comes before an alias is in the way. */
const few = 100;

/**
 * Makes the engine load what answers questions about the state. It does that between two registrations, of which there may be
 * none any more when the provider asks: while all that the engine does at a time waits for the answer.
 */
function openState(): Promise<void> {
  // What is asked for does not matter, and this is the cheapest: a resource that has not been registered.
  return pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn: "" }).then(
    () => undefined,
    () => undefined,
  );
}

/** By the stack's own resource. */
const states = new WeakMap<object, Promise<void>>();

/**
 * Ends the SDK's recording of a stack for each of its promises, some thirty for a resource. It shows them only where
 * PULUMI_DEBUG_PROMISE_LEAKS is set, and a program with many links spends a quarter of its time on them.
 */
function recordNoPromises(): void {
  if (process.env.PULUMI_DEBUG_PROMISE_LEAKS) return;
  try {
    const debuggable = createRequire(__filename)("@pulumi/pulumi/runtime/debuggable") as Debuggable;
    const { debuggablePromise } = debuggable;
    debuggable.debuggablePromise = (promise, context) => {
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 0;
      try {
        return debuggablePromise(promise, context);
      } finally {
        Error.stackTraceLimit = stackTraceLimit;
      }
    };
  } catch {
    // Another version of the SDK is slower then, and nothing else.
  }
}
interface Debuggable {
  debuggablePromise: (promise: Promise<unknown>, context: unknown) => Promise<unknown>;
}
recordNoPromises();

/**
 * Until the function that it returns is called, the place of a resource is in the program's own code: without the frames of
 * Node.js, of the SDK and of this package. The engine shows the first frame and keeps all of them in the state.
 */
export function showPlaceOfProgram(): () => void {
  // ts-node for example sets one, which finds the lines of the source.
  const before = (Error as { prepareStackTrace?: Prepare }).prepareStackTrace;
  Error.prepareStackTrace = (error, frames) => {
    // The SDK leaves out the first five, down to the constructor of a resource class.
    const kept = frames.filter((frame, i) => i < 5 || isOfProgram(frame.getFileName()));
    return before
      ? before(error, kept)
      : [String(error), ...kept.map((frame) => `    at ${frame as unknown as string}`)].join("\n");
  };
  return () => {
    (Error as { prepareStackTrace?: Prepare | undefined }).prepareStackTrace = before;
  };
}
type Prepare = (this: void, error: Error, frames: NodeJS.CallSite[]) => unknown;

/** Files of this package, and of the SDK. */
const packages = [__dirname, dirname(require.resolve("@pulumi/pulumi"))].map((folder) => folder + sep);

function isOfProgram(file: string | null | undefined): boolean {
  // Modules of ECMAScript have URLs; those of Node.js itself begin with "node:".
  const isFile = file?.startsWith("file://") || isAbsolute(file ?? "");
  return isFile && !packages.some((folder) => file?.startsWith(folder));
}

/**
 * The names of the arguments that a program marks as secrets, or of which it marks a part: their values must not get into a message,
 * and the engine gives them to a provider without the mark. Undefined for none.
 */
export function secretsOf(args: object): Promise<string[] | undefined> | undefined {
  const outputs = Object.entries(args).filter(([, value]) => typeof value === "object" && value !== null);
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
export function markOf(value: unknown): unknown {
  return pulumi.Output.isInstance(value) ? value.apply(() => undefined) : undefined;
}

/**
 * Takes the option `import` out, for `create`: the engine cannot import a dynamic resource, because it asks
 * for its state before it knows the provider's text. A preview says "create" therefore.
 */
export function withImport(
  hidden: Hidden,
  opts: pulumi.CustomResourceOptions = {},
): { hidden: Hidden; options: pulumi.CustomResourceOptions } {
  const { import: key, ...options } = opts;
  return key === undefined ? { hidden, options } : { hidden: { ...hidden, __import: key }, options };
}

/**
 * For a resource that was read by a name: the SDK keeps the name as its `id`, so the record's own id comes as the
 * output `__id` and takes that place, where a program needs it for other resources.
 */
export function withRecordId<Resource extends pulumi.CustomResource>(resource: Resource): Resource {
  const { __id } = resource as unknown as { __id: pulumi.Output<pulumi.ID> };
  return Object.assign(resource, { id: __id });
}
