// `npm run generate`: writes the tables of docs/resources.md, docs/catalog-reference.md and docs/spreadsheets.md, docs/cli.md,
// test/api.txt, and the JSON Schemas. A test fails if one of them is out of date.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "prettier";
import ts from "typescript";
import { root } from "./environment.mjs";

const require = createRequire(import.meta.url);

/** @typedef {import("../src/fields/row.js").Row} Row */
/** @typedef {{ properties: Record<string, { description: string }>, required?: string[] }} Fields */
/** @typedef {{ anyOf: [{ anyOf: [unknown, { items: Fields }] }] }} Section */
/** @typedef {{ properties: { domains: Section, links: Section, rules: { anyOf: [Fields] } } }} Sections */

/**
 * Describes the values of a field.
 *
 * @param {Row} row
 */
function valueText({ kind, max, of, wire, secret, words = [], example }) {
  const limit = max === undefined ? "" : `, at most ${max}`;
  const quoted = words.map((word) => `\`"${word}"\``).join(", ");
  const texts = {
    text: `text${limit} characters`,
    url: `URL${limit} characters`,
    hostName: `host name${limit} characters`,
    alias: `text${limit} characters`,
    id: `id of a ${of}`,
    ids: `list of ids of ${of}s`,
    flag: wire === undefined ? "boolean" : "boolean (or 0, 1)",
    count: `whole number${limit}`,
    choice: `${quoted} (or ${words.map((_, number) => number).join(", ")})`,
    word: quoted,
    dateTime: `\`${String(example)}\``,
    targets: `list of \`{ key, value }\`${limit}`,
  };
  return secret ? `${texts[kind]}, **secret**` : texts[kind];
}

/** @param {Row} row */
function changeText({ wire, replaces, kept, creation }) {
  if (replaces) return "**replaces**";
  if (creation) return "nothing";
  if (kept) return "updates; removing it keeps what the object has";
  return wire === undefined ? "the state only" : "updates";
}

/**
 * The arguments of a resource.
 *
 * @param {Record<string, Row>} table
 */
function argumentTable(table) {
  const rows = Object.entries(table).map(([name, row]) => {
    const standard = row.required ? "**required**" : (row.default ?? "none");
    return `| \`${name}\` | ${valueText(row)} | ${row.doc} | ${standard} | ${changeText(row)} |`;
  });
  return [
    "| argument | value | meaning | default | a change |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/**
 * The fields of an entry of a catalog, or its house rules.
 *
 * @param {string} title
 * @param {Fields} schema
 * @param {Record<string, string>} [remarks]
 */
function fieldTable(title, { properties, required = [] }, remarks = {}) {
  const rows = Object.entries(properties).map(([name, { description }]) => {
    const end = [required.includes(name) ? " **Required.**" : "", remarks[name] ?? ""].join("");
    return `| \`${name}\` | ${description}${end} |`;
  });
  return [`| ${title} | meaning |`, "| --- | --- |", ...rows].join("\n");
}

/** @typedef {{ title: string, file: string, field?: string, text?: string, encoding?: BufferEncoding }} MistakeOfFile */

/** The table of beginners' mistakes, each with the real message of the checker. */
function mistakeTable() {
  /** @type {import("../src/catalog/load.js")} */
  const { loadCatalog } = require("../dist/catalog/load.js");
  /** @type {import("../src/catalog/checks.js")} */
  const { checkCatalog } = require("../dist/catalog/checks.js");
  const mistakes = /** @type {MistakeOfFile[]} */ (
    JSON.parse(readFileSync(join(root, "test", "catalog", "mistakes.json"), "utf8"))
  );
  const rows = mistakes.map(({ title, file, field, text = entryWith(field), encoding = "utf8" }) => {
    const folder = mkdtempSync(join(tmpdir(), "shortlink-mistake-"));
    try {
      writeFileSync(join(folder, file), Buffer.from(text, encoding));
      writeFileSync(join(folder, "domains.yaml"), "domains:\n  go.example.com:\n");
      const [finding] = checkCatalog(loadCatalog({ folder, files: ["."] }));
      if (!finding) throw new Error(`test/catalog/mistakes.json: "${title}" is no mistake`);
      const { file: name, line, column, message } = finding;
      // The table shows a line of an entry as typed, and only the title of a whole file.
      const typed = field === undefined || /[\t\u00a0]/.test(field) ? "" : `: \`${field.trim()}\``;
      return `| ${title}${typed} | \`${`${name}:${line}:${column} ${message}`.replaceAll("|", "\\|")}\` |`;
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  return ["| the file has | the message |", "| --- | --- |", ...rows].join("\n");
}

/** A file with one entry that is correct except for one line. */
function entryWith(field = "") {
  const name = /^\s*(\w+)/.exec(field)?.[1] ?? "";
  const lines = ["domain: go.example.com", "alias: sale", "url: https://example.com/", "owner: me"];
  const kept = lines.filter((line) => !line.startsWith(`${name}:`));
  const own = /^\t/.test(field) ? field : `    ${field}`;
  const period = name === "activePeriodStartAt" ? "\n    activePeriodEndAt: 2026-04-01T00:00:00" : "";
  return `links:\n  sale:\n${kept.map((line) => `    ${line}`).join("\n")}\n${own}${period}\n`;
}

/** The `--help` text of each command. */
function commandHelp() {
  /** @param {string[]} args */
  const help = (...args) => {
    // Wider pages scroll, and the result must not depend on the width of this terminal.
    const environment = { ...process.env, COLUMNS: "80", NO_COLOR: "1" };
    const command = [join(root, "dist/cli/main.js"), ...args, "--help"];
    return execFileSync(process.execPath, command, { encoding: "utf8", env: environment });
  };
  const names = [...help().matchAll(/^ {2}([a-z]+)(?: \[| <|  )/gm)].map(([, name = ""]) => name);
  const commands = names.filter((name) => name !== "help");
  return commands.map((name) => `## ${name}\n\n\`\`\`text\n${help(name).trimEnd()}\n\`\`\``).join("\n\n");
}

/**
 * Returns a page with new text between its marks.
 *
 * @param {string} file
 * @param {Record<string, string>} parts
 */
async function page(file, parts) {
  let text = readFileSync(join(root, file), "utf8");
  for (const [name, part] of Object.entries(parts)) {
    const [start, end] = [`<!-- generated: ${name} -->`, "<!-- end -->"];
    const from = text.indexOf(start);
    if (from === -1) throw new Error(`${file} has no mark ${start}`);
    const to = text.indexOf(end, from);
    text = `${text.slice(0, from + start.length)}\n\n${part}\n\n${text.slice(to)}`;
  }
  return format(text, { parser: "markdown", printWidth: 110 });
}

/** The public API: the declarations in the package, without their comments. */
function publicApi() {
  const { files } = /** @type {{ files: string[] }} */ (
    JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  );
  // LinkArgs and DomainArgs have the fields. The tables of fields hold mostly descriptions.
  const declarations = files.filter((name) => name.endsWith(".d.ts") && !name.endsWith("fields.d.ts"));
  const printer = ts.createPrinter({ removeComments: true });
  const parts = declarations.map((name) => {
    const text = readFileSync(join(root, name), "utf8");
    const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
    return `// ${name.replace("dist/", "")}\n${printer.printFile(source)}`;
  });
  return `// Generated. A change here is one that users see: it belongs in the changelog.\n\n${parts.join("\n")}`;
}

/** The whole content of each file that is generated, fully or in part. @returns {Promise<Record<string, string>>} */
export async function generated() {
  /** @type {import("../src/link/fields.js")} */
  const { linkFields } = require("../dist/link/fields.js");
  /** @type {import("../src/domain/fields.js")} */
  const { domainFields } = require("../dist/domain/fields.js");
  /** @type {import("../src/catalog/schema.js")} */
  const { jsonSchema, documents } = require("../dist/catalog/schema.js");
  const kinds = /** @type {(keyof typeof documents)[]} */ (Object.keys(documents));
  const { domains, links, rules } = /** @type {Sections} */ (jsonSchema("catalog")).properties;
  /** @param {Section} section */
  const listed = ({ anyOf: [section] }) => section.anyOf[1].items;
  const onlyInLists = " In lists only.";
  const pages = {
    "docs/resources.md": {
      "arguments of a domain": argumentTable(domainFields),
      "arguments of a link": argumentTable(linkFields),
    },
    "docs/catalog-reference.md": {
      "fields of a link": fieldTable("field", listed(links), { key: onlyInLists }),
      "fields of a domain": fieldTable("field", { ...listed(domains), required: [] }, { name: onlyInLists }),
      rules: fieldTable("rule", rules.anyOf[0]),
    },
    "docs/cli.md": { commands: commandHelp() },
    "docs/spreadsheets.md": { mistakes: mistakeTable() },
  };
  const files = await Promise.all([
    Promise.resolve(["test/api.txt", publicApi()]),
    ...Object.entries(pages).map(async ([file, parts]) => [file, await page(file, parts)]),
    ...kinds.map(async (kind) => [
      `schema/${kind}.schema.json`,
      await format(JSON.stringify(jsonSchema(kind)), { parser: "json", printWidth: 110 }),
    ]),
  ]);
  /** @type {Record<string, string>} */
  const byName = Object.fromEntries(files);
  return byName;
}

if (process.argv[1] === import.meta.filename)
  for (const [file, text] of Object.entries(await generated())) writeFileSync(join(root, file), text);
