import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/checks";
import { FilesError } from "../../src/catalog/files";
import { loadCatalog } from "../../src/catalog/load";
import { seed } from "../helpers/arbitraries";
import { scratch } from "../helpers/catalog";

// For any content, the check returns messages or success, and soon.
const runs = Number(process.env.MUTATIONS ?? 5000);
const files = scratch();
afterAll(files.remove);

const folders = [
  join(__dirname, "broken"),
  join(__dirname, "../../examples/gitops/links"),
  join(__dirname, "../../examples/gitops/overlays"),
];
const seeds = folders
  .flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((name) => /\.(?:ya?ml|json|csv)$/.test(name) && basename(name) !== "targets-too-many.yaml")
  .map((name) => ({ name: `a${extname(name)}`, bytes: readFileSync(name).subarray(0, 4000) }));

const bytes = fc.uint8Array({ maxLength: 6 });
const signs = fc.constantFrom(
  "{",
  "}",
  "[",
  "]",
  ":",
  ": ",
  "- ",
  "&a ",
  "*a",
  "<<: ",
  "|\n",
  ">\n",
  '"',
  "'",
  ",",
  "\n",
  "\t",
  "  ",
  "#",
  "!!binary ",
  "? ",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "null",
  "~",
  "\0",
  "\ufeff",
  "\u2028",
  "😀",
  "__proto__: ",
  "constructor: ",
  "toString: ",
  "9e999",
  "0x1g",
  "-.inf",
  "2026-02-30",
  "links:\n",
  "domains:\n",
  "domainMap: {}\n",
);
const mutation = fc.oneof(
  fc.record({
    kind: fc.constant("replace" as const),
    at: fc.nat(),
    length: fc.nat({ max: 12 }),
    by: fc.oneof(
      bytes,
      signs.map((sign) => Buffer.from(sign)),
    ),
  }),
  fc.record({
    kind: fc.constant("repeat" as const),
    at: fc.nat(),
    length: fc.nat({ max: 60 }),
    times: fc.integer({ min: 2, max: 40 }),
  }),
  fc.record({ kind: fc.constant("move" as const), at: fc.nat(), length: fc.nat({ max: 60 }), to: fc.nat() }),
  fc.record({ kind: fc.constant("cut" as const), at: fc.nat() }),
);

function mutate(
  text: Buffer,
  change: typeof mutation extends fc.Arbitrary<infer Change> ? Change : never,
): Buffer {
  const at = change.at % (text.length + 1);
  if (change.kind === "cut") return text.subarray(0, at);
  const [before, part, after] = [
    text.subarray(0, at),
    text.subarray(at, at + change.length),
    text.subarray(at + change.length),
  ];
  if (change.kind === "replace") return Buffer.concat([before, change.by, after]);
  if (change.kind === "repeat")
    return Buffer.concat([before, ...Array<Buffer>(change.times).fill(part), after]);
  const rest = Buffer.concat([before, after]);
  const to = change.to % (rest.length + 1);
  return Buffer.concat([rest.subarray(0, to), part, rest.subarray(to)]);
}

test(`${runs} mutated catalogs are accepted or get messages with a place`, () => {
  const kinds = new Set<string>();
  const mutated = fc.tuple(
    fc.constantFrom(...seeds),
    fc.array(mutation, { minLength: 1, maxLength: 4 }),
    fc.constantFrom("entries", "folder", "overlay"),
  );
  fc.assert(
    fc.property(mutated, ([seed, changes, role]) => {
      const text = changes.reduce(mutate, Buffer.from(seed.bytes));
      const base = {
        "base.yaml":
          "domains: { go.example: {} }\nlinks: { docs: { domain: go.example, alias: docs, url: https://example.com/ } }\n",
      };
      files.remove();
      files.write({ ...base, [role === "folder" ? "folder.yaml" : seed.name]: text });
      const names = role === "entries" ? ["base.yaml", seed.name] : ["base.yaml"];
      const findings = checkCatalog(
        loadCatalog({ folder: files.folder, files: names, overlays: role === "overlay" ? [seed.name] : [] }),
      );
      for (const { kind, line, column, message } of findings) {
        kinds.add(kind);
        expect([line > 0, column > 0, message.trim() !== ""]).toEqual([true, true, true]);
        expect(message).not.toMatch(/undefined|\[object|NaN|Error:/);
      }
    }),
    { numRuns: runs, seed, interruptAfterTimeLimit: 150_000, markInterruptAsFailure: true },
  );
  // The mutations reach the parsers and the checks after them.
  for (const kind of ["syntax", "field"]) expect(kinds).toContain(kind);
});

test.each([
  ["lists a hundred thousand deep", "a.yaml", "links: " + "[".repeat(100_000)],
  ["maps a hundred thousand deep", "a.json", '{"links":'.repeat(100_000)],
  [
    "indents three thousand deep",
    "a.yaml",
    Array.from({ length: 3000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
  ],
  [
    "anchors that double themselves",
    "a.yaml",
    `defaults: &a0 [x]\n${Array.from({ length: 40 }, (_, i) => `k${i}: &a${i + 1} [*a${i}, *a${i}]`).join("\n")}\nlinks: { docs: { url: *a40 } }`,
  ],
  ["one line of ten megabytes", "a.csv", `alias,url\n${"a".repeat(10_000_000)}`],
  ["a quote of ten megabytes", "a.csv", `alias,url\n"${"a\n".repeat(5_000_000)}`],
  ["a key of a megabyte", "a.yaml", `links: { ${"k".repeat(1_000_000)}: {} }`],
])("gives a message for %s", (_what, name, text) => {
  files.remove();
  files.write({ [name]: text });
  expect(checkCatalog(loadCatalog({ folder: files.folder, files: [name] })).length).toBeGreaterThan(0);
});

test("a pattern that matches no catalog file is a FilesError", () => {
  files.remove();
  files.write({ "a.txt": "x", "below/b.md": "x" });
  for (const [pattern, message] of [
    ["nothing.yaml", "matches no file in"],
    ["below/*", "matches no file that ends in .yaml, .yml, .json, .csv"],
    ["below", "matches no file"],
    ["a.txt", "matches no file that ends in"],
  ] as const) {
    const load = () => loadCatalog({ folder: files.folder, files: [pattern] });
    expect(load).toThrow(FilesError);
    expect(load).toThrow(message);
  }
});
