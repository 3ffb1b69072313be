import { resolve } from "node:path";
import {
  derivedKey,
  merged,
  nameOf,
  type DomainEntry,
  type RawEntry,
  type LinkEntry,
  type Values,
} from "./entries";
import { findFiles, readBytes } from "./files";
import { Findings } from "./findings";
import { applyOverlay, removedText, type Items } from "./overlays";
import { parseFile } from "./parse";
import * as schema from "./schema";
import { Scopes } from "./scopes";
import { suggest } from "./suggest";
import { domainRequired, placeText, type Finding, type Parsed, type Written } from "./written";

// Merges files into the effective entries, with the place of each value.

/** A whole catalog, in the order of the keys, without unreadable entries. */
export interface Catalog {
  /** Names of the files with the entries. */
  files: string[];
  domains: DomainEntry[];
  links: LinkEntry[];
  findings: Finding[];
  /** False if some entries could not be read: a missing entry may be one of them. */
  isWhole: boolean;
  /** The end of a message with the place, for each domain or link that an overlay removed, like `domain go.example`. */
  removed: ReadonlyMap<string, string>;
}

/** The sources of a catalog. */
export interface Sources {
  /** Files, folders and patterns. */
  files: readonly string[];
  /** Overlays; later ones take precedence. */
  overlays?: readonly string[];
  /** Base of relative names. Default: the working directory. */
  folder?: string;
}

/** Reads all files and merges each entry. Mistakes become findings; missing or unreadable files throw a `FilesError`. */
export function loadCatalog({ files, overlays = [], folder: given = process.cwd() }: Sources): Catalog {
  const folder = resolve(given);
  const findings = new Findings();
  const all: Parsed[] = [];
  const parse = (file: string, kind: schema.Kind) => {
    const parsed = parseFile(file, readBytes(resolve(folder, file)), ["domains", "links"]);
    all.push(parsed);
    checkSections(parsed, kind, findings);
    return parsed;
  };
  const scopes = new Scopes(folder, files, findings, (file) => parse(file, "folder"));
  const items: Items = { domains: new Map(), links: new Map(), removed: new Map() };
  const found = findFiles(files, folder);
  const catalogs = found.map((file) => parse(file, "catalog"));
  for (const parsed of catalogs) readDomains(parsed, items, findings);
  for (const parsed of catalogs) readLinks(parsed, scopes, items, findings);
  for (const file of findFiles(overlays, folder)) {
    const before = findings.all.length;
    const parsed = parse(file, "overlay");
    const spoken = applyOverlay(parsed, items, findings);
    if (spoken > 0 || parsed.findings.length > 0 || findings.all.length > before) continue;
    const reason = "the overlay changes nothing: remove it, or add changes";
    findings.note("overlay", { file, line: 1, column: 1 }, undefined, reason);
  }
  const domains = [...items.domains].map(([key, { name, nameAt, ...item }]) => ({
    ...merged(key, item),
    name,
    nameAt,
  }));
  const links = [...items.links].map(([key, { rulings, ...item }]) => {
    const entry = merged(key, item);
    const { domain } = entry.values;
    return { ...entry, domain: typeof domain === "string" ? nameOf(domain) : undefined, rulings };
  });
  return {
    files: found,
    domains: sorted(domains),
    links: sorted(links),
    findings: [...all.flatMap((parsed) => parsed.findings), ...findings.all],
    isWhole: findings.isWhole,
    removed: new Map([...items.removed].map(([what, entry]) => [what, removedText(entry)])),
  };
}

const kindNames = {
  catalog: "a file of the catalog",
  folder: "folder.yaml",
  overlay: "an overlay",
};

/** Notes the unknown sections of a file. */
function checkSections(parsed: Parsed, kind: schema.Kind, findings: Findings): void {
  if (kind !== "overlay" && parsed.findings.length > 0) findings.isWhole = false;
  const sectionsOf = (each: schema.Kind) => Object.keys(schema.documents[each].shape);
  const allowed = sectionsOf(kind);
  for (const [name, section] of parsed.sections) {
    if (name === "$schema" && typeof section.value !== "string") {
      findings.note("field", section.at([]), undefined, "$schema must be text");
    }
    if (allowed.includes(name)) continue;
    const other = (["catalog", "folder", "overlay"] as const).find((each) => sectionsOf(each).includes(name));
    const instead = other ? `: it belongs in ${kindNames[other]}` : suggest(name, allowed);
    findings.noteUnreadable(section.at(), `unknown section ${JSON.stringify(name)}${instead}`);
  }
}

function readDomains(parsed: Parsed, { domains }: Items, findings: Findings): void {
  const entries = entriesOf(parsed, "domains", "a map of domains by their names, or a list", findings);
  for (const entry of entries) {
    const isListed = entry.key === undefined;
    const values = isListed || entry.value !== null ? entry.value : {};
    const given = isListed ? (values as Values | null)?.name : entry.key;
    const subject = typeof given === "string" ? `domain ${JSON.stringify(given)}` : "a domain";
    const rule = isListed ? schema.listedDomain : schema.domain;
    const isSound =
      findings.isSound(rule, { ...entry, value: values }, subject) &&
      (isListed || findings.isKey(schema.domainName, "name", entry, subject));
    if (!isSound) {
      findings.isWhole = false;
      continue;
    }
    const { name: _name, ...rest } = values as Values;
    const key = nameOf(given as string);
    const own = { values: rest, at: entry.at };
    const item = { own, layers: [own], name: key, nameAt: () => entry.at() };
    add(domains, "domain", key, item, findings);
  }
}

function readLinks(parsed: Parsed, scopes: Scopes, { links }: Items, findings: Findings): void {
  const { inherited, rulings } = scopes.of(parsed);
  const entries = entriesOf(parsed, "links", "a map of links by their keys, or a list", findings);
  for (const entry of entries) {
    const isListed = entry.key === undefined;
    const values = entry.value as Values | null;
    const given = isListed ? values?.key : entry.key;
    const subject = linkNamed(given, values?.alias);
    const isSound =
      findings.isSound(isListed ? schema.listedLink : schema.link, entry, subject) &&
      (isListed || findings.isKey(schema.entryKey, "key", entry, subject));
    if (!isSound) {
      findings.isWhole = false;
      continue;
    }
    const { key: _key, ...rest } = values as Values;
    const own = { values: rest, at: entry.at };
    const item = { own, layers: [own, ...inherited], rulings };
    const key = (given as string | undefined) ?? derivedKey(merged("", item).values);
    if (key !== undefined) add(links, "link", key, item, findings);
    else if (findings.isWhole && typeof rest.alias === "string")
      findings.note("field", entry.at(["domain"]), subject, domainRequired);
    else if (findings.isWhole) findings.note("field", entry.at(), subject, "needs a key or an alias");
  }
}

function linkNamed(key: unknown, alias: unknown): string {
  if (typeof key === "string") return `link ${JSON.stringify(key)}`;
  return typeof alias === "string" ? `link with the alias ${JSON.stringify(alias)}` : "a link";
}

/** The entries of a section. Notes a section of another form. */
function entriesOf(parsed: Parsed, name: string, what: string, findings: Findings): Written[] {
  const entries = parsed.entriesOf(name, true);
  if (entries) return entries;
  const section = parsed.sections.get(name);
  if (section) findings.noteUnreadable(section.at(), `${name} must be ${what}`);
  return [];
}

function add<Each extends RawEntry>(
  items: Map<string, Each>,
  noun: string,
  key: string,
  item: Each,
  findings: Findings,
): void {
  const first = items.get(key);
  if (!first) return void items.set(key, item);
  const reason = `the ${noun} ${JSON.stringify(key)} is a duplicate, first defined at ${placeText(first.own.at())}`;
  findings.note("duplicate", item.own.at(), undefined, reason);
}

function sorted<Each extends { key: string }>(entries: Each[]): Each[] {
  return entries.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}
