import type { domainRules, linkRules } from "../fields";

// What editors say of each field of a catalog file.

/** A description, then examples. */
export type Text = [string, ...unknown[]];

/** The fields of a link. */
export const link: Record<keyof typeof linkRules, Text> = {
  url: ["Destination: a URL with scheme and host, at most 2048 characters.", "https://example.com/docs"],
  domainId: ["Id of a domain that exists already, in the place of `domain`. A change replaces the link.", 12],
  alias: [
    "The part after the slash: letters, digits, - and _, at most 255. Unique on its domain, where the service ignores capitals " +
      "and accents. Default: eight letters and digits that stay the same.",
    "docs",
  ],
  spaceId: ["Id of the space that groups the link. Default: none.", 1],
  pixelIds: ["Ids of tracking pixels, in any order. Default: none.", [1, 2]],
  redirectPassword: [
    "Password that visitors must give, as a reference: it never stands in a file. Default: none.",
    { secret: "config:linkPassword" },
  ],
  sensitiveContent: ["Asks visitors for consent before they see the destination. Default: false.", true],
  privacy: ["Who sees the statistics: public (0), private (1) or password (2). Default: public.", "private"],
  password: [
    "Password of the statistics, as a reference; it has an effect while privacy is password. Default: none.",
    { secret: "env:STATISTICS_PASSWORD" },
  ],
  activePeriodStartAt: [
    "From when on the link works, in the time zone of the account. Needs activePeriodEndAt. Default: always.",
    "2026-03-01T08:00:00",
  ],
  activePeriodEndAt: [
    "Until when the link works; as activePeriodStartAt, and later than it.",
    "2026-04-01T00:00:00",
  ],
  clicksLimit: ["After how many clicks the link expires, at most 999999999. Default: 0, no limit.", 100],
  expirationUrl: ["Where visitors of an expired link go. Default: a page.", "https://example.com/expired"],
  targetsType: ["What targets tell visitors apart by.", "countries"],
  targets: [
    "Other destinations for some of the visitors, at most 100; needs targetsType.",
    [{ key: "DE", value: "https://example.de/" }],
  ],
  adopt: [
    "What to do when the account has this link already: never (an error), ifEqual or always. Default: the setting " +
      "shortlink:adopt, else never.",
    "ifEqual",
  ],
};

/** The fields of a domain. */
export const domain: Record<keyof typeof domainRules, Text> = {
  name: ["Host name, for example go.example.com. A change replaces the domain.", "go.example.com"],
  homepageUrl: ["Where visitors of the bare domain are sent. Default: none.", "https://example.com/"],
  notFoundUrl: [
    "Where visitors of unknown short links are sent. Default: a page with status 404.",
    "https://example.com/404",
  ],
  forceDestroy: [
    "Lets the deletion of the domain delete links that are not of this stack. Default: false.",
    false,
  ],
  adopt: ["What to do when the account has this domain already, as for a link.", "ifEqual"],
};

/** What an entry says that the service does not know. */
export const own = {
  key: [
    "Name of the entry in the stack. It stays when the alias or the file changes. Default: domain/alias.",
    "docs",
  ],
  domain: ["Name of a domain of the catalog. A change replaces the link.", "go.example.com"],
  existing: [
    "Is it managed elsewhere? Its links are made on it all the same; it is found by its name.",
    true,
  ],
  formerly: [
    "Keys that the entry had before, here or in another catalog of the program: it is renamed, not replaced.",
    "old-key",
    ["older-key", "old-key"],
    { catalog: "links", key: "old-key" },
  ],
  protect: ["Refuses to delete it, as Pulumi's option of this name.", true],
  owner: ["Who answers for it; stays in the file.", "web team"],
  note: ["What it is for; stays in the file.", "Poster of the spring fair"],
} satisfies Record<string, Text>;

/** The house rules. */
export const rules = {
  allowedHosts: [
    "The hosts that links may lead to: url, expirationUrl and the values of targets.",
    ["example.com", "*.example.com"],
  ],
  httpsOnly: ["Must all of these addresses begin with https?", true],
  aliasPattern: ["Regular expression for the whole alias. A link without an alias breaks it.", "[a-z0-9-]+"],
  maxLifetimeDays: ["Must each link have an active period of so many days at most?", 365],
  required: ["What each link must say.", ["owner", "note"]],
} satisfies Record<string, Text>;

/** The sections of files. */
export const sections = {
  $schema: ["Address of the JSON Schema, for editors."],
  defaults: [
    "What the links of this file have that do not say otherwise; in folder.yaml, those of the folder and below.",
  ],
  rules: ["House rules for the links of this file; in folder.yaml, for those of the folder and below."],
  domains: ["Domains by their names, or a list."],
  links: ["Links by their keys, or a list."],
  domainMap: ["The names that domains have here.", { "go.example": "go-stg.example" }],
} satisfies Record<string, Text>;

/** The kinds of files. */
export const titles = {
  catalog: "Catalog of short links",
  folder: "Defaults and rules of a folder of catalogs of short links",
  overlay: "Overlay over a catalog of short links",
};
