import { afterEach, expect, test } from "vitest";
import { createEmulator, type Emulator, type Flavour } from "../../src/emulator/server";
import { Client } from "../../src/service/client";
import { LinkReads } from "../../src/service/listing";

let emulator: Emulator;
afterEach(() => emulator.close());

/** An account with so many links, and the requests that reads of the given ids take, eight at a time as by the engine. */
async function start(count: number, flavour: Flavour = {}, acceptGone = false) {
  emulator = await createEmulator({ flavour });
  const client = new Client({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  await client.storeDomain({ name: "go.example" });
  await client.storeDomain({ name: "other.example" });
  for (let i = 0; i < count; i += 50) {
    const some = Array.from({ length: Math.min(50, count - i) }, (_, j) =>
      client.storeLink({ url: "https://example.com/", domain_id: 1, alias: `a-${i + j}` }),
    );
    await Promise.all(some);
  }
  const reads = new LinkReads(client, acceptGone);
  const readAll = async (ids: number[], domainId = 1) => {
    const before = emulator.requests.length;
    const found = new Map<number, unknown>();
    const queue = [...ids];
    const worker = async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift())
        found.set(id, await reads.read(id, domainId));
    };
    await Promise.all(Array.from({ length: 8 }, worker));
    const requests = emulator.requests.slice(before).map(({ path }) => path);
    const lists = requests.filter((path) => path.includes("?")).length;
    return { found, lists, shows: requests.length - lists };
  };
  return { client, readAll };
}
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

test("a thousand reads take ten requests, and say the same as a show", async () => {
  const { client, readAll } = await start(1000);
  const { found, lists, shows } = await readAll(numbers(1000));
  expect([lists, shows]).toEqual([10, 0]);
  for (const id of [1, 500, 1000]) expect(found.get(id)).toEqual(await client.showLink(id));
});

test("few reads in a large account are shows, and some more do not cost twice", async () => {
  const { readAll } = await start(2000);
  expect(await readAll([1, 2, 3])).toMatchObject({ lists: 0, shows: 3 });
  // Nine shows would do; with the pages that tell how many there are, of the account and of the domain, it is eleven.
  expect(await readAll([4, 5, 6, 7, 8, 9])).toMatchObject({ lists: 2, shows: 6 });
  const rest = await readAll(numbers(2000));
  expect(rest.lists + 2).toBeLessThanOrEqual(21);
  expect(rest.shows).toBeLessThanOrEqual(2);
});

test("the links of a small domain in a large account come from a list of that domain", async () => {
  const { client, readAll } = await start(4000);
  const made = await Promise.all(
    numbers(150).map((i) => client.storeLink({ url: "https://example.com/", domain_id: 2, alias: `b-${i}` })),
  );
  const { found, lists, shows } = await readAll(
    made.map(({ id }) => id),
    2,
  );
  // The first page of the account's forty, and the two of the domain.
  expect([found.size, lists, shows]).toEqual([150, 3, 0]);
});

test("an account in which nothing or little of the stack is left is refused, unless that is accepted", async () => {
  const { client, readAll } = await start(40);
  for (const id of numbers(30)) await client.deleteLink(id);
  const gone = /^Link \d+ is gone, and so are \d+ of the other \d+ links that were read\. Is this the key/;
  // Nothing was found: not one of them is taken for gone.
  await expect(readAll(numbers(30))).rejects.toThrow(gone);
  await emulator.close();

  const partly = await start(40);
  for (const id of numbers(25)) await partly.client.deleteLink(id);
  await partly.readAll(numbers(40).slice(25));
  const { found } = await partly.readAll(numbers(15));
  expect([...found.values()].filter((link) => link === undefined)).toHaveLength(15);
  await expect(partly.readAll([16])).rejects.toThrow("Link 16 is gone, and so are 15 of the other 30 links");
  await emulator.close();

  const second = await start(40, {}, true);
  for (const id of numbers(40)) await second.client.deleteLink(id);
  expect([...(await second.readAll(numbers(40))).found.values()]).toEqual(numbers(40).map(() => undefined));
});

test("a link is gone only if it can neither be listed nor shown", async () => {
  const { client, readAll } = await start(100);
  await client.deleteLink(7);
  const { found, lists, shows } = await readAll(numbers(100));
  expect([lists, shows]).toEqual([1, 1]);
  expect([...found].filter(([, link]) => link === undefined).map(([id]) => id)).toEqual([7]);
});

test("a list that hides links is not trusted, and no link is taken for gone", async () => {
  const { readAll } = await start(1000, { hiddenLinks: 500 });
  await expect(readAll(numbers(1000))).rejects.toThrow(
    "it is not to be trusted, and nothing was changed. Run the command again.",
  );
});

test("a fault in a list ends the reads with an error, and a write makes the list old", async () => {
  const { readAll } = await start(300);
  emulator.faults.push({ path: "page=2", answer: "html" });
  await expect(readAll(numbers(300))).rejects.toThrow("answered 200 without JSON");
  emulator.faults.length = 0;
  await emulator.close();

  const second = await start(300);
  await second.readAll(numbers(300));
  await second.client.updateLink(7, { clicks_limit: 5 });
  expect((await second.readAll([7])).found.get(7)).toMatchObject({ clicks_limit: 5 });
  // What was made after the list is not hidden by it.
  for (let id = 301; id <= 330; id++) {
    await second.client.storeLink({ url: "https://example.com/", domain_id: 1, alias: `late-${id}` });
    expect((await second.readAll([id])).found.get(id)).toMatchObject({ id });
  }
});
