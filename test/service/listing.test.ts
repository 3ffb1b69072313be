import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/server";
import { Client } from "../../src/service/client";
import { LinkReads } from "../../src/service/listing";
import { seed } from "../helpers/arbitraries";

let emulator: Emulator;
afterEach(() => emulator.close());

/** Makes an account with links. Counts the requests for reads of some ids, eight at a time as by the engine. */
async function start(
  count: number,
  { acceptGone = false, ...options }: EmulatorOptions & { acceptGone?: boolean } = {},
) {
  emulator = await createEmulator(options);
  const client = new Client({ baseUrl: emulator.url, apiKey: emulator.apiKey }, { window: 400 });
  if (count > 0) await client.storeDomain({ name: "go.example" });
  if (count > 0) await client.storeDomain({ name: "other.example" });
  for (let i = 0; i < count; i += 50) {
    const some = Array.from({ length: Math.min(50, count - i) }, (_, j) =>
      client.storeLink({ url: "https://example.com/", domain_id: 1, alias: `a-${i + j}` }),
    );
    await Promise.all(some);
  }
  // A minute lasts 400 ms here.
  const reads = new LinkReads(client, { acceptGone, freshness: 400 });
  const readAll = async (ids: number[], domainId = 1, pause = 0) => {
    const before = emulator.requests.length;
    const found = new Map<number, unknown>();
    const queue = [...ids];
    const worker = async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        found.set(id, await reads.read(id, domainId));
        if (pause > 0) await setTimeout(pause);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const requests = emulator.requests.slice(before).map(({ path }) => path);
    const lists = requests.filter((path) => path.includes("?")).length;
    return { found, lists, shows: requests.length - lists };
  };
  return { client, readAll };
}
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test("1,000 reads take ten list requests and return the same as a show", async () => {
  const { client, readAll } = await start(1000);
  const { found, lists, shows } = await readAll(numbers(1000));
  expect([lists, shows]).toEqual([10, 0]);
  for (const id of [1, 500, 1000]) expect(found.get(id)).toEqual(await client.showLink(id));
});

test("a single read is a show, and several reads request each page at most once", async () => {
  const { readAll } = await start(2000);
  expect(await readAll([1])).toMatchObject({ lists: 0, shows: 1 });
  expect(await readAll([2, 3, 4, 5, 6])).toMatchObject({ lists: 1, shows: 0 });
  // Links that a list has served before are shown one by one.
  expect(await readAll(numbers(2000))).toMatchObject({ lists: 19, shows: 5 });
});

test("links of a small domain in a large account come from the domain's list", async () => {
  const { client, readAll } = await start(4000);
  const made = await Promise.all(
    numbers(150).map((i) => client.storeLink({ url: "https://example.com/", domain_id: 2, alias: `b-${i}` })),
  );
  const { found, lists, shows } = await readAll(
    made.map(({ id }) => id),
    2,
  );
  expect([found.size, lists, shows]).toEqual([150, 2, 0]);
});

test("each page is read once, even with a slow rate limit or a slow engine", async () => {
  const data = join(mkdtempSync(join(tmpdir(), "listing-")), "data.json");
  await start(1500, { data });
  await emulator.close();
  const slow = await start(0, { data, limit: { requests: 10, window: 0.4 } });
  expect(await slow.readAll(numbers(1500).reverse())).toMatchObject({ lists: 15, shows: 0 });
  await emulator.close();

  // The reads take more than a minute, and the last one needs the page of the first one.
  const busy = await start(700);
  expect(await busy.readAll([...numbers(700).slice(1), 1], 1, 10)).toMatchObject({ lists: 7, shows: 0 });
});

test("an unused list expires after a minute", async () => {
  const { readAll } = await start(300);
  expect(await readAll(numbers(200))).toMatchObject({ shows: 0 });
  await setTimeout(500);
  expect(await readAll(numbers(300).slice(200))).toMatchObject({ lists: 2, shows: 0 });
});

test(
  "random reads take at most twice the requests of the cheapest way, plus one if sequential",
  { timeout: 60_000 },
  async () => {
    const { client } = await start(1);
    const domains = [1, ...numbers(11).map((i) => i + 2)];
    for (const id of domains.slice(1)) await client.storeDomain({ name: `d-${id}.example` });
    // Half of the links are on the first domain, and the others on eleven more.
    const links: { id: number; domainId: number }[] = [];
    for (let i = 0; i < 2400; i++) {
      const domainId = i % 2 === 0 ? 1 : (domains[1 + ((i * 7) % 11)] as number);
      const form = { url: "https://example.com/", domain_id: domainId, alias: `n-${i}` };
      links.push({ id: (await client.storeLink(form)).id, domainId });
    }
    for (const { id } of links.splice(900, 300)) await client.deleteLink(id);
    const [pages, shows] = [vi.spyOn(client, "pageOfLinks"), vi.spyOn(client, "showLink")];
    const pagesOf = (list: typeof links) => Math.ceil(list.length / 100);

    const stack = fc.record({
      from: fc.nat(links.length - 1),
      count: fc.oneof(fc.nat(40), fc.nat(links.length)),
      step: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 40 })),
      on: fc.subarray(domains, { minLength: 1 }),
      isShuffled: fc.boolean(),
      parallel: fc.constantFrom(1, 2, 8, 32),
    });
    const holds = async ({
      from,
      count,
      step,
      on,
      isShuffled,
      parallel,
    }: typeof stack extends fc.Arbitrary<infer Value> ? Value : never) => {
      const some = links
        .slice(from)
        .filter(({ domainId }) => on.includes(domainId))
        .filter((_, i) => i % step === 0)
        .slice(0, count);
      if (isShuffled) some.sort((a, b) => ((a.id * 7919) % 1009) - ((b.id * 7919) % 1009));
      const reads = new LinkReads(client);
      vi.clearAllMocks();
      const queue = [...some];
      const worker = async () => {
        for (let link = queue.shift(); link; link = queue.shift()) {
          expect(await reads.read(link.id, link.domainId)).toMatchObject({ id: link.id });
        }
      };
      await Promise.all(Array.from({ length: parallel }, worker));
      const touched = [...new Set(some.map(({ domainId }) => domainId))];
      const byDomain = touched.map((id) => pagesOf(links.filter(({ domainId }) => domainId === id)));
      const cheapest = Math.min(
        some.length,
        pagesOf(links),
        byDomain.reduce((sum, pages) => sum + pages, 0),
      );
      const asked = pages.mock.calls.map((call) => JSON.stringify(call));
      expect(asked).toEqual([...new Set(asked)]);
      // Pages requested ahead of the reads may still be under way, so the test counts calls instead of the emulator's requests.
      const sent = pages.mock.calls.length + shows.mock.calls.length;
      // The client shows the first of several sequential reads.
      expect(sent).toBeLessThanOrEqual(2 * cheapest + (parallel === 1 ? 1 : 0));
    };
    await fc.assert(fc.asyncProperty(stack, holds), { seed, numRuns: 150 });
  },
);

test("reads fail if most links of the stack are missing, unless acceptGone is set", async () => {
  const { client, readAll } = await start(40);
  for (const id of numbers(30)) await client.deleteLink(id);
  const gone = /^Link \d+ is gone, and so are \d+ of the other \d+ links that were read\. Check that the key/;
  // No link was found, so the provider treats none as gone.
  await expect(readAll(numbers(30))).rejects.toThrow(gone);
  await emulator.close();

  const partly = await start(40);
  for (const id of numbers(25)) await partly.client.deleteLink(id);
  await partly.readAll(numbers(40).slice(25));
  const { found } = await partly.readAll(numbers(15));
  expect([...found.values()].filter((link) => link === undefined)).toHaveLength(15);
  await expect(partly.readAll([16])).rejects.toThrow("Link 16 is gone, and so are 15 of the other 30 links");
  await emulator.close();

  const second = await start(40, { acceptGone: true });
  for (const id of numbers(40)) await second.client.deleteLink(id);
  expect([...(await second.readAll(numbers(40))).found.values()]).toEqual(numbers(40).map(() => undefined));
});

test("a link missing in a list counts as gone only after a show", async () => {
  const { client, readAll } = await start(100);
  await client.deleteLink(7);
  const { found, lists, shows } = await readAll(numbers(100));
  expect([lists, shows]).toEqual([1, 1]);
  expect([...found].filter(([, link]) => link === undefined).map(([id]) => id)).toEqual([7]);
});

test("a list that hides existing links is an error, and no link counts as gone", async () => {
  const { readAll } = await start(1000, { flavour: { hiddenLinks: 500 } });
  await expect(readAll(numbers(1000))).rejects.toThrow(
    "more that exist. Nothing was changed. Run the command again.",
  );
});

test("a fault in a list fails the reads, and a write invalidates the list", async () => {
  const { readAll } = await start(300);
  emulator.faults.push({ path: "page=2", answer: "html" });
  await expect(readAll(numbers(300))).rejects.toThrow("answered 200 without JSON");
  emulator.faults.length = 0;
  await emulator.close();

  const second = await start(300);
  await second.readAll(numbers(300));
  await second.client.updateLink(7, { clicks_limit: 5 });
  expect((await second.readAll([7])).found.get(7)).toMatchObject({ clicks_limit: 5 });
  // The list does not hide objects that were made after it.
  for (let id = 301; id <= 330; id++) {
    await second.client.storeLink({ url: "https://example.com/", domain_id: 1, alias: `late-${id}` });
    expect((await second.readAll([id])).found.get(id)).toMatchObject({ id });
  }
});
