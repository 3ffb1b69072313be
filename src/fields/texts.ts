import type { Tell } from "./problem";
import type { Row } from "./row";

// The rules of texts, from the service's documentation and behaviour.

/** Reports a text that is longer than the service accepts. True if it is. */
function tellLength(text: string, { max = Infinity }: Row, tell: Tell): boolean {
  if (text.length > max) tell(`is longer than ${max} characters`);
  return text.length > max;
}

/** Any characters. The service trims texts, but not passwords. */
export function readText(value: unknown, row: Row, tell: Tell): unknown {
  if (typeof value !== "string") {
    tell("must be text");
    return value;
  }
  tellLength(value, row, tell);
  return row.secret ? value : value.trim();
}

/** Characters that need no encoding in a path, a query or a fragment. `%` has its own rule. */
const plain = "\\p{L}\\p{N}._~!$&'()*+,;=:@/%-";
const user = "[\\p{L}\\p{N}._%-]+";
const urlParts = new RegExp(
  `^\\s*[^:]*://(?:(?:${user}:)?${user}@)?(?:\\[[0-9A-Fa-f:.]+\\]|[\\p{L}\\p{M}\\p{N}\\p{S}._-]+)(?::\\d{1,5})?` +
    `(?:/[${plain}]*)?(?:\\?[?[\\]${plain}]*)?(?:#[?${plain}]*)?\\s*$`,
  "u",
);
export const urlStart = /^\s*[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#]/;
const urlEscapes = /^(?:[^%]|%[0-9A-Fa-f]{2})*$/;
export const urlPatterns = [urlStart, urlEscapes, urlParts];

/** The rule of the service's framework, without its list of schemes, which differs by version. */
export function readUrl(value: unknown, row: Row, tell: Tell): unknown {
  if (typeof value !== "string") {
    tell("must be a URL");
    return value;
  }
  tellLength(value, row, tell);
  if (!urlStart.test(value)) {
    tell("must be a URL with scheme and host, for example https://example.com/page");
    return value;
  }
  if (!urlEscapes.test(value))
    tell('contains a "%" without two hexadecimal digits after it: write "%25" for a percent sign');
  if (!urlParts.test(value)) {
    tell(
      'contains a character that must be percent-encoded (space, { } | " < > \\ ^ `, an emoji, another symbol or a control ' +
        "character; [ and ] outside of the query; a second #)",
    );
  }
  return value.trim();
}

const label = "[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}_])?";
const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/** A name with a dot whose last label is in ASCII and not a number, or an IPv4 address. */
export const hostName = new RegExp(
  `^\\s*(?:(?:${label}\\.)+(?!\\d+\\s*$)[A-Za-z0-9-]{1,63}|(?:${octet}\\.){3}${octet})\\s*$`,
  "u",
);

export function readHostName(value: unknown, row: Row, tell: Tell): unknown {
  if (typeof value !== "string") {
    tell("must be a host name");
    return value;
  }
  if (tellLength(value, row, tell)) return value;
  const name = value.trim().toLowerCase();
  if (!hostName.test(name))
    tell("must be a host name with a dot and without scheme, port and path, for example go.example.com");
  return name;
}

export const aliasPatterns = [/^\s*[\p{L}\p{M}\p{N}_-]+\s*$/u, /^(?!\s*0\s*$)/];

export function readAlias(value: unknown, row: Row, tell: Tell): unknown {
  if (typeof value !== "string") {
    tell("must be text");
    return value;
  }
  tellLength(value, row, tell);
  const [letters, notZero] = aliasPatterns;
  if (!letters?.test(value)) tell("may contain only letters, digits, - and _");
  if (!notZero?.test(value)) tell("must not be 0: the service treats it as no alias");
  return value.trim();
}

/** One of the row's words. The message lists more than three without quotes. */
export function readWord(value: unknown, { words = [] }: Row, tell: Tell): unknown {
  if (words.includes(value as string)) return value;
  tell(words.length > 3 ? `must be one of ${words.join(", ")}` : `must be ${listed(words)}`);
  return value;
}

/** `"a", "b" or "c"` */
export function listed(words: readonly string[]): string {
  const quoted = words.map((word) => JSON.stringify(word));
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
