import fc from "fast-check";
import { expect, test } from "vitest";
import { DomainProvider } from "../src/domain-provider";
import { createEmulator } from "../src/emulator/server";
import { LinkProvider } from "../src/link-provider";
import { configure } from "../src/session";
import { alias, domainArgs, linkArgs, seed } from "./helpers/arbitraries";
import { flavours } from "./helpers/flavours";

// What a plan must never do, over generated resources: show a change where there is none, or miss one. The real
// client and the real providers talk to the emulator under each of its flavours, as the engine would make them.

type Provider = LinkProvider | DomainProvider;
type Values = Record<string, unknown>;

/** The calls of the engine, with JSON between them as on its wire. */
function engine(provider: Provider) {
  const json = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;
  const check = async (args: Values, olds: Values = {}) => {
    const { inputs, failures } = await provider.check(olds, json({ __provider: "text", ...args }));
    expect(failures).toEqual([]);
    return json(inputs as Values);
  };
  return {
    check,
    create: async (inputs: Values) => {
      const { id, outs } = await provider.create(inputs as never);
      return { id, state: json(outs as unknown as Values) };
    },
    /** Null for "no changes", else the properties that the engine finds changed and what it would replace. */
    diff: async (id: string, state: Values, inputs: Values) => {
      const { changes, replaces } = await provider.diff(id, state as never, inputs as never);
      return changes === false ? null : replaces;
    },
    read: async (id: string, state: Values) => {
      const { props, inputs } = await provider.read(id, state as never);
      return { state: json(props as Values), inputs };
    },
    update: async (id: string, state: Values, inputs: Values) =>
      json((await provider.update(id, state as never, inputs as never)).outs as unknown as Values),
    delete: (id: string, state: Values) => provider.delete(id, state as never),
  };
}

/** Creates, updates and clears; after each write neither a plan nor a refresh may show anything. */
async function lifeCycle(provider: Provider, steps: Values[]): Promise<void> {
  const { check, create, diff, read, update, ...call } = engine(provider);
  const unchanged = async (id: string, state: Values, inputs: Values) => {
    expect(await diff(id, state, inputs)).toBeNull();
    const refreshed = await read(id, state);
    expect(refreshed).toEqual({ state, inputs: undefined });
    expect(await diff(id, refreshed.state, inputs)).toBeNull();
  };
  let inputs = await check(steps[0] ?? {});
  const created = await create(inputs);
  let { state } = created;
  try {
    await unchanged(created.id, state, inputs);
    for (const step of steps.slice(1)) {
      const next = await check(step, inputs);
      const isSame = JSON.stringify(next) === JSON.stringify(inputs);
      expect(await diff(created.id, state, next)).toEqual(isSame ? null : []);
      if (!isSame) state = await update(created.id, state, next);
      inputs = next;
      await unchanged(created.id, state, inputs);
    }
  } finally {
    await call.delete(created.id, state);
  }
  // Deleting what is gone is no error, and reading it drops it.
  await call.delete(created.id, state);
  expect(await provider.read(created.id, state as never)).toEqual({});
}

test.each(Object.entries(flavours))(
  "no plan shows a change that is none, under %s",
  async (_name, flavour) => {
    const emulator = await createEmulator({ flavour });
    const settings: Record<string, string> = {
      "shortlink:baseUrl": emulator.url,
      "shortlink:apiKey": emulator.apiKey,
    };
    await configure({ config: { get: (key) => settings[key] } });
    try {
      await fc.assert(
        fc.asyncProperty(domainArgs, domainArgs, (first, second) => {
          const name = "property.example";
          return lifeCycle(new DomainProvider(), [{ name, ...first }, { name, ...second }, { name }]);
        }),
        { numRuns: 100, seed },
      );
      const domain = await new DomainProvider().create({ __provider: "text", name: "go.example" });
      await fc.assert(
        fc.asyncProperty(alias, alias, linkArgs, linkArgs, (one, other, first, second) => {
          const base = { domainId: domain.id, url: "https://example.com/" };
          return lifeCycle(new LinkProvider(), [
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
