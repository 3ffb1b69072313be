import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/checks";
import { loadCatalog } from "../../src/catalog/load";
import { documents, jsonSchema, type Kind } from "../../src/catalog/schema";
import { domainFields } from "../../src/domain/fields";
import { linkFields } from "../../src/link/fields";
import { seed } from "../helpers/arbitraries";
import { scratch } from "../helpers/catalog";

const root = join(__dirname, "../..");

test.each(Object.keys(documents) as Kind[])(
  "the published JSON Schema of a %s matches the sources",
  (kind) => {
    const published = JSON.parse(readFileSync(join(root, `schema/${kind}.schema.json`), "utf8")) as object;
    expect(published).toEqual(jsonSchema(kind));
  },
);

test("the catalog schema has every Domain and Link field with a description and an example", () => {
  type Described = { description?: string; examples?: unknown[]; properties?: Record<string, Described> };
  const { properties } = jsonSchema("catalog") as { properties: Record<string, { anyOf: Described[] }> };
  const fieldsOf = (section: string) =>
    (
      properties[section]?.anyOf[0] as {
        anyOf: { additionalProperties: { properties?: Record<string, Described>; anyOf?: Described[] } }[];
      }
    ).anyOf[0]?.additionalProperties;
  const link = fieldsOf("links")?.properties ?? {};
  const domain = fieldsOf("domains")?.anyOf?.[0]?.properties ?? {};
  const own = ["formerly", "protect", "owner", "note"];
  expect(Object.keys(link).sort()).toEqual([...Object.keys(linkFields), "domain", ...own].sort());
  // The name of a domain is its key.
  const domainNames = Object.keys(domainFields).filter((name) => name !== "name");
  const kept = own.filter((name) => name !== "formerly");
  expect(Object.keys(domain).sort()).toEqual([...domainNames, "existing", ...kept].sort());
  for (const [name, { description, examples }] of Object.entries({ ...link, ...domain })) {
    expect([name, description?.length ?? 0]).toEqual([name, expect.any(Number)]);
    expect(description, name).toBeTruthy();
    expect(examples, name).toBeTruthy();
  }
});

test("the overlay schema accepts null for the fields of a link", () => {
  const accepts = new Ajv({ strict: false, validateFormats: false }).compile(jsonSchema("overlay"));
  const fields = Object.entries(linkFields).filter(([name]) => name !== "domainId");
  const links = { docs: Object.fromEntries(fields.map(([name]) => [name, null])) };
  expect([accepts({ links }), accepts.errors]).toEqual([true, null]);
});

// Values near the limits, of right and wrong types.
const url = fc.constantFrom(
  "https://example.com/",
  "HTTP://example.com",
  " https://example.com/a ",
  "example.com",
  "https://",
  "https://a b",
  "myapp://x",
  "https://example.com/{",
  `https://example.com/${"a".repeat(2040)}`,
  "https://example.com/ü",
);
const anything = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
  fc.constant([]),
  fc.constant({}),
);
const alias = fc.oneof(
  fc.constantFrom("docs", "Bücher", "a_b-1", "0", " docs ", "a b", "", "a".repeat(256), "日本"),
  fc.string({ maxLength: 5 }),
);
const id = fc.constantFrom(1, 12, 0, -1, 1.5, "1", 2 ** 53);
const date = fc.constantFrom(
  "2026-03-01T08:00:00",
  "2026-03-01 08:00",
  "2026-03-01t08:00:00.5z",
  "2026-03-01T08:00:00+01:00",
  "2026-13-01T08:00:00",
  "2026-03-01T24:00:00",
  "1969-03-01T08:00:00",
  "2038-03-01T08:00:00",
  "2026-03-01",
  "soon",
  " 2026-03-01T08:00 ",
);
const secret = fc.constantFrom(
  { secret: "config:a" },
  { secret: "env:A_B" },
  { secret: "config:a:b" },
  { secret: "vault:a" },
  { secret: "a" },
  {},
  "plain",
  { secret: "env:1" },
  { secret: "config:a", more: 1 },
);
const target = fc.oneof(
  fc.record({ key: fc.constantFrom("DE", "x", ""), value: url }, { requiredKeys: ["value"] }),
  fc.constantFrom({}, "x", { key: "DE", value: "https://example.de/", url: "x" }),
);
const fields = {
  url,
  domain: fc.constantFrom("go.example", "", 1),
  alias,
  domainId: id,
  spaceId: id,
  pixelIds: fc.oneof(fc.array(id, { maxLength: 3 }), id),
  redirectPassword: secret,
  password: secret,
  sensitiveContent: fc.constantFrom(true, false, 0, 1, 2, "true"),
  privacy: fc.constantFrom("public", "private", "password", 0, 1, 2, 3, "0", "x"),
  activePeriodStartAt: date,
  activePeriodEndAt: date,
  clicksLimit: fc.constantFrom(0, 1, 999_999_999, 1_000_000_000, -1, "1", 0.5),
  expirationUrl: url,
  targetsType: fc.constantFrom("countries", "rotations", "cities"),
  targets: fc.oneof(fc.array(target, { maxLength: 3 }), target),
  adopt: fc.constantFrom("never", "ifEqual", "always", "x"),
  formerly: fc.constantFrom("a", ["a", "b"], [], "a b", 1, [1]),
  protect: fc.constantFrom(true, false, "yes"),
  owner: fc.constantFrom("web", "", 1),
  note: fc.constantFrom("x", "", 1),
  colour: fc.constant("red"),
};
const oneOf = <Key extends keyof typeof fields>(names: Key[]) =>
  fc.record(
    Object.fromEntries(
      names.map((name) => [
        name,
        fc.oneof(
          { weight: 12, arbitrary: fields[name] as fc.Arbitrary<unknown> },
          { weight: 1, arbitrary: anything },
        ),
      ]),
    ),
    { requiredKeys: [] },
  );
const some = fc.subarray(Object.keys(fields).filter((name) => name !== "colour") as (keyof typeof fields)[], {
  maxLength: 3,
});
const link = some
  .chain((names) => oneOf([...names]))
  .map((entry) => ({ url: "https://example.com/", ...entry }));
const rarely = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 15, arbitrary: value }, { weight: 1, arbitrary: anything as fc.Arbitrary<Value> });
const domainEntry = fc
  .record(
    {
      homepageUrl: fc.constantFrom("https://example.com/", "x", `https://example.com/${"a".repeat(240)}`),
      notFoundUrl: url,
      forceDestroy: fc.constantFrom(true, "x"),
      existing: fc.constantFrom(true, 1),
      adopt: fields.adopt,
      formerly: fields.formerly,
      protect: fields.protect,
      colour: fc.constant("red"),
    },
    { requiredKeys: [] },
  )
  .map((entry) => (Object.keys(entry).length > 2 ? {} : entry));
const hosts = fc.constantFrom(
  "go.example",
  "Go.Example",
  "10.0.0.1",
  "10.0.0.256",
  "nodot",
  "a..b",
  "-a.example",
  "bücher.example",
  "go.x1",
  "go.example:80",
  " go.example ",
);
const rules = fc
  .record(
    {
      allowedHosts: fc.constantFrom(["example.com"], ["*.example.com"], [], ["https://x"], "x"),
      httpsOnly: fc.constantFrom(true, "x"),
      aliasPattern: fc.constantFrom("[a-z]+", 1),
      maxLifetimeDays: fc.constantFrom(1, 0, "1"),
      required: fc.constantFrom(["owner"], ["team"], "owner"),
      colour: fc.constant(1),
    },
    { requiredKeys: [] },
  )
  .map((entry) => (Object.keys(entry).length > 2 ? {} : entry));
const { url: _url, alias: _alias, formerly: _formerly, ...inherited } = fields;
const defaults = fc
  .subarray(Object.keys(inherited) as (keyof typeof fields)[], { maxLength: 2 })
  .chain((names) => oneOf([...names]));
const keys = fc.constantFrom("docs", "go.example/docs", "a b", "", "k".repeat(301));
const withKey = (entry: object) => keys.map((key) => ({ ...entry, key }));
const sections: Record<Kind, Record<string, fc.Arbitrary<unknown>>> = {
  catalog: {
    links: rarely(
      fc.oneof(
        fc.dictionary(keys, rarely(link), { maxKeys: 2 }),
        fc.array(rarely(link.chain(withKey)), { maxLength: 2 }),
      ),
    ),
    domains: rarely(
      fc.oneof(
        fc.dictionary(hosts, rarely(domainEntry), { maxKeys: 2 }),
        fc.array(rarely(fc.tuple(domainEntry, hosts).map(([entry, name]) => ({ ...entry, name }))), {
          maxLength: 2,
        }),
      ),
    ),
    defaults: rarely(defaults),
    rules: rarely(rules),
    colour: anything,
  },
  folder: { defaults: rarely(defaults), rules: rarely(rules), links: fc.constant({}) },
  overlay: {
    domainMap: rarely(fc.dictionary(hosts, hosts, { maxKeys: 2 })),
    links: rarely(
      fc.dictionary(keys, rarely(some.chain((names) => oneOf(names.filter((name) => name !== "formerly")))), {
        maxKeys: 2,
      }),
    ),
    domains: rarely(
      fc.dictionary(
        hosts,
        rarely(domainEntry.map(({ existing: _existing, formerly: _old, ...entry }) => entry)),
        { maxKeys: 2 },
      ),
    ),
    defaults: anything,
  },
};

// Mistakes between entries, which a schema cannot express.
const beyondSchema = new Set(["reference", "duplicate", "circle", "rule", "overlay"]);
const crossField =
  /is required together with|must be later than|targets\[\d+\]\.key|needs a key|domain is required|has domain and domainId|no meaning for a domain/;

test.each(Object.keys(documents) as Kind[])("JSON Schema and checker agree on generated %s files", (kind) => {
  const accepts = new Ajv({ strict: false, validateFormats: false }).compile(jsonSchema(kind));
  const files = scratch();
  const { colour, ...usual } = sections[kind];
  const names = fc.subarray(Object.keys(usual), { minLength: 1, maxLength: 2 });
  const document = fc
    .tuple(names, fc.integer({ min: 0, max: 19 }))
    .chain(([own, dice]) =>
      fc.record(
        Object.fromEntries(
          [...own, ...(dice === 0 && colour ? ["colour"] : [])].map((name) => [
            name,
            sections[kind][name] as fc.Arbitrary<unknown>,
          ]),
        ),
      ),
    );
  let accepted = 0;
  let refused = 0;
  fc.assert(
    fc.property(document, (value) => {
      const text = JSON.stringify(value);
      const entries = kind === "catalog" ? text : "{}";
      files.write({
        "a.json": entries,
        ...(kind === "folder" ? { "folder.json": text } : { "folder.json": "{}" }),
        ...(kind === "overlay" ? { "overlays/o.json": text } : {}),
      });
      const findings = checkCatalog(
        loadCatalog({
          folder: files.folder,
          files: ["a.json"],
          overlays: kind === "overlay" ? ["overlays/o.json"] : [],
        }),
        { allowEmpty: true, timeZone: "Europe/Berlin" },
      );
      const shape = findings.filter(
        (finding) => !beyondSchema.has(finding.kind) && !crossField.test(finding.message),
      );
      // JSON.stringify omits undefined values.
      const isAccepted = accepts(JSON.parse(text));
      if (isAccepted) accepted++;
      else refused++;
      expect(
        shape.length === 0,
        `${text}\n${JSON.stringify(accepts.errors)}\n${JSON.stringify(findings)}`,
      ).toBe(isAccepted);
    }),
    { numRuns: 2000, seed },
  );
  files.remove();
  // The generated files have enough accepted and enough refused ones.
  expect(Math.min(accepted, refused)).toBeGreaterThan(200);
});
