import { readFileSync } from "node:fs";

/**
 * The range of lines from one text to another, in Stryker's format.
 *
 * @param {string} file
 * @param {string} from
 * @param {string} to
 */
function lines(file, from, to) {
  const all = readFileSync(file, "utf8").split("\n");
  const first = all.findIndex((line) => line.includes(from));
  const last = all.findIndex((line) => line.includes(to));
  if (first === -1 || last === -1) throw new Error(`${file} has no part from "${from}" to "${to}"`);
  return `${file}:${first + 1}-${last}`;
}

// The code that decides over plans: check, diff, forms and states. `npm run mutation` breaks each part in turn, and a test
// must fail. Only tests without an engine run: they find most faults, and an engine is too slow.
/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  mutate: [
    "src/fields/*.ts",
    ...["drift", "plan", "read", "announce"].map((name) => `src/resource/${name}.ts`),
    "src/link/rules.ts",
    "src/engine/codec.ts",
    "src/service/form.ts",
    lines("src/link/lifecycle.ts", "async check(", "async create("),
    lines("src/domain/lifecycle.ts", "async check(", "async create("),
  ],
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "stryker.vitest.config.mjs", related: false },
  coverageAnalysis: "perTest",
  concurrency: 2,
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: { allowColor: false, logTests: false },
  tempDirName: ".stryker",
  thresholds: { high: 90, low: 85, break: 85 },
};
