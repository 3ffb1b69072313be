// `npm run pictures`: makes the pictures of README.md from real output: the plan of a change as a terminal shows it, and the
// emulator's page in a browser.
import chromium from "@sparticuz/chromium";
import { escapeText } from "entities";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { createEmulator } from "pulumi-shortlink/emulator";
import { launch } from "puppeteer-core";
import { pulumiEnvironment, root } from "./environment.mjs";

const folder = join(root, ".pulumi", "pictures");
const pictures = join(root, "docs", "pictures");
rmSync(folder, { recursive: true, force: true });
for (const each of [join(folder, "links"), pictures]) mkdirSync(each, { recursive: true });
symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction");

const [, yaml = ""] =
  /^```yaml\n# links\/docs\.yaml\n([^]*?)^```/m.exec(readFileSync(join(root, "README.md"), "utf8")) ?? [];
/** @type {Record<string, string>} */
const files = {
  "Pulumi.yaml": "name: links\nruntime: nodejs\n",
  "package.json": '{ "name": "links", "main": "index.js" }',
  "index.js": 'new (require("pulumi-shortlink").LinkCatalog)("links", { files: "links" });\n',
  // The catalog before the change, which removes a link and changes a destination.
  "links/docs.yaml": `${yaml.replace(/^ {2}poster.*\n/m, "").replace("com/docs }", "com/manual }")}  press: { domain: go.example.com, alias: press, url: https://example.com/press }\n`,
};
/** @param {string} file @param {string} text */
const write = (file, text) => writeFileSync(join(folder, file), text);
for (const [file, text] of Object.entries(files)) write(file, text);

const emulator = await createEmulator({ limit: { requests: 60 } });
const environment = {
  ...pulumiEnvironment(folder),
  ...{ SHORTLINK_BASE_URL: emulator.url, SHORTLINK_API_KEY: emulator.apiKey },
};
/** @param {string} command @param {string[]} args */
const run = async (command, ...args) =>
  (await promisify(execFile)(command, args, { cwd: folder, env: environment })).stdout;
/** @param {string[]} args */
const shortlink = (...args) => run(process.execPath, join(root, "dist", "cli", "main.js"), ...args);

/** Draws the text of a terminal with its colours. @param {string} text */
function toSvg(text) {
  const lines = text.trimEnd().split("\n");
  const codes = /\u001b\[(\d+)m/;
  const plain = lines.map((line) => line.replaceAll(new RegExp(codes, "g"), ""));
  const [width, height] = [
    Math.max(...plain.map(({ length }) => length)) * 8.43 + 48,
    lines.length * 20 + 40,
  ];
  /** @type {Record<string, string>} */
  const colours = { 31: "#ff8a80", 32: "#7ddba3", 33: "#ffc766", 90: "#9aa4af" };
  const rows = lines.map((line, i) => {
    let fill = "#e8eaed";
    const parts = line.split(codes).map((part, n) => {
      if (n % 2 === 0) return part === "" ? "" : `<tspan fill="${fill}">${escapeText(part)}</tspan>`;
      fill = colours[part] ?? "#e8eaed";
      return "";
    });
    return `<text x="24" y="${34 + i * 20}" xml:space="preserve">${parts.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${height}" width="${Math.ceil(width)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<rect width="100%" height="100%" rx="10" fill="#14171b"/>
${rows.join("\n")}
</svg>
`;
}

/** Opens a short link as a browser would. @param {string} host @param {string} path */
const follow = (host, path) =>
  new Promise((resolve) => {
    request(`${emulator.url}/${path}`, { headers: { host } }, (response) => resolve(response.resume())).end();
  });

try {
  await run("pulumi", "stack", "init", "production");
  await run("pulumi", "up", "--yes", "--skip-preview", "--suppress-outputs");
  write("links/docs.yaml", yaml);
  const plan = `$ npx pulumi-shortlink plan\n${await shortlink("plan", "--color")}`;
  writeFileSync(join(pictures, "plan.svg"), toSvg(plan));

  await run("pulumi", "up", "--yes", "--skip-preview", "--suppress-outputs");
  for (let i = 0; i < 12; i++) await follow("go.example.com", i % 3 === 0 ? "spring" : "docs");
  const browser = await launch({
    args: [...chromium.args, "--no-sandbox"],
    executablePath: process.env.CHROME_PATH ?? (await chromium.executablePath()),
    headless: "shell",
  });
  const page = await browser.newPage();
  await page.setViewport({ width: 1000, height: 760, deviceScaleFactor: 2 });
  await page.goto(emulator.url);
  await page.screenshot({ path: join(pictures, "emulator.png") });
  // Shows the other picture as readers see it, for a manual check.
  await page.setContent(readFileSync(join(pictures, "plan.svg"), "utf8"));
  await page.screenshot({ path: join(folder, "plan.png") });
  await browser.close();
} finally {
  await emulator.close();
}
