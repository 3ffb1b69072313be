import { escapeAttribute, escapeText } from "entities";

// A self-contained page: it needs no other file, and no network but its own server, if it has one.

/** Markup from the template below. */
export class Html {
  constructor(readonly text: string) {}
}

/** A template of markup. It escapes inserted values as text, except for markup and lists of markup. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  const isAttribute = (i: number) => parts[i]?.endsWith('"') ?? false;
  return new Html(parts.reduce((text, part, i) => text + toMarkup(values[i - 1], isAttribute(i - 1)) + part));
}

function toMarkup(value: unknown, isAttribute: boolean): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map((each) => toMarkup(each, isAttribute)).join("\n");
  return isAttribute ? escapeAttribute(String(value)) : escapeText(String(value));
}

/** The parts in which pages differ. */
export interface Page {
  title: string;
  /** Sentences below the title. */
  summary: readonly string[];
  /** The part that stays at the top; `main` is below it. */
  nav: Html;
  main: Html;
  style: string;
  script: string;
  /** True if it sends requests to its own server. */
  isServed?: boolean;
}

/** A whole page, in light or dark colours as the reader's system prefers. */
export function toPage({ title, summary, nav, main, style, script, isServed = false }: Page): string {
  const server = isServed ? "; connect-src 'self'; img-src 'self'; form-action 'self'" : "";
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'${new Html(server)}"
        />
        <title>${title}</title>
        <style>
          ${new Html(base + style)}
        </style>
      </head>
      <body>
        <header>
          <h1>${title}</h1>
          ${summary.map((line) => html`<p>${line}</p>`)}
        </header>
        <nav>${nav}</nav>
        <main>${main}</main>
        <script>
          ${new Html(script)};
        </script>
      </body>
    </html> `;
  return page.text;
}

const base = `
:root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e8eaed); --soft: light-dark(#5b6570, #9aa4af); --back: light-dark(#f5f6f8, #14171b);
  --card: light-dark(#ffffff, #1e2227); --line: light-dark(#dde1e6, #333a42); --bad: light-dark(#b3261e, #ff8a80); --warn: light-dark(#8a5a00, #ffc766); --good: light-dark(#1a6b3c, #7ddba3); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 2.5rem 1.25rem 4rem; background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .5rem; font-size: 1.7rem; letter-spacing: -.01em; }
header p { margin: .2rem 0; color: var(--soft); }
button { flex: 0 1 auto; padding: .55rem .9rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--ink); font: inherit; font-size: .9rem; text-align: left; cursor: pointer; }
.bad { --tone: var(--bad); } .warn { --tone: var(--warn); } .good { --tone: var(--good); }
.search { display: flex; gap: .8rem; align-items: center; margin: .9rem 0 0; } .search[hidden] { display: none; }
input { flex: 1; padding: .55rem .8rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--ink); font: inherit; }
output { color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
h2 { margin: 1.6rem 0 .6rem; font-size: 1.05rem; } h2 span { margin-left: .3rem; color: var(--soft); font-weight: 400; }
[hidden] { display: none !important; }
@media print { nav { display: none; } body { background: #fff; } }
`;
