import { join } from "node:path";
import { readdirSync, readFileSync } from "node:fs";
import type * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scratch } from "../helpers/catalog";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

let emulator: Emulator;
let files: ReturnType<typeof scratch>;
let stacks: TestStack[];
let overlays: string[];

beforeEach(async () => {
  emulator = await createEmulator();
  files = scratch();
  [stacks, overlays] = [[], []];
});
afterEach(async () => {
  for (const stack of stacks) stack.remove();
  files.remove();
  await emulator.close();
});

async function newStack(opts?: pulumi.ComponentResourceOptions): Promise<TestStack> {
  const stack = await createStack(emulator, () => {
    const catalog = new shortlink.LinkCatalog(
      "links",
      { files: join(files.folder, "links"), overlays: overlays.map((name) => join(files.folder, name)) },
      opts,
    );
    const { docs } = catalog.links;
    return Promise.resolve({ docs: docs?.shortUrl, domains: Object.keys(catalog.domains) });
  });
  stacks.push(stack);
  return stack;
}

const yaml = `domains:
  go.example: { homepageUrl: https://example.com/ }
defaults: { domain: go.example }
links:
  docs: { alias: docs, url: https://example.com/docs, note: On the poster }
  news: { alias: news, url: https://example.com/news, privacy: private, pixelIds: [2, 1] }
  derived: { url: https://example.com/derived }
  by-country:
    alias: world
    url: https://example.com/world
    targetsType: countries
    targets: [{ key: de, value: https://example.de/ }, { key: AT, value: https://example.at/ }]
`;

test("a catalog that lost many links stops preview and up before any request, unless allowed", async () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => `k${i},go.example,a${i},https://example.com/${i}\n`).join("");
  const header = "key,domain,alias,url\n";
  files.write({ "links/a.yaml": "domains: { go.example: {} }\n", "links/b.csv": header + rows(12) });
  const stack = await newStack();
  await stack.up();
  expect((await stack.preview()).changes).toEqual({ same: 16 });
  const before = emulator.requests.length;
  files.write({ "links/b.csv": header + rows(8) });
  const refusal = "4 of 12 links would be deleted or replaced (k8, k9, k10, k11)".replace(/k8.*\)/, "");
  await expect(stack.preview()).rejects.toThrow(refusal);
  await expect(stack.up()).rejects.toThrow(
    "To allow it once, run the command with SHORTLINK_ALLOW_DELETES=4",
  );
  files.write({ "links/b.csv": header });
  await expect(stack.up()).rejects.toThrow("the catalog has no link");
  expect(emulator.requests.length).toBe(before);
  files.write({ "links/b.csv": header + rows(8) });
  await stack.config({ "shortlink:allowDeletes": "4" });
  expect((await stack.up()).changes).toMatchObject({ delete: 4 });
  await stack.config({ "shortlink:allowDeletes": undefined });
  expect((await stack.preview()).changes).toEqual({ same: 12 });
});

const names = (stack: TestStack) => stack.state().resources.map(({ urn }) => urn.split("::").at(-1));
const writes = () => emulator.requests.filter(({ method }) => method !== "GET").length;

test("moving, reordering and reformatting files changes nothing, nor does a new key with formerly", async () => {
  files.write({ "links/a.yaml": yaml });
  const stack = await newStack();
  const { changes, outputs } = await stack.up();
  expect([changes, outputs]).toEqual([
    { create: 8 },
    { docs: "http://go.example/docs", domains: ["go.example"] },
  ]);
  expect(names(stack).sort()).toEqual(
    ["go.example", "by-country", "derived", "docs", "news"].map((key) => `links-${key}`).sort(),
  );
  const before = writes();
  const forms: Record<string, string>[] = [
    // Another folder, another order, a list, and defaults of the folder.
    {
      "links/folder.yaml": "defaults: { domain: go.example, privacy: private }\n",
      "links/below/b.yml": `links:
  - { key: news, url: https://example.com/news, alias: news, pixelIds: [1, 2] }
  - key: by-country
    targets: [{ key: AT, value: https://example.at/ }, { key: DE, value: https://example.de/ }]
    targetsType: countries
    url: " https://example.com/world"
    alias: world
    privacy: public
`,
      "links/c.yaml": `links:
  docs: { url: https://example.com/docs, alias: docs, owner: web team, privacy: public }
  derived: { url: https://example.com/derived, sensitiveContent: false, privacy: public }
domains: [{ homepageUrl: https://example.com/, name: GO.example }]
`,
    },
    {
      "links/a.json": '{ "domains": { "go.example": { "homepageUrl": "https://example.com/" } } }',
      "links/b.csv": `key;url;alias;domain;privacy;pixelIds;targetsType;targets.AT;targets.DE\r
docs;https://example.com/docs;docs;go.example;;;;;\r
by-country;https://example.com/world;world;go.example;;;countries;https://example.at/;https://example.de/\r
derived;https://example.com/derived;;go.example;0;;;;\r
news;https://example.com/news;news;go.example;private;2 1;;;\r
`,
    },
    {
      "links/a.yaml": yaml
        .replace("  docs: {", "  handbook: { formerly: [older, docs],")
        .replace("  derived: {", "  derived-now: { formerly: derived,"),
    },
  ];
  for (const form of forms) {
    files.remove();
    files.write(form);
    expect((await stack.preview()).changes, Object.keys(form).join()).toEqual({ same: 8 });
  }
  expect((await stack.up()).changes).toEqual({ same: 8 });
  expect(names(stack)).toContain("links-handbook");
  // The derived alias of the old key may be printed somewhere, so it stays.
  expect(writes()).toBe(before);
  // Without its former key the entry is another link.
  files.write({ "links/a.yaml": yaml });
  expect((await stack.preview()).changes).toMatchObject({ create: 2, delete: 2 });
});

test("an overlay deploys the same keys to another domain, and no password appears in plain text", async () => {
  files.write({
    "links/a.yaml": yaml
      .replace("alias: docs,", "alias: docs, redirectPassword: { secret: config:linkPassword },")
      .replace("privacy: private,", "privacy: password, password: { secret: env:STATISTICS_PASSWORD },"),
    "overlays/staging.yaml":
      "domainMap: { go.example: go-stg.example }\nlinks: { news: { pixelIds: null } }\n",
    "overlays/later.yaml": "links: { by-country: null, docs: { clicksLimit: 5 } }\n",
  });
  const production = await newStack();
  await expect(production.up()).rejects.toThrow(
    /The files of the LinkCatalog "links" have 2 mistakes:\n.*a\.yaml:5:42 link "docs": there is no secret config:linkPassword for redirectPassword: run "pulumi config set --secret linkPassword"\n.*a\.yaml:6:84 link "news": there is no secret env:STATISTICS_PASSWORD for password: set the variable STATISTICS_PASSWORD/,
  );
  expect(emulator.requests).toEqual([]);
  // An empty variable would leave the link open.
  process.env.STATISTICS_PASSWORD = "";
  await expect(production.up()).rejects.toThrow("there is no secret env:STATISTICS_PASSWORD");
  process.env.STATISTICS_PASSWORD = "how-many-5512";
  try {
    await production.config({ "engine:linkPassword": "open-sesame-7731" });
    expect((await production.up()).changes).toEqual({ create: 7, same: 1 });
    overlays = ["overlays/staging.yaml", "overlays/later.yaml"];
    const staging = await newStack();
    await staging.config({ "engine:linkPassword": "open-sesame-7731" });
    const { changes, output } = await staging.up();
    expect(changes).toEqual({ create: 7 });
    const kept = names(production).filter((key) => key !== "links-by-country");
    expect(names(staging).sort()).toEqual(kept.sort());
    const links = ((await send(emulator, "GET", "/links")).body as { data: Record<string, unknown>[] }).data;
    expect(
      links
        .map(({ short_url }) => String(short_url))
        .filter((url) => url.endsWith("/docs"))
        .sort(),
    ).toEqual(["http://go-stg.example/docs", "http://go.example/docs"]);
    expect(links.filter(({ redirect_password }) => redirect_password === true)).toHaveLength(2);
    for (const text of [
      output,
      production.state().text,
      staging.state().text,
      JSON.stringify(await staging.export()),
    ]) {
      expect(text).not.toMatch(/open-sesame-7731|how-many-5512/);
    }
    for (const name of readdirSync(files.folder, { recursive: true, encoding: "utf8" }).filter((each) =>
      each.endsWith("yaml"),
    )) {
      expect(readFileSync(join(files.folder, name), "utf8")).not.toMatch(/open-sesame-7731|how-many-5512/);
    }
  } finally {
    delete process.env.STATISTICS_PASSWORD;
  }
});

test("several mistakes in files are one error with their places, before any request", async () => {
  files.write({
    "links/a.yaml": yaml.replace("alias: news", "alias: Docs"),
    "links/b.csv": "alias,domain,url\nmore,go.exmaple,https://example.com/\nmost,go.example,example.com\n",
  });
  overlays = ["overlay.json"];
  files.write({ "overlay.json": '{ "links": {\n  "dosc": { "clicksLimit": 3 } } }' });
  const stack = await newStack();
  const failure = await stack.up().then(
    () => expect.unreachable("it should fail"),
    (error: unknown) => String(error),
  );
  for (const told of [
    'a.yaml:6:18 link "news": alias "Docs" is already used by "docs" at',
    'b.csv:3:17 cell C3, link with the alias "most": url must be a URL with scheme and host',
  ]) {
    expect(failure).toContain(told);
  }
  expect(failure).not.toContain("at new LinkCatalog");
  expect([emulator.requests, stack.state().resources]).toEqual([[], []]);
  files.remove();
  const missing = await stack.up().then(
    () => expect.unreachable("it should fail"),
    (error: unknown) => String(error),
  );
  expect(missing).toMatch(/error: The files of the LinkCatalog "links": ".*links" matches no file in /);
  expect(missing).not.toContain("at new LinkCatalog");
});

test("existing domains are referenced by name or id, and protected entries are not deleted", async () => {
  for (const name of ["partner.example", "other.example"])
    await send(emulator, "POST", "/domains", { form: `name=${name}` });
  files.write({
    "links/a.yaml": `domains:
  partner.example: { existing: true }
links:
  docs: { domain: partner.example, alias: docs, url: https://example.com/, protect: true }
  other: { domainId: 2, alias: other, url: https://example.com/ }
`,
  });
  const stack = await newStack();
  expect(await stack.up()).toMatchObject({
    changes: { create: 5 },
    outputs: { docs: "http://partner.example/docs", domains: ["partner.example"] },
  });
  const { data } = (await send(emulator, "GET", "/links")).body as { data: { short_url: string }[] };
  expect(data.map((link) => link.short_url).sort()).toEqual([
    "http://other.example/other",
    "http://partner.example/docs",
  ]);
  await expect(stack.destroy()).rejects.toThrow(/protect/);
  expect(stack.state().resources.map(({ type }) => type)).toContain("pulumi-nodejs:dynamic/shortlink:Link");
});

test("domainMap gives each environment its own domain, and a taken domain is an error", async () => {
  files.write({ "links/all.yaml": yaml });
  // As people write it. The service stores names in lower case.
  let domainMap: Record<string, string> = { "go.example": " Go-PR-7.example" };
  const environment = async () => {
    const stack = await createStack(emulator, () => {
      const catalog = new shortlink.LinkCatalog("links", { files: join(files.folder, "links"), domainMap });
      return Promise.resolve({ docs: catalog.links.docs?.shortUrl });
    });
    stacks.push(stack);
    return stack;
  };
  const first = await environment();
  expect((await first.up()).outputs).toEqual({ docs: "http://go-pr-7.example/docs" });
  const second = await environment();
  expect((await second.preview()).output).toContain("see adopt and formerly of the entry at");
  const message = await second.up().then(
    () => expect.unreachable("the name is taken"),
    (error: unknown) => (error as Error).message.replace(/\s+/g, " "),
  );
  expect(message).toMatch(
    /name: The name has already been taken\. \(\S*links\/all\.yaml:2:3\) The domain with the id 1 has it\. If another stack/,
  );
  expect(message.indexOf("existing: true")).toBeLessThan(message.indexOf("adopt"));
  domainMap = { "go.example": "go-pr-8.example" };
  expect((await second.up()).outputs).toEqual({ docs: "http://go-pr-8.example/docs" });
  await second.destroy();
  domainMap = { "go.example": "go-pr-7.example" };
  expect((await first.up()).changes).toEqual({ same: 8 });

  domainMap = { "go.exmple": "go-pr-8.example", "go.example": "nodot" };
  await expect(first.up()).rejects.toThrow(
    'there is no domain "go.exmple" in the catalog: did you mean "go.example"?',
  );
  await expect(first.up()).rejects.toThrow("domainMap: the name of go.example must be a host name");
});

test("formerly moves entries to another catalog without a write; duplicate resource names are refused", async () => {
  const domain = "domains: { go.example: {} }\n";
  const entry = (key: string, more = "") =>
    `  ${key}: { domain: go.example, alias: ${key}, url: https://example.com/${more} }\n`;
  const keys = Array.from({ length: 12 }, (_, i) => `k${i}`);
  files.write({ "a/all.yaml": `${domain}links:\n${keys.map((key) => entry(key)).join("")}` });
  let names = ["a"];
  const stack = await createStack(emulator, () => {
    for (const name of names) new shortlink.LinkCatalog(name, { files: join(files.folder, name) });
    return Promise.resolve();
  });
  stacks.push(stack);
  await stack.up();
  // More links than a catalog may lose, but they move to another catalog.
  const [moved, kept] = [keys.slice(0, 5), keys.slice(5)];
  const movedEntry = (key: string) => entry(key, `, formerly: { catalog: a, key: ${key} }`);
  files.write({
    "a/all.yaml": `${domain}links:\n${kept.map((key) => entry(key)).join("")}`,
    "b/all.yaml": `domains: { go.example: { existing: true } }\nlinks:\n${moved.map(movedEntry).join("")}`,
  });
  names = ["a", "b"];
  const before = emulator.requests.length;
  expect((await stack.up()).changes).toEqual({ create: 2, same: 16 });
  expect(emulator.requests.slice(before).map(({ method }) => method)).toEqual(["GET"]);

  files.write({
    "a/more.yaml": `links:\n${entry("b-news")}`,
    "a-b/all.yaml": `domains: { go.example: { existing: true } }\nlinks:\n${entry("news")}`,
  });
  names = ["a", "a-b"];
  await expect(stack.up()).rejects.toThrow(
    'The LinkCatalogs "a" and "a-b" both have an entry that makes a resource named "a-b-news": give one of the',
  );
});
