import { setTimeout } from "node:timers/promises";
import { isRefusedFor } from "./adopt";
import { collate } from "./collate";
import { findAlias } from "./find";
import { unlessGone } from "./session";
import type { Client, LinkRecord } from "./service/client";
import type { ServiceError } from "./service/errors";
import { Slots } from "./service/slots";

// Aliases move between the links of a stack: two may swap theirs, or one takes what another gives up in the same
// run. The engine starts such updates and creates in any order, so the one that comes too early has to get the
// other out of the way. It may do so only where the plan of this very run says that the other leaves its alias.

/** For each link that this run has planned by now: does it leave the alias that it has? */
const plans = new Map<number, boolean>();
let lastPlanned = 0;
let refreshing = false;
/** For so many milliseconds without a further plan a write waits for the one that it needs. */
const patience = 2000;

/** Aliases that links of the stack leave in this run, with the destinations that these links have in the state. */
const freed = new Map<string, string>();

/** Notes that the engine is planning: the plan of another link may follow. */
export function notePlanning(): void {
  lastPlanned = performance.now();
  if (refreshing) plans.clear();
  refreshing = false;
}

/** Notes the plan of a link. */
export function notePlan(id: number, leaves: boolean): void {
  lastPlanned = performance.now();
  plans.set(id, leaves);
}

/** Is the link one whose plan this run has seen? */
export function hasPlan(id: number): boolean {
  return plans.has(id);
}

/** Notes that the link of the stack that has this alias leaves it. */
export function noteFreed(domainId: number, alias: string, url: string): void {
  freed.set(aliasKey(domainId, alias), url);
}

/** Notes that a refresh reads; what the engine compares then is no plan. */
export function noteRefresh(): void {
  refreshing = true;
}

async function isLeaving({ id, domain_id: domainId, alias, url }: LinkRecord): Promise<boolean> {
  // Somebody may have put another link in its place.
  const isFreed = freed.get(aliasKey(domainId ?? 0, alias)) === url;
  if (!isFreed) await allPlanned(() => plans.has(id));
  return plans.get(id) ?? isFreed;
}

/** Waits until the engine, which plans ahead of what it carries out, has nothing more to plan, or until it is enough. */
export async function allPlanned(isEnough = () => false): Promise<void> {
  while (!isEnough() && performance.now() - lastPlanned < patience) await setTimeout(20);
}

function aliasKey(domainId: number, alias: string): string {
  return `${domainId}/${collate(alias)}`;
}

/** A write was refused because its alias is taken, by a link of the account or by one that the account does not see. */
export class AliasTaken extends Error {
  constructor(
    readonly refusal: ServiceError,
    readonly holder: LinkRecord | undefined,
  ) {
    super(refusal.message);
  }
}

/** Carries out a write of an alias, even if a link still has it that leaves it in this run. Throws `AliasTaken`. */
export async function takeAlias<Value>(
  client: Client,
  { domainId, alias }: { domainId: number; alias?: string },
  write: () => Promise<Value>,
): Promise<Value> {
  for (;;) {
    const before = moves;
    try {
      return await write();
    } catch (error) {
      if (alias === undefined || !isRefusedFor(error, "alias")) throw error;
      const holder = await moving.run(() => findAlias(client, domainId, alias));
      if (holder && (await isLeaving(holder))) await moving.run(() => makeWay(client, holder));
      // Who had it may be gone by now.
      else if (moves === before) throw new AliasTaken(error, holder);
    }
  }
}

/** One alias moves at a time: between a look at who has it and the next write nobody else may change it. */
const moving = new Slots(1);
let moves = 0;

/** Gives a link that exists another alias, as `takeAlias` does. */
export function moveAlias<Value>(
  client: Client,
  id: number,
  wanted: { domainId: number; alias?: string },
  write: () => Promise<Value>,
): Promise<Value> {
  return takeAlias(client, wanted, () =>
    moving.run(async () => {
      const value = await write();
      moves++;
      plans.set(id, false);
      return value;
    }),
  );
}

/** A link that has not got its new alias yet gets one that nobody uses; its own update follows in this run. */
async function makeWay(client: Client, holder: LinkRecord): Promise<void> {
  if (await isLeaving(holder))
    await unlessGone(client.updateLink(holder.id, { alias: `moving-${holder.id}` }));
}
