import { readFileSync } from "node:fs";
import fc from "fast-check";
import { beforeEach, expect } from "vitest";
import { domainFields } from "../../src/domain/fields";
import { readField } from "../../src/fields/check";
import { linkFields } from "../../src/link/fields";
import type { Emulator } from "../../src/emulator/server";
import { seed } from "../helpers/arbitraries";
import { send, test } from "../helpers/emulator";

const isUrl = (url: string) => readField(linkFields.url, url).issues.length === 0;

// The check and the service accept the same URLs. A difference would make `up` fail in the middle.

beforeEach(async ({ emulator }: { emulator?: Emulator }) => {
  if (!emulator) return;
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  await send(emulator, "POST", "/links", { form: "url=https://example.com/&domain_id=1&alias=docs" });
});

/** All values under some names, at any depth. */
function* valuesOf(tree: object, names: string[]): Generator<string> {
  for (const [name, value] of Object.entries(tree) as [string, unknown][]) {
    if (names.includes(name)) yield* [value].flat() as string[];
    else if (typeof value === "object" && value !== null) yield* valuesOf(value, names);
  }
}

/** The URLs about which check and emulator disagree. */
async function disputed(emulator: Emulator, urls: string[]): Promise<string[]> {
  const found: string[] = [];
  const queue = [...urls];
  const worker = async () => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
      const { status } = await send(emulator, "PATCH", "/links/1", {
        form: `url=${encodeURIComponent(url)}`,
      });
      expect([200, 422]).toContain(status);
      if (isUrl(url) !== (status === 200)) found.push(url);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return found;
}

test(
  "provider and emulator agree on 25,000 URLs of documentation pages",
  { timeout: 120_000 },
  async ({ emulator }) => {
    const file = "node_modules/@mdn/browser-compat-data/data.json";
    const pages = JSON.parse(readFileSync(file, "utf8")) as object;
    const urls = [...new Set(valuesOf(pages, ["mdn_url", "spec_url"]))];
    expect(urls.length).toBeGreaterThan(25_000);
    expect(await disputed(emulator, urls)).toEqual([]);
    expect(urls.filter((url) => !isUrl(url))).toHaveLength(64);
  },
);

test("provider and emulator agree on 3,000 generated URLs", { timeout: 60_000 }, async ({ emulator }) => {
  const sign = fc.oneof(
    fc.constantFrom(
      ...` a:/?#[]@%{}|\\^"<>\`~é©😀①-_.=&+'()!`,
      "%41",
      "%",
      "e\u0301",
      "\u0001",
      "//",
      "xn--",
    ),
    fc.string({ maxLength: 3, unit: "binary" }).filter((text) => !text.includes("\0")),
  );
  const text = fc.array(sign, { maxLength: 5 }).map((signs) => signs.join(""));
  const url = fc
    .tuple(
      fc.constantFrom("https", "HTTP", "ftp", "//", ""),
      fc.constantFrom("://", "://", ":", ":/"),
      fc.oneof(fc.constantFrom("example.com", "user@b.example", "[::1]:80", "localhost"), text),
      text,
      fc.constantFrom("", "/", "?", "#", "/?#"),
      text,
    )
    .map((parts) => parts.join(""))
    .filter((made) => made.trim() !== "");
  expect(await disputed(emulator, fc.sample(url, { numRuns: 3000, seed }))).toEqual([]);
});

test.for([
  ...["a_b.example", "_a.example", "bücher.example", "a-b.example", "10.0.0.1", "go.x", "xn--p1ai.xn--p1ai"],
  ...[
    "a_b",
    "-a.example",
    "a.b_c",
    "a b.example",
    "a.example.",
    "10.0.0.256",
    "a.123",
    "a..b",
    "a.example/b",
  ],
  ...["a@b.example", "a%b.example", "©.example", "a.bücher"],
])("provider and emulator agree on the domain name %s", async (name, { emulator }) => {
  const { status } = await send(emulator, "POST", "/domains", { form: `name=${encodeURIComponent(name)}` });
  expect(readField(domainFields.name, name).issues.length === 0).toBe(status === 201);
});
