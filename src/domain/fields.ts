// The fields of a domain. Each row is all that is known of one: see src/fields/row.ts for the columns.

export const domainFields = {
  name: {
    wire: "name",
    kind: "hostName",
    max: 255,
    required: true,
    replaces: true,
    doc: "Host name under which short links live.",
    example: "go.example.com",
  },
  homepageUrl: {
    wire: "homepage_url",
    olderWire: "index_page",
    kind: "url",
    max: 255,
    doc: "Destination for visitors of the bare domain.",
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
    doc: "Lets the deletion of the domain delete links that Pulumi does not delete itself.",
    default: "false",
    example: false,
  },
  adopt: {
    kind: "word",
    words: ["never", "ifEqual", "always"],
    doc: "Adoption of a domain of this name that the account has already.",
    default: "the setting shortlink:adopt, else never",
    creation: true,
    example: "ifEqual",
  },
} as const;
