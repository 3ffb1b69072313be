import { pathText } from "../fields/problem";
import { collate } from "../service/collate";
import { readField } from "../fields/check";
import { linkFields } from "../link/fields";
import { together } from "../link/rules";
import type { DomainEntry, Entry, LinkEntry, Ruling, Values } from "./entries";
import type { Catalog } from "./load";
import { suggest } from "./suggest";
import { domainRequired, findingAt, formerKeys, placeText, type Finding, type FindingKind } from "./written";

// The checks that need several fields or several entries.

/**
 * All mistakes of a catalog, in the order of files and lines.
 *
 * @param options.allowEmpty Accepts a catalog without links.
 * @param options.timeZone The time zone of the account, if known.
 */
export function checkCatalog(
  catalog: Catalog,
  { allowEmpty = false, timeZone }: { allowEmpty?: boolean; timeZone?: string | undefined } = {},
): Finding[] {
  const { domains, links, findings } = catalog;
  const all = [...findings];
  const note: Note = (kind, entry, path, reason) => {
    all.push(findingAt(kind, entry.at(path), subjectOf(entry), reason));
  };
  const names = new Map(domains.map((domain) => [domain.key, domain]));
  const hints = new Map<string, string>();
  for (const domain of domains) checkDomain(domain, note);
  noteDuplicates(
    domains,
    ({ name }) => collate(name),
    (one, other) => {
      // If an overlay renamed one of the two, the mistake is there.
      const [domain, first] = one.name === one.key && other.name !== other.key ? [other, one] : [one, other];
      const reason = `the name ${JSON.stringify(domain.name)} is already used by the domain at ${placeText(first.nameAt())}`;
      all.push(findingAt("duplicate", domain.nameAt(), subjectOf(domain), reason));
    },
  );
  for (const link of links) {
    checkFields(link, timeZone, note);
    checkDomainOf(link, names, catalog, hints, note);
    for (const ruling of link.rulings) checkRules(link, ruling, note);
  }
  const addresses = links.flatMap((link) => {
    const [address, alias] = [addressOf(link, names), link.values.alias];
    return address === undefined ? [] : [{ ...link, address, alias: alias as string }];
  });
  noteDuplicates(
    addresses,
    ({ address }) => address,
    (link, first) => {
      const rule = link.alias === first.alias ? "" : "; capitals and accents do not count";
      const taken = `alias ${JSON.stringify(link.alias)} is already used by ${JSON.stringify(first.key)} at ${placeText(first.at(["alias"]))}`;
      note("duplicate", link, ["alias"], taken + rule);
    },
  );
  if (links.length === 0 && all.length === 0 && !allowEmpty) {
    const [file = ""] = catalog.files;
    const reason = "the catalog has no links: if that is intended, set allowEmpty (--allow-empty)";
    all.push(findingAt("files", { file, line: 1, column: 1 }, undefined, reason));
  }
  checkFormerKeys(links, note);
  checkCircles(addresses, names, note);
  return inOrder(all);
}

/** Sorted by files and lines. A mistake that many entries share, for example in a default or in a domain's name, appears once. */
function inOrder(findings: Finding[]): Finding[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const where = finding.kind === "reference" ? finding.file : placeText(finding);
    const group = JSON.stringify([where, finding.reason]);
    const known = groups.get(group);
    if (known) known.push(finding);
    else groups.set(group, [finding]);
  }
  const told = [...groups.values()].flatMap(([first, ...more]) => {
    if (first === undefined || more.length === 0) return first ?? [];
    return findingAt(first.kind, first, first.subject, `${first.reason} (and so for ${more.length} more)`);
  });
  return told.sort((a, b) =>
    a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1,
  );
}

type Note = (kind: FindingKind, entry: Entry, path: readonly PropertyKey[], message: string) => void;

/** `link "docs"` */
function subjectOf(entry: Entry): string {
  return `${"rulings" in entry ? "link" : "domain"} ${JSON.stringify(entry.key)}`;
}

function checkDomain(domain: DomainEntry, note: Note): void {
  if (domain.values.existing !== true) return;
  for (const name of ["homepageUrl", "notFoundUrl", "forceDestroy", "adopt", "protect"]) {
    if (domain.values[name] === undefined) continue;
    note(
      "field",
      domain,
      [name],
      `${name} has no effect on a domain with existing: true: remove one of the two`,
    );
  }
}

const period = ["activePeriodStartAt", "activePeriodEndAt"] as const;

/** A date of an entry in canonical form. */
function dateOf(values: Values, name: (typeof period)[number]): string {
  return readField(linkFields[name], values[name]).value as string;
}

function checkFields(link: LinkEntry, timeZone: string | undefined, note: Note): void {
  const { values } = link;
  if (values.url === undefined) note("field", link, ["url"], "url is required");
  const fields: Values = { ...values };
  for (const name of period) if (values[name] !== undefined) fields[name] = dateOf(values, name);
  if (Array.isArray(fields.targets) && fields.targets.length === 0) delete fields.targets;
  for (const { property, reason } of together(fields, [], timeZone)) {
    note("field", link, property.match(/\w+/g) ?? [], `${property} ${reason}`);
  }
}

function checkDomainOf(
  link: LinkEntry,
  names: Map<string, DomainEntry>,
  { isWhole, removed }: Catalog,
  hints: Map<string, string>,
  note: Note,
): void {
  const { domain, values } = link;
  if (domain !== undefined && values.domainId !== undefined) {
    note("field", link, ["domainId"], "has both domain and domainId: remove one of them");
  } else if (domain === undefined && values.domainId === undefined && isWhole) {
    note("field", link, ["domain"], domainRequired);
  } else if (domain !== undefined && !names.has(domain) && isWhole) {
    const hint = hints.get(domain) ?? removed.get(`domain ${domain}`) ?? hintFor(domain, names, hints.size);
    hints.set(domain, hint);
    note("reference", link, ["domain"], `the domain ${JSON.stringify(domain)} is not in the catalog${hint}`);
  }
}

/** What to do about an unknown domain. @param told Number of other unknown domains. */
function hintFor(domain: string, names: Map<string, DomainEntry>, told: number): string {
  const host = domain.includes("/")
    ? hostOf(domain.includes("://") ? domain : `http://${domain}`)
    : undefined;
  if (host !== undefined) return `: a domain is a name without https:// and slashes: write ${host}`;
  const near = suggest(domain, [...names.keys()], told);
  if (near !== "") return `${near} If not, add it to domains`;
  return ": add it to domains, with existing: true if it is managed elsewhere";
}

/** The domain and the alias as the service compares them; undefined if the alias is not known offline. */
function addressOf({ domain, values }: LinkEntry, names: Map<string, DomainEntry>): string | undefined {
  if (typeof values.alias !== "string") return undefined;
  const host = domain === undefined ? values.domainId : hostOf(`http://${names.get(domain)?.name ?? domain}`);
  return `${String(host)}/${collate(values.alias.trim())}`;
}

function hostOf(url: unknown): string | undefined {
  return typeof url === "string" ? URL.parse(url.trim())?.hostname : undefined;
}

function noteDuplicates<Item>(
  items: Item[],
  keyOf: (item: Item) => string,
  tell: (item: Item, first: Item) => void,
): void {
  const seen = new Map<string, Item>();
  for (const item of items) {
    const first = seen.get(keyOf(item));
    if (first === undefined) seen.set(keyOf(item), item);
    else tell(item, first);
  }
}

function checkFormerKeys(entries: Entry[], note: Note): void {
  const keys = new Set(entries.map(({ key }) => key));
  const seen = new Map<string, Entry>();
  for (const entry of entries) {
    for (const each of formerKeys(entry.values)) {
      const former = typeof each === "string" ? each : `${each.catalog}: ${each.key}`;
      const first = seen.get(former);
      if (first === entry) continue;
      if (typeof each === "string" && keys.has(former))
        note(
          "duplicate",
          entry,
          ["formerly"],
          `formerly names ${JSON.stringify(former)}, which is still in the catalog`,
        );
      else if (first) {
        note(
          "duplicate",
          entry,
          ["formerly"],
          `formerly names ${JSON.stringify(former)}, as does ${JSON.stringify(first.key)} at ${placeText(first.at(["formerly"]))}`,
        );
      }
      seen.set(former, entry);
    }
  }
}

/** All destinations of a link, with the paths of their fields. */
function destinationsOf({ values }: Entry): [PropertyKey[], string][] {
  const targets = (values.targets ?? []) as { value: string }[];
  const all: [PropertyKey[], unknown][] = [
    [["url"], values.url],
    [["expirationUrl"], values.expirationUrl],
    ...targets.map(({ value }, index): [PropertyKey[], string] => [["targets", index, "value"], value]),
  ];
  return all.filter((each): each is [PropertyKey[], string] => typeof each[1] === "string");
}

/** Notes links that lead to themselves, directly or through other links of the catalog. */
function checkCircles(
  links: (LinkEntry & { address: string })[],
  names: Map<string, DomainEntry>,
  note: Note,
): void {
  const byAddress = new Map(links.map((link) => [link.address, link]));
  const hosts = new Set([...names.values()].map(({ name }) => hostOf(`http://${name}`)));
  const linkAt = (text: unknown) => {
    const url = typeof text === "string" ? URL.parse(text.trim()) : null;
    if (!url || !hosts.has(url.hostname)) return undefined;
    const alias = decoded(url.pathname.split("/")[1] ?? "");
    return byAddress.get(`${url.hostname}/${collate(alias)}`);
  };
  const done = new Set<string>();
  for (const link of links) {
    for (const [path, text] of destinationsOf(link)) {
      if (linkAt(text)?.key !== link.key) continue;
      note("circle", link, path, `${fieldOf(path)} leads to the link itself`);
      done.add(link.key);
    }
    // The links passed so far, in order.
    const way = new Set([link.key]);
    for (let next = linkAt(link.values.url); next && !done.has(next.key); next = linkAt(next.values.url)) {
      if (way.has(next.key)) {
        const keys = [...way];
        const circle = [...keys.slice(keys.indexOf(next.key)), next.key].join(" -> ");
        note("circle", next, ["url"], `url leads in a circle: ${circle}`);
        break;
      }
      way.add(next.key);
    }
    for (const key of way) done.add(key);
  }
}

/** `targets[0].value` */
function fieldOf([name, ...rest]: PropertyKey[]): string {
  return pathText(String(name), rest);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const day = 24 * 60 * 60 * 1000;

function checkRules(link: LinkEntry, { rules, at }: Ruling, note: Note): void {
  const { values } = link;
  const broken = (rule: keyof typeof rules, path: PropertyKey[], message: string) =>
    note("rule", link, path, `${message} (rule ${rule} at ${placeText(at([rule], true))})`);
  for (const [path, text] of destinationsOf(link)) {
    const field = fieldOf(path);
    const host = hostOf(text) ?? "";
    if (rules.httpsOnly && !/^\s*https:/i.test(text))
      broken("httpsOnly", path, `${field} must begin with https://`);
    if (rules.allowedHosts && !rules.allowedHosts.some((allowed) => isAllowed(host, allowed))) {
      broken(
        "allowedHosts",
        path,
        `${field} leads to ${host === "" ? "no host" : host}, which is not allowed`,
      );
    }
  }
  const { alias } = values;
  if (rules.aliasPattern !== undefined) {
    const pattern = new RegExp(`^(?:${rules.aliasPattern})$`, "u");
    if (typeof alias !== "string") broken("aliasPattern", [], "needs an alias");
    else if (!pattern.test(alias.trim())) {
      broken(
        "aliasPattern",
        ["alias"],
        `alias ${JSON.stringify(alias)} does not match ${rules.aliasPattern}`,
      );
    }
  }
  if (rules.maxLifetimeDays !== undefined) {
    const [start, end] = period.map((name) =>
      values[name] === undefined ? undefined : Date.parse(`${dateOf(values, name).replace(/Z$/, "")}Z`),
    );
    if (start === undefined || end === undefined) {
      broken("maxLifetimeDays", [], `needs an active period of at most ${rules.maxLifetimeDays} days`);
    } else if (end - start > rules.maxLifetimeDays * day) {
      const days = Math.ceil((end - start) / day);
      broken(
        "maxLifetimeDays",
        ["activePeriodEndAt"],
        `is active for ${days} days, longer than ${rules.maxLifetimeDays}`,
      );
    }
  }
  for (const name of rules.required ?? []) {
    if (values[name] === undefined) broken("required", [], `needs ${name === "note" ? "a" : "an"} ${name}`);
  }
}

function isAllowed(host: string, allowed: string): boolean {
  // In the form in which URLs write names in other scripts.
  const name = hostOf(`http://${allowed.replace(/^\*\./, "")}`) ?? "";
  return allowed.startsWith("*.") ? host.endsWith(`.${name}`) : host === name;
}
