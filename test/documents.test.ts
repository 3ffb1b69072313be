import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { checkCatalog } from "../src/catalog/checks";
import { loadCatalog } from "../src/catalog/load";
import { linkFields } from "../src/link/fields";
import { root } from "../tools/environment.mjs";
import { generated } from "../tools/generate.mjs";
import { pages } from "./helpers/pages";

const read = (file: string) => readFileSync(join(root, file), "utf8");

test.each(["README.md", "docs/getting-started.md"])("the program in %s equals the basic example", (file) => {
  const programs = [...read(file).matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, program]) => program);
  expect(programs).toEqual([read("examples/basic/index.ts")]);
});

test("the generated files and tables are up to date", async () => {
  for (const [file, text] of Object.entries(await generated()))
    expect(read(file), `${file} is not generated anew: run "npm run generate"`).toBe(text);
});

test("the gitops example uses every link field, targeting type and file format, with at least 200 links", () => {
  const folder = join(root, "examples/gitops");
  const catalog = loadCatalog({ folder, files: ["links"] });
  expect(checkCatalog(catalog)).toEqual([]);
  const { findings } = loadCatalog({ folder, files: ["links"], overlays: ["overlays/staging.yaml"] });
  expect(findings).toEqual([]);
  const { domains, links } = catalog;
  expect([domains.length, links.length >= 200]).toEqual([2, true]);
  const names = readdirSync(join(folder, "links"), { recursive: true, encoding: "utf8" });
  expect(new Set(names.map((name) => extname(name)).filter(Boolean))).toEqual(
    new Set([".yaml", ".json", ".csv"]),
  );
  const used = new Set(links.flatMap(({ values }) => Object.keys(values)));
  // `adopt` only matters for the create, and catalogs name the domain instead of its id.
  const fields = Object.keys(linkFields).filter((name) => name !== "adopt" && name !== "domainId");
  expect(fields.filter((name) => !used.has(name))).toEqual([]);
  expect(new Set(links.flatMap(({ values }) => values.targetsType ?? []))).toEqual(
    new Set(linkFields.targetsType.words),
  );
});

test("the pages list exactly the switches of the emulator flavours and the settings", () => {
  const [, flavour = ""] =
    /export interface Flavour {\n([^]*?)\n}/.exec(read("src/emulator/flavour.ts")) ?? [];
  const switches = [...flavour.matchAll(/^ {2}(\w+)\?: /gm)].map(([, name]) => name);
  const [, table = ""] = /\n## Flavours\n([^]*?)\n##/.exec(read("docs/emulator.md")) ?? [];
  expect([...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name).sort()).toEqual(switches.sort());
  expect(switches.length).toBeGreaterThan(15);

  const settings = [...read("src/account/settings.ts").matchAll(/[ (]read(?:Setting)?\("(\w+)"/g)].map(
    ([, name = ""]) => name,
  );
  const rows = [...read("docs/settings.md").matchAll(/^\| `shortlink:(\w+)` *\| `(\w+)`/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual([...new Set(settings)].sort());
  for (const [, name = "", variable] of rows) {
    expect(variable).toBe(`SHORTLINK_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`);
  }
});

/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

test("all relative links of the pages lead to existing files and headings", () => {
  expect(pages.length).toBeGreaterThan(25);
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, target = ""] of read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file = "", anchor] = target.split("#");
      const path = file === "" ? page : join(dirname(page), file);
      const isThere = existsSync(join(root, path));
      const headings = isThere && anchor !== undefined ? read(path).matchAll(/^#+ (.*)$/gm) : [];
      const anchors = [...headings].map(([, heading = ""]) => anchorOf(heading));
      if (!isThere || (anchor !== undefined && !anchors.includes(anchor))) broken.push(`${page}: ${target}`);
    }
  }
  expect(broken).toEqual([]);
});

/** Only the words, because pages and programs quote, wrap and escape texts differently. */
const wordsOf = (text: string) => (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");

const isSentence = (text: string) => text.trim().split(/\s+/).length >= 3;

/** The texts in the sources of the package, in their order. */
function textsOfSources(): string[] {
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  const texts: string[] = [];
  // The explanations in the tables of fields are no messages.
  const explains = (node: ts.Node) =>
    ts.isPropertyAssignment(node) && ["doc", "default", "example"].includes(node.name.getText());
  const collect = (node: ts.Node): void => {
    if (explains(node)) return;
    const isText =
      ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateLiteralToken(node);
    if (isText) texts.push(node.text);
    ts.forEachChild(node, collect);
  };
  // In the commands, their reports and the emulator's file, only printed texts count.
  const collectPrinted = (node: ts.Node): void => {
    const isCall = ts.isCallExpression(node) || ts.isNewExpression(node);
    if (isCall && /(?:Error|console\.\w+)$/.test(node.expression.getText())) node.arguments?.forEach(collect);
    ts.forEachChild(node, collectPrinted);
  };
  for (const file of files.filter(
    (name) =>
      name.endsWith(".ts") && !/^(?:catalog.(?:descriptions|field-schema)|emulator.(?!store))/.test(name),
  )) {
    const source = ts.createSourceFile(file, read(`src/${file}`), ts.ScriptTarget.Latest, true);
    (/^(?:cli|emulator|page|live.(?:page|plan|preview|project))/.test(file) ? collectPrinted : collect)(
      source,
    );
  }
  return texts;
}

test("the page of messages has the messages of the code, and no others", () => {
  const texts = textsOfSources();
  const page = read("docs/errors.md");
  const pageWords = wordsOf(page.replaceAll("&#96;", "`"));
  // Names of browsers, and parts of messages that the page shows as examples.
  const others = ["Mobile Internet Explorer", "links of domain"];
  const known = others.map(wordsOf);
  const missing = texts
    .filter(isSentence)
    .map(wordsOf)
    .filter((text) => !known.includes(text) && !pageWords.includes(text));
  expect(missing).toEqual([]);

  const [ours = ""] = page.split("## What Pulumi itself says");
  const sourceWords = wordsOf(texts.join(" "));
  const rows = [...ours.matchAll(/^\| (`.*?`) +\|/gm)].map(([, cell = ""]) => cell.replaceAll("&#96;", ""));
  const pieces = rows.flatMap((cell) => cell.split(/…|` `/)).map(wordsOf);
  expect(rows.length).toBeGreaterThan(60);
  const invented = pieces.filter((piece) => isSentence(piece) && !sourceWords.includes(piece));
  expect(invented).toEqual([]);
});
