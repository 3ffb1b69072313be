import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { demoFolder } from "./tools/environment.mjs";

/** The engine's tests, which take longest, and those that wait come first, so that none of them is left to run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => /\/engine\/|\/pacer/.test(moduleId);
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The Automation API asks for the version of the CLI in the environment of this process. Providers that a test calls itself share
    // no journal, unless the test gives them one. A command of Pulumi is over before its garbage matters.
    env: {
      PULUMI_HOME: join(demoFolder, "home"),
      SHORTLINK_JOURNAL: "none",
      GOGC: process.env.GOGC ?? "off",
    },
    // A single run of the engine takes seconds, and a busy machine makes it several times as many.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One more than the cores that a small machine has: an engine waits for its provider a good part of the time. Two more are slower.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
