import { dirname, join, relative, resolve, sep } from "node:path";
import { given, type Layer, type Ruling, type Values } from "./entries";
import { folderFiles, hasProject, isFile, namedFolder, projectFiles, toPosix } from "./files";
import type { Findings } from "./findings";
import * as schema from "./schema";
import type { Parsed, Written } from "./written";

/** The defaults and rules for the entries of a file, those of the topmost folder first. */
export interface Scope {
  defaults: Written[];
  rulings: Ruling[];
}

/**
 * The defaults and rules of folders. They apply from the folder of Pulumi.yaml downward, because a program runs there. Without a
 * project they apply from the working directory downward, or from a named folder outside of it.
 */
export class Scopes {
  readonly #folder: string;
  readonly #findings: Findings;
  readonly #parse: (file: string) => Parsed;
  readonly #known = new Map<string, Scope>();
  /** The topmost folders whose files apply if there is no project. */
  readonly #bounds: string[];

  /** @param files The names of the files, which may be outside of `folder`. */
  constructor(folder: string, files: readonly string[], findings: Findings, parse: (file: string) => Parsed) {
    this.#folder = folder;
    this.#findings = findings;
    this.#parse = parse;
    const named = files.map((pattern) => namedFolder(pattern, folder));
    this.#bounds = [folder, ...named.filter((each) => !(each + sep).startsWith(folder + sep))];
  }

  /** The defaults for a file, the nearest first, and the rules for it, the topmost first. */
  of(parsed: Parsed): { inherited: Layer[]; rulings: readonly Ruling[] } {
    const { defaults, rulings } = this.#narrowed(this.#ofFolder(dirname(parsed.file)), parsed);
    return {
      inherited: defaults.map(({ value, at }) => ({ values: value as Values, at })).reverse(),
      rulings,
    };
  }

  #ofFolder(folder: string): Scope {
    const known = this.#known.get(folder);
    if (known) return known;
    const path = resolve(this.#folder, folder);
    const isProject = projectFiles.some((name) => isFile(join(path, name)));
    const isBound = this.#bounds.includes(path) || path === dirname(path);
    const isTop = isProject || (isBound && !hasProject(path));
    const outer = isTop ? { defaults: [], rulings: [] } : this.#ofFolder(join(folder, ".."));
    const [file, other] = folderFiles.filter((name) => isFile(join(path, name)));
    const nameIn = (name: string) => toPosix(relative(this.#folder, join(path, name)));
    if (file !== undefined && other !== undefined) {
      const place = { file: nameIn(other), line: 1, column: 1 };
      this.#findings.note("files", place, undefined, `is in the same folder as ${file}: keep one of them`);
    }
    const scope = file === undefined ? outer : this.#narrowed(outer, this.#parse(nameIn(file)));
    this.#known.set(folder, scope);
    return scope;
  }

  #narrowed(outer: Scope, { sections }: Parsed): Scope {
    const scope = { defaults: outer.defaults, rulings: outer.rulings };
    const defaults = given(sections.get("defaults"));
    if (defaults) {
      if (this.#findings.isSound(schema.defaults, defaults, "defaults"))
        scope.defaults = [...outer.defaults, defaults];
      // Without these defaults the links are incomplete.
      else this.#findings.isWhole = false;
    }
    const section = given(sections.get("rules"));
    if (section && this.#findings.isSound(schema.rules, section, "rules")) {
      const ruling = { rules: section.value as Ruling["rules"], at: section.at };
      scope.rulings = [...outer.rulings, ruling];
    }
    return scope;
  }
}
