// The rooms of src and what each may import: docs/design.md draws them. `npm run check:lint` runs it.

/** Rooms, or parts of them, as a pattern of paths. @param {string[]} parts */
const within = (...parts) => `^src/(?:${parts.join("|")})(?:/|\\.ts$)`;

/** The tables of fields are data at the bottom of the house: every room but the emulator reads them. */
const tables = ["(?:domain|link)/fields", "fields"];

/** What each room may import beside itself. @type {Record<string, string[]>} */
const below = {
  // Written from the description of the service alone, so that client and emulator can disagree.
  emulator: ["page"],
  page: [],
  fields: [],
  service: tables,
  account: ["service", ...tables],
  resource: ["account", "service", ...tables],
  domain: ["resource", "account", "service", ...tables],
  link: ["resource", "account", "service", ...tables],
  // Files are checked offline and without Pulumi: of the resources they know the tables and rules alone.
  catalog: ["link/rules", "service/collate", ...tables],
  engine: ["catalog/guard", "domain", "link", "resource", "account", "service", ...tables],
  // No life cycle: that is the provider's.
  program: [
    "catalog",
    "link/(?:alias|rules)",
    "resource/adopt",
    "account/(?:find|messages|settings)",
    "service",
    ...tables,
  ],
  // What the commands for a live account know; the same core as the provider's.
  live: ["page", "catalog", "engine/codec", "domain", "link", "resource", "account", "service", ...tables],
  cli: ["live", "catalog", "emulator", "account/(?:account|journal-files|settings)", "node-problem"],
};

/** Libraries that one part keeps to itself. @type {Record<string, string[]>} */
const owners = {
  qs: ["service/form", "emulator/form"],
  undici: ["service/http"],
  commander: ["cli"],
  yaml: ["catalog/yaml", "cli/show", "live/render"],
  "csv-stringify": ["live/render"],
  entities: ["page"],
  uqr: ["emulator/page"],
  minimatch: ["cli/patterns"],
  "csv-parse": ["catalog/csv"],
  "fastest-levenshtein": ["catalog/suggest"],
  "@pulumi/pulumi": ["program", "engine", "provider"],
};

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    { name: "no-circles", severity: "error", from: {}, to: { circular: true } },
    ...Object.entries(below).map(([room, rooms]) => ({
      name: `${room}-imports-downward`,
      comment: `src/${room} may import only: ${rooms.join(", ") || "nothing of ours"}`,
      severity: /** @type {const} */ ("error"),
      from: { path: within(room) },
      to: { path: "^src/", pathNot: within(room, ...rooms) },
    })),
    ...Object.entries(owners).map(([library, parts]) => ({
      name: `${library}-has-an-owner`,
      comment: `${library} is known in ${parts.join(", ")} only`,
      severity: /** @type {const} */ ("error"),
      from: { path: "^src/", pathNot: within(...parts) },
      to: { path: `^node_modules/${library}/` },
    })),
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
  },
};
