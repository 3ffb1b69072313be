import type { z } from "zod";
import type * as schema from "./schema";
import type { Place, Written } from "./written";

// Domains and links as the files have them, in layers, and what comes of the layers.

/** The fields of an entry. */
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
  /** The place of that name. */
  nameAt: () => Place;
}

/** A layer of an entry: what one place says of it. */
export type Layer = Pick<Written, "at"> & { values: Values };

/** An entry before its layers are merged: overlays come before what the entry itself says, defaults after. */
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

/** An entry of several layers, of which the first that says something of a field wins. */
export function merged(key: string, { own, layers }: RawEntry): Entry {
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

/** The key of a listed link that says none. */
export function derivedKey({ domain, domainId, alias }: Values): string | undefined {
  if (typeof alias !== "string") return undefined;
  if (typeof domain === "string") return `${nameOf(domain)}/${alias.trim()}`;
  return typeof domainId === "number" ? `${domainId}/${alias.trim()}` : undefined;
}

/** The name of a domain as the service keeps it. */
export function nameOf(text: string): string {
  return text.trim().toLowerCase();
}

/** A section that says something. */
export function given(section: Written | undefined): Written | undefined {
  return section?.value === null ? undefined : section;
}
