import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readJournal } from "../../src/account/journal-files";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import { send } from "../helpers/emulator";
import { newRun, settingsOf, type Settings } from "../helpers/run";

// Two accounts in one process: each run knows only its own account.

/** One address with an account for each key, as on a real service. */
async function oneAddress(emulators: Emulator[]): Promise<string> {
  const server = createServer((request, response) => {
    const { authorization = "", accept = "", "content-type": type } = request.headers;
    const owner = emulators.find(({ apiKey }) => authorization === `Bearer ${apiKey}`);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url } = request;
      const headers = { authorization, accept, ...(type === undefined ? {} : { "content-type": type }) };
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      void fetch(`${owner?.url}${url}`, { method, headers, ...body }).then(async (answer) => {
        response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
        response.end(await answer.text());
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function start(apiKey: string): Promise<Emulator> {
  const emulator = await createEmulator({ apiKey });
  onTestFinished(() => emulator.close());
  return emulator;
}

const urn = (name: string) => `urn:pulumi:prod::links::pulumi-nodejs:dynamic/shortlink:Link::${name}`;

type Values = Record<string, unknown>;

/** The result of an `up`. */
interface Made {
  id: string;
  links: { inputs: Values; id: string; outs: Values }[];
}

/** A stack of a domain and two links, whose calls wait for the calls of another one. */
function stack(settings: Settings, host: string) {
  const url = `https://${host}/`;
  const newsOf = (domainId: string, alias: string) => ({
    __provider: "text",
    __urn: urn(alias),
    url,
    domainId,
    alias,
  });
  return {
    up: async (): Promise<Made> => {
      const run = newRun(settings);
      const domain = { __provider: "text", name: host };
      const { id } = await run.domain.create((await run.domain.check({}, domain)).inputs);
      const links = ["one", "two"].map(async (alias) => {
        const { inputs, failures } = await run.link.check({}, newsOf(id, alias));
        expect(failures).toEqual([]);
        return { inputs, ...(await run.link.create(inputs)) };
      });
      return { id, links: await Promise.all(links) };
    },
    /** Plans the links unchanged, or with swapped aliases. */
    swap: async ({ id, links }: Made, aliases: string[]) => {
      const run = newRun(settings);
      const plans = links.map(async (link, i) => {
        const news = { ...newsOf(id, aliases[i] ?? ""), __urn: link.inputs.__urn };
        const { inputs, failures } = await run.link.check(link.inputs, news);
        expect(failures).toEqual([]);
        const { changes } = await run.link.diff(link.id, link.outs, inputs);
        return { link, inputs, changes };
      });
      const updates = (await Promise.all(plans)).flatMap(({ link, inputs, changes }) =>
        changes === false ? [] : run.link.update(link.id, link.outs, inputs),
      );
      return Promise.all(updates);
    },
  };
}

async function aliasesOf(emulator: Emulator): Promise<string[]> {
  const { body } = await send(emulator, "GET", "/links?sort_by=id&sort=asc");
  return (body as { data: { alias: string }[] }).data.map(({ alias }) => alias);
}

test.each([
  ["of two addresses", false],
  ["of one address with two keys", true],
])("simultaneous runs in two accounts %s do not affect each other", async (_what, isOneAddress) => {
  const journal = mkdtempSync(join(tmpdir(), "shortlink-accounts-"));
  onTestFinished(() => rmSync(journal, { recursive: true }));
  const emulators = [await start("key-of-one"), await start("key-of-two")];
  const [one, two] = emulators as [Emulator, Emulator];
  // Ids are unique per installation: two accounts never share one.
  if (isOneAddress)
    for (let id = 1; id < 5; id++) await send(two, "POST", "/domains", { form: `name=${id}.example` });
  if (isOneAddress)
    for (let id = 1; id < 5; id++)
      await send(two, "POST", "/links", { form: `url=https://${id}.example&domain_id=1` });
  const address = isOneAddress ? await oneAddress(emulators) : undefined;
  const stacks = emulators.map((emulator, i) => {
    const where = settingsOf({ url: address ?? emulator.url, apiKey: emulator.apiKey });
    return stack({ ...where, "shortlink:journal": journal }, `go-${i}.example`);
  });
  const made = await Promise.all(stacks.map(({ up }) => up()));
  // Both stacks have the same ids, aliases and resources, and run at the same time.
  expect(made.map(({ links }) => links.map(({ outs }) => outs.alias))).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
  expect(readJournal(journal).intents).toHaveLength(made.length * 3 - made.length);
  const before = two.requests.filter(({ method }) => method !== "GET").length;
  await Promise.all(
    stacks.map(({ swap }, i) => swap(made[i] as Made, i === 0 ? ["two", "one"] : ["one", "two"])),
  );
  expect(await aliasesOf(one)).toEqual(["two", "one"]);
  expect((await aliasesOf(two)).slice(-2)).toEqual(["one", "two"]);
  expect(two.requests.filter(({ method }) => method !== "GET")).toHaveLength(before);
  // Each plan closes the notes of its own state, and none of the other's.
  await expect.poll(() => readJournal(journal).intents).toEqual([]);
});

test("claims, lists and a wrong key of one account do not affect another", async () => {
  const [one, two] = [await start("key-of-one"), await start("key-of-two")];
  const [first, second, stranger] = [
    newRun(settingsOf(one)),
    newRun(settingsOf(two)),
    newRun(settingsOf({ url: one.url, apiKey: "key-of-nobody" })),
  ];
  const preview = (run: typeof first) =>
    run.domain.check({}, { __provider: "text", __preview: true, name: "go.example" });
  await first.domain.create({ __provider: "text", __urn: urn("go"), name: "go.example" });
  await Promise.all([preview(first), preview(second), preview(stranger)]);
  expect(first.said).toEqual([expect.stringContaining("http://go.example exists already as domain 1")]);
  expect([second.said, stranger.said]).toEqual([[], []]);
  // A resource has domain 1 of the first account. Domain 1 of the second account is another one.
  expect(
    await second.domain.create({ __provider: "text", __urn: urn("other"), name: "go.example" }),
  ).toMatchObject({
    id: "1",
  });
  await expect(stranger.domain.create({ __provider: "text", name: "a.example" })).rejects.toThrow("401");
});
