import { defineConfig } from "vitest/config";

// The quick tests that need neither an engine nor the built package.
export default defineConfig({
  test: {
    include: [
      "test/fields/{check,table}.test.ts",
      "test/resource/{announce,bodies,check,drift,faults,interrupted,plans}.test.ts",
      "test/link/alias-moves.test.ts",
      "test/account/{account,find}.test.ts",
      "test/engine/codec.test.ts",
      "test/service/form.test.ts",
    ],
    env: { SHORTLINK_JOURNAL: "none" },
  },
});
