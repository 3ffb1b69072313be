// `npm run bench:catalog`: measures links in files. It validates 10,000 and 100,000 entries in each format, and compares a LinkCatalog of
// 1,000 links with a loop. It takes 1,000 and 10,000 real addresses through all commands. Writes docs/performance.md and
// bench/catalog.json.
//
//   npm run bench:catalog -- [--only validate,loop,real] [--links 1000,10000] [--against <another checkout, built>]
//
// With --only it writes nothing. --against also runs create and no-op with the package of the other checkout.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { createEmulator } from "pulumi-shortlink/emulator";
import { root } from "../tools/environment.mjs";
import { catalogText, documentationCatalog, engineSubject } from "./subjects.mjs";

const { values } = parseArgs({
  options: { only: { type: "string" }, links: { type: "string" }, against: { type: "string" } },
});
const isChosen = (/** @type {string} */ part) =>
  values.only === undefined || values.only.split(",").includes(part);

/** Runs the command, and prints its peak memory at the end. */
const command = `
process.on("exit", () => console.error("peak " + process.resourceUsage().maxRSS));
require(${JSON.stringify(join(root, "dist/cli/main.js"))});`;

function validate() {
  return [10_000, 100_000].flatMap((links) =>
    /** @type {const} */ (["yaml", "json", "csv"]).map((kind) => {
      const folder = mkdtempSync(join(tmpdir(), "shortlink-bench-"));
      writeFileSync(join(folder, `links.${kind}`), catalogText(kind, links));
      if (kind === "csv") writeFileSync(join(folder, "domains.yaml"), catalogText("yaml", 0));
      const started = performance.now();
      const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
      const { stderr, status } = spawnSync(process.execPath, ["-e", command, "validate", "."], options);
      const seconds = (performance.now() - started) / 1000;
      if (status !== 0) throw new Error(stderr);
      const memory = Number(/peak (\d+)/.exec(stderr)?.[1]) / 1024;
      const kept = seconds <= (links === 10_000 ? 2 : 20) && memory < 1024;
      console.log(`${links} entries, ${kind}: ${seconds.toFixed(2)} s, ${memory.toFixed(0)} MB`);
      rmSync(folder, { recursive: true });
      return { links, kind, seconds, memory, kept };
    }),
  );
}

async function compareWithLoop() {
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
  return Object.entries(times).map(([operation, { shortlink, catalog }]) => {
    const [loop, files] = [middle(shortlink), middle(catalog)];
    return { operation, loop, files, ratio: files / loop, kept: files / loop <= 1.1 };
  });
}

const middle = (/** @type {number[]} */ all = []) =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;

/** The rate limit of a real installation. A minute lasts four seconds here. */
const limit = { requests: 120, window: 4 };

/** @param {number} links */
async function throughAllCommands(links) {
  const data = join(mkdtempSync(join(tmpdir(), "shortlink-bench-")), "data.json");
  let emulator = await createEmulator({ data });
  const { port } = new URL(emulator.url);
  const catalog = (/** @type {number} */ changed) => documentationCatalog(links, changed);
  const options = { checkpoints: false, window: limit.window, catalog };
  const subject = await engineSubject("catalog", emulator, links, options);
  const others = values.against === undefined ? undefined : await createEmulator();
  const other =
    others &&
    (await engineSubject("catalog", others, links, { ...options, packageRoot: values.against ?? root }));
  const rows = [];
  const carryOut = async (
    /** @type {typeof subject} */ run,
    /** @type {typeof emulator} */ service,
    /** @type {import("./subjects.mjs").Operation} */ operation,
    /** @type {string} */ name = operation,
  ) => {
    const before = service.requests.length;
    const started = performance.now();
    const { failed, uses, stateBytes } = await run.carryOut(operation);
    if (failed || !uses) throw new Error(`${name} of ${links} links failed`);
    const seconds = (performance.now() - started) / 1000;
    const requests = service.requests.length - before;
    const row = { links, operation: name, seconds, requests, stateBytes: stateBytes ?? 0, ...uses };
    const used = Object.entries(uses.byKind).map(
      ([kind, use]) => `${kind} ${use.seconds.toFixed(1)} s ${use.megabytes.toFixed(0)} MB`,
    );
    console.log(`${links} links, ${name}: ${seconds.toFixed(1)} s, ${requests} requests; ${used.join(", ")}`);
    return row;
  };
  rows.push(await carryOut(subject, emulator, "preview", "first preview"));
  rows.push(await carryOut(subject, emulator, "create"));
  if (other && others) await carryOut(other, others, "create", "create, other package");
  for (let turn = 0; turn < (other ? 3 : 1); turn++) {
    const row = await carryOut(subject, emulator, "no-op");
    // Later turns serve only the comparison, which is only printed.
    if (turn === 0) rows.push(row);
    if (other && others) await carryOut(other, others, "no-op", "no-op, other package");
  }
  rows.push(await carryOut(subject, emulator, "update ten", "change of ten"));
  rows.push(await carryOut(subject, emulator, "refresh"));
  await emulator.close();
  emulator = await createEmulator({ data, port: Number(port), limit });
  rows.push(await carryOut(subject, emulator, "refresh", "refresh at the limit"));
  await emulator.close();
  emulator = await createEmulator({ data, port: Number(port) });
  rows.push(await carryOut(subject, emulator, "destroy"));
  await emulator.close();
  await others?.close();
  await subject.end();
  await other?.end();
  return rows;
}

const bold = (/** @type {string} */ text, /** @type {boolean} */ kept) => (kept ? text : `**${text}**`);

const validations = isChosen("validate") ? validate() : [];
const programs = isChosen("loop") ? await compareWithLoop() : [];
const real = [];
for (const links of isChosen("real") ? (values.links ?? "1000,10000").split(",").map(Number) : []) {
  real.push(...(await throughAllCommands(links)));
}

const number = (/** @type {number} */ value) => value.toLocaleString("en");
const text = `| \`pulumi-shortlink validate\` | entries | seconds | memory at its peak, MB |
| --- | ---: | ---: | ---: |
${validations.map(({ links, kind, seconds, memory, kept }) => `| ${kind.toUpperCase()} | ${number(links)} | ${bold(seconds.toFixed(1), kept)} | ${memory.toFixed(0)} |`).join("\n")}

| 1,000 links, the middle of five | a loop | \`LinkCatalog\` | ratio |
| --- | ---: | ---: | ---: |
${programs.map(({ operation, loop, files, ratio, kept }) => `| ${operation} | ${loop.toFixed(1)} s | ${files.toFixed(1)} s | ${bold(ratio.toFixed(2), kept)} |`).join("\n")}

| real addresses by \`LinkCatalog\` | links | seconds | requests | processor seconds: engine | program | provider | peak MB: engine | program | provider | all | state, MB |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
${real.map(({ operation, links, seconds, requests, byKind: { engine, program, provider }, megabytes, stateBytes }) => `| ${operation} | ${number(links)} | ${seconds.toFixed(1)} | ${number(requests)} | ${engine.seconds.toFixed(1)} | ${program.seconds.toFixed(1)} | ${provider.seconds.toFixed(1)} | ${engine.megabytes.toFixed(0)} | ${program.megabytes.toFixed(0)} | ${provider.megabytes.toFixed(0)} | ${megabytes.toFixed(0)} | ${(stateBytes / 1e6).toFixed(1)} |`).join("\n")}
`;
console.log(`\n${text}`);
if (values.only === undefined) {
  const json = await format(JSON.stringify({ validations, programs, real }), {
    parser: "json",
    printWidth: 110,
  });
  writeFileSync(join(root, "bench", "catalog.json"), json);
  const page = join(root, "docs", "performance.md");
  const [before = "", after = ""] = readFileSync(page, "utf8").split(
    /<!-- begin of the catalogs -->[^]*<!-- end of the catalogs -->/,
  );
  const results = `<!-- begin of the catalogs -->\n\n${text}\n<!-- end of the catalogs -->`;
  writeFileSync(page, await format(before + results + after, { parser: "markdown", printWidth: 110 }));
}
if (![...validations, ...programs].every(({ kept }) => kept)) process.exitCode = 1;
