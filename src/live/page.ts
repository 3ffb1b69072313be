import { html, toPage, type Html } from "../page/frame";

// A report as one HTML page that can be read without a script.

/** One domain or link on the page. */
export interface Row {
  /** Domain and alias, as visitors know them. */
  address: string;
  /** Its new address, if that changes. */
  newAddress?: string | undefined;
  /** Its destination. */
  url?: string | undefined;
  /** Remarks about it. */
  notes: readonly string[];
  /** Fields with old and new values; null for none. */
  fields: readonly { name: string; old: unknown; new: unknown }[];
  /** Its place in the catalog or the program. */
  place?: string | undefined;
}

/** Severity of a group or text. */
export type Tone = "bad" | "warn" | "good";

/** Colours a text for a terminal. */
export type Paint = (tone: Tone, text: string) => string;

/** Rows of one kind. */
export interface Group {
  title: string;
  tone: Tone;
  rows: readonly Row[];
}

/** A report. The page omits groups without rows. */
export interface Report {
  title: string;
  /** Sentences above the groups. */
  summary: readonly string[];
  groups: readonly Group[];
}

/** A report as a page with a search, a filter for each group, and counts. */
export function toReportPage({ title, summary, groups }: Report): string {
  const used = groups.filter(({ rows }) => rows.length > 0);
  const total = used.reduce((sum, { rows }) => sum + rows.length, 0);
  const filters = used.map(
    ({ title: name, tone, rows }, i) =>
      html`<button type="button" class="${tone}" data-group="${i}" aria-pressed="false">
        <b>${rows.length}</b> ${name}
      </button>`,
  );
  const sections = used.map(
    ({ title: name, tone, rows }, i) =>
      html`<section class="${tone}" data-group="${i}">
        <h2>${name} <span>${rows.length}</span></h2>
        <ul>
          ${rows.map(toItem)}
        </ul>
      </section>`,
  );
  const nav = html`<div class="filters">${filters}</div>
    <p class="search" hidden>
      <input type="search" placeholder="Search address, field, value or file" aria-label="Search" />
      <output>${total} of ${total}</output>
    </p>`;
  return toPage({ title, summary, nav, main: html`${sections}`, style, script });
}

function toItem({ address, newAddress, url, notes, fields, place }: Row): Html {
  const value = (each: unknown) =>
    each === null ? "none" : typeof each === "string" ? each : JSON.stringify(each);
  const becomes = newAddress === undefined ? "" : html` <i>becomes</i> ${newAddress}`;
  const changed = fields.map(
    ({ name, old, new: now }) =>
      html`<dt>${name}</dt>
        <dd><del>${value(old)}</del> <ins>${value(now)}</ins></dd>`,
  );
  return html`<li title="${address}">
    <h3>${address}${becomes}</h3>
    ${place === undefined ? "" : html`<code class="place">${place}</code>`}
    ${url === undefined ? "" : html`<p class="url">${url}</p>`} ${notes.map((note) => html`<p>${note}</p>`)}
    ${changed.length === 0 ? "" : html`<dl>${changed}</dl>`}
  </li>`;
}

const style = `
nav { position: sticky; top: 0; padding: 1rem 0 .75rem; background: var(--back); }
.filters { display: flex; flex-wrap: wrap; gap: .6rem; }
button b { display: block; font-size: 1.5rem; line-height: 1.15; color: var(--tone); }
button[aria-pressed="true"] { border-color: var(--tone); box-shadow: inset 0 0 0 1px var(--tone); }
ul { margin: 0; padding: 0; border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: .6rem; background: var(--card); list-style: none; overflow: hidden; }
li { position: relative; padding: .6rem .9rem; border-top: 1px solid var(--line); } li:first-child { border-top: 0; }
h3 { display: inline; margin: 0 .8rem 0 0; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; } h3 i { color: var(--soft); font-weight: 400; }
.place { float: right; color: var(--soft); font-size: .85rem; }
li p { margin: .15rem 0 0; color: var(--soft); overflow-wrap: anywhere; } .url { font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .9rem; margin: .3rem 0 0; } dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
del { color: var(--bad); } ins { color: var(--good); text-decoration: none; } ins::before { content: "\\2192\\00a0"; color: var(--soft); }
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
