// The texts that editors show for catalog files, except for the fields of links and domains.

/** A description, then examples. */
export type Text = [string, ...unknown[]];

/** Fields of an entry that the service does not know. */
export const own = {
  key: [
    "Name of the entry in the stack. It stays when the alias or the file changes. Default: domain/alias.",
    "docs",
  ],
  domain: ["Name of a domain of the catalog. A change replaces the link.", "go.example.com"],
  existing: ["Managed elsewhere; looked up by name. The catalog only adds links to it.", true],
  formerly: [
    "Former keys of the entry, here or in another catalog of the program: it is renamed, not replaced.",
    "old-key",
    ["older-key", "old-key"],
    { catalog: "links", key: "old-key" },
  ],
  protect: ["Makes Pulumi refuse to delete it, like the resource option protect.", true],
  owner: ["Person or team in charge; kept in the file only.", "web team"],
  note: ["Purpose of the entry; kept in the file only.", "Poster of the spring fair"],
} satisfies Record<string, Text>;

/** The house rules. */
export const rules = {
  allowedHosts: [
    "Allowed hosts of destinations: url, expirationUrl and the values of targets.",
    ["example.com", "*.example.com"],
  ],
  httpsOnly: ["Requires https for every destination.", true],
  aliasPattern: [
    "Regular expression that the whole alias must match. A link without an alias violates it.",
    "[a-z0-9-]+",
  ],
  maxLifetimeDays: ["Requires an active period of at most this many days for each link.", 365],
  required: ["Fields that every link must have.", ["owner", "note"]],
} satisfies Record<string, Text>;

/** The sections of files. */
export const sections = {
  $schema: ["Address of the JSON Schema, for editors."],
  defaults: [
    "Default fields for the links of this file; in folder.yaml, for the folder and the folders below.",
  ],
  rules: ["Rules for the links of this file; in folder.yaml, for the folder and the folders below."],
  domains: ["Domains by their names, or a list."],
  links: ["Links by their keys, or a list."],
  domainMap: ["New names of domains in this environment.", { "go.example": "go-stg.example" }],
} satisfies Record<string, Text>;

/** The kinds of files. */
export const titles = {
  catalog: "Catalog of short links",
  folder: "Defaults and rules of a folder of catalogs of short links",
  overlay: "Overlay over a catalog of short links",
};
