import fc from "fast-check";
import { expect, test } from "vitest";
import { DomainProvider } from "../src/domain";
import { createEmulator, type Flavour } from "../src/emulator/server";
import { LinkProvider } from "../src/link";
import { configure } from "../src/session";

// What a plan must never do, over generated resources: show a change where there is none, or miss one. The real
// client and the real providers talk to the emulator under each of its flavours, as the engine would make them.

const path = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const url = fc.oneof(
  path.map((name) => `https://example.com/${name}`),
  path.map((name) => `http://пример.example:8080/${name}?a[]=1&b=%20#top`),
  path.map((name) => `  https://example.com/${name} `),
);
const alias = fc.stringMatching(/^[A-Za-z0-9äß_-]{1,12}$/).filter((text) => text !== "0");
const dateTime = (from: number, to: number) =>
  fc
    .date({ min: new Date(Date.UTC(from, 0, 1)), max: new Date(Date.UTC(to, 0, 1)), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 19))
    .chain((text) => fc.constantFrom(text, text.replace("T", " "), text.slice(0, 16)));
const keysOf: Record<string, string[]> = {
  continents: ["AF", "eu", "SA", "OC"],
  countries: ["DE", "us", "JP", "BR"],
  operating_systems: ["iOS", "os x", "Chrome OS", "Linux"],
  browsers: ["Chrome", "firefox mobile", "Maxthon", "Edge"],
  languages: ["de", "FR", "ja"],
  devices: ["Desktop", "mobile", "Watch"],
};
const targets = fc.oneof(
  fc.constantFrom(...Object.keys(keysOf)).chain((targetsType) =>
    fc
      .uniqueArray(fc.constantFrom(...(keysOf[targetsType] ?? [])), { minLength: 1 })
      .chain((keys) => fc.tuple(...keys.map((key) => url.map((value) => ({ key, value })))))
      .map((list) => ({ targetsType, targets: list })),
  ),
  fc
    .array(
      url.map((value) => ({ value })),
      { minLength: 1, maxLength: 3 },
    )
    .map((list) => ({
      targetsType: "rotations",
      targets: list,
    })),
);
const password = fc.stringMatching(/^[ -~]{1,20}$/);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });

/** Everything of a link that may be there or not; ids of spaces and pixels are those of the emulator. */
const linkArgs = fc
  .record({
    spaceId: maybe(fc.constantFrom<unknown>(1, 2, "3")),
    pixelIds: maybe(fc.array(fc.constantFrom<unknown>(1, 2, "3", 3))),
    redirectPassword: maybe(password),
    sensitiveContent: maybe(fc.constantFrom<unknown>(true, false, 0, 1)),
    privacy: maybe(fc.constantFrom<unknown>("public", "private", "password", 0, 1, 2)),
    password: maybe(password),
    clicksLimit: maybe(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 999_999_999 }), fc.constant("12"))),
    expirationUrl: maybe(fc.oneof(url, fc.constant(""))),
    period: maybe(
      fc.record({ activePeriodStartAt: dateTime(1971, 2000), activePeriodEndAt: dateTime(2001, 2037) }),
    ),
    targeting: maybe(targets),
    url,
  })
  .map(({ period, targeting, ...rest }) => ({ ...rest, ...period, ...targeting }));

const domainArgs = fc.record({
  homepageUrl: maybe(url.filter((text) => text.length < 200)),
  notFoundUrl: maybe(url.filter((text) => text.length < 200)),
});

const flavours: Record<string, Flavour> = {
  "the newest version": {},
  "old names": { oldNames: true },
  "integers as texts": { integersAsText: true },
  "targets as an object": { targetsAsObject: true },
  "empty texts": { emptyAsText: true },
  "defaults as null": { defaultsAsNull: true },
  "dates with a space": { spacedDates: true },
  "hidden passwords": { passwordsHidden: true },
  "ids instead of nested records": { flatIds: true },
  "a time zone east of UTC": { timeZone: "Asia/Kolkata" },
  "a time zone with daylight saving": { timeZone: "America/New_York" },
  "all at once": {
    ...({
      oldNames: true,
      integersAsText: true,
      targetsAsObject: true,
      emptyAsText: true,
      defaultsAsNull: true,
    } as const),
    ...({ spacedDates: true, passwordsHidden: true, flatIds: true, timeZone: "Pacific/Auckland" } as const),
  },
};

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
      return { state: json(props as Values), inputs: json(inputs as Values) };
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
    expect(refreshed).toEqual({ state, inputs });
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
        { numRuns: 100 },
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
        { numRuns: 300 },
      );
    } finally {
      await emulator.close();
    }
  },
);
