// `npm run coverage`: measures which lines and branches of src the tests run, also in processes of the engine and of the commands.
// Fails below 95 % of the lines or 90 % of the branches. Passes its arguments to vitest.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import MCR from "monocart-coverage-reports";
import { root } from "../environment.mjs";

const least = { lines: 95, branches: 90 };
const folder = join(root, ".pulumi", "coverage");
rmSync(folder, { recursive: true, force: true });

/** @param {string[]} command @param {NodeJS.ProcessEnv} [environment] */
const run = (command, environment = {}) =>
  spawnSync(process.execPath, command, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...environment },
  }).status;

// The report needs source maps to show the lines of src.
run(["node_modules/typescript/bin/tsc", "-p", ".", "--sourceMap"]);
const tests = run(
  [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--config",
    "tools/coverage/vitest.config.mjs",
    ...process.argv.slice(2),
  ],
  {
    NODE_OPTIONS: `--import ${pathToFileURL(join(import.meta.dirname, "hook.mjs")).href}`,
    // Code from a cache has less precise positions.
    NODE_DISABLE_COMPILE_CACHE: "1",
  },
);

const report = MCR({
  outputDir: join(folder, "report"),
  reports: [["console-details", { metrics: ["lines", "branches"] }], "json", "html"],
  sourceFilter: (path) => path.includes("src/"),
});
await report.addFromDir(join(folder, "raw"));
const { summary } = (await report.generate()) ?? {};
run([join("tools", "build.mjs")]);

for (const [metric, limit] of Object.entries(least)) {
  const { pct = 0 } = summary?.[/** @type {"lines" | "branches"} */ (metric)] ?? {};
  process.stdout.write(`${metric}: ${pct} %, at least ${limit} %\n`);
  if (Number(pct) < limit) process.exitCode = 1;
}
if (tests !== 0) process.exitCode = 1;
