import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { demoFolder } from "./tools/environment.mjs";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // The Automation API asks for the version of the CLI in the environment of this process.
    env: { PULUMI_HOME: join(demoFolder, "home") },
    // A single run of the engine takes seconds, and a busy machine makes it several times as many.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // One more than the cores that a small machine has: an engine waits for its provider a good part of the time.
    maxWorkers: 3,
  },
});
