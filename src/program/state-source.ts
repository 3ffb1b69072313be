import * as pulumi from "@pulumi/pulumi";
import type { Program } from "./program";

/** Number of resources that send the address. The engine takes them in any order, and one must come before an alias conflict. */
const few = 100;

/**
 * The address of the stack's state, for the provider, and the number of resources. One text, because the SDK makes promises for
 * each part of an object. Undefined without an engine, or after enough resources sent it: the provider remembers.
 */
export function stateSource(program: Program): Promise<string> | undefined {
  // The first resource of each synchronous step always sends the new number.
  const isFirst = !program.isMaking;
  program.isMaking = true;
  if (isFirst) setImmediate(() => (program.isMaking = false));
  if (program.told >= few && !isFirst) return undefined;
  program.told++;
  const address = channel()?.getTarget();
  if (address === undefined) return undefined;
  const stack = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  program.opened ??= openState();
  const allMade = new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  return Promise.all([program.opened, allMade]).then(() => `${address} ${stack} ${program.made}`);
}

/** False in a unit test with mocks: there is no engine to ask for outputs. */
export function hasEngine(): boolean {
  return channel() !== undefined;
}

function channel(): { getTarget(): string } | undefined {
  const monitor = pulumi.runtime.getMonitor() as { getChannel?: () => { getTarget(): string } } | undefined;
  return monitor?.getChannel?.();
}

/**
 * Makes the engine load its part that answers questions about the state. The engine loads it only between two registrations. When
 * the provider asks, there may be no more registrations, because all steps of the engine wait for the answer.
 */
async function openState(): Promise<void> {
  try {
    // Any question will do; a resource that has not been registered is the cheapest.
    await pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn: "" });
  } catch {
    // The question fails, but the engine has loaded it.
  }
}
