import { stringify as stringifyCsv } from "csv-stringify/sync";
import { stringify as stringifyYaml } from "yaml";
import type { Values } from "../catalog/entries";
import type { Target } from "../fields/row";
import { managedOf } from "../fields/table";
import { linkFields } from "../link/fields";
import type { NewEntry } from "./entries";
import type { Layout } from "./layout";

/** The formats of catalog files. */
export const formats = ["yaml", "json", "csv"] as const;
export type Format = (typeof formats)[number];

/** The texts of the files by name. CSV can hold only links, so domains and defaults become YAML then. */
export function render({ domains, folders }: Layout, format: Format): Map<string, string> {
  const files = new Map<string, string>();
  const other = format === "csv" ? "yaml" : format;
  const put = (folder: string, name: string, extension: Format, text: string) =>
    files.set(`${folder === "" ? "" : `${folder}/`}${name}.${extension}`, text);
  if (domains) put("", "domains", other, toText({ domains: toMap(domains) }, other));
  for (const [folder, { defaults, links }] of folders) {
    if (Object.keys(defaults).length > 0) put(folder, "folder", other, toText({ defaults }, other));
    put(folder, "links", format, format === "csv" ? toCsv(links) : toText({ links: toMap(links) }, format));
  }
  return files;
}

/** A map, because an object would put numeric keys first. */
function toMap(entries: NewEntry[]): Map<string, Values> {
  return new Map(entries.map(({ key, values }) => [key, values]));
}

function toText(document: object, format: "yaml" | "json"): string {
  if (format === "yaml") return stringifyYaml(document, { lineWidth: 0, aliasDuplicateObjects: false });
  const plain = (_name: string, value: unknown) =>
    value instanceof Map ? (Object.fromEntries(value) as object) : value;
  return `${JSON.stringify(document, plain, 2)}\n`;
}

/** A row for each link, with the columns that any of them needs. */
function toCsv(links: NewEntry[]): string {
  const rows = links.map(({ key, values }) => toRow(key, values));
  const names = new Set(rows.flatMap((row) => [...row.keys()]));
  const order = ["key", "domain", ...managedOf(linkFields)];
  const place = (name: string) => order.indexOf(name.replace(/\..*$/, ""));
  const columns = [...names].sort((one, other) => place(one) - place(other));
  return stringifyCsv([columns, ...rows.map((row) => columns.map((name) => row.get(name) ?? ""))]);
}

function toRow(key: string, values: Values): Map<string, string> {
  const row = new Map([["key", key]]);
  for (const [name, value] of Object.entries(values)) {
    if (name === "targets")
      for (const [index, target] of (value as Target[]).entries())
        row.set(`targets.${target.key ?? index + 1}`, target.value);
    else if (typeof value === "object" && value !== null && "secret" in value)
      row.set(`${name}.secret`, String(value.secret));
    else row.set(name, Array.isArray(value) ? value.join(" ") : String(value));
  }
  return row;
}
