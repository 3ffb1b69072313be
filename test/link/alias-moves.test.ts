import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import type { Clock } from "../../src/service/clock";
import { send } from "../helpers/emulator";
import { newRun, settingsOf } from "../helpers/run";

// A write waits for the plan of the link that has its alias. If the provider knows too little, a fixed bound ends the wait.

/** A clock on which time passes only by waiting. */
function waitedFor(): Clock & { milliseconds: number } {
  const clock = {
    milliseconds: 0,
    now: () => clock.milliseconds,
    sleep: async (milliseconds: number) => {
      clock.milliseconds += milliseconds;
      await setImmediate();
    },
  };
  return clock;
}

let emulator: Emulator;
beforeEach(async () => {
  emulator = await createEmulator();
  for (const form of ["name=go.example"]) await send(emulator, "POST", "/domains", { form });
  for (const alias of ["one", "two"])
    await send(emulator, "POST", "/links", {
      form: `url=https://example.com/${alias}&domain_id=1&alias=${alias}`,
    });
});
afterEach(() => emulator.close());

async function aliasesOf(): Promise<string[]> {
  const { body } = await send(emulator, "GET", "/links?sort_by=id&sort=asc");
  return (body as { data: { alias: string }[] }).data.map(({ alias }) => alias);
}

const urn = (name: string) => `urn:pulumi:test::moves::pulumi-nodejs:dynamic/shortlink:Link::${name}`;
const newsOf = (name: string, alias: string, resources: number) => ({
  __provider: "text",
  __urn: urn(name),
  // No monitor answers at this address, so the state is unavailable.
  __state: `127.0.0.1:1 moves ${resources}`,
  ...{ url: `https://example.com/${name}`, domainId: 1, alias },
});

test.each([
  [1, "which has planned all of the program", 200],
  [2, "which has one more resource to plan", 2000],
])(
  "a run with %i resources, %s, reports an alias conflict after a fixed wait",
  async (resources, _what, silence) => {
    const clock = waitedFor();
    const { link } = newRun(settingsOf(emulator), clock);
    const { inputs } = await link.check({}, newsOf("docs", "one", resources));
    await expect(link.create(inputs)).rejects.toThrow("The link with the id 1 has it.");
    expect([clock.milliseconds >= silence, clock.milliseconds <= silence + 20]).toEqual([true, true]);
  },
);

test("two planned links swap their aliases without a wait, in either order of writes", async () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const clock = waitedFor();
    const { link } = newRun(settingsOf(emulator), clock);
    const aliases = await aliasesOf();
    const planned: (() => Promise<unknown>)[] = [];
    for (const [i, name] of ["one", "two"].entries()) {
      const state = { ...newsOf(name, aliases[i] ?? "", 2), shortUrl: "x" };
      const { inputs } = await link.check(state, newsOf(name, aliases[1 - i] ?? "", 2));
      expect(await link.diff(String(i + 1), state, inputs)).toMatchObject({ replaces: [] });
      planned.push(() => link.update(String(i + 1), state, inputs));
    }
    await Promise.all(order.flatMap((i) => planned[i]?.() ?? []));
    expect(await aliasesOf()).toEqual([...aliases].reverse());
    expect(clock.milliseconds).toBe(0);
  }
});
