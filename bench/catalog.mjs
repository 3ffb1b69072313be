// `npm run bench:catalog`: what it costs to keep links in files. `pulumi-shortlink validate` of 10,000 and 100,000 entries in each format,
// and the same 1,000 links by a LinkCatalog and by a loop, one after the other in turns. Writes docs/performance.md and bench/catalog.json.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { format } from "prettier";
import { createEmulator } from "pulumi-shortlink/emulator";
import { root } from "../tools/environment.mjs";
import { catalogText, engineSubject } from "./subjects.mjs";

/** The command itself, which says at its end how much memory it had. */
const command = `
process.on("exit", () => console.error("peak " + process.resourceUsage().maxRSS));
require(${JSON.stringify(join(root, "dist/cli/main.js"))});`;

const validations = [];
for (const links of [10_000, 100_000]) {
  for (const kind of /** @type {const} */ (["yaml", "json", "csv"])) {
    const folder = mkdtempSync(join(tmpdir(), "shortlink-bench-"));
    writeFileSync(join(folder, `links.${kind}`), catalogText(kind, links));
    if (kind === "csv") writeFileSync(join(folder, "domains.yaml"), catalogText("yaml", 0));
    const started = performance.now();
    const { stderr, status } = spawnSync(process.execPath, ["-e", command, "validate", "."], {
      cwd: folder,
      encoding: "utf8",
    });
    const seconds = (performance.now() - started) / 1000;
    if (status !== 0) throw new Error(stderr);
    const memory = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
    const kept = seconds <= (links === 10_000 ? 2 : 20) && memory < 1024;
    validations.push({ links, kind, seconds, memory, kept });
    console.log(`${links} entries, ${kind}: ${seconds.toFixed(2)} s, ${memory.toFixed(0)} MB`);
    rmSync(folder, { recursive: true });
  }
}

const names = /** @type {const} */ (["shortlink", "catalog"]);
/** @type {Record<string, Record<string, number[]>>} */
const times = { create: { shortlink: [], catalog: [] }, "no-op": { shortlink: [], catalog: [] } };
for (let turn = 0; turn < 5; turn++) {
  for (const name of turn % 2 === 0 ? names : [...names].reverse()) {
    const emulator = await createEmulator();
    const run = await engineSubject(name, emulator, 1000, { checkpoints: false, window: undefined });
    for (const operation of /** @type {const} */ (["create", "no-op"])) {
      const started = performance.now();
      const { failed } = await run.carryOut(operation);
      if (failed) throw new Error(`${operation} of ${name} failed`);
      times[operation]?.[name]?.push((performance.now() - started) / 1000);
    }
    await run.end();
    await emulator.close();
  }
}
const middle = (/** @type {number[]} */ all = []) =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
const programs = Object.entries(times).map(([operation, { shortlink, catalog }]) => {
  const [loop, files] = [middle(shortlink), middle(catalog)];
  return { operation, loop, files, ratio: files / loop, kept: files / loop <= 1.1 };
});

const bold = (/** @type {string} */ text, /** @type {boolean} */ kept) => (kept ? text : `**${text}**`);
const text = `| \`pulumi-shortlink validate\` | entries | seconds | memory at its peak, MB |
| --- | ---: | ---: | ---: |
${validations.map(({ links, kind, seconds, memory, kept }) => `| ${kind.toUpperCase()} | ${links.toLocaleString("en")} | ${bold(seconds.toFixed(1), kept)} | ${memory.toFixed(0)} |`).join("\n")}

| 1,000 links, the middle of five | a loop | \`LinkCatalog\` | ratio |
| --- | ---: | ---: | ---: |
${programs.map(({ operation, loop, files, ratio, kept }) => `| ${operation} | ${loop.toFixed(1)} s | ${files.toFixed(1)} s | ${bold(ratio.toFixed(2), kept)} |`).join("\n")}
`;
console.log(`\n${text}`);
const json = await format(JSON.stringify({ validations, programs }), { parser: "json", printWidth: 110 });
writeFileSync(join(root, "bench", "catalog.json"), json);
const page = join(root, "docs", "performance.md");
const [before = "", after = ""] = readFileSync(page, "utf8").split(
  /<!-- begin of the catalogs -->[^]*<!-- end of the catalogs -->/,
);
const results = `<!-- begin of the catalogs -->\n\n${text}\n<!-- end of the catalogs -->`;
writeFileSync(page, await format(before + results + after, { parser: "markdown", printWidth: 110 }));
if (![...validations, ...programs].every(({ kept }) => kept)) process.exitCode = 1;
