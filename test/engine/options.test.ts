import type { CustomResourceOptions } from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

// Pulumi's resource options, each on a separate link.

let emulator: Emulator;
let stack: TestStack;
/** The links of the program by the names of their resources. */
let links: Record<string, Partial<shortlink.LinkArgs> & { opts?: CustomResourceOptions }>;

beforeEach(async () => {
  emulator = await createEmulator();
  for (const each of ["go.example", "docs.example"]) {
    await send(emulator, "POST", "/domains", { form: `name=${each}` });
  }
  stack = await createStack(emulator, () => {
    const all = Object.entries(links).map(([name, { opts, ...args }]) => {
      const link = new shortlink.Link(name, { domainId: 1, url: "https://example.com/a", ...args }, opts);
      return [name, link.alias] as const;
    });
    return Promise.resolve(Object.fromEntries(all));
  });
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

/** The requests that a command sends, with aliases instead of the ids of links. */
async function requestsOf(command: () => Promise<unknown>): Promise<string[]> {
  const before = emulator.requests.length;
  const aliases = await remote();
  await command();
  const requests = emulator.requests.slice(before + 1);
  return requests.map(({ method, path }) =>
    `${method} ${path.replace("/api/v1", "").replace(/\?.*/, "")}`.replace(
      /\d+$/,
      (id) => aliases.find((link) => String(link.id) === id)?.alias ?? id,
    ),
  );
}

async function remote(): Promise<{ id: number; alias: string; url: string; short_url: string }[]> {
  const { body } = await send(emulator, "GET", "/links?per_page=100&sort_by=id&sort=asc");
  return (body as { data: Awaited<ReturnType<typeof remote>> }).data;
}

const urnOf = (name: string) =>
  stack.state().resources.find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";

test("Pulumi's resource options work on links", async () => {
  const first = {
    ignored: { alias: "ignored", opts: { ignoreChanges: ["url", "clicksLimit"] } },
    "deleted-first": { alias: "deleted-first", opts: { deleteBeforeReplace: true } },
    "in-place": { alias: "in-place", opts: { replaceOnChanges: ["url"] } },
    old: { alias: "named" },
    derived: {},
    kept: { alias: "kept", opts: { protect: true } },
    secret: { alias: "secret", password: "statistics", opts: { additionalSecretOutputs: ["shortUrl"] } },
  };
  links = first;
  const { outputs } = await stack.up();
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
  expect(stack.state().resources.find(({ urn }) => urn.endsWith("::secret"))?.outputs).toMatchObject({
    shortUrl: secret,
    password: secret,
    alias: "secret",
  });

  // A link that is replaced on the same address is deleted first, because it holds the alias itself. New names are no change.
  const { old, derived, ...others } = first;
  const url = "https://example.com/b";
  links = {
    ...others,
    ignored: { ...first.ignored, url, clicksLimit: 5 },
    "in-place": { ...first["in-place"], url },
    new: { ...old, opts: { aliases: [{ name: "old" }] } },
    "new-derived": { ...derived, opts: { aliases: [{ name: "derived" }] } },
  };
  expect((await stack.preview()).changes).toEqual({ same: 7, replace: 1 });
  const inPlace = async () => {
    const { outputs: renamed } = await stack.up();
    expect(renamed).toMatchObject({ new: "named", "new-derived": outputs.derived });
  };
  expect(await requestsOf(inPlace)).toEqual(["DELETE /links/in-place", "POST /links"]);

  // The state now has the new names. Another release may have another provider text.
  links = { ...links, new: old, "new-derived": derived };
  const text = JSON.stringify(await stack.export());
  await stack.import(JSON.parse(text.replaceAll("exports.handler=()=>", "exports.handler = () => ")));
  const unchanged = async () => expect((await stack.preview()).changes).toEqual({ same: 8 });
  expect(await requestsOf(unchanged)).toEqual([]);
  const id = (await remote()).find(({ alias }) => alias === "ignored")?.id;
  await send(emulator, "PATCH", `/links/${id}`, { form: "url=https://example.com/c&privacy=1" });
  expect((await stack.refresh()).changes).toEqual({ same: 7, update: 1 });
  links = { ...links, "deleted-first": { ...first["deleted-first"], domainId: 2 } };
  const replaced = async () => {
    const { changes, output } = await stack.up();
    expect(changes).toEqual({ same: 6, update: 1, replace: 1 });
    expect(output).toContain("privacy");
  };
  const deletedFirst = (await requestsOf(replaced)).filter((request) => request !== "PATCH /links/ignored");
  expect(deletedFirst).toEqual(["DELETE /links/deleted-first", "POST /links"]);
  const now = (await remote()).map((link) => `${link.short_url.slice(7)} ${link.url.slice(-1)}`);
  for (const line of ["docs.example/deleted-first a", "go.example/in-place b", "go.example/ignored c"])
    expect(now).toContain(line);
  expect((await send(emulator, "GET", `/links/${id}`)).body).toMatchObject({
    data: { privacy: 0, clicks_limit: 0 },
  });

  // A protected link is not destroyed, and a retained one stays on the service. The preview of destroy sends nothing.
  expect(await requestsOf(() => stack.destroy({ previewOnly: true }).catch(() => undefined))).toEqual([]);
  expect(await remote()).toHaveLength(7);
  await expect(stack.destroy()).rejects.toThrow("protect");
  expect((await remote()).map(({ alias }) => alias)).toEqual(["kept"]);
  links = { kept: { alias: "kept", opts: { retainOnDelete: true } } };
  await stack.up();
  expect(await requestsOf(() => stack.destroy())).toEqual([]);
  expect(stack.state().resources).toEqual([]);
  expect((await remote()).map(({ alias }) => alias)).toEqual(["kept"]);
});

test("up --replace and taint replace a link and keep its alias", async () => {
  links = { named: { alias: "named" }, unnamed: { alias: "unnamed" } };
  await stack.up();
  links = { ...links, unnamed: {} };
  const aliases = { named: "named", unnamed: "unnamed" };
  expect((await stack.up()).outputs).toEqual(aliases);
  const replacing = ["POST /links", "GET /links", "PATCH /links/named", "POST /links", "DELETE /links/named"];
  expect(await requestsOf(() => stack.up({ replace: [urnOf("named")] }))).toEqual(replacing);
  expect((await stack.up({ replace: [urnOf("unnamed")] })).outputs).toEqual(aliases);
  expect((await stack.preview()).changes).toEqual({ same: 3 });

  await stack.config({ "shortlink:aliases": "service" });
  for (const name of ["named", "unnamed"]) await stack.pulumi("state", "taint", urnOf(name), "--yes");
  expect((await stack.up()).outputs).toEqual(aliases);
  expect((await stack.preview()).changes).toEqual({ same: 3 });
  const now = (await remote()).map(({ id, alias }) => [id > 4, alias]).sort();
  expect(now).toEqual([
    [true, "named"],
    [true, "unnamed"],
  ]);
});
