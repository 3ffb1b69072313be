import type { z } from "zod";
import type * as schema from "./schema";
import type { Place, Written } from "./written";

// Domains and links: their layers in the files, and the entries merged from these.

/** The fields of an entry. */
export type Values = Record<string, unknown>;

/** House rules and their places. */
export interface Ruling {
  rules: z.infer<typeof schema.rules>;
  at: Written["at"];
}

/** A domain or a link after defaults and overlays. */
export interface Entry {
  key: string;
  values: Values;
  /** The place of a field or of a part of it; of the entry without a path. */
  at: (path?: readonly PropertyKey[]) => Place;
}

export interface LinkEntry extends Entry {
  /** Name of its domain in the catalog; undefined if it has a `domainId`. */
  domain: string | undefined;
  /** The house rules for it, those of the topmost folder first. */
  rulings: readonly Ruling[];
}

export interface DomainEntry extends Entry {
  /** The name in this environment. */
  name: string;
  /** The place of that name. */
  nameAt: () => Place;
}

/** A layer of an entry: its values from one place. */
export type Layer = Pick<Written, "at"> & { values: Values };

/** An entry before its layers are merged. Precedence, highest first: overlays, the entry itself, defaults. */
export interface RawEntry {
  own: Layer;
  layers: Layer[];
}

/** A link before its layers are merged. */
export interface RawLink extends RawEntry {
  rulings: readonly Ruling[];
}

/** A domain before its layers are merged. */
export interface RawDomain extends RawEntry {
  name: string;
  nameAt: () => Place;
}

/** Merges the layers of an entry. The first layer with a field takes precedence. */
export function merged(key: string, { own, layers }: RawEntry): Entry {
  const values: Values = {};
  const origins = new Map<PropertyKey, Layer>();
  for (const layer of layers) {
    // A layer with `domain` or `domainId` hides both fields of the layers after it.
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

/** The key of a listed link without one. */
export function derivedKey({ domain, domainId, alias }: Values): string | undefined {
  if (typeof alias !== "string") return undefined;
  if (typeof domain === "string") return `${nameOf(domain)}/${alias.trim()}`;
  return typeof domainId === "number" ? `${domainId}/${alias.trim()}` : undefined;
}

/** The name of a domain as the service keeps it. */
export function nameOf(text: string): string {
  return text.trim().toLowerCase();
}

/** The section, unless it is empty. */
export function given(section: Written | undefined): Written | undefined {
  return section?.value === null ? undefined : section;
}
