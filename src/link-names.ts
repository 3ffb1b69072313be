import { createHash } from "node:crypto";
import type { linkFields } from "./fields";

// The names of a link's fields, and of links that have none. The program needs them as the provider does, and is not to
// wait for the libraries of the provider.

/** The fields of a link that the service has. How a link is created is none. */
export type Field = Exclude<keyof typeof linkFields, "adopt">;
/** All of them, without a value. */
export const unset: Record<Field, undefined> = {
  url: undefined,
  domainId: undefined,
  alias: undefined,
  spaceId: undefined,
  pixelIds: undefined,
  redirectPassword: undefined,
  sensitiveContent: undefined,
  privacy: undefined,
  password: undefined,
  activePeriodStartAt: undefined,
  activePeriodEndAt: undefined,
  clicksLimit: undefined,
  expirationUrl: undefined,
  targetsType: undefined,
  targets: undefined,
};
export const managed = Object.keys(unset) as Field[];

/** Write-only: the service tells only whether they are set. */
export const secret = ["redirectPassword", "password"] as const;
/** The two ends of the active period. */
export const period = ["activePeriodStartAt", "activePeriodEndAt"] as const;
export type Period = (typeof period)[number];

/**
 * An alias that is always the same for a text: eight of 31 letters and digits that cannot be mistaken for one
 * another. That of a link for which the program names none comes from its URN, which names project, stack, parents
 * and resource.
 */
export function deriveAlias(text: string): string {
  const letters = "23456789abcdefghjkmnpqrstuvwxyz";
  const digest = createHash("sha256").update(text).digest();
  return Array.from(digest.subarray(0, 8), (byte) => letters[byte % letters.length]).join("");
}

/** A derived alias and those that take its place where somebody else on the domain has it. */
export function candidatesOf(derived: string): string[] {
  return [derived, deriveAlias(`${derived}/2`), deriveAlias(`${derived}/3`)];
}
