import { escapeText, escapeAttribute } from "entities";

// A report as one HTML page that needs nothing else: no other file, no network, and no script to be read.

/** What a page shows of one domain or link. */
export interface Row {
  /** Domain and alias, as visitors know it. */
  address: string;
  /** The address that it has instead. */
  newAddress?: string | undefined;
  /** Where it leads. */
  url?: string | undefined;
  /** Words on it. */
  notes: readonly string[];
  /** Fields with two values; null for none. */
  fields: readonly { name: string; old: unknown; new: unknown }[];
  /** Where it is in the catalog or the program. */
  place?: string | undefined;
}

/** How much something matters. */
export type Tone = "bad" | "warn" | "good";

/** Colours a text for those who read it on a terminal. */
export type Paint = (tone: Tone, text: string) => string;

/** Rows of one kind. */
export interface Group {
  title: string;
  tone: Tone;
  rows: readonly Row[];
}

/** A report: its groups in their order, those without rows left out. */
export interface Report {
  title: string;
  /** Sentences above the groups. */
  summary: readonly string[];
  groups: readonly Group[];
}

/** A report as a page with a search, a filter for each group, counts, and colours for light and dark. */
export function toPage({ title, summary, groups }: Report): string {
  const used = groups.filter(({ rows }) => rows.length > 0);
  const total = used.reduce((sum, { rows }) => sum + rows.length, 0);
  const filters = used.map(
    ({ title: name, tone, rows }, i) =>
      `<button type="button" class="${tone}" data-group="${i}" aria-pressed="false"><b>${rows.length}</b> ${text(name)}</button>`,
  );
  const sections = used.map(
    ({ title: name, tone, rows }, i) =>
      `<section class="${tone}" data-group="${i}"><h2>${text(name)} <span>${rows.length}</span></h2>\n` +
      `<ul>\n${rows.map(toItem).join("\n")}\n</ul></section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>${text(title)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${text(title)}</h1>
${summary.map((line) => `<p>${text(line)}</p>`).join("\n")}
</header>
<nav>
<div class="filters">${filters.join("\n")}</div>
<p class="search" hidden><input type="search" placeholder="Search address, field, value or file" aria-label="Search"> <output>${total} of ${total}</output></p>
</nav>
<main>
${sections.join("\n")}
</main>
<script>${script}</script>
</body>
</html>
`;
}

function text(value: string): string {
  return escapeText(value);
}

function toItem({ address, newAddress, url, notes, fields, place }: Row): string {
  const value = (each: unknown) =>
    each === null ? "none" : typeof each === "string" ? each : JSON.stringify(each);
  const parts = [
    `<h3>${text(address)}${newAddress === undefined ? "" : ` <i>becomes</i> ${text(newAddress)}`}</h3>`,
    ...(place === undefined ? [] : [`<code class="place">${text(place)}</code>`]),
    ...(url === undefined ? [] : [`<p class="url">${text(url)}</p>`]),
    ...notes.map((note) => `<p>${text(note)}</p>`),
    ...(fields.length === 0
      ? []
      : [
          `<dl>${fields
            .map(
              ({ name, old, new: now }) =>
                `<dt>${text(name)}</dt><dd><del>${text(value(old))}</del> <ins>${text(value(now))}</ins></dd>`,
            )
            .join("")}</dl>`,
        ]),
  ];
  return `<li title="${escapeAttribute(address)}">${parts.join("")}</li>`;
}

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1b1f24, #e8eaed); --soft: light-dark(#5b6570, #9aa4af); --back: light-dark(#f5f6f8, #14171b);
  --card: light-dark(#ffffff, #1e2227); --line: light-dark(#dde1e6, #333a42); --bad: light-dark(#b3261e, #ff8a80); --warn: light-dark(#8a5a00, #ffc766); --good: light-dark(#1a6b3c, #7ddba3); }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 2.5rem 1.25rem 4rem; background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { margin: 0 0 .5rem; font-size: 1.7rem; letter-spacing: -.01em; }
header p { margin: .2rem 0; color: var(--soft); }
nav { position: sticky; top: 0; padding: 1rem 0 .75rem; background: var(--back); }
.filters { display: flex; flex-wrap: wrap; gap: .6rem; }
button { flex: 0 1 auto; padding: .55rem .9rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--ink); font: inherit; font-size: .9rem; text-align: left; cursor: pointer; }
button b { display: block; font-size: 1.5rem; line-height: 1.15; color: var(--tone); }
button[aria-pressed="true"] { border-color: var(--tone); box-shadow: inset 0 0 0 1px var(--tone); }
.bad { --tone: var(--bad); } .warn { --tone: var(--warn); } .good { --tone: var(--good); }
.search { display: flex; gap: .8rem; align-items: center; margin: .9rem 0 0; } .search[hidden] { display: none; }
input { flex: 1; padding: .55rem .8rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); color: var(--ink); font: inherit; }
output { color: var(--soft); white-space: nowrap; font-variant-numeric: tabular-nums; }
h2 { margin: 1.6rem 0 .6rem; font-size: 1.05rem; } h2 span { margin-left: .3rem; color: var(--soft); font-weight: 400; }
ul { margin: 0; padding: 0; border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: .6rem; background: var(--card); list-style: none; overflow: hidden; }
li { position: relative; padding: .6rem .9rem; border-top: 1px solid var(--line); } li:first-child { border-top: 0; }
h3 { display: inline; margin: 0 .8rem 0 0; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; } h3 i { color: var(--soft); font-weight: 400; }
.place { float: right; color: var(--soft); font-size: .85rem; }
li p { margin: .15rem 0 0; color: var(--soft); overflow-wrap: anywhere; } .url { font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .9rem; margin: .3rem 0 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
del { color: var(--bad); } ins { color: var(--good); text-decoration: none; } ins::before { content: "\\2192\\00a0"; color: var(--soft); }
[hidden] { display: none !important; }
@media print { nav { display: none; } body { background: #fff; } }
`;

const script = `
const items = [...document.querySelectorAll("li")].map((element) => ({ element, text: element.textContent.toLowerCase() }));
const sections = [...document.querySelectorAll("section")];
const buttons = [...document.querySelectorAll("button")];
const search = document.querySelector("input"), count = document.querySelector("output");
document.querySelector(".search").hidden = false;
function show() {
  const words = search.value.toLowerCase().split(/\\s+/);
  const pressed = buttons.filter((button) => button.ariaPressed === "true").map(({ dataset }) => dataset.group);
  let shown = 0;
  for (const { element, text } of items) element.hidden = !words.every((word) => text.includes(word));
  for (const section of sections) {
    const visible = section.querySelectorAll("li:not([hidden])").length;
    section.hidden = visible === 0 || (pressed.length > 0 && !pressed.includes(section.dataset.group));
    section.querySelector("h2 span").textContent = visible;
    if (!section.hidden) shown += visible;
  }
  count.textContent = shown + " of " + items.length;
}
search.addEventListener("input", show);
for (const button of buttons) button.addEventListener("click", () => { button.ariaPressed = String(button.ariaPressed !== "true"); show(); });
`;
