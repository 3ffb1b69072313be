import * as pulumi from "@pulumi/pulumi";
import type { Program } from "./program";

/** So many resources tell it: of a program that registers them in any order, one of these comes before an alias is in the way. */
const few = 100;

/**
 * Where the provider can ask for the stack's state, and how many resources the program has, as one text: the SDK makes promises of
 * each part of an object. Undefined without an engine, or if enough resources have told it: the provider remembers.
 */
export function stateSource(program: Program): Promise<string> | undefined {
  // The first of each go tells how many there are by then.
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
 * Makes the engine load what answers questions about the state. It does that between two registrations, of which there may be
 * none any more when the provider asks: while all that the engine does at a time waits for the answer.
 */
async function openState(): Promise<void> {
  try {
    // What is asked for does not matter, and this is the cheapest: a resource that has not been registered.
    await pulumi.runtime.invoke("pulumi:pulumi:getResource", { urn: "" });
  } catch {
    // It is open now.
  }
}
