import { hashPassword, type DomainRow, type LinkRow, type Store, type Target } from "./store";
import type { Form } from "./form";

/** The request of a visitor who opens a short link. */
export interface Visitor {
  /** Path of the request, percent-encoded, with its leading slash. */
  path: string;
  /** Query string without the question mark; it is merged into the destination. */
  query: string;
  headers: Record<string, string | string[] | undefined>;
  /** The visitor's entries on a page of the emulator: `password`, `consent`. */
  form: Form;
}

/** A redirect, or the page that a visitor gets instead. */
export type Answer = { status: 301; location: string } | { status: 200 | 404; title: string; page: string };

/** Answers a visitor of a domain, with the checks in the service's order. */
export function visit(visitor: Visitor, domain: DomainRow, store: Store): Answer {
  const alias = decodeAlias(visitor.path);
  if (alias === "" && domain.homepage_url !== null) return { status: 301, location: domain.homepage_url };
  const link = alias === undefined ? undefined : store.findLink(domain.id, alias);
  if (!link) {
    return domain.not_found_url === null
      ? { status: 404, title: "Not found", page: "There is no such short link." }
      : { status: 301, location: domain.not_found_url };
  }
  if (isExpired(link)) {
    return link.expiration_url === null
      ? { status: 404, title: "Link expired", page: "This short link has expired." }
      : { status: 301, location: link.expiration_url };
  }
  const { password, consent } = visitor.form;
  if (link.redirect_password !== null) {
    if (typeof password !== "string" || hashPassword(password) !== link.redirect_password) {
      return question("Password", 'This link asks for a password. <input name="password" type="password">');
    }
  }
  const kept =
    typeof password === "string" ? `<input type="hidden" name="password" value="${escape(password)}">` : "";
  const agreed = `${kept}<input type="hidden" name="consent" value="1">`;
  if (consent !== "1" && link.sensitive_content) {
    return question("Sensitive content", `The destination may hold sensitive content. ${agreed}`);
  }
  if (consent !== "1" && link.pixel_ids.length > 0) {
    return question("Consent", `This link uses tracking pixels. ${agreed}`);
  }
  const location = merge(destination(link, visitor), visitor.query);
  link.clicks = (link.clicks ?? 0) + 1;
  store.changed();
  return { status: 301, location };
}

function decodeAlias(path: string): string | undefined {
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return undefined;
  }
}

function isExpired(link: LinkRow): boolean {
  return stateOf(link) !== "active";
}

/** The state of a link: active, or the reason why it does not lead to its destination. */
export function stateOf(link: LinkRow): "active" | "not active yet" | "expired" | "limit reached" {
  const time = new Date().toISOString();
  const { active_period_start_at: start, active_period_end_at: end } = link;
  // A period with only one end never expires.
  if (start !== null && end !== null && time < start) return "not active yet";
  if (start !== null && end !== null && time > end) return "expired";
  return !!link.clicks_limit && (link.clicks ?? 0) >= link.clicks_limit ? "limit reached" : "active";
}

function question(title: string, body: string): Answer {
  return { status: 200, title, page: `<form method="post">${body} <button>Continue</button></form>` };
}

function escape(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

function destination(link: LinkRow, visitor: Visitor): string {
  const targets = link.targets ?? [];
  if (link.targets_type === "rotations") {
    // The link's own URL takes one slot of the cycle.
    const slot = ((link.last_rotation ?? -1) + 1) % (targets.length + 1);
    link.last_rotation = slot;
    return targets[slot]?.value ?? link.url;
  }
  const key = link.targets_type === null ? undefined : criterion(link.targets_type, visitor);
  const matching = targets.filter((target: Target) => key !== undefined && target.key === key);
  return matching.at(-1)?.value ?? link.url;
}

/**
 * The visitor's target key. The emulator knows no geography: the headers `X-Visitor-Country` and `X-Visitor-Continent` name the
 * visitor's place.
 */
function criterion(targetsType: string, { headers }: Visitor): string | undefined {
  const header = (name: string) => (typeof headers[name] === "string" ? headers[name] : undefined);
  const agent = header("user-agent") ?? "";
  const first = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(agent))?.[1];
  switch (targetsType) {
    case "continents":
      return header("x-visitor-continent");
    case "countries":
      return header("x-visitor-country");
    case "operating_systems":
      return first(operatingSystems);
    case "browsers":
      return first(browsers);
    case "languages":
      // The service compares the whole header, so only a visitor with a single language ever matches.
      return header("accept-language");
    default:
      return first(devices) ?? "desktop";
  }
}

const operatingSystems: [RegExp, string][] = [
  [/iPhone|iPad|iPod/, "iOS"],
  [/Android/, "Android"],
  [/CrOS/, "Chrome OS"],
  [/Windows/, "Windows"],
  [/Mac OS X|Macintosh/, "OS X"],
  [/Ubuntu/, "Ubuntu"],
  [/Linux/, "Linux"],
];
const browsers: [RegExp, string][] = [
  [/Edg/, "Edge"],
  [/OPR|Opera/, "Opera"],
  [/Vivaldi/, "Vivaldi"],
  [/YaBrowser/, "Yandex Browser"],
  [/SamsungBrowser/, "Samsung Internet"],
  [/Firefox.*Mobile|Mobile.*Firefox/, "Firefox Mobile"],
  [/Firefox/, "Firefox"],
  [/Chromium/, "Chromium"],
  [/Chrome/, "Chrome"],
  [/Safari/, "Safari"],
];
const devices: [RegExp, string][] = [
  [/TV|BRAVIA|Roku/, "television"],
  [/Watch/, "watch"],
  [/iPad|Tablet|Android(?!.*Mobile)/, "tablet"],
  [/Mobi|iPhone/, "mobile"],
];

/** Adds the visitor's parameters to the destination. They override parameters of the same name. */
function merge(destination: string, query: string): string {
  const url = query === "" ? null : URL.parse(destination);
  if (!url) return destination;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  return url.href;
}
