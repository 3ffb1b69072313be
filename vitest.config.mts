import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { demoFolder } from "./tools/environment.mjs";

/** Starts the slowest tests first, with an engine or long waits, so that none runs alone at the end. */
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
    // no journal, unless the test sets one. Pulumi's commands end before garbage collection pays off.
    env: {
      PULUMI_HOME: join(demoFolder, "home"),
      SHORTLINK_JOURNAL: "none",
      GOGC: process.env.GOGC ?? "off",
    },
    // A run of the engine takes seconds, and several times as long on a busy machine.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One more than the cores of a small machine, because an engine often waits for its provider.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
