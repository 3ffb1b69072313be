// `npm test`: runs types, lint, format, build and all tests, even if one of them fails. Prints a summary.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.mjs";

const report = join(root, ".pulumi", "test-report.json");
rmSync(report, { force: true });

/** @type {[string, string[]][]} */
const checks = [
  // The tests need the built package. So does the type check of code that uses it.
  ["build", ["tools/build.mjs"]],
  ["types", ["node_modules/typescript/bin/tsc", "-p", "test"]],
  ["lint", ["node_modules/eslint/bin/eslint.js", ".", "--max-warnings", "0"]],
  [
    "rooms",
    [
      "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs",
      "src",
      "--config",
      ".dependency-cruiser.mjs",
    ],
  ],
  ["format", ["node_modules/prettier/bin/prettier.cjs", "--check", "--log-level", "warn", "."]],
  [
    "tests",
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile=${report}`,
    ],
  ],
];

/**
 * Runs a check. A check that runs alone prints as it runs, others at their end.
 *
 * @param {[string, string[]]} check
 * @param {boolean} isAlone
 */
async function run([name, args], isAlone) {
  const started = Date.now();
  if (isAlone) process.stdout.write(`\n== ${name}\n`);
  const child = spawn(process.execPath, args, { cwd: root, stdio: isAlone ? "inherit" : "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += String(chunk)));
  await once(child, "close");
  if (!isAlone) process.stdout.write(`\n== ${name}\n${output}`);
  return { name, passed: child.exitCode === 0, seconds: Math.round((Date.now() - started) / 1000) };
}

const [build, ...others] = checks;
const tests = others.pop();
if (!build || !tests) throw new Error("no checks");
// Each of the others keeps one core busy. The tests need all cores.
const results = [
  await run(build, true),
  ...(await Promise.all(others.map((check) => run(check, false)))),
  await run(tests, true),
];

/** @returns {{ passed: number, failed: number }} */
function countTests() {
  try {
    const counts = /** @type {{ numPassedTests?: number, numTotalTests?: number }} */ (
      JSON.parse(readFileSync(report, "utf8"))
    );
    const { numPassedTests = 0, numTotalTests = 0 } = counts;
    // Files that cannot be loaded and skipped tests have not passed.
    return { passed: numPassedTests, failed: numTotalTests - numPassedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}

const counted = countTests();
process.stdout.write("\n");
for (const { name, passed, seconds } of results) {
  process.stdout.write(`${passed ? "passed" : "FAILED"}  ${name} (${seconds} s)\n`);
}
// Every check counts as one; so does a run of the tests that fails although each test passed.
const checked = results.filter(({ name, passed }) => name !== "tests" || (!passed && counted.failed === 0));
const passed = counted.passed + checked.filter((each) => each.passed).length;
const failed = counted.failed + checked.filter((each) => !each.passed).length;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
if (failed > 0 || counted.passed === 0) process.exitCode = 1;
