// The fields of a domain, one row each. src/fields/row.ts explains the columns.

export const domainFields = {
  name: {
    wire: "name",
    kind: "hostName",
    max: 255,
    required: true,
    replaces: true,
    doc: "Host name of the short links.",
    example: "go.example.com",
  },
  homepageUrl: {
    wire: "homepage_url",
    olderWire: "index_page",
    kind: "url",
    max: 255,
    doc: "Destination for visitors of the domain itself.",
    example: "https://example.com/",
  },
  notFoundUrl: {
    wire: "not_found_url",
    olderWire: "not_found_page",
    kind: "url",
    max: 255,
    doc: "Destination for visitors of unknown short links.",
    default: "a page with status 404",
    example: "https://example.com/404",
  },
  forceDestroy: {
    kind: "flag",
    doc: "Lets Pulumi delete the domain together with links that it does not manage.",
    default: "false",
    example: false,
  },
  adopt: {
    kind: "word",
    words: ["never", "ifEqual", "always"],
    doc: "Adopts an existing domain of this name.",
    default: "the setting shortlink:adopt, or never",
    creation: true,
    example: "ifEqual",
  },
} as const;
