import { renderSVG } from "uqr";
import { html as markup, toPage, type Html } from "../page/frame";
import { stateOf } from "./redirect";
import { collate, isOwn, type DomainRow, type LinkRow, type Store } from "./store";

// The emulator's own page, which shows the account to an audience. It is no part of the service.

/** Maximum number of links, the last changed first, and of requests on the page. */
const shown = { links: 200, requests: 25 };

/** A request that was answered. */
interface Asked {
  method: string;
  path: string;
  /** 0 for no answer. */
  status: number;
  fault?: unknown;
}

/** The data of the page. */
interface Shown {
  /** The address of the emulator. */
  url: string;
  /** Words that address, destination, title or state must contain. */
  search: string;
  store: Store;
  requests: readonly Asked[];
  /** The page hides it, even in the path of a request. */
  apiKey: string;
}

/** The page of an account. */
export function accountPage({ url, search, store, requests, apiKey }: Shown): string {
  const domains = [...store.domains.values()].filter(isOwn);
  const names = new Map([...store.domains.values()].map(({ id, name }) => [id, name]));
  const all = [...store.links.values()].filter(isOwn);
  const words = collate(search).split(/\s+/);
  const found = all
    .map((link) => ({ link, address: `${names.get(link.domain_id)}/${link.alias}`, state: stateOf(link) }))
    .filter(({ link, address, state }) => {
      const text = collate(`${address} ${link.url} ${link.title ?? ""} ${state}`);
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => b.link.updated_at.localeCompare(a.link.updated_at) || b.link.id - a.link.id);
  const visits = all.reduce((sum, { clicks }) => sum + (clicks ?? 0), 0);
  const linksOf = new Map<number, number>();
  for (const { domain_id: id } of all) linksOf.set(id, (linksOf.get(id) ?? 0) + 1);
  const sections = [
    section(
      "Domains",
      domains.length,
      domains.map((domain) => domainItem(domain, linksOf.get(domain.id) ?? 0)),
    ),
    section(
      "Links",
      found.length,
      found.slice(0, shown.links).map(linkItem),
      found.length > shown.links
        ? `The last ${shown.links} that were changed; search for the others.`
        : undefined,
    ),
    section(
      "Last requests",
      requests.length,
      requests
        .slice(-shown.requests)
        .reverse()
        .map((request) => requestItem(request, apiKey)),
    ),
  ];
  return toPage({
    title: "Short links",
    summary: [
      `The emulator of the service at ${url}: ${count(domains.length, "domain")}, ${count(all.length, "link")}, ${count(visits, "visit")}.`,
    ],
    nav: markup`<form class="search"><input type="search" name="search" value="${search}" placeholder="Search address, destination or state" aria-label="Search"></form>`,
    main: markup`${sections}`,
    ...{ style, script, isServed: true },
  });
}

/** The QR code of a short link, as SVG. */
export function qrCode(shortUrl: string): string {
  return renderSVG(shortUrl, { border: 2 });
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function section(title: string, number: number, items: Html[], note?: string): Html {
  return markup`<section><h2>${title} <span>${number}</span></h2>
${
  items.length === 0
    ? markup`<p class="soft">None.</p>`
    : markup`<ul>
${items}
</ul>`
}
${note === undefined ? "" : markup`<p class="soft">${note}</p>`}</section>`;
}

function domainItem({ name, homepage_url: home, not_found_url: notFound }: DomainRow, links: number): Html {
  return markup`<li><span class="count">${count(links, "link")}</span> <h3>${name}</h3>
${home === null ? "" : markup`<p>homepage ${home}</p>`}
${notFound === null ? "" : markup`<p>unknown links go to ${notFound}</p>`}</li>`;
}

function linkItem({ link, address, state }: { link: LinkRow; address: string; state: string }): Html {
  const badges = [
    ...(state === "active" ? [] : [state]),
    ...(link.redirect_password === null ? [] : ["password"]),
    ...(link.sensitive_content ? ["asks for consent"] : []),
    ...(link.targets_type === null ? [] : [`by ${link.targets_type.replace("_", " ")}`]),
  ];
  const tone = state === "active" ? "good" : "warn";
  return markup`<li class="${tone}"><span class="count">${count(link.clicks ?? 0, "visit")}</span>
<details><summary title="QR code">QR</summary><img loading="lazy" alt="QR code of ${address}" src="/qr/${link.id}.svg" width="180" height="180"></details>
<h3><a href="/${address}" target="_blank" rel="noopener">${address}</a></h3> ${badges.map((badge) => markup`<em>${badge}</em>`)}
<p class="url">${link.url}</p></li>`;
}

function requestItem({ method, path, status, fault }: Asked, apiKey: string): Html {
  const tone = status >= 200 && status < 300 ? "good" : "bad";
  const outcome = status === 0 ? "no answer" : String(status);
  return markup`<li class="${tone}"><span class="count">${outcome}${fault ? " (fault)" : ""}</span> <code>${method} ${path.replaceAll(apiKey, "…")}</code></li>`;
}

const style = `
nav { position: sticky; top: 0; padding: .6rem 0; background: var(--back); }
.search { margin: 0; } .soft { color: var(--soft); }
ul { margin: 0; padding: 0; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); list-style: none; overflow: hidden; }
li { padding: .55rem .9rem; border-top: 1px solid var(--line); } li:first-child { border-top: 0; }
h3 { display: inline; margin: 0; font-size: 1rem; font-weight: 600; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: .2em; }
li p { margin: .1rem 0 0; color: var(--soft); font-size: .9rem; overflow-wrap: anywhere; }
em { padding: .05rem .5rem; border: 1px solid var(--line); border-radius: 1rem; color: var(--warn); font-size: .8rem; font-style: normal; }
.count { float: right; margin-left: .8rem; color: var(--tone, var(--soft)); font-variant-numeric: tabular-nums; }
details { float: right; margin-left: .8rem; } summary { color: var(--soft); font-size: .85rem; cursor: pointer; }
img { display: block; margin: .5rem 0; border-radius: .4rem; background: #fff; }
code { font-size: .85rem; overflow-wrap: anywhere; }
`;

// Without the script the form works, but the page does not refresh itself.
const script = `
const form = document.querySelector("form"), input = document.querySelector("input");
let asked = 0;
async function show() {
  const address = "/?search=" + encodeURIComponent(input.value), mine = ++asked;
  history.replaceState(null, "", address);
  const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
  // An open QR code stays until it is closed.
  if (mine !== asked || document.querySelector("details[open]")) return;
  for (const name of ["header", "main"]) document.querySelector(name).replaceWith(page.querySelector(name));
}
form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
input.addEventListener("input", show);
setInterval(() => { if (!document.hidden) show().catch(() => {}); }, 2000);
`;
