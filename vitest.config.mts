import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // A single run of the engine takes seconds, and a busy machine makes it several times as many.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two cores: more engines at a time only slow one another down.
    maxWorkers: 2,
  },
});
