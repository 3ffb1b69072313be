import { parse } from "qs";

/** A field of a form after the service's own clean-up: trimmed, and null if it was empty. */
export type Field = string | null | Field[] | { [key: string]: Field };
export type Form = Record<string, Field>;

/** A body that the service would misread; the emulator refuses it rather than guess. */
export class FormError extends Error {}

const untrimmed: ReadonlySet<string> = new Set(["password", "redirect_password"]);

/**
 * Parses a urlencoded body or query the way the service's platform does: brackets nest, the last
 * duplicate wins, strings are trimmed (passwords are not) and empty ones become null.
 */
export function parseForm(text: string): Form {
  if (/%(?![0-9a-f]{2})/i.test(text)) throw new FormError("a % is not followed by two hexadecimal digits");
  if (/%00/.test(text)) throw new FormError("a value contains the character NUL");
  try {
    decodeURIComponent(text);
  } catch {
    throw new FormError("the text is not UTF-8");
  }
  // Only in a name; a value may contain any brackets.
  if (/(?:^|&)[^=&]*(?:\[\]|%5B%5D)(?:\[|%5B)/i.test(text)) {
    throw new FormError(
      "[] before another bracket makes an entry of its own for each field: number the entries",
    );
  }
  let fields: Record<string, unknown>;
  try {
    fields = parse(text, {
      arrayLimit: 1000,
      parameterLimit: 1000,
      depth: 10,
      strictDepth: true,
      throwOnLimitExceeded: true,
      duplicates: "last",
    });
  } catch (error) {
    throw new FormError((error as Error).message);
  }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, clean(name, value)]));
}

function clean(name: string, value: unknown): Field {
  if (Array.isArray(value)) return value.map((item) => clean("", item));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, clean(key, item)]));
  }
  const text = untrimmed.has(name) ? String(value) : String(value).trim();
  return text === "" ? null : text;
}
