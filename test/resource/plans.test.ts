import { afterEach, beforeEach, expect, test } from "vitest";
import { InitializationError, type DynamicProvider } from "../../src/engine/dynamic";
import { createEmulator, type Emulator, type Flavour } from "../../src/emulator/server";
import { send } from "../helpers/emulator";
import * as helpers from "../helpers/run";
import type { Settings } from "../helpers/run";

// The exact answers of the providers to the engine: states, diffs, and messages of a preview.

let emulator: Emulator;
let link: DynamicProvider;
let domain: DynamicProvider;

/** Starts a new run of the engine with additional settings. */
const newRun = (more: Settings = {}) => {
  const run = helpers.newRun(helpers.settingsOf(emulator, more));
  ({ link, domain } = run);
  return run;
};

async function start(flavour: Flavour = {}) {
  emulator = await createEmulator({ flavour });
  newRun();
  await send(emulator, "POST", "/domains", { form: "name=first.example" });
}
beforeEach(() => start());
afterEach(() => emulator.close());

const url = "https://example.com/";
const plain = { __provider: "text", url, domainId: 1, alias: "docs" };
const every = {
  ...plain,
  spaceId: 1,
  pixelIds: [1, 3],
  redirectPassword: "visitor",
  sensitiveContent: true as const,
  privacy: "password" as const,
  password: "statistics",
  activePeriodStartAt: "2026-03-01T08:00:00",
  activePeriodEndAt: "2027-03-01T08:00:00",
  clicksLimit: 100,
  expirationUrl: "https://example.com/expired",
  targetsType: "countries" as const,
  targets: [
    { key: "DE", value: "https://example.com/de" },
    { key: "US", value: "https://example.com/us" },
  ],
};
const outputs = () => ({ shortUrl: "http://first.example/docs", __origin: emulator.url });

test.each([
  ["with every field", every],
  ["with nothing but what it needs", plain],
  [
    "with rotations",
    { ...plain, targetsType: "rotations" as const, targets: [{ value: url }, { value: url }] },
  ],
])("the state of a link %s equals its inputs and outputs, also after a refresh", async (_name, inputs) => {
  const { id, outs } = await link.create(inputs);
  expect([id, outs]).toEqual(["1", { ...inputs, ...outputs() }]);
  expect(await link.read("1", outs)).toEqual({ id: "1", props: outs });
  expect(await link.diff("1", outs, inputs)).toEqual({ changes: false });
});

test("the state also keeps values that the service returns in another form, and only those", async () => {
  await emulator.close();
  await start({ timeZone: "Asia/Kolkata" });
  const { outs } = await link.create(every);
  const echo = { activePeriodStartAt: "2026-03-01T02:30:00", activePeriodEndAt: "2027-03-01T02:30:00" };
  expect(outs).toEqual({ ...every, ...outputs(), __echo: echo });
  // A write of one end of the period writes both. A write of another field keeps the echo.
  const news = { ...every, activePeriodEndAt: "2028-03-01T08:00:00" };
  const { outs: second } = await link.update("1", outs, news);
  const later = { ...echo, activePeriodEndAt: "2028-03-01T02:30:00" };
  expect(second).toEqual({ ...news, ...outputs(), __echo: later });
  const { outs: third } = await link.update("1", second, { ...news, url: "https://example.com/b" });
  expect(third).toMatchObject({ url: "https://example.com/b", __echo: later });
  const { activePeriodStartAt: _start, activePeriodEndAt: _end, ...without } = news;
  const { outs: cleared } = await link.update("1", third, without);
  expect(cleared).toEqual({ ...without, ...outputs() });
});

test("a read link has all fields except passwords, with dates in the configured time zone", async () => {
  await link.create(every);
  newRun({ "shortlink:timeZone": "Asia/Kolkata" });
  const { redirectPassword: _visitor, password: _statistics, ...told } = every;
  const local = { activePeriodStartAt: "2026-03-01T13:30:00", activePeriodEndAt: "2027-03-01T13:30:00" };
  for (const key of ["1", "first.example/docs", "FIRST.example/Docs"]) {
    expect(await link.read(key, { __provider: "text" })).toEqual({
      id: "1",
      props: { ...told, ...local, ...outputs(), __id: "1" },
      inputs: { ...told, ...local },
    });
  }
});

test("a diff names the replacing fields and the order of replacement", async () => {
  const { outs } = await link.create(every);
  const diff = (news: object) => link.diff("1", outs, { ...every, ...news });
  expect(await diff({ url: "https://example.com/b" })).toEqual({ replaces: [], deleteBeforeReplace: true });
  expect(await diff({ alias: "other" })).toEqual({ replaces: [], deleteBeforeReplace: false });
  expect(await diff({ domainId: 2 })).toEqual({ replaces: ["domainId"], deleteBeforeReplace: false });
  expect(await diff({ __alias: "derived", alias: "derived" })).toEqual({ changes: false });
  expect(await diff({ adopt: "always", __import: "7" })).toEqual({ changes: false });
  newRun({ "shortlink:baseUrl": "https://other.example" });
  await expect(link.diff("1", outs, every)).rejects.toThrow("This resource was created on the service at");
});

test("the provider returns the expected states and diffs of a domain", async () => {
  const inputs = { __provider: "text", name: "go.example", homepageUrl: url };
  const { id, outs } = await domain.create(inputs);
  expect([id, outs]).toEqual(["2", { ...inputs, url: "http://go.example", __origin: emulator.url }]);
  expect(await domain.read("2", outs)).toEqual({ id: "2", props: outs });
  const diff = (news: object) => domain.diff("2", outs, { ...inputs, ...news });
  expect(await diff({})).toEqual({ changes: false });
  expect(await diff({ notFoundUrl: url })).toEqual({ replaces: [], deleteBeforeReplace: true });
  expect(await diff({ forceDestroy: true })).toEqual({ replaces: [], deleteBeforeReplace: true });
  expect(await diff({ name: "other.example" })).toEqual({ replaces: ["name"], deleteBeforeReplace: false });
  const before = emulator.requests.length;
  const { outs: kept } = await domain.update("2", outs, { ...inputs, forceDestroy: true });
  expect([kept, emulator.requests.length]).toEqual([{ ...outs, forceDestroy: true }, before]);
  const changed = { ...inputs, forceDestroy: true as const, notFoundUrl: url };
  expect((await domain.update("2", kept, changed)).outs).toEqual({ ...outs, ...changed });
  newRun({ "shortlink:baseUrl": "https://other.example" });
  await expect(domain.diff("2", outs, inputs)).rejects.toThrow("This resource was created on the service at");
});

test("fields that the service does not keep are reported, and the state is saved", async () => {
  await emulator.close();
  await start({ oldForms: true, lenientPixels: true });
  const inputs = { __provider: "text", name: "go.example", homepageUrl: url, notFoundUrl: url };
  const failed = await domain.create(inputs).catch((error: unknown) => error as InitializationError);
  expect(failed).toBeInstanceOf(InitializationError);
  const { id, properties, reasons } = failed as InitializationError;
  const echo = { homepageUrl: null, notFoundUrl: null };
  expect([id, properties]).toEqual([
    "2",
    { ...inputs, url: "http://go.example", __origin: emulator.url, __echo: echo },
  ]);
  expect(reasons.map((reason) => reason.split(":")[0])).toEqual(["homepageUrl", "notFoundUrl"]);
  // The next run retries, and succeeds if the program drops these fields.
  await expect(domain.update("2", properties, inputs)).rejects.toBeInstanceOf(InitializationError);
  const { homepageUrl: _home, notFoundUrl: _notFound, ...without } = inputs;
  expect((await domain.update("2", properties, without)).outs).toEqual({
    ...without,
    url: "http://go.example",
    __origin: emulator.url,
  });

  const pixels = { ...plain, pixelIds: [1, 99] };
  const partly = await link.create(pixels).catch((error: unknown) => error as InitializationError);
  expect((partly as InitializationError).properties).toEqual({
    ...pixels,
    ...outputs(),
    __echo: { pixelIds: [1] },
  });
  await expect(link.update("1", (partly as InitializationError).properties, pixels)).rejects.toThrow(
    "pixelIds: the service answered with success but did not keep all of the value",
  );
});

test("only a preview announces existing objects, and only for new, valid resources", async () => {
  await link.create({ ...plain, privacy: "private" });
  // This process knows the link that it made, so another process asks.
  const { link: freshLink, domain: freshDomain, said } = newRun();
  const news = { url, domainId: 1, alias: "docs", privacy: 1 };
  const check = async (provider: DynamicProvider, olds: Record<string, unknown>, args: object) => {
    said.length = 0;
    const { inputs } = await provider.check(olds, { __provider: "text", ...args });
    expect(inputs).not.toHaveProperty("__preview");
    return said.join("\n");
  };
  const exists = "http://first.example/docs exists already as link 1";
  const failing =
    "creating another will fail, unless this stack deletes it in the same run; see adopt, import and aliases.";
  const preview = { ...news, __preview: true };
  expect(await check(freshLink, {}, preview)).toBe(`${exists}: ${failing}`);
  expect(await check(freshLink, {}, { ...preview, adopt: "ifEqual" })).toBe(`${exists}: it will be adopted.`);
  expect(await check(freshLink, {}, { ...preview, clicksLimit: 1, adopt: "ifEqual" })).toBe(
    `${exists} and differs in clicksLimit: ${failing}`,
  );
  expect(await check(freshLink, {}, { ...preview, clicksLimit: 1, adopt: "always" })).toBe(
    `${exists} and differs in clicksLimit: it will be adopted and changed.`,
  );
  expect(await check(freshLink, {}, { ...preview, __import: "12" })).toBe(
    "link 12 will be imported; the plan shows it as a create. It was not found, so the preview could not compare it with the program.",
  );
  for (const quiet of [news, { ...preview, alias: "free" }, { ...preview, clicksLimit: -1 }]) {
    expect(await check(freshLink, {}, quiet)).toBe("");
  }
  expect(await check(freshLink, plain, preview)).toBe("");
  const first = { name: "first.example", __preview: true };
  expect(await check(freshDomain, {}, first)).toBe(
    `http://first.example exists already as domain 1: ${failing}`,
  );
  expect(await check(freshDomain, {}, { ...first, adopt: "always" })).toContain(": it will be adopted.");
  for (const quiet of [
    { name: "first.example" },
    { ...first, homepageUrl: "x" },
    { ...first, name: "b.example" },
  ]) {
    expect(await check(freshDomain, {}, quiet)).toBe("");
  }
  expect(await check(freshDomain, { name: "first.example" }, first)).toBe("");
});
