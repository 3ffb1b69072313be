import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { checkCatalog } from "../../src/catalog/checks";
import { loadCatalog } from "../../src/catalog/load";
import { placeText } from "../../src/catalog/written";
import { documents, jsonSchema } from "../../src/catalog/schema";
import { scratch } from "../helpers/catalog";
import { filesOf, readPage } from "../helpers/pages";

const page = readPage("docs/catalog.md");
const files = scratch();
afterAll(files.remove);

/** The files of the pages, by their names. */
const named = ["catalog", "environments", "spreadsheets"].map((name) => filesOf(`docs/${name}.md`));
const { "index.ts": _program, ...blocks } = Object.assign({}, ...named) as Record<string, string>;
files.write(blocks);
const linesOf = (folder: string, overlays: string[] = []) =>
  checkCatalog(loadCatalog({ folder: files.folder, files: [folder], overlays })).map(
    (finding) => `${placeText(finding)} ${finding.message}`,
  );

test("the catalog files of the pages are valid, without and with each overlay", () => {
  const overlays = Object.keys(blocks).filter((name) => name.startsWith("overlays/"));
  expect(Object.keys(blocks).length - overlays.length).toBeGreaterThan(10);
  expect(overlays.length).toBeGreaterThan(1);
  for (const applied of [[], ...overlays.map((name) => [name]), overlays])
    expect(linesOf("links", applied)).toEqual([]);
});

test("the broken file of the page gives the shown messages, and two others after a first fix", () => {
  const [, shown = ""] = /^```text\n([^]*?)^```$/m.exec(page) ?? [];
  expect(linesOf("broken")).toEqual(shown.trimEnd().split("\n"));
  const mended = (blocks["broken/links.yaml"] ?? "").replace("ulr:", "url:").replace(/^.*open-sesame\n/m, "");
  files.write({ "broken/links.yaml": mended });
  expect(linesOf("broken")).toEqual([
    'broken/links.yaml:6:13 link "docs": the domain "go.exmaple.com" is not in the catalog: did you mean "go.example.com"? If not, add it to domains',
    'broken/links.yaml:12:10 link "news": url leads to the link itself',
  ]);
});

test("the catalog files of the pages match the JSON Schemas", () => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const schemas = {
    catalog: ajv.compile(jsonSchema("catalog")),
    folder: ajv.compile(jsonSchema("folder")),
    overlay: ajv.compile(jsonSchema("overlay")),
  };
  for (const [name, text] of Object.entries(blocks)) {
    if (name.endsWith(".csv") || name.startsWith("broken/")) continue;
    const kind = name.startsWith("overlays/")
      ? "overlay"
      : name.endsWith("/folder.yaml")
        ? "folder"
        : "catalog";
    expect(schemas[kind](parse(text)), `${name} ${JSON.stringify(schemas[kind].errors)}`).toBe(true);
  }
});

test("the reference lists every section of every kind of file", () => {
  const reference = readPage("docs/catalog-reference.md");
  for (const section of Object.values(documents).flatMap(({ shape }) => Object.keys(shape)))
    expect(reference).toContain(`| \`${section}\` `);
});

test("example files refer to the JSON Schema of their kind by the right path", () => {
  const examples = join(__dirname, "../../examples");
  const files = globSync("*/{links,overlays}/**/*.yaml", { cwd: examples });
  const named = files.flatMap((file) => {
    const [, schema] = /\$schema=(\S+)/.exec(readFileSync(join(examples, file), "utf8")) ?? [];
    return schema === undefined ? [] : [{ file, schema }];
  });
  expect(named.length).toBeGreaterThan(4);
  for (const { file, schema } of named) {
    const kind = file.includes("/overlays/")
      ? "overlay"
      : basename(file) === "folder.yaml"
        ? "folder"
        : "catalog";
    const [example = ""] = file.split("/");
    const path = `${example}/node_modules/pulumi-shortlink/schema/${kind}.schema.json`;
    expect([file, join(dirname(file), schema)]).toEqual([file, path]);
  }
});
