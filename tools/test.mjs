// `npm test`: types, lint, format, build and all tests, each of them even where another failed, then a summary.
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.mjs";

const report = join(root, ".pulumi", "test-report.json");
rmSync(report, { force: true });

/** @type {[string, string[]][]} */
const checks = [
  // The tests and the type check of what uses the package need it built.
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

const results = checks.map(([name, args]) => {
  process.stdout.write(`\n== ${name}\n`);
  const started = Date.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  return { name, passed: status === 0, seconds: Math.round((Date.now() - started) / 1000) };
});

/** @returns {{ passed: number, failed: number }} */
function countTests() {
  try {
    const counts = /** @type {{ numPassedTests?: number, numTotalTests?: number }} */ (
      JSON.parse(readFileSync(report, "utf8"))
    );
    const { numPassedTests = 0, numTotalTests = 0 } = counts;
    // A file that cannot be loaded, and a test that is skipped, have not passed.
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
const others = results.filter(({ name, passed }) => name !== "tests" || (!passed && counted.failed === 0));
const passed = counted.passed + others.filter((each) => each.passed).length;
const failed = counted.failed + others.filter((each) => !each.passed).length;
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
if (failed > 0 || counted.passed === 0) process.exitCode = 1;
