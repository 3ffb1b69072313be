import { defineConfig } from "vitest/config";

// The tests that run without an engine and without the built package, as far as they are quick.
export default defineConfig({
  test: {
    include: [
      "test/fields/check.test.ts",
      "test/resource/{check,bodies,plans,drift,faults,interrupted}.test.ts",
      "test/link/alias-moves.test.ts",
      "test/account/{account,find}.test.ts",
      "test/engine/codec.test.ts",
      "test/service/form.test.ts",
    ],
    env: { SHORTLINK_JOURNAL: "none" },
  },
});
