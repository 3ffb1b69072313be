import type { Tell } from "./problem";
import type { Row } from "./row";

const zone = /(?:z|[+-]\d\d:?\d\d)$/i;
const fraction = /\.\d+$/;
export const datePatterns = [
  /^\s*\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?\s*$/,
  /^\s*(?:19[7-9]|20[0-2]|203(?=[0-7]))/,
];

/** Date and time in the time zone of the account, as the service reads it; a value with a zone becomes UTC. */
export function readDateTime(value: unknown, _row: Row, tell: Tell): unknown {
  if (typeof value !== "string") {
    tell("must be a date and time like 2026-03-01T08:00:00");
    return value;
  }
  const [form, years] = datePatterns;
  const text = form?.test(value) ? canonical(value.trim()) : "";
  if (!isDateTime(text.replace(/Z$/, ""))) tell("must be a real date and time like 2026-03-01T08:00:00");
  else if (!years?.test(value) || text < "1970-01-02" || text >= "2038")
    tell("must be in the years 1970 to 2037");
  return text;
}

/** `2026-03-01T08:00:00`, with `Z` if the text has a zone. */
function canonical(text: string): string {
  const own = zone.exec(text.slice(10))?.[0].toUpperCase();
  const local = text
    .slice(0, text.length - (own?.length ?? 0))
    .replace(/[t ]/, "T")
    .replace(fraction, "")
    .replace(/^([^.]*T\d\d:\d\d)$/, "$1:00");
  if (own === undefined || !isDateTime(local)) return local;
  const time = Date.parse(local + own.replace(/^(.\d\d)(\d\d)$/, "$1:$2"));
  return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 19)}Z`;
}

function isDateTime(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text;
}

/** `2026-03-01T08:00:00.000000Z` and `2026-03-01 08:00:00`, as the service answers, become `2026-03-01T08:00:00`. */
export function observedDate(text: string): string {
  return text.slice(0, 19).replace(" ", "T");
}

/** A UTC time like `2026-03-01T07:00:00Z` as local time of a zone: `2026-03-01T08:00:00`. */
export function toZone(moment: string, timeZone: string): string {
  // The Swedish locale writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return format.format(new Date(moment)).replace(" ", "T");
}
