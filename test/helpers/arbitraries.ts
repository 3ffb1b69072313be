import fc from "fast-check";

// Arguments as a user may write them, in all their spellings.

/** Fixed in CI, so that only a change of the code makes a test fail. Locally, each run tries new values. */
export const seed = process.env.CI ? 20_261_121 : Date.now() % 2 ** 31;

const path = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const url = fc.oneof(
  path.map((name) => `https://example.com/${name}`),
  path.map((name) => `http://пример.example:8080/${name}?a[]=1&b=%20#top`),
  path.map((name) => `  https://example.com/${name} `),
);
/** The part of a short link after the slash. */
export const alias = fc.stringMatching(/^[A-Za-z0-9äß_-]{1,12}$/).filter((text) => text !== "0");
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

/** The arguments of a link without domain and alias. The emulator has these spaces and pixels. */
export const linkArgs = fc
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

/** All optional arguments of a domain. */
export const domainArgs = fc.record({
  homepageUrl: maybe(url.filter((text) => text.length < 200)),
  notFoundUrl: maybe(url.filter((text) => text.length < 200)),
});
