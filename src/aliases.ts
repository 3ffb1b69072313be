import { setTimeout } from "node:timers/promises";
import { isRefusedFor } from "./adopt";
import { collate } from "./collate";
import { findAlias } from "./find";
import { wishedAlias } from "./ownership";
import { noteChange, settleChanges, type Revision } from "./once";
import { stackState, unlessGone } from "./session";
import type { Client, LinkRecord } from "./service/client";
import type { ServiceError } from "./service/errors";
import { Slots } from "./service/slots";

// Aliases move between the links of a stack: two may swap theirs, or one takes what another gives up in the same run. The engine
// starts such updates and creates in any order, so the one that comes too early renames the other to `moving-<id>` for a
// moment. A short link is dead then, so the move is noted in the journal before it is made, undone where it was for
// nothing, and finished by the next run, whatever program that has.

/** For each link that this run has planned by now: does it leave the alias that it has? */
const plans = new Map<number, boolean>();
let lastPlanned = 0;
/** For so many milliseconds without a further plan a write waits for the one that it needs. */
const patience = 2000;
/** The same where the program itself shows that the alias is free: the engine may plan no further until this write ends. */
const shortPatience = 200;

/** Links that this run has moved out of the way and that have not got an alias since, by the alias that they had. */
const displaced = new Map<number, Revision & { alias: string }>();

/** Notes that the engine is planning: the plan of another link may follow. */
export function notePlanning(): void {
  lastPlanned = performance.now();
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

/** True while a link that this run moved out of the way of another still waits for its alias. */
export function isAstray(id: number): boolean {
  return displaced.has(id);
}

async function isLeaving(holder: LinkRecord, urn: string | undefined, isCreate: boolean): Promise<boolean> {
  const { id, alias } = holder;
  if (plans.has(id)) return plans.get(id) ?? false;
  const owner = await ownerOf(holder);
  // Its own link: the engine replaces it without a plan that the provider hears of.
  if (owner !== undefined && owner === urn) return true;
  // The engine may plan no further until this write ends, but the program may have told what the plan is going to be.
  const wish = owner === undefined ? undefined : wishedAlias(owner);
  // A new resource with the alias of one that is removed is most often the same one by another name, which aliases would keep.
  const leaves = wish === null ? !isCreate : wish !== undefined && collate(wish) !== collate(alias);
  await allPlanned(() => plans.has(id), leaves ? shortPatience : patience);
  return plans.get(id) ?? leaves;
}

/** The resource in the state of this stack that has this link. Somebody may have put another link in its place. */
export async function ownerOf({ domain_id: domainId, alias, url }: LinkRecord): Promise<string | undefined> {
  const isSame = (outputs: Record<string, unknown>) =>
    Number(outputs.domainId) === domainId &&
    collate(String(outputs.alias)) === collate(alias) &&
    outputs.url === url &&
    !("__id" in outputs);
  return [...(await stackState())].find(([, outputs]) => isSame(outputs))?.[0];
}

/** Waits until the engine, which plans ahead of what it carries out, has nothing more to plan, or until it is enough. */
export async function allPlanned(isEnough = () => false, quiet = patience): Promise<void> {
  while (!isEnough() && performance.now() - lastPlanned < quiet) await setTimeout(20);
}

/** What is unique: an alias on its domain, as the service tells them apart. */
export function aliasKey(domainId: number, alias: string): string {
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
  { domainId, alias, __urn: urn }: { domainId: number; alias?: string; __urn?: string },
  write: () => Promise<Value>,
  isCreate = true,
): Promise<Value> {
  const moved: number[] = [];
  try {
    for (;;) {
      const before = moves;
      try {
        return await write();
      } catch (error) {
        if (alias === undefined || !isRefusedFor(error, "alias")) throw error;
        const holder = await moving.run(() => findAlias(client, domainId, alias));
        if (holder && (await isLeaving(holder, urn, isCreate))) {
          moved.push(holder.id);
          await moving.run(() => makeWay(client, holder));
        }
        // The link that had it may be gone by now.
        else if (moves === before) throw new AliasTaken(error, holder);
      }
    }
  } catch (error) {
    for (const id of moved.reverse()) await moving.run(() => putBack(client, id));
    throw error;
  }
}

/** One alias moves at a time: between a look at who has it and the next write nobody else may change it. */
const moving = new Slots(1);
let moves = 0;

/** Gives a link that exists another alias, as `takeAlias` does. */
export async function moveAlias<Value>(
  client: Client,
  id: number,
  wanted: { domainId: number; alias?: string },
  write: () => Promise<Value>,
): Promise<Value> {
  try {
    const writeInTurn = () =>
      moving.run(async () => {
        const value = await write();
        moves++;
        plans.set(id, false);
        const move = displaced.get(id);
        displaced.delete(id);
        if (move) await settleChanges("link", id, { only: move });
        return value;
      });
    return await takeAlias(client, wanted, writeInTurn, false);
  } catch (error) {
    // It keeps what it has: no other link may move it now, as no further write of this run would give it an alias.
    plans.set(id, false);
    await moving.run(() => putBack(client, id));
    throw error;
  }
}

/** A link that has not got its new alias yet gets one that nobody uses; its own update follows in this run. */
async function makeWay(client: Client, { id, alias }: LinkRecord): Promise<void> {
  // Its own update, or that of a third link, may have come in between.
  if (plans.get(id) === false || displaced.has(id)) return;
  displaced.set(id, { alias, ...(await noteChange("link", id, ["alias"])) });
  await unlessGone(client.updateLink(id, { alias: `moving-${id}` }));
}

/** Gives a link that was moved for nothing its alias back. Where that fails, the next run does it. */
async function putBack(client: Client, id: number): Promise<void> {
  const move = displaced.get(id);
  if (!move) return;
  try {
    await unlessGone(client.updateLink(id, { alias: move.alias }));
    displaced.delete(id);
    await settleChanges("link", id, { only: move });
  } catch {
    // Somebody has the alias by now, or the service does not answer; the note in the journal stays.
  }
}
