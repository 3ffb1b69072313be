// Explains mistakes in YAML to people who have never read about its syntax. The parser's messages use its internal terms.

/** Names whose values no message shows, misspelled ones too. */
const secretName = /passw|secret|token/i;

/** A mistake as the parser reports it. */
interface Mistake {
  code: string;
  message: string;
  /** The place where the parser noticed it, perhaps after it. */
  offset: number;
}

/** The message for a mistake, and its place. */
export interface Explained {
  offset: number;
  reason: string;
}

/** A field and the text after it: `note: Sale: 50% off`. */
const fieldPattern = /^(\s*(?:- )?)([\w.-]+):\s+(.*)$/;

/** Explains a mistake. */
export function explain(text: string, { code, message, offset }: Mistake): Explained {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const line = lineAt(text, start);
  const [, margin = "", name = "", value = ""] = fieldPattern.exec(line) ?? [];
  const here = (reason: string, at = offset): Explained => ({ offset: at, reason });
  const quoted = (reason: string) => here(`${reason}: ${name}: ${inQuotes(name, value)}`);

  if (/^\s*\t/.test(line)) return here("begins with a tab: indent with spaces", start);
  if (line.includes("\u00a0"))
    return here(
      "contains a special space, often copied from a web page: type a plain one",
      start + line.indexOf("\u00a0"),
    );
  if (code === "MULTIPLE_DOCS") return here("begins a second document: put it in a separate file");
  if (/^'.*'.*'/.test(value)) return quoted("the apostrophe ends the text: put the text in double quotes");
  if (code === "BAD_SCALAR_START" && value !== "" && offset === start + line.length - value.length)
    return quoted(`text that begins with ${value[0]} needs quotes`);
  if (code === "BLOCK_AS_IMPLICIT_KEY" && /[^{[].*:\s/.test(value) && !/^[{[]/.test(value))
    return quoted("text with a colon needs quotes");
  if (code === "BAD_SCALAR_START") return here(`text that begins with ${text[offset]} needs quotes`);
  if (code === "TAG_RESOLVE_FAILED") return here("text that begins with ! needs quotes");
  if (/^Block scalar/.test(message)) return here("text that begins with | or > needs quotes");
  if (code === "BAD_DQ_ESCAPE")
    return here("\\ has a meaning in double quotes: write it twice, or use single quotes");
  const unspaced = /^(\s*(?:- )?)([\w.-]+):(\S.*)$/.exec(line);
  if (unspaced && name === "") {
    const [, , field = "", rest = ""] = unspaced;
    return here(`a space is missing after the colon: ${field}: ${secretName.test(field) ? "…" : rest}`);
  }
  const opened = openedBefore(text, offset);
  if (opened !== undefined && (code === "MISSING_CHAR" || /^Flow /.test(message))) {
    const rest = lineAt(text, opened);
    if (text[opened] === '"' || text[opened] === "'")
      return here(`the quoted text that begins here does not end: add a closing ${text[opened]}`, opened);
    if (/ #/.test(rest))
      return here('text after " #" is a comment: put the value in quotes', opened + rest.indexOf(" #"));
    return here(
      `the ${text[opened]} that begins here does not end: add ${text[opened] === "{" ? "}" : "]"}`,
      opened,
    );
  }
  if (code === "BAD_INDENT" || code === "BLOCK_AS_IMPLICIT_KEY") {
    const isDeeper = code === "BLOCK_AS_IMPLICIT_KEY";
    return here(
      isDeeper
        ? "the next line is indented more than this one: begin all fields of an entry in the same column"
        : 'is not indented like the lines above: begin all fields of an entry in the same column, and each item of a list with "- "',
      isDeeper ? offset : start + margin.length,
    );
  }
  if (code === "BLOCK_IN_FLOW" || /Missing ,/.test(message))
    return here(
      "a comma is missing in the braces, as in { alias: docs, url: https://example.com/ }, or text with a colon needs quotes",
    );
  if (code === "MISSING_CHAR" && name === "")
    return here("is not a field: write a name, a colon, a space and the value");
  return here("cannot be read: look for a missing quote, colon or bracket here or in the line above");
}

function lineAt(text: string, start: number): string {
  return text.slice(start).split("\n", 1)[0] ?? "";
}

/** The value in quotes, or only the quotes if it may be a password. */
function inQuotes(name: string, value: string): string {
  if (secretName.test(name)) return '"…"';
  const bare = value.replace(/^'(.*)'$/, "$1").replace(/\s+#.*$/, "");
  return JSON.stringify(bare);
}

/** The last bracket or quote before an offset that is not closed before it. */
function openedBefore(text: string, offset: number): number | undefined {
  const open: number[] = [];
  let quote: number | undefined;
  for (let at = 0; at < offset; at++) {
    const sign = text[at] ?? "";
    if (quote !== undefined) {
      if (sign === text[quote] && text[at - 1] !== "\\") quote = undefined;
    } else if (/["']/.test(sign) && /[\s:[{,]/.test(text[at - 1] ?? "\n")) quote = at;
    else if (sign === "#" && /\s/.test(text[at - 1] ?? "\n")) at = offsetOfEnd(text, at) - 1;
    else if ((sign === "{" || sign === "[") && /[\s[{,]/.test(text[at - 1] ?? "\n")) open.push(at);
    else if (sign === "}" || sign === "]") open.pop();
  }
  return quote ?? open.at(-1);
}

function offsetOfEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
}
