import * as pulumi from "@pulumi/pulumi";

/**
 * Gives a class outputs that cost nothing until a program reads them. The SDK makes many promises for each output that it knows,
 * and most links have few arguments. The SDK sets the outputs of given arguments; these take precedence.
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

interface Registered {
  state: Record<string, unknown>;
}

/** The requests so far. */
const asked = new WeakMap<pulumi.Resource, pulumi.Output<Registered>>();

/** The outputs of a resource, requested from the engine once; a secret if one of them is. */
function registered(resource: pulumi.Resource): pulumi.Output<Registered> {
  const answer =
    asked.get(resource) ??
    pulumi.runtime.invokeOutput<Registered>("pulumi:pulumi:getResource", { urn: resource.urn }, {});
  asked.set(resource, answer);
  return answer;
}
