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
  parent: pulumi.Resource | undefined,
): Promise<string> {
  return new Promise((resolve) => {
    pulumi.createUrn(name, typeToken(type), parent).apply(resolve);
  });
}

/**
 * The inputs of a resource that is what a `pulumi.dynamic.Resource` is, but with the constant text in the place
 * of a serialised provider. Its class extends `pulumi.CustomResource` itself, because the SDK takes the caller of
 * a direct subclass for the place in the program, and it must `declare` its properties: a plain field would
 * overwrite the output that the SDK puts there.
 */
export function dynamicInputs(type: ResourceType, inputs: pulumi.Inputs): pulumi.Inputs {
  warnIfClear("shortlink", "apiKey");
  if (type !== "Catalog") countResource();
  // The engine does not tell its providers when they plan only.
  const isPreview = pulumi.runtime.isDryRun() ? { __preview: true } : {};
  return { ...given(inputs), ...isPreview, ...stateSource(), __provider: providerText(type) };
}

/** Without private inputs that have no value: the SDK makes promises of each. What is an output as well needs its name. */
function given(inputs: pulumi.Inputs): pulumi.Inputs {
  return Object.fromEntries(
    Object.entries(inputs).filter(
      ([name, value]) => value !== undefined || !name.startsWith("__") || name === "__id",
    ),
  );
}

/**
 * Where the provider can ask for the stack's state, and how many resources the program has, as one text: the SDK makes promises of
 * each part of an object. Nothing where the program runs without an engine.
 */
function stateSource(): { __state?: Promise<string> } {
  const stackResource = pulumi.runtime.getStackResource();
  const count = stackResource ? (told.get(stackResource) ?? 0) : 0;
  // The provider remembers it, and the engine takes resources in any order.
  if (!stackResource || count >= few) return {};
  told.set(stackResource, count + 1);
  const monitor = pulumi.runtime.getMonitor() as { getChannel?: () => { getTarget(): string } } | undefined;
  const address = monitor?.getChannel?.().getTarget();
  if (address === undefined) return {};
  const stack = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  if (count === 0) openState();
  // By then a program that makes its resources in one go has made them all.
  const later = new Promise<void>((resolve) => setImmediate(resolve));
  return { __state: later.then(() => `${address} ${stack} ${made.get(stackResource) ?? 0}`) };
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
function openState(): void {
  if (pulumi.runtime.isDryRun()) return;
  // What is asked for does not matter, and this is the cheapest: a resource that has not been registered.
  pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn: "" }).catch(() => undefined);
}

/**
 * Ends the recording of stacks until `resume` is called. The SDK keeps one for each of four promises per property, for its
 * search of promises that nobody awaits; that took half the time of a program with a thousand links. The place of the
 * resource in the program, which the engine shows, it finds all the same; `located` gives that to an error of the meantime.
 */
export function pauseStacks(): { resume: () => void; located: (error: unknown) => Error } {
  const limit = Error.stackTraceLimit;
  const resume = () => {
    Error.stackTraceLimit = limit;
  };
  const located = (error: unknown) => {
    resume();
    Error.captureStackTrace(error as Error, located);
    return error as Error;
  };
  Error.stackTraceLimit = 0;
  return { resume, located };
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
 * Turns the option `import` into an input for `create`: the engine cannot import a dynamic resource, because it asks
 * for its state before it knows the provider's text. A preview says "create" therefore.
 */
export function withImport(
  inputs: pulumi.Inputs,
  opts: pulumi.CustomResourceOptions = {},
): { inputs: pulumi.Inputs; options: pulumi.CustomResourceOptions } {
  const { import: key, ...options } = opts;
  return key === undefined ? { inputs, options } : { inputs: { ...inputs, __import: key }, options };
}

/**
 * For a resource that was read by a name: the SDK keeps the name as its `id`, so the record's own id comes as the
 * output `__id` and takes that place, where a program needs it for other resources.
 */
export function withRecordId<Resource extends pulumi.CustomResource>(resource: Resource): Resource {
  const { __id } = resource as unknown as { __id: pulumi.Output<pulumi.ID> };
  return Object.assign(resource, { id: __id });
}
