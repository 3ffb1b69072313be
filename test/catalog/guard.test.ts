import { afterEach, beforeEach, expect, test } from "vitest";
import { newRun } from "../helpers/run";
import { checkCatalog } from "../../src/catalog/checks";
import { FilesError } from "../../src/catalog/files";
import { loadCatalog } from "../../src/catalog/load";
import { keysOf } from "../../src/catalog/record";
import { scratch } from "../helpers/catalog";

// Accidents that empty or truncate a catalog, and intended changes of the same size. The guard stops before the domains and links of
// a catalog are planned, in a preview and in an update. `test/engine/catalog.test.ts` tests both.

let files: ReturnType<typeof scratch>;
beforeEach(() => (files = scratch()));
afterEach(() => files.remove());

const rows = (from: number, to: number, domain = "go.example") =>
  Array.from(
    { length: to - from },
    (_, i) => `k${from + i},${domain},a${from + i},https://example.com/${from + i}`,
  );
const header = "key,domain,alias,url";
const csv = (...lines: string[]) => [header, ...lines, ""].join("\n");
const domains = "domains:\n  go.example: {}\n  docs.example: {}\n";
const json = (from: number, to: number) =>
  JSON.stringify({
    links: Object.fromEntries(
      Array.from({ length: to - from }, (_, i) => [
        `k${from + i}`,
        { domain: "docs.example", alias: `a${from + i}`, url: `https://example.com/${from + i}` },
      ]),
    ),
  });
/** 60 links: 40 on one domain, from a table, and 20 on another one. */
const whole: Record<string, string> = {
  "links/domains.yaml": domains,
  "links/go.csv": csv(...rows(0, 40)),
  "links/docs.json": json(40, 60),
};

/** The 40 rows with one column in a different order. */
function sorted(column: number, order = (cells: string[]) => cells.sort().reverse()): string[] {
  const table = rows(0, 40).map((row) => row.split(","));
  const cells = order(table.map((row) => row[column] ?? ""));
  return table.map((row, i) => row.with(column, cells[i] ?? "").join(","));
}
const shifted = () => sorted(3, ([first = "", ...others]) => [...others, first]);
const exchanged = () => sorted(3, ([one = "", other = "", ...others]) => [other, one, ...others]);

interface Options {
  files?: string[];
  overlays?: string[];
  allowEmpty?: boolean;
  maxDeletes?: number;
  settings?: Record<string, string>;
}

/** The error of a program with this catalog, after a run with the whole one. Empty if it continues. */
async function refusal(content: Record<string, string | undefined>, options: Options = {}): Promise<string> {
  const { overlays = [], allowEmpty, maxDeletes, settings = {} } = options;
  const all = ["shortlink:baseUrl", "shortlink:apiKey"].map((key) => [key, "https://links.example"]);
  const config: Record<string, string> = { ...Object.fromEntries(all), ...settings };
  const read = (patterns = ["links"]) => loadCatalog({ folder: files.folder, files: patterns, overlays });
  files.write(whole);
  const before = keysOf(loadCatalog({ folder: files.folder, files: ["links"] }));
  files.remove();
  files = scratch();
  files.write(
    Object.fromEntries(
      Object.entries({ ...whole, ...content }).flatMap(([name, text]) =>
        text === undefined ? [] : [[name, text] as const],
      ),
    ),
  );
  try {
    const catalog = read(options.files);
    const findings = checkCatalog(catalog, { allowEmpty: allowEmpty ?? false });
    if (findings.length > 0) return findings.map(({ message }) => message).join("\n");
    const { catalog: provider } = newRun(config);
    const record = keysOf(catalog, { maxDeletes });
    const { inputs, failures = [] } = await provider.check(
      { __provider: "text", links: before.links, marks: before.marks },
      {
        __provider: "text",
        links: record.links,
        marks: record.marks,
        __formerly: record.formerly,
        __maxDeletes: record.maxDeletes,
      },
    );
    expect(inputs).toEqual({ __provider: "text", links: record.links, marks: record.marks });
    return failures.map(({ reason }) => reason).join("\n");
  } catch (error) {
    if (!(error instanceof FilesError)) throw error;
    return error.message;
  }
}

/** The start of a message that is not the guard's: another check stops the run before it. */
const empty = "the catalog has no links";
const noHeader = "cell A1: the first row must have the names of the fields";
const nothing = { "links/docs.json": undefined, "links/domains.yaml": undefined };

test.each<[string, Record<string, string | undefined>, (Options & { message?: string })?]>([
  ["a table with its header only", { "links/go.csv": `${header}\n` }],
  [
    "tables with headers only, and nothing else",
    { ...nothing, "links/go.csv": `${header}\n` },
    { message: empty },
  ],
  [
    "an empty list of links",
    { ...nothing, "links/go.csv": undefined, "links/a.yaml": `${domains}links:\n` },
    { message: empty },
  ],
  [
    "an empty map of links",
    { ...nothing, "links/go.csv": undefined, "links/a.yaml": `${domains}links: {}\n` },
    { message: empty },
  ],
  ["no section of links", { "links/go.csv": undefined, "links/docs.json": undefined }, { message: empty }],
  ["an empty file", { "links/go.csv": "" }],
  ["an empty object", { "links/docs.json": "{}" }],
  [
    "a file of comments",
    { ...nothing, "links/go.csv": undefined, "links/a.yaml": "# links:\n#   docs: {}\n" },
    { message: empty },
  ],
  ["a table of which two fifths are left", { "links/go.csv": csv(...rows(0, 16)) }],
  ["a table whose last quarter is cut", { "links/go.csv": csv(...rows(0, 30)) }],
  [
    "a cut that ends in the middle of a row",
    { "links/go.csv": csv(...rows(0, 20)).slice(0, -20) },
    { message: 'cell D21, link "k19": url must be a URL' },
  ],
  [
    "a JSON file that is cut",
    { "links/docs.json": json(40, 60).slice(0, 300) },
    { message: "is not JSON: the closing quote is missing on this line" },
  ],
  ["a file that is gone", { "links/docs.json": undefined }],
  ["a file of another ending", { "links/docs.json": undefined, "links/docs.json.bak": json(40, 60) }],
  ["a pattern that matches less", {}, { files: ["links/*.{yaml,csv}"] }],
  [
    "a pattern that matches nothing",
    {},
    { files: ["link/**/*.csv"], message: '"link/**/*.csv" matches no file in ' },
  ],
  ["a file that was moved out", { "links/docs.json": undefined, "archive/docs.json": json(40, 60) }],
  [
    "a pointer of Git LFS",
    { "links/go.csv": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n" },
    { message: "is a pointer of Git LFS" },
  ],
  [
    "the marks of a merge",
    { "links/go.csv": csv("<<<<<<< HEAD", ...rows(0, 40), "=======", ">>>>>>> main") },
    { message: "is the marker of an unfinished merge" },
  ],
  ["another separator", { "links/go.csv": csv(...rows(0, 40)).replaceAll(",", "|") }, { message: noHeader }],
  [
    "an overlay that removes them",
    {
      "o.yaml": `links:\n${rows(0, 20)
        .map((_, i) => `  k${i}: null\n`)
        .join("")}`,
    },
    { overlays: ["o.yaml"] },
  ],
  ["links that all move to another domain", { "links/go.csv": csv(...rows(0, 40, "docs.example")) }],
  [
    "a domain of another name",
    { "o.yaml": "domainMap: { go.example: go-new.example }\n" },
    { overlays: ["o.yaml"] },
  ],
  ["a table of which the aliases alone were sorted", { "links/go.csv": csv(...sorted(2)) }],
  ["a table of which the destinations alone were sorted", { "links/go.csv": csv(...sorted(3)) }],
  ["a table whose destinations moved up by a row", { "links/go.csv": csv(...shifted()) }],
  [
    "another beginning of all aliases",
    { "links/go.csv": csv(...rows(0, 40)).replaceAll(/,a(?=\d)/g, ",x-a") },
  ],
  ["one more than the program allows", { "links/go.csv": csv(...rows(0, 38)) }, { maxDeletes: 1 }],
])("stops: %s", async (_way, content, options) => {
  const message = await refusal(content, options);
  if (options?.message !== undefined)
    return expect(message.slice(0, options.message.length)).toBe(options.message);
  expect(message).toMatch(
    /^\d+ of 60 links would (?:be deleted or replaced|get another alias|get the destination of another link) \(/,
  );
});

test.each<[string, Record<string, string | undefined>, Options?]>([
  ["nothing is changed", {}],
  ["a fifth of a domain goes", { "links/go.csv": csv(...rows(8, 40)) }],
  [
    "destinations and aliases change",
    { "links/go.csv": csv(...rows(0, 40)).replaceAll("example.com", "example.org") },
  ],
  ["all lead to one page", { "links/go.csv": csv(...rows(0, 40)).replaceAll(/com\/\d+/g, "com/closed") }],
  ["whole rows are sorted", { "links/go.csv": csv(...rows(0, 40).reverse()) }],
  ["two links exchange their destinations", { "links/go.csv": csv(...exchanged()) }],
  ["a fifth get other aliases", { "links/go.csv": csv(...rows(0, 40)).replaceAll(/,a([0-7]),/g, ",b$1,") }],
  [
    "all get other aliases, and the run allows it",
    { "links/go.csv": csv(...rows(0, 40)).replaceAll(/,a(?=\d)/g, ",x-a") },
    { settings: { "shortlink:allowDeletes": "40" } },
  ],
  [
    "aliases in capitals, which visitors do not notice",
    { "links/go.csv": csv(...rows(0, 40)).replaceAll(/,a(?=\d)/g, ",A") },
  ],
  ["links are added", { "links/more.csv": csv(...rows(60, 200)) }],
  [
    "files are split and moved",
    { "links/go.csv": csv(...rows(0, 20)), "links/x/go.csv": csv(...rows(20, 40)) },
  ],
  [
    "keys change and say so",
    {
      "links/go.csv": [`${header},formerly`, ...rows(0, 40).map((row, i) => `n${row},k${i}`), ""].join("\n"),
    },
  ],
  [
    "all goes, and the run allows it",
    { "links/go.csv": undefined },
    { settings: { "shortlink:allowDeletes": "40" } },
  ],
  ["half goes, and the program allows it", { "links/go.csv": csv(...rows(0, 20)) }, { maxDeletes: 20 }],
  [
    "a domain is renamed, and the run allows it",
    { "o.yaml": "domainMap: { go.example: go-new.example }\n" },
    { overlays: ["o.yaml"], settings: { "shortlink:allowDeletes": "40" } },
  ],
  [
    "the last link goes, and both are allowed",
    { ...nothing, "links/go.csv": `${header}\n` },
    { allowEmpty: true, maxDeletes: 60 },
  ],
])("passes: %s", async (_way, content, options) => {
  expect(await refusal(content, options)).toBe("");
});

test("the message names the links, the domain, the limit and both ways to allow it", async () => {
  const text = (count: number, of: number, where = "") =>
    `${count} of ${of} links${where} would be deleted or replaced (k0, k1, k10, k11, k12, k13, k14, k15, and ${count - 8} more)`;
  expect(await refusal({ "links/go.csv": undefined })).toBe(
    `${text(40, 60)}, which is more than a fifth: ${text(40, 40, " on go.example")}. Nothing was changed. If files were ` +
      "emptied, truncated, sorted by one column or not found, restore them. To allow it once, run the command with " +
      "SHORTLINK_ALLOW_DELETES=40; to allow it permanently, set maxDeletes of the catalog: 40.",
  );
  expect(await refusal({ "links/go.csv": csv(...rows(3, 40)) }, { maxDeletes: 2 })).toContain(
    "3 of 60 links would be deleted or replaced (k0, k1, k2), which is more than maxDeletes: 2. Nothing was changed.",
  );
  expect(await refusal({ "links/go.csv": csv(...sorted(3).slice(5)) })).toMatch(
    /^5 of 60 links would be deleted or replaced \(k0, .*k4\) and \d+ of 60 links would get the destination of another link \(/,
  );
  expect(await refusal({ ...nothing, "links/go.csv": `${header}\n` })).toBe(
    "the catalog has no links: if that is intended, set allowEmpty (--allow-empty)",
  );
});
