import fc from "fast-check";
import { isDeepStrictEqual } from "node:util";
import { test } from "vitest";
import { createEmulator } from "../../src/emulator/server";
import { alias, domainArgs, linkArgs, seed } from "../helpers/arbitraries";
import type { DynamicProvider } from "../../src/engine/dynamic";
import { flavours } from "../helpers/flavours";
import { LifeCycle } from "../helpers/life-cycle";
import { newRun, settingsOf } from "../helpers/run";

// Over generated resources, a plan must neither show a change where there is none nor miss one. The real
// client and providers talk to the emulator under each of its flavours, with the calls that the engine makes.

/** Creates, updates and clears. After each write neither a plan nor a refresh may show a change. */
async function live(provider: DynamicProvider, steps: Record<string, unknown>[]): Promise<void> {
  const life = new LifeCycle(provider);
  try {
    for (const args of steps) {
      const inputs = await life.check(args);
      const isSame = life.inputs && isDeepStrictEqual(inputs, life.inputs);
      await life.up(args, { plan: !life.inputs ? "create" : isSame ? "same" : "update" });
      await life.expectSettled();
    }
  } finally {
    await life.destroy();
  }
}

test.each(Object.entries(flavours))(
  "plans show all changes of generated resources and no false ones, under %s",
  async (_name, flavour) => {
    const emulator = await createEmulator({ flavour });
    const { domain, link } = newRun(settingsOf(emulator));
    try {
      await fc.assert(
        fc.asyncProperty(domainArgs, domainArgs, (first, second) => {
          const name = "property.example";
          return live(domain, [{ name, ...first }, { name, ...second }, { name }]);
        }),
        { numRuns: 100, seed },
      );
      const owner = await domain.create({ __provider: "text", name: "go.example" });
      await fc.assert(
        fc.asyncProperty(alias, alias, linkArgs, linkArgs, (one, other, first, second) => {
          const base = { domainId: owner.id, url: "https://example.com/" };
          return live(link, [
            { ...base, alias: one, ...first },
            { ...base, alias: other, ...second },
            { ...base, alias: other },
            { ...base, alias: other, ...first },
          ]);
        }),
        { numRuns: 300, seed },
      );
    } finally {
      await emulator.close();
    }
  },
);
