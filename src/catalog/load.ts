import { dirname, join, relative, resolve, sep } from "node:path";
import { closest, distance } from "fastest-levenshtein";
import type { z } from "zod";
import { pathText } from "../check-fields";
import {
  findFiles,
  folderFiles,
  hasProject,
  isFile,
  namedFolder,
  projectFiles,
  readBytes,
  toPosix,
} from "./files";
import { parseFile } from "./parse";
import * as schema from "./schema";
import { placeText, type Finding, type FindingKind, type Parsed, type Place, type Written } from "./written";

// From files to the effective entries: what each says, and which file said it.

/** The fields of an entry, and where each was written. */
export type Values = Record<string, unknown>;

/** House rules, and where they stand. */
export interface Ruling {
  rules: z.infer<typeof schema.rules>;
  at: Written["at"];
}

/** A domain or a link after defaults and overlays. */
export interface Entry {
  key: string;
  values: Values;
  /** Where a field, or a part of it, was written; the entry itself without a path. */
  at: (path?: readonly PropertyKey[]) => Place;
}

export interface LinkEntry extends Entry {
  /** Name of its domain in the catalog; undefined where it has a `domainId`. */
  domain: string | undefined;
  /** The house rules that hold for it, of the folder farthest up first. */
  rulings: readonly Ruling[];
}

export interface DomainEntry extends Entry {
  /** The name in this environment. */
  name: string;
  /** Where that name stands. */
  nameAt: () => Place;
}

/** The whole of a catalog, in the order of the keys, without the entries that cannot be read. */
export interface Catalog {
  /** Names of the files with the entries. */
  files: string[];
  domains: DomainEntry[];
  links: LinkEntry[];
  findings: Finding[];
  /** Could all entries be read? Otherwise what seems to be missing may be there. */
  isWhole: boolean;
  /** For a domain or a link that an overlay has taken away, like `domain go.example`: which. */
  removed: ReadonlyMap<string, string>;
}

/** Where a catalog is. */
export interface Sources {
  /** Files, folders and patterns. */
  files: readonly string[];
  /** Overlays, of which a later one wins. */
  overlays?: readonly string[];
  /** What relative names are relative to. Default: the working directory. */
  folder?: string;
}

/** What holds for the entries of a file. */
interface Scope {
  defaults: Written[];
  rulings: Ruling[];
}

/** A layer of an entry: what one place says of it. */
type Layer = Pick<Written, "at"> & { values: Values };

/** Reads all files and puts each entry together. Whatever is wrong is among the findings; nothing is thrown for it. */
export function loadCatalog({ files, overlays = [], folder = process.cwd() }: Sources): Catalog {
  return new Loader(folder).load(files, overlays);
}

/** An entry before its layers are merged: overlays come before what the entry itself says, defaults after. */
interface Item {
  own: Layer;
  layers: Layer[];
}

class Loader {
  readonly #folder: string;
  readonly #findings: Finding[] = [];
  readonly #files: Parsed[] = [];
  readonly #scopes = new Map<string, Scope>();
  readonly #links = new Map<string, Item & { rulings: readonly Ruling[] }>();
  readonly #domains = new Map<string, Item & { name: string; nameAt: () => Place }>();
  /** What overlays have taken away. */
  readonly #removed = new Map<string, Written>();
  /** Where unknown fields stand that were told of. */
  readonly #unknown = new Set<string>();
  #isWhole = true;
  /** Where the folders end whose files hold, if there is no project. */
  #bounds: string[] = [];

  constructor(folder: string) {
    this.#folder = resolve(folder);
  }

  load(files: readonly string[], overlays: readonly string[]): Catalog {
    const named = files.map((pattern) => namedFolder(pattern, this.#folder));
    this.#bounds = [this.#folder, ...named.filter((each) => !(each + sep).startsWith(this.#folder + sep))];
    const found = findFiles(files, this.#folder);
    const parsed = found.map((file) => this.#parse(file, "catalog"));
    for (const each of parsed) this.#readDomains(each);
    for (const each of parsed) this.#readLinks(each);
    for (const file of findFiles(overlays, this.#folder)) this.#overlay(file);
    const domains = [...this.#domains].map(([key, item]) => {
      const { name, nameAt } = item;
      return { ...merged(key, item), name, nameAt };
    });
    const links = [...this.#links].map(([key, { rulings, ...item }]) => {
      const entry = merged(key, item);
      const { domain } = entry.values;
      return { ...entry, domain: typeof domain === "string" ? nameOf(domain) : undefined, rulings };
    });
    const findings = [...this.#files.flatMap((file) => file.findings), ...this.#findings];
    const removed = new Map([...this.#removed].map(([what, entry]) => [what, removedText(entry)]));
    const entries = { domains: sorted(domains), links: sorted(links) };
    return { files: found, ...entries, findings, isWhole: this.#isWhole, removed };
  }

  #note(kind: FindingKind, place: Place, message: string): void {
    this.#findings.push({ kind, ...place, message });
  }

  #parse(file: string, kind: schema.Kind): Parsed {
    const parsed = parseFile(file, readBytes(resolve(this.#folder, file)), ["domains", "links"]);
    this.#files.push(parsed);
    if (kind !== "overlay" && parsed.findings.length > 0) this.#isWhole = false;
    const allowed = sectionsOf(kind);
    for (const [name, section] of parsed.sections) {
      if (name === "$schema" && typeof section.value !== "string") {
        this.#note("field", section.at([]), "$schema must be a text");
      }
      if (allowed.includes(name)) continue;
      const other = (["catalog", "folder", "overlay"] as const).find((each) =>
        sectionsOf(each).includes(name),
      );
      const instead = other ? `: it belongs into ${kindNames[other]}` : suggest(name, allowed);
      this.#note("field", section.at(), `unknown section ${JSON.stringify(name)}${instead}`);
      this.#isWhole = false;
    }
    return parsed;
  }

  /** The defaults and rules of a file, after those of the folders above it. */
  #scopeOf(parsed: Parsed): Scope {
    return this.#narrowed(this.#scopeOfFolder(dirname(parsed.file)), parsed);
  }

  /**
   * Files of folders hold from that of Pulumi.yaml downward, as a program runs there; where there is none, from the working
   * directory downward, or from the folder that was named where that is elsewhere.
   */
  #scopeOfFolder(folder: string): Scope {
    const known = this.#scopes.get(folder);
    if (known) return known;
    const path = resolve(this.#folder, folder);
    const isProject = projectFiles.some((name) => isFile(join(path, name)));
    const isBound = this.#bounds.includes(path) || path === dirname(path);
    const isTop = isProject || (isBound && !hasProject(path));
    const outer = isTop ? { defaults: [], rulings: [] } : this.#scopeOfFolder(join(folder, ".."));
    const [file, other] = folderFiles.filter((name) => isFile(join(path, name)));
    const nameIn = (name: string) => toPosix(relative(this.#folder, join(path, name)));
    if (file !== undefined && other !== undefined) {
      this.#note(
        "files",
        { file: nameIn(other), line: 1, column: 1 },
        `stands beside ${file}: leave one of them`,
      );
    }
    const scope = file === undefined ? outer : this.#narrowed(outer, this.#parse(nameIn(file), "folder"));
    this.#scopes.set(folder, scope);
    return scope;
  }

  #narrowed(outer: Scope, { sections }: Parsed): Scope {
    const scope = { defaults: outer.defaults, rulings: outer.rulings };
    const defaults = given(sections.get("defaults"));
    if (defaults) {
      if (this.#isSound(schema.defaults, defaults, "defaults"))
        scope.defaults = [...outer.defaults, defaults];
      // What they would have said of the links is not known.
      else this.#isWhole = false;
    }
    const section = given(sections.get("rules"));
    if (section && this.#isSound(schema.rules, section, "rules")) {
      const ruling = { rules: section.value as Ruling["rules"], at: section.at };
      scope.rulings = [...outer.rulings, ruling];
    }
    return scope;
  }

  #readDomains(parsed: Parsed): void {
    const entries = parsed.entriesOf("domains", true);
    if (!entries) this.#mustBeEntries(parsed, "domains", "a map of domains by their names, or a list");
    for (const entry of entries ?? []) {
      const isListed = entry.key === undefined;
      const values = isListed || entry.value !== null ? entry.value : {};
      const given = isListed ? (values as Values | null)?.name : entry.key;
      const what = typeof given === "string" ? `domain ${JSON.stringify(given)}` : "a domain";
      const written = { ...entry, value: values };
      const isSound =
        this.#isSound(isListed ? schema.listedDomain : schema.domain, written, what) &&
        (isListed || this.#isKey(schema.domainName, "name", entry, what));
      if (!isSound) {
        this.#isWhole = false;
        continue;
      }
      const { name: _name, ...rest } = values as Values;
      const key = nameOf(given as string);
      const own = { values: rest, at: entry.at };
      this.#add(this.#domains, "domain", key, { own, layers: [own], name: key, nameAt: () => entry.at() });
    }
  }

  #readLinks(parsed: Parsed): void {
    const { defaults, rulings } = this.#scopeOf(parsed);
    const entries = parsed.entriesOf("links", true);
    if (!entries) this.#mustBeEntries(parsed, "links", "a map of links by their keys, or a list");
    const inherited = defaults.map(({ value, at }) => ({ values: value as Values, at })).reverse();
    for (const entry of entries ?? []) {
      const isListed = entry.key === undefined;
      const values = entry.value as Values | null;
      const given = isListed ? values?.key : entry.key;
      const alias = typeof values?.alias === "string" ? values.alias : undefined;
      const what =
        typeof given === "string"
          ? `link ${JSON.stringify(given)}`
          : alias === undefined
            ? "a link"
            : `link with the alias ${JSON.stringify(alias)}`;
      const isSound =
        this.#isSound(isListed ? schema.listedLink : schema.link, entry, what) &&
        (isListed || this.#isKey(schema.entryKey, "key", entry, what));
      if (!isSound) {
        this.#isWhole = false;
        continue;
      }
      const { key: _key, ...rest } = values as Values;
      const own = { values: rest, at: entry.at };
      const item = { own, layers: [own, ...inherited] };
      const key = (given as string | undefined) ?? derivedKey(merged("", item).values);
      if (key === undefined) {
        const message = `${what}: needs a key, as it has no alias and domain to be named by`;
        if (this.#isWhole) this.#note("field", entry.at(), message);
        continue;
      }
      this.#add(this.#links, "link", key, { ...item, rulings });
    }
  }

  #mustBeEntries({ sections }: Parsed, name: string, what: string): void {
    const section = sections.get(name);
    if (!section) return;
    this.#note("field", section.at(), `${name} must be ${what}`);
    this.#isWhole = false;
  }

  #add<Each extends Item>(items: Map<string, Each>, noun: string, key: string, item: Each): void {
    const first = items.get(key);
    if (!first) return void items.set(key, item);
    const message = `the ${noun} ${JSON.stringify(key)} stands twice: first at ${placeText(first.own.at())}`;
    this.#note("duplicate", item.own.at(), message);
  }

  #overlay(file: string): void {
    const before = this.#findings.length;
    const parsed = this.#parse(file, "overlay");
    let matched = 0;
    const change = (
      items: Map<string, Item>,
      noun: string,
      rule: z.ZodObject,
      keyRule: z.ZodType,
      toKey: (text: string) => string,
    ) => {
      const entries = parsed.entriesOf(`${noun}s`, false);
      if (!entries) return this.#mustBeEntries(parsed, `${noun}s`, `a map of ${noun}s by their keys`);
      const seen = new Map<string, Written>();
      for (const entry of entries) {
        const key = toKey(entry.key ?? "");
        const what = `${noun} ${JSON.stringify(key)}`;
        const [item, first] = [items.get(key), seen.get(key)];
        seen.set(key, entry);
        const isKey = this.#isKey(keyRule, noun === "link" ? "key" : "name", entry, what);
        const isSound = entry.value === null || this.#isSound(rule, entry, what);
        if (first) {
          this.#note("duplicate", entry.at(), `${what} stands twice: first at ${placeText(first.at())}`);
        } else if (item) {
          if (entry.value === null) {
            items.delete(key);
            this.#removed.set(`${noun} ${key}`, entry);
          } else if (isSound) item.layers.unshift({ values: entry.value as Values, at: entry.at });
        } else if (this.#isWhole && isKey) {
          const removed = this.#removed.get(`${noun} ${key}`);
          const hint = removed
            ? removedText(removed)
            : suggest(key, [...items.keys()], this.#findings.length);
          this.#note("overlay", entry.at(), `there is no ${what} in the catalog to change${hint}`);
        }
        matched++;
      }
    };
    const map = given(parsed.sections.get("domainMap"));
    if (map && this.#isSound(schema.domainMap, map, "domainMap")) {
      for (const [from, to] of Object.entries(map.value as Record<string, string>)) {
        matched++;
        const domain = this.#domains.get(nameOf(from));
        const hint = suggest(nameOf(from), [...this.#domains.keys()], this.#findings.length);
        if (domain) [domain.name, domain.nameAt] = [nameOf(to), () => map.at([from])];
        else if (this.#isWhole)
          this.#note(
            "overlay",
            map.at([from], true),
            `there is no domain ${JSON.stringify(from)} in the catalog${hint}`,
          );
      }
    }
    change(this.#domains, "domain", schema.domainChanges, schema.domainName, nameOf);
    change(this.#links, "link", schema.linkChanges, schema.entryKey, (key) => key);
    if (matched === 0 && this.#findings.length === before && parsed.findings.length === 0) {
      this.#note(
        "overlay",
        { file, line: 1, column: 1 },
        "the overlay changes nothing: remove it, or fill it",
      );
    }
  }

  #isKey(rule: z.ZodType, name: string, entry: Written, what: string): boolean {
    const { error } = rule.safeParse(entry.key);
    for (const { message } of error?.issues ?? []) {
      this.#note("field", entry.at(), `${what}: ${name} ${message}`);
    }
    return error === undefined;
  }

  /** Notes what is wrong with the fields of a thing. */
  #isSound(rule: z.ZodType, { value, at }: Written, what: string): boolean {
    const { error } = rule.safeParse(value);
    for (const issue of error?.issues ?? []) {
      const isUnknown = issue.code === "unrecognized_keys";
      if (isUnknown && issue.path.length === 0) {
        const known = Object.keys((rule as z.ZodObject).shape);
        for (const name of issue.keys) {
          // A column stands for many.
          const place = at([name], true);
          if (this.#unknown.has(placeText(place))) continue;
          this.#unknown.add(placeText(place));
          const hint = misplaced[`${what.split(" ")[0]} ${name}`] ?? suggest(name, known);
          const message = `${what}: unknown field ${JSON.stringify(name)}${hint}`;
          this.#note("field", place, message);
        }
        continue;
      }
      const [field, ...rest] = issue.path;
      const path = isUnknown ? [...issue.path, issue.keys[0] ?? ""] : issue.path;
      const name = field === undefined ? " " : `: ${pathText(String(field), rest)} `;
      const isEmpty = path.length === 1 && ["", null].includes((value as Values)[String(field)] as string);
      const reason = isEmpty ? "is empty: give it a value, or leave it out" : issue.message;
      this.#note("field", at(path, isUnknown), `${what}${name}${reason}`);
    }
    return error === undefined;
  }
}

/** What to say of fields that are known, but not there. */
const misplaced: { [place: string]: string } = {
  "link key": ": the key is the name before the colon",
  "domain name": ": the name of a domain is that before the colon",
  "defaults url": ": each link has its own",
  "defaults alias": ": each link has its own",
  "defaults key": ": each link has its own",
  "defaults formerly": ": each link has its own",
  "link formerly": ": it stands with the entry, in the catalog itself",
};

const kindNames = {
  catalog: "a file of the catalog",
  folder: "folder.yaml",
  overlay: "an overlay",
};

function sectionsOf(kind: schema.Kind): string[] {
  return Object.keys(schema.documents[kind].shape);
}

function removedText(entry: Written): string {
  return `: it was taken away at ${placeText(entry.at())}`;
}

/** A section that says something. */
function given(section: Written | undefined): Written | undefined {
  return section?.value === null ? undefined : section;
}

function derivedKey({ domain, domainId, alias }: Values): string | undefined {
  if (typeof alias !== "string") return undefined;
  if (typeof domain === "string") return `${nameOf(domain)}/${alias.trim()}`;
  return typeof domainId === "number" ? `${domainId}/${alias.trim()}` : undefined;
}

/** The name of a domain as the service keeps it. */
function nameOf(text: string): string {
  return text.trim().toLowerCase();
}

/** An entry of several layers, of which the first that says something of a field wins. */
function merged(key: string, { own, layers }: Item): Entry {
  const values: Values = {};
  const origins = new Map<PropertyKey, Layer>();
  for (const layer of layers) {
    // One of the two ways to name the domain hides the other of the layers behind.
    const names = Object.keys(layer.values);
    const hidden = origins.has("domain") || origins.has("domainId") ? ["domain", "domainId"] : [];
    for (const name of names) {
      if (origins.has(name) || hidden.includes(name)) continue;
      origins.set(name, layer);
      if (layer.values[name] !== null) values[name] = layer.values[name];
    }
  }
  const at = (path: readonly PropertyKey[] = []) => (origins.get(path[0] ?? "") ?? own).at(path);
  return { key, values, at };
}

function sorted<Item extends { key: string }>(items: Item[]): Item[] {
  return items.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** After so many findings nothing is suggested any more: where nothing fits anything, that would take minutes. */
const mostHints = 100;

/**
 * `: did you mean "url"?` where one of the names is near.
 *
 * @param told How many findings there are so far.
 */
export function suggest(name: string, known: readonly string[], told = 0): string {
  if (known.length === 0 || told > mostHints) return "";
  const camel = name.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const small = known.map((each) => each.toLowerCase());
  const near = closest(camel.toLowerCase(), small);
  const found = [small.indexOf(near), small.findIndex((each) => each.startsWith(camel.toLowerCase()))]
    .map((index) => known[index] ?? "")
    .find((each) => each.startsWith(camel) || distance(camel, each) <= Math.max(2, each.length / 4));
  return found === undefined || found === "" ? "" : `: did you mean ${JSON.stringify(found)}?`;
}
