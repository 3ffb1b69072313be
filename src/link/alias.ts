import { createHash } from "node:crypto";

/**
 * Derives an alias from a text, always the same one: eight of 31 letters and digits that are hard to confuse. A link without an
 * alias in the program gets one from its URN, which names project, stack, parents and resource.
 */
export function deriveAlias(text: string): string {
  const letters = "23456789abcdefghjkmnpqrstuvwxyz";
  const digest = createHash("sha256").update(text).digest();
  return Array.from(digest.subarray(0, 8), (byte) => letters[byte % letters.length]).join("");
}

/** A derived alias, and its substitutes if another link on the domain has it. */
export function candidatesOf(derived: string): string[] {
  return [derived, deriveAlias(`${derived}/2`), deriveAlias(`${derived}/3`)];
}
