import { createHash } from "node:crypto";

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
