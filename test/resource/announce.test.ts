import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import { send } from "../helpers/emulator";
import { newRun, settingsOf, type Settings } from "../helpers/run";

// The preview's messages for a new resource whose object already exists.

let emulator: Emulator;
beforeEach(async () => {
  emulator = await createEmulator();
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  await send(emulator, "POST", "/links", {
    form: "domain_id=1&alias=docs&url=https://example.com/&clicks_limit=5&space_id=2",
  });
});
afterEach(() => emulator.close());

const equal = { url: "https://example.com/", domainId: 1, alias: "docs", clicksLimit: 5, spaceId: 2 };

/** The preview's messages for a new link. */
async function saidOf(args: object, settings: Settings = {}): Promise<string[]> {
  const { link, said } = newRun(settingsOf(emulator, settings));
  const urn = "urn:pulumi:test::test::pulumi-nodejs:dynamic/shortlink:Link::docs";
  const { failures } = await link.check({}, { __provider: "text", __preview: true, __urn: urn, ...args });
  expect(failures).toEqual([]);
  return said;
}

const exists = "http://go.example/docs exists already as link 1";
const fails = "creating another will fail, unless this stack deletes it in the same run; see adopt";

test.each<[string, object, Settings, string]>([
  ["an equal one", {}, {}, `${exists}: ${fails}, import and aliases.`],
  [
    "one that differs",
    { clicksLimit: 6, spaceId: 3 },
    {},
    `${exists} and differs in spaceId, clicksLimit: ${fails}, import and aliases.`,
  ],
  [
    "the entry of a catalog",
    { __entry: "links/docs.yaml:3:5" },
    {},
    `${exists}: ${fails} and formerly of the entry at links/docs.yaml:3:5.`,
  ],
  ["an equal one that may be adopted", { adopt: "ifEqual" }, {}, `${exists}: it will be adopted.`],
  [
    "one that differs and may be adopted only if equal",
    { adopt: "ifEqual", clicksLimit: 6 },
    {},
    `${exists} and differs in clicksLimit: ${fails}, import and aliases.`,
  ],
  [
    "any one, by the setting of the stack",
    { clicksLimit: 6 },
    { "shortlink:adopt": "always" },
    `${exists} and differs in clicksLimit: it will be adopted and changed.`,
  ],
  [
    "a resource's own word before the setting",
    { adopt: "never" },
    { "shortlink:adopt": "always" },
    `${exists}: ${fails}, import and aliases.`,
  ],
  [
    "with passwords, which cannot be compared",
    { adopt: "ifEqual", redirectPassword: "x", password: "y", privacy: "public" },
    {},
    `${exists}: it will be adopted, and its redirectPassword and password will be set.`,
  ],
  [
    "without what is not known yet",
    { url: "04da6b54-80e4-46f7-96ec-b56ff0331ba9", adopt: "ifEqual" },
    {},
    `${exists}: it will be adopted.`,
  ],
  [
    "an import of an equal one",
    { __import: "go.example/docs" },
    {},
    "link go.example/docs will be imported; the plan shows it as a create.",
  ],
  [
    "an import of an equal one, with a password",
    { __import: "1", password: "y" },
    {},
    "link 1 will be imported; the plan shows it as a create, and its password will be set.",
  ],
  [
    "an import of one that differs",
    { __import: "1", clicksLimit: 6, spaceId: 3 },
    {},
    'link 1 differs from the program in spaceId, clicksLimit: its import will fail unless adopt is "always".',
  ],
  [
    "an import of one that differs and may be changed",
    { __import: "1", clicksLimit: 6, spaceId: 3, adopt: "always" },
    {},
    "link 1 will be imported; the plan shows it as a create, and changed in spaceId, clicksLimit.",
  ],
  [
    "an import of what is not there",
    { __import: "7" },
    {},
    "link 7 will be imported; the plan shows it as a create. It was not found, so the preview could not compare it with the program.",
  ],
])("a preview of a new link: %s", async (_name, args, settings, text) => {
  expect(await saidOf({ ...equal, ...args }, settings)).toEqual([text]);
});

test("an equal link under a derived alias will be adopted; a different one is a conflict", async () => {
  const { alias: _alias, ...derived } = { ...equal, __alias: "docs" };
  expect(await saidOf(derived)).toEqual([`${exists}: it will be adopted.`]);
  expect(await saidOf({ ...derived, clicksLimit: 6 })).toEqual([
    `${exists} and differs in clicksLimit: ${fails}, import and aliases.`,
  ]);
  expect(await saidOf({ ...equal, alias: "free" })).toEqual([]);
});

test("a duplicate alias or import is refused before any request and names the other resource", async () => {
  const before = emulator.requests.length;
  const { link } = newRun(settingsOf(emulator));
  const urn = (name: string) => `urn:pulumi:test::test::pulumi-nodejs:dynamic/shortlink:Link::${name}`;
  const check = async (name: string, args: object) => {
    const { failures } = await link.check({}, { __provider: "text", __urn: urn(name), ...args });
    return failures.map(({ reason }) => reason);
  };
  expect(await check("one", { ...equal, __import: "7" })).toEqual([]);
  // The engine checks a replacement a second time.
  expect(await check("one", { ...equal, __import: "7" })).toEqual([]);
  expect(await check("two", { ...equal, alias: "Docs" })).toEqual([
    `alias is already used by the resource "one" (${urn("one")}): give each link on a domain its own alias`,
  ]);
  expect(await check("three", { ...equal, alias: "other", __import: "7" })).toEqual([
    `import: link 7 is already used by the resource "one" (${urn("one")}): two resources cannot manage one object`,
  ]);
  expect(await check("four", { ...equal, domainId: 2 })).toEqual([]);
  expect(emulator.requests.length).toBe(before);
});
