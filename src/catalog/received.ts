import type { Row } from "../fields/row";

// What a message about a field adds for people who write files: the value that was found, and what to type instead.

/** The longest value that is repeated. */
const longest = 40;
/** The values of these kinds say what is wrong, and none of them is a secret. A URL may hold a token. */
const shown: readonly Row["kind"][] = ["flag", "count", "choice", "word", "dateTime", "id", "ids"];

/** A reason with the value that was found, and the way out. @param value The wrong value, or the wrong part of it. */
export function withReceived(row: Row, value: unknown, reason: string): string {
  const isPlain = ["string", "number", "boolean"].includes(typeof value);
  if (row.secret || !isPlain) return reason;
  const text = String(value);
  const isTyped = /^[“”„‘’«»]/.test(text);
  if (isTyped)
    return `begins with the typographic quotation mark ${text[0]}: type a plain one ("), or leave it out`;
  if (reason === "must be a text") return 'must be a text: put it into quotes, like "0123"';
  if (row.kind === "alias") {
    const sign = /[^\p{L}\p{M}\p{N}_-]/u.exec(text.trim())?.[0];
    return sign === undefined ? reason : `${reason}, not ${JSON.stringify(sign)}`;
  }
  if (row.kind === "url" && /^[\w-]+(?:\.[\w-]+)+(?:[/?#:]|$)/.test(text))
    return `${reason}: write https:// before it`;
  if (!shown.includes(row.kind) || !reason.startsWith("must")) return reason;
  return `${reason}, not ${JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : value)}${wayOut(row, text, value)}`;
}

function wayOut({ kind, words = [] }: Row, text: string, value: unknown): string {
  if (kind === "flag" && /^(?:true|false)$/.test(text)) return ": remove the quotes";
  const isNumber = kind === "count" || kind === "id" || kind === "ids";
  if (isNumber && typeof value === "string" && /^\d+$/.test(text)) return ": remove the quotes";
  if (isNumber && /^\d{1,3}(?:[.,' ]\d{3})+$/.test(text)) return `: write ${text.replace(/\D/g, "")}`;
  if (kind === "dateTime" && /^\d{4}-\d\d-\d\d$/.test(text)) return `: write ${text}T00:00:00`;
  const [, day = "", month = "", year] = /^(\d\d?)[./](\d\d?)[./](\d{4})$/.exec(text) ?? [];
  if (kind === "dateTime" && year !== undefined && Number(day) > 12)
    return `: write ${year}-${month.padStart(2, "0")}-${day}T00:00:00`;
  const small = words.find((word) => word.toLowerCase() === text.toLowerCase());
  return small === undefined ? "" : `: write ${small}`;
}
