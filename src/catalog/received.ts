import type { Row } from "../fields/row";

// Additions to messages about fields, for people who write files: the value received, and a correction.

/** The longest value that a message shows in full. */
const longest = 40;
/** Kinds whose values show the mistake and are never secret. A URL may hold a token. */
const shown: readonly Row["kind"][] = ["flag", "count", "choice", "word", "dateTime", "id", "ids"];

/** A reason with the value received and a correction. @param value The wrong value, or the wrong part of it. */
export function withReceived(row: Row, value: unknown, reason: string): string {
  const isPlain = ["string", "number", "boolean"].includes(typeof value);
  if (row.secret || !isPlain) return reason;
  const text = String(value);
  const isTyped = /^[“”„‘’«»]/.test(text);
  if (isTyped)
    return `begins with the typographic quotation mark ${text[0]}: type a plain one ("), or leave it out`;
  if (reason === "must be text") return 'must be text: put it in quotes, like "0123"';
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
