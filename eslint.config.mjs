import { readdirSync } from "node:fs";
import tseslint from "typescript-eslint";

/**
 * Imports go only downward: each part of src may import the parts named here and nothing else of ours.
 *
 * @type {Record<string, string[]>}
 */
const below = {
  "cli/main": [
    "cli/node-version",
    "catalog/files",
    "cli/emulator",
    "cli/journal",
    "cli/schema",
    "cli/show",
    "cli/validate",
  ],
  "cli/validate": ["cli/report", "catalog/*", "settings"],
  "cli/show": ["cli/report", "cli/validate", "catalog/*"],
  "cli/schema": ["catalog/schema"],
  "cli/report": ["catalog/written"],
  "cli/journal": ["journal", "settings"],
  "cli/emulator": ["emulator/server"],
  index: ["node-version", "adopt", "catalog/link-catalog", "domain", "link", "lookups", "targets"],
  "catalog/link-catalog": [
    "catalog-provider",
    "catalog/load",
    "catalog/read",
    "catalog/record",
    "catalog/written",
    "domain",
    "dynamic",
    "link",
    "lookups",
  ],
  "catalog/record": ["catalog-provider", "catalog/load", "catalog/written"],
  "catalog-provider": ["session"],
  "catalog/read": [
    "catalog/checks",
    "catalog/files",
    "catalog/link-catalog",
    "catalog/load",
    "catalog/schema",
    "catalog/written",
    "clear-secrets",
    "settings",
  ],
  "catalog/checks": [
    "catalog/load",
    "catalog/written",
    "check-fields",
    "collate",
    "fields",
    "link-fields",
    "link-rules",
  ],
  "catalog/load": ["catalog/files", "catalog/parse", "catalog/schema", "catalog/written", "check-fields"],
  "catalog/files": ["catalog/parse"],
  "catalog/schema": ["catalog/descriptions", "fields"],
  "catalog/descriptions": ["fields"],
  "catalog/parse": ["catalog/csv", "catalog/written"],
  "catalog/csv": ["catalog/written"],
  "catalog/written": [],
  domain: ["adopt", "dynamic", "wishes"],
  link: ["adopt", "dynamic", "link-names", "targets", "wishes"],
  "link-names": ["fields"],
  provider: ["node-version", "catalog-provider", "domain-provider", "link-provider", "orphan"],
  "domain-provider": [
    "adopt",
    "check",
    "check-fields",
    "collate",
    "drift",
    "entries",
    "existing",
    "fields",
    "find",
    "once",
    "ownership",
    "redact",
    "session",
    "settings",
    "service/*",
  ],
  "link-provider": [
    "aliases",
    "check",
    "check-fields",
    "drift",
    "entries",
    "existing",
    "fields",
    "find",
    "link-create",
    "link-fields",
    "link-names",
    "link-rules",
    "link-writes",
    "once",
    "ownership",
    "redact",
    "session",
    "settings",
    "service/*",
  ],
  "link-create": [
    "adopt",
    "aliases",
    "drift",
    "entries",
    "find",
    "link-fields",
    "link-names",
    "link-writes",
    "once",
    "ownership",
    "redact",
    "session",
    "settings",
    "service/*",
  ],
  "link-writes": ["aliases", "link-fields", "link-names", "service/*"],
  once: ["engine-log", "journal", "ownership", "session", "settings", "service/*"],
  journal: [],
  wishes: [],
  ownership: [],
  "engine-state": [],
  existing: ["adopt", "collate", "engine-log", "find", "session", "service/*"],
  lookups: ["lookup-calls", "targets"],
  "lookup-calls": ["find", "link-fields", "lookups", "session", "settings", "service/client"],
  "link-fields": ["adopt", "fields", "link-names", "redact", "targets", "service/*"],
  aliases: ["adopt", "collate", "find", "once", "ownership", "session", "service/*"],
  adopt: ["service/errors"],
  find: ["collate", "session", "service/client"],
  collate: [],
  "link-rules": ["check-fields", "fields", "link-fields", "link-names", "targets"],
  targets: ["check-fields"],
  check: ["check-fields", "engine-state", "entries", "progress", "session"],
  "check-fields": [],
  session: [
    "engine-log",
    "engine-state",
    "orphan",
    "ownership",
    "progress",
    "redact",
    "settings",
    "service/*",
  ],
  progress: ["service/pacer"],
  entries: [],
  "engine-log": ["orphan"],
  orphan: ["service/http"],
  redact: [],
  "clear-secrets": [],
  settings: ["service/client"],
  dynamic: ["clear-secrets"],
  drift: [],
  fields: [],
  "node-version": ["node-problem"],
  "node-problem": [],
  "cli/node-version": ["node-problem"],
  "service/client": [
    "service/failures",
    "service/form",
    "service/http",
    "service/pacer",
    "service/records",
    "service/retry",
    "service/errors",
  ],
  "service/failures": ["service/errors", "service/http", "service/retry"],
  "service/http": [],
  "service/listing": ["service/client", "service/errors", "service/pacer"],
  "service/pacer": ["service/http", "service/retry"],
  "service/retry": [],
  "service/slots": [],
  "service/records": [],
  "service/form": [],
  "service/errors": [],
  // Written from the description of the service alone, so that client and emulator can disagree.
  "emulator/server": ["emulator/*"],
  "emulator/endpoints": [
    "emulator/answers",
    "emulator/flavour",
    "emulator/form",
    "emulator/list",
    "emulator/records",
    "emulator/rules",
    "emulator/store",
  ],
  "emulator/answers": [],
  "emulator/redirect": ["emulator/store", "emulator/form"],
  "emulator/list": ["emulator/store", "emulator/form"],
  "emulator/records": ["emulator/store", "emulator/form"],
  "emulator/rules": ["emulator/store", "emulator/form"],
  "emulator/flavour": ["emulator/rules", "emulator/store", "emulator/form"],
  "emulator/faults": [],
  "emulator/limits": [],
  "emulator/store": [],
  "emulator/form": [],
};

for (const file of readdirSync(`${import.meta.dirname}/src`, { recursive: true, encoding: "utf8" })) {
  const name = file.replaceAll("\\", "/").replace(/\.ts$/, "");
  if (file.endsWith(".ts") && !(name in below))
    throw new Error(`eslint.config.mjs must say what src/${file} may import`);
}

/**
 * A pattern over the relative imports of a file that matches all but the allowed ones.
 *
 * @param {string} file
 * @param {string[]} allowed
 */
function forbidden(file, allowed) {
  const inFolder = file.includes("/");
  const folder = inFolder ? `${file.split("/")[0]}/` : "";
  const spellings = allowed.map((name) => {
    const path =
      name.startsWith(folder) && inFolder
        ? `./${name.slice(folder.length)}`
        : `${inFolder ? "../" : "./"}${name}`;
    return path.replace("*", "[^/]+").replaceAll(".", "\\.");
  });
  return {
    regex: `^(?!(?:${spellings.join("|")})$)\\.`,
    message: `${file} may import only: ${allowed.join(", ") || "nothing of ours"}`,
  };
}

/** Libraries that one part keeps to itself. */
const owned = [
  { name: "qs", in: ["src/service/form.ts", "src/emulator/form.ts"] },
  { name: "undici", in: ["src/service/http.ts"] },
  { name: "commander", in: ["src/cli/**"] },
  { name: "yaml", in: ["src/catalog/csv.ts", "src/catalog/parse.ts", "src/cli/show.ts"] },
  { name: "csv-parse/sync", in: ["src/catalog/csv.ts"] },
  { name: "fastest-levenshtein", in: ["src/catalog/load.ts"] },
  {
    name: "@pulumi/pulumi",
    in: [
      ...[
        "catalog-provider",
        "catalog/link-catalog",
        "catalog/read",
        "clear-secrets",
        "domain",
        "domain-provider",
        "dynamic",
        "link",
        "link-provider",
      ],
      ...["lookup-calls", "lookups", "provider", "wishes"],
    ].map((file) => `src/${file}.ts`),
  },
];

export default tseslint.config(
  { ignores: ["dist/", "coverage/", ".pulumi/", ".stryker/", "**/node_modules/"] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: "./test/tsconfig.json", tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": "error",
      "@typescript-eslint/prefer-readonly": "error",
      eqeqeq: "error",
      "no-console": "error",
    },
  },
  ...Object.entries(below).map(([file, parts]) => {
    const path = `src/${file}.ts`;
    const libraries = owned.filter(
      (library) => !library.in.some((owner) => path.startsWith(owner.replace("**", ""))),
    );
    return {
      files: [path],
      rules: {
        "no-restricted-imports": /** @type {["error", object]} */ ([
          "error",
          {
            paths: libraries.map(({ name }) => ({
              name,
              message: `only ${owned.find((each) => each.name === name)?.in.join(", ")}`,
            })),
            patterns: [forbidden(file, parts)],
          },
        ]),
      },
    };
  }),
  {
    // TypeScript 3.8, with which the SDK runs programs without a compiler, does not read these in a .d.ts.
    files: [
      "src/index.ts",
      "src/catalog/link-catalog.ts",
      "src/domain.ts",
      "src/link.ts",
      "src/lookups.ts",
      "src/targets.ts",
      "src/adopt.ts",
    ],
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: "ExportSpecifier[exportKind='type']", message: "write `export type { X }`" },
      ],
    },
  },
  {
    // They load their other half when it is needed. A dynamic import would do so too, but not for a program under Jest.
    files: ["src/lookups.ts", "src/catalog/link-catalog.ts"],
    rules: { "@typescript-eslint/no-require-imports": "off" },
  },
  { files: ["src/cli/**", "bench/**"], rules: { "no-console": "off" } },
  // The matchers of vitest are of the type any, and the rule does not see the casts of JSDoc.
  { files: ["bench/**", "test/**", "tools/**"], rules: { "@typescript-eslint/no-unsafe-assignment": "off" } },
  {
    files: ["tools/*.mjs", "*.mjs", "bench/*.mjs"],
    languageOptions: {
      globals: { process: "readonly", URL: "readonly", setInterval: "readonly", clearInterval: "readonly" },
    },
  },
);
