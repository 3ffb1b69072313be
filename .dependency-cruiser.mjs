// The rooms of src and their allowed imports, as in docs/design.md. `npm run check:lint` checks them.

/** Rooms, or parts of them, as a pattern of paths. @param {string[]} parts */
const within = (...parts) => `^src/(?:${parts.join("|")})(?:/|\\.ts$)`;

/** The tables of fields are data that most rooms may read. */
const tables = ["(?:domain|link)/fields", "fields"];

/** The rooms that each room may import. @type {Record<string, string[]>} */
const below = {
  // Written only from the description of the service, so that client and emulator can disagree.
  emulator: ["page"],
  page: [],
  fields: [],
  service: tables,
  account: ["service", ...tables],
  resource: ["account", "service", ...tables],
  domain: ["resource", "account", "service", ...tables],
  link: ["resource", "account", "service", ...tables],
  // The checks of files run offline and without Pulumi. They know only the tables and rules of the resources.
  catalog: ["link/rules", "service/collate", ...tables],
  engine: ["catalog/guard", "domain", "link", "resource", "account", "service", ...tables],
  // No life cycle: that belongs to the provider.
  program: [
    "catalog",
    "link/(?:alias|rules)",
    "resource/adopt",
    "account/(?:find|messages|settings)",
    "service",
    ...tables,
  ],
  // The commands for a live account share the provider's core.
  live: ["page", "catalog", "engine/codec", "domain", "link", "resource", "account", "service", ...tables],
  cli: ["live", "catalog", "emulator", "account/(?:account|journal-files|messages|settings)", "node-problem"],
};

/** Libraries that only some parts may import. @type {Record<string, string[]>} */
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
