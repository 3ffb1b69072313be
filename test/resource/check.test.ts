import { beforeEach, describe, expect, test } from "vitest";
import type { DynamicProvider } from "../../src/engine/dynamic";
import { unknownValue } from "../../src/fields/problem";
import * as helpers from "../helpers/run";

const settings: Record<string, string> = {
  "shortlink:baseUrl": "https://links.example",
  "shortlink:apiKey": "k",
};
/** Starts a new run of the engine with additional settings. */
const newRun = (more: Record<string, string | undefined> = {}) => {
  run = helpers.newRun({ ...settings, ...more });
};
let run: ReturnType<typeof helpers.newRun>;
beforeEach(() => newRun());

const own = { __provider: "text", __alias: "derived2" };

/** Returns the canonical inputs without the private ones, or the mistakes. */
async function check(provider: DynamicProvider, news: object, olds: Record<string, unknown> = {}) {
  const { inputs, failures = [] } = await provider.check(olds, { ...own, ...news });
  const { __provider, __alias, ...rest } = inputs as Record<string, unknown>;
  expect(__provider).toBe(own.__provider);
  return failures.length > 0 ? failures.map(({ property, reason }) => property + reason) : rest;
}

const url = "https://example.com/";
const base = { url, domainId: 1, alias: "a" };

describe("a domain", () => {
  const domain = (news: object) => check(run.domain, news);

  test("is normalized", async () => {
    expect(await domain({ name: " Go.Example ", homepageUrl: ` ${url} `, notFoundUrl: "" })).toEqual({
      name: "go.example",
      homepageUrl: url,
    });
  });

  test.each(["10.0.0.1", "go.x", "a_b.example", "a-b.example", "xn--bcher-kva.example", "bücher.example"])(
    "accepts the name %s",
    async (name) => {
      expect(await domain({ name })).toEqual({ name });
    },
  );

  test.each([
    [{}, ["name is required"]],
    [{ name: "go.123" }, [expect.stringMatching(/^name must be a host name/)]],
    [{ name: "10.0.0.256" }, [expect.stringMatching(/^name must be a host name/)]],
    [
      { name: "nodot" },
      ["name must be a host name with a dot and without scheme, port and path, for example go.example.com"],
    ],
    [
      { name: "https://go.example" },
      ["name must be a host name with a dot and without scheme, port and path, for example go.example.com"],
    ],
    [
      { name: "go.example/" },
      ["name must be a host name with a dot and without scheme, port and path, for example go.example.com"],
    ],
    [{ name: `${"a.".repeat(130)}example` }, ["name is longer than 255 characters"]],
    [
      { name: "go.example", homepageUrl: "example.com" },
      ["homepageUrl must be a URL with scheme and host, for example https://example.com/page"],
    ],
    [
      { name: "go.example", notFoundUrl: `${url}${"a".repeat(240)}` },
      ["notFoundUrl is longer than 255 characters"],
    ],
    [{ name: "go.example", homePage: url }, ["homePage is not an argument of this resource"]],
  ])("%j is refused", async (news, reasons) => {
    expect(await domain(news)).toEqual(reasons);
  });

  test("reports missing settings together with its own mistakes", async () => {
    newRun({ "shortlink:baseUrl": undefined, "shortlink:apiKey": undefined });
    const reasons = await domain({ name: "nodot" });
    expect(reasons).toEqual([
      expect.stringContaining("shortlink:apiKey is not set"),
      expect.stringContaining("shortlink:baseUrl is not set"),
      expect.stringContaining("name must be a host name"),
    ]);
  });
});

describe("a link", () => {
  const link = (news: object, olds?: Record<string, unknown>) => check(run.link, news, olds);

  test.each<[string, object, object]>([
    ["ids given as texts", { domainId: "12", spaceId: "3" }, { domainId: 12, spaceId: 3 }],
    ["spaces around texts", { url: ` ${url} `, alias: " b " }, { url, alias: "b" }],
    [
      "pixels in the order of the program, one that is there twice once",
      { pixelIds: [3, "1", 3] },
      { pixelIds: [3, 1] },
    ],
    ["no pixels", { pixelIds: [] }, {}],
    ["null and empty texts", { expirationUrl: null, redirectPassword: "", alias: "a" }, {}],
    ["sensitive content as a number", { sensitiveContent: 1 }, { sensitiveContent: true }],
    ["sensitive content as a text", { sensitiveContent: "true" }, { sensitiveContent: true }],
    ["no sensitive content, the default", { sensitiveContent: false }, {}],
    ["privacy as a number", { privacy: 2 }, { privacy: "password" }],
    ["privacy as a text of a number", { privacy: "1" }, { privacy: "private" }],
    ["public statistics, the default", { privacy: "public" }, {}],
    ["public statistics as a number", { privacy: 0 }, {}],
    ["a limit as a text", { clicksLimit: "100" }, { clicksLimit: 100 }],
    ["no limit, the default", { clicksLimit: 0 }, {}],
    [
      "dates in other spellings",
      { activePeriodStartAt: "2026-03-01 08:00:00", activePeriodEndAt: "2026-03-01T09:00" },
      { activePeriodStartAt: "2026-03-01T08:00:00", activePeriodEndAt: "2026-03-01T09:00:00" },
    ],
    [
      "targets in the order of the program",
      {
        targetsType: "countries",
        targets: [
          { key: "US", value: url },
          { key: " DE ", value: url },
        ],
      },
      {
        targetsType: "countries",
        targets: [
          { key: "US", value: url },
          { key: "DE", value: url },
        ],
      },
    ],
    [
      "rotations, whose order stays and whose keys mean nothing",
      { targetsType: "rotations", targets: [{ key: "b", value: `${url}b` }, { value: `${url}a` }] },
      { targetsType: "rotations", targets: [{ value: `${url}b` }, { value: `${url}a` }] },
    ],
    [
      "keys of targets in other spellings",
      {
        targetsType: "browsers",
        targets: [
          { key: "samsung internet", value: url },
          { key: "Maxthon", value: url },
        ],
      },
      {
        targetsType: "browsers",
        targets: [
          { key: "Samsung Internet", value: url },
          { key: "Maxtho", value: url },
        ],
      },
    ],
    [
      "devices, which the document spells wrong",
      { targetsType: "devices", targets: [{ key: "Desktop", value: url }] },
      { targetsType: "devices", targets: [{ key: "desktop", value: url }] },
    ],
    [
      "codes in the wrong case",
      { targetsType: "languages", targets: [{ key: "DE", value: url }] },
      { targetsType: "languages", targets: [{ key: "de", value: url }] },
    ],
    [
      "countries in small letters",
      { targetsType: "countries", targets: [{ key: "de", value: url }] },
      { targetsType: "countries", targets: [{ key: "DE", value: url }] },
    ],
    ["a password with spaces around it", { password: " x " }, { password: " x " }],
    [
      "a key that is null",
      { targetsType: "rotations", targets: [{ key: null, value: url }] },
      { targetsType: "rotations", targets: [{ value: url }] },
    ],
    ["blank texts", { expirationUrl: " ", spaceId: "", activePeriodStartAt: null, targetsType: "" }, {}],
    ["a URL with letters of any script", { url: `${url}größe` }, { url: `${url}größe` }],
    ["a URL of another scheme", { url: "ftp://example.com/a" }, { url: "ftp://example.com/a" }],
  ])("normalizes %s", async (_what, news, expected) => {
    expect(await link({ ...base, ...news })).toEqual({ ...base, ...expected });
  });

  const urlForm = "must be a URL with scheme and host, for example https://example.com/page";
  const dateForm = "must be a real date and time like 2026-03-01T08:00:00";
  test.each<[object, string[]]>([
    [{ url: undefined }, ["url is required"]],
    [
      { domainId: undefined },
      ["domainId is required. If you create the link with --target, add its domain as a second target"],
    ],
    [{ url: "example.com" }, [`url ${urlForm}`]],
    [{ url: "mailto:a@example.com" }, [`url ${urlForm}`]],
    [
      { url: `${url}a b` },
      [expect.stringMatching(/^url contains a character that must be percent-encoded/) as string],
    ],
    [
      { url: `${url}😀` },
      [expect.stringMatching(/^url contains a character that must be percent-encoded/) as string],
    ],
    [
      { url: `${url}%symbol` },
      ['url contains a "%" without two hexadecimal digits after it: write "%25" for a percent sign'],
    ],
    [{ url: `${url}${"a".repeat(2040)}` }, ["url is longer than 2048 characters"]],
    [{ domainId: "go" }, ["domainId must be the id of a domain, a whole number"]],
    [{ domainId: 0 }, ["domainId must be the id of a domain, 1 or greater"]],
    [{ alias: "a.b" }, ["alias may contain only letters, digits, - and _"]],
    [{ alias: "0" }, ["alias must not be 0: the service treats it as no alias"]],
    [{ alias: "a".repeat(256) }, ["alias is longer than 255 characters"]],
    [{ pixelIds: [1, "x"] }, ["pixelIds[1] must be the id of a pixel, a whole number"]],
    [{ sensitiveContent: "yes" }, ["sensitiveContent must be true or false"]],
    [{ privacy: "secret" }, ['privacy must be "public", "private" or "password" (0, 1 or 2)']],
    [{ privacy: 3 }, ['privacy must be "public", "private" or "password" (0, 1 or 2)']],
    [{ password: "a".repeat(129) }, ["password is longer than 128 characters"]],
    [{ clicksLimit: 1.5 }, ["clicksLimit must be a whole number"]],
    [{ clicksLimit: -1 }, ["clicksLimit must be 0 (no limit) or greater"]],
    [{ clicksLimit: 1e9 }, ["clicksLimit must be at most 999999999"]],
    [
      { activePeriodStartAt: "2026-03-01T08:00:00" },
      ["activePeriodEndAt is required together with activePeriodStartAt"],
    ],
    [
      { activePeriodEndAt: "2026-03-01T08:00:00" },
      ["activePeriodStartAt is required together with activePeriodEndAt"],
    ],
    [
      { activePeriodStartAt: "2026-03-01T08:00:00", activePeriodEndAt: "2026-03-01T08:00:00" },
      ["activePeriodEndAt must be later than activePeriodStartAt"],
    ],
    [
      { activePeriodStartAt: "2026-02-30T08:00:00", activePeriodEndAt: "tomorrow" },
      [`activePeriodStartAt ${dateForm}`, `activePeriodEndAt ${dateForm}`],
    ],
    [
      { activePeriodStartAt: "2026-03-01T08:00:00-05:00", activePeriodEndAt: "2040-03-01T08:00:00" },
      [
        "activePeriodEndAt must be in the years 1970 to 2037",
        "activePeriodStartAt has a time zone, but the service uses the time zone of the account: write the date without one, like " +
          '2026-03-01T08:00:00, or set the zone of the account with "pulumi config set shortlink:timeZone Europe/Berlin" (--time-zone Europe/Berlin for validate and show)',
      ],
    ],
    [
      { targetsType: "planets" },
      [expect.stringMatching(/^targetsType must be one of continents, /) as string],
    ],
    [{ targets: [{ key: "DE", value: url }] }, ["targetsType is required together with targets"]],
    [{ targetsType: "countries", targets: [{ value: url }] }, ["targets[0].key is required"]],
    [
      {
        targetsType: "countries",
        targets: [
          { key: "Germany", value: url },
          { key: "D1", value: url },
        ],
      },
      [
        "targets[0].key must be an ISO 3166-1 alpha-2 code, for example DE",
        "targets[1].key must be an ISO 3166-1 alpha-2 code, for example DE",
      ],
    ],
    [
      { targetsType: "languages", targets: [{ key: "german", value: url }] },
      ["targets[0].key must be an ISO 639-1 code, for example de"],
    ],
    [
      { targetsType: "continents", targets: [{ key: "XX", value: url }] },
      ["targets[0].key must be one of AF, AN, AS, EU, NA, OC, SA"],
    ],
    [
      {
        targetsType: "countries",
        targets: [
          { key: "DE", value: url },
          { key: "FR", value: url },
          { key: "de", value: url },
        ],
      },
      [
        "targets[2].key repeats targets[0].key: remove one of them, because the service would use only the last",
      ],
    ],
    [{ targetsType: "countries", targets: [{ key: "DE", value: "x" }] }, [`targets[0].value ${urlForm}`]],
    [{ targetsType: "countries", targets: [{ key: "DE" }] }, ["targets[0].value is required"]],
    [
      { targetsType: "countries", targets: [{ key: "DE", value: url, weight: 1 }] },
      ["targets[0] takes only key and value"],
    ],
    [{ targetsType: "countries", targets: ["DE"] }, ["targets[0] must be an object with key and value"]],
    [
      { targetsType: "rotations", targets: Array(101).fill({ value: url }) },
      ["targets has more than 100 entries"],
    ],
    [
      { domain_id: 1, title: "x" },
      ["domain_id is not an argument of this resource", "title is not an argument of this resource"],
    ],
    [
      { targetsType: "planets", targets: [{ key: "DE", value: url }] },
      [expect.stringMatching(/^targetsType must be one of/)],
    ],
    [
      { activePeriodStartAt: "x", activePeriodEndAt: "2026-03-01T08:00:00" },
      [`activePeriodStartAt ${dateForm}`],
    ],
    [{ privacy: [1] }, ['privacy must be "public", "private" or "password" (0, 1 or 2)']],
    [
      { shortUrl: "x", toString: "y" },
      ["shortUrl is not an argument of this resource", "toString is not an argument of this resource"],
    ],
    [{ url: 1 }, ["url must be a URL"]],
    [{ url: "1https://example.com/" }, [`url ${urlForm}`]],
    [{ alias: 1 }, ["alias must be text"]],
    [{ domainId: "1x" }, ["domainId must be the id of a domain, a whole number"]],
    [{ spaceId: "x1" }, ["spaceId must be the id of a space, a whole number"]],
    [{ spaceId: 0 }, ["spaceId must be the id of a space, 1 or greater"]],
    [{ pixelIds: 1 }, ["pixelIds must be a list of pixel ids"]],
    [{ pixelIds: [0] }, ["pixelIds[0] must be the id of a pixel, 1 or greater"]],
    [{ adopt: "yes" }, ['adopt must be "never", "ifEqual" or "always"']],
    [{ targets: {} }, ["targets must be a list of { key, value }"]],
    [{ targetsType: "countries", targets: [{ key: 1, value: url }] }, ["targets[0].key must be text"]],
    [
      { activePeriodStartAt: 1, activePeriodEndAt: true },
      [
        "activePeriodStartAt must be a date and time like 2026-03-01T08:00:00",
        "activePeriodEndAt must be a date and time like 2026-03-01T08:00:00",
      ],
    ],
    [
      { activePeriodStartAt: "1970-01-01T23:59:59", activePeriodEndAt: "2038-01-01T00:00:00" },
      [
        "activePeriodStartAt must be in the years 1970 to 2037",
        "activePeriodEndAt must be in the years 1970 to 2037",
      ],
    ],
    [
      { activePeriodStartAt: "at 2026-03-01T08:00:00", activePeriodEndAt: "2026-03-01T08:00:00 sharp" },
      [`activePeriodStartAt ${dateForm}`, `activePeriodEndAt ${dateForm}`],
    ],
    [
      { activePeriodStartAt: "2026-03-01", activePeriodEndAt: "2026-03-01T08:00:00+1" },
      [`activePeriodStartAt ${dateForm}`, `activePeriodEndAt ${dateForm}`],
    ],
    [{ url: "x", clicksLimit: -1 }, [`url ${urlForm}`, "clicksLimit must be 0 (no limit) or greater"]],
  ])("%j is refused", async (news, reasons) => {
    expect(await link({ ...base, ...news })).toEqual(reasons);
  });

  test("shows no password value in a message", async () => {
    const secret = "hunter22".repeat(20);
    const reasons = await link({
      ...base,
      password: secret,
      redirectPassword: { toString: () => secret, secret },
    });
    expect(reasons).toEqual(["redirectPassword must be text", "password is longer than 128 characters"]);
  });

  test("accepts unknown values, alone, in lists and in objects, and validates the rest", async () => {
    const news = {
      url: unknownValue,
      domainId: unknownValue,
      alias: unknownValue,
      pixelIds: [2, unknownValue],
      privacy: unknownValue,
      clicksLimit: unknownValue,
      activePeriodStartAt: unknownValue,
      activePeriodEndAt: "2026-03-01T08:00:00",
      targetsType: unknownValue,
      targets: [{ key: unknownValue, value: unknownValue }, { value: url }],
    };
    expect(await link(news)).toEqual(news);
    expect(
      await link({ ...news, targetsType: "countries", targets: [{ key: "DE", value: "x" }, unknownValue] }),
    ).toEqual([`targets[0].value ${urlForm}`]);
  });

  test("accepts an unknown element of the targets", async () => {
    const news = { ...base, targetsType: "countries", targets: [{ key: "DE", value: url }, unknownValue] };
    expect(await link(news)).toEqual(news);
  });

  test("keeps its alias in a replacement, which is checked without the old inputs", async () => {
    const provider = run.link;
    const news = { __provider: "text", __urn: "urn:three", __alias: "derived3", url, domainId: 1 };
    const olds = { ...base, __provider: "text", alias: "printed" };
    const { inputs } = await provider.check(olds, { ...news, domainId: 2 });
    await provider.diff("1", { ...olds, shortUrl: "" }, inputs);
    expect((await provider.check({}, news)).inputs).toMatchObject({ alias: "printed" });
    expect((await provider.check({}, { ...news, alias: "named" })).inputs).toMatchObject({ alias: "named" });
    expect(
      (await provider.check({}, { ...news, __urn: "urn:four", __alias: "derived4" })).inputs,
    ).toMatchObject({
      alias: "derived4",
    });
  });

  test("accepts target keys in any case, corrects the case, and refuses other keys", async () => {
    const keys = {
      continents: "AF AN AS EU NA OC SA".split(" "),
      operating_systems: ["Android", "Chrome OS", "Linux", "OS X", "Ubuntu", "Windows", "iOS"],
      browsers: [
        ...["BlackBerry Browser", "Brave", "Chrome", "Chromium", "Edge", "Firefox", "Firefox Mobile"],
        ...["Internet Explorer", "Maxtho", "Mobile Internet Explorer", "Opera", "Opera Mini", "Opera Mobile"],
        ...["Opera Touch", "QQ Browser", "Safari", "Samsung Internet", "UC Browser", "Vivaldi"],
        ...["Yandex Browser"],
      ],
      devices: ["desktop", "mobile", "tablet", "television", "watch"],
      countries: ["DE", "US"],
      languages: ["de", "en"],
    };
    for (const [targetsType, list] of Object.entries(keys)) {
      const targets = list.map((key) => ({ key, value: url }));
      for (const spell of [
        (key: string) => key,
        (key: string) => key.toUpperCase(),
        (key: string) => key.toLowerCase(),
      ]) {
        const given = targets.map(({ key }) => ({ key: spell(key), value: url }));
        expect(await link({ ...base, targetsType, targets: given })).toEqual({
          ...base,
          targetsType,
          targets,
        });
      }
      for (const key of ["", "x", `${list[0]}x`, `x${list[0]}`]) {
        const reasons = (await link({ ...base, targetsType, targets: [{ key, value: url }] })) as string[];
        expect(reasons).toEqual([expect.stringMatching(/^targets\[0\]\.key (?:is required|must be )/)]);
      }
    }
  });

  test("accepts dates at the limits, with time zones and fractions", async () => {
    newRun({ "shortlink:timeZone": "UTC" });
    const edges = { activePeriodStartAt: "1970-01-02T00:00", activePeriodEndAt: "2037-12-31 23:59:59" };
    expect(await link({ ...base, ...edges })).toEqual({
      ...base,
      activePeriodStartAt: "1970-01-02T00:00:00",
      activePeriodEndAt: "2037-12-31T23:59:59",
    });
    for (const [text, utc] of [
      ["2026-03-01T08:00:00Z", "08:00:00"],
      ["2026-03-01t08:00:00z", "08:00:00"],
      ["2026-03-01T08:00+01:30", "06:30:00"],
      ["2026-03-01 08:00-0130", "09:30:00"],
      ["2026-03-01T08:00:01.999Z", "08:00:01"],
      ["2026-03-01T08:00:01.5", "08:00:01"],
    ] as const) {
      const start = { activePeriodStartAt: text, activePeriodEndAt: "2027-01-01T00:00:00" };
      expect(await link({ ...base, ...start }), text).toMatchObject({
        activePeriodStartAt: `2026-03-01T${utc}`,
      });
    }
  });

  test("converts dates with a zone to the configured time zone of the account", async () => {
    newRun({ "shortlink:timeZone": "Europe/Berlin" });
    const period = (start: string, end: string) =>
      link({ ...base, activePeriodStartAt: start, activePeriodEndAt: end });
    expect(await period("2026-03-01T07:00:00.500Z", "2026-07-01 08:00-0500")).toMatchObject({
      activePeriodStartAt: "2026-03-01T08:00:00",
      activePeriodEndAt: "2026-07-01T15:00:00",
    });
    // A text without a zone is local time. In the hour that clocks show twice, the service sees no difference.
    expect(await period("2026-03-01T07:00", "2026-10-25T01:30:00Z")).toMatchObject({
      activePeriodStartAt: "2026-03-01T07:00:00",
      activePeriodEndAt: "2026-10-25T02:30:00",
    });
    expect(await period("2026-03-01T08:00:00Z", "2026-03-01T09:00:00")).toEqual([
      "activePeriodEndAt must be later than activePeriodStartAt",
    ]);
    expect(await period("2026-02-30T07:00:00Z", "2026-03-01T25:00:00+01:00")).toEqual([
      `activePeriodStartAt ${dateForm}`,
      `activePeriodEndAt ${dateForm}`,
    ]);
  });

  test("gets no derived alias if the service chooses, and keeps an existing one", async () => {
    newRun({ "shortlink:aliases": "service" });
    expect(await link({ url, domainId: 1 })).toEqual({ url, domainId: 1 });
    expect(await link({ url, domainId: 1 }, { ...base, alias: "printed" })).toMatchObject({
      alias: "printed",
    });
    newRun();
    // The service chose the alias, and the setting is gone. The provider derives no other alias.
    expect(await link({ url, domainId: 1 }, { url, domainId: 1 })).toEqual({ url, domainId: 1 });
  });

  test("without an alias gets the derived alias", async () => {
    expect(await link({ url, domainId: 1 })).toEqual({ url, domainId: 1, alias: "derived2" });
  });

  test("returns no undefined input for a refused alias", async () => {
    const { inputs } = await run.link.check({}, { ...base, alias: "a b" });
    expect(Object.values(inputs as object)).not.toContain(undefined);
  });

  test("without an alias keeps its existing alias", async () => {
    expect(await link({ url, domainId: 1 }, { ...base, alias: "printed" })).toMatchObject({
      alias: "printed",
    });
    expect(await link({ ...base, alias: "new" }, { ...base, alias: "printed" })).toMatchObject({
      alias: "new",
    });
  });
});
