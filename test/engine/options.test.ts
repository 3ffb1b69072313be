import type { CustomResourceOptions } from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

// Pulumi's own resource options.

let emulator: Emulator;
let stack: TestStack;
let name: string;
let args: Omit<shortlink.LinkArgs, "domainId">;
let opts: CustomResourceOptions;
let domain: number;

beforeEach(async () => {
  emulator = await createEmulator();
  for (const each of ["go.example", "docs.example"]) {
    await send(emulator, "POST", "/domains", { form: `name=${each}` });
  }
  [name, args, opts, domain] = ["docs", { url: "https://example.com/a", alias: "docs" }, {}, 1];
  stack = await createStack(emulator, () => {
    const { id, alias } = new shortlink.Link(name, { ...args, domainId: domain }, opts);
    return Promise.resolve({ id, alias });
  });
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

async function requestsOf(command: () => Promise<unknown>): Promise<string[]> {
  const before = emulator.requests.length;
  await command();
  const requests = emulator.requests.slice(before);
  return requests.map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
}

async function remote(id: number): Promise<unknown> {
  return ((await send(emulator, "GET", `/links/${id}`)).body as { data?: unknown }).data;
}

test("ignoreChanges leaves a property as it is, in the program and on the service", async () => {
  opts = { ignoreChanges: ["url", "clicksLimit"] };
  await stack.up();
  args = { ...args, url: "https://example.com/b", clicksLimit: 5 };
  expect(await requestsOf(async () => expect((await stack.up()).changes).toEqual({ same: 2 }))).toEqual([]);
  await send(emulator, "PATCH", "/links/1", { form: "url=https://example.com/c&privacy=1" });
  await stack.refresh();
  const { changes, output } = await stack.up();
  expect(changes).toEqual({ same: 1, update: 1 });
  expect(output).toContain("privacy");
  expect(await remote(1)).toMatchObject({ url: "https://example.com/c", privacy: 0, clicks_limit: 0 });
});

test("up --replace and a tainted link make a new link of the same alias before the old one goes", async () => {
  await stack.up();
  const [{ urn = "" } = {}] = stack.state().resources;
  await stack.up();
  const replacing = ["POST /links", "GET /links", "PATCH /links/1", "POST /links", "DELETE /links/1"];
  const requests = await requestsOf(() => stack.up({ replace: [urn] }));
  expect(requests.map((request) => request.replace(/\?.*/, ""))).toEqual(replacing);
  expect((await stack.preview()).changes).toEqual({ same: 2 });
  await stack.pulumi("state", "taint", urn, "--yes");
  await stack.up();
  expect((await stack.preview()).changes).toEqual({ same: 2 });
  expect(await remote(3)).toMatchObject({ alias: "docs" });
});

test("up --replace and a tainted link keep an alias that the program names no more, or that the service chose", async () => {
  await stack.up();
  const [{ urn = "" } = {}] = stack.state().resources;
  args = { url: "https://example.com/a" };
  expect((await stack.up()).outputs).toMatchObject({ alias: "docs" });
  await stack.preview();
  expect((await stack.up({ replace: [urn] })).outputs).toMatchObject({ alias: "docs" });
  await stack.config({ "shortlink:aliases": "service" });
  await stack.pulumi("state", "taint", urn, "--yes");
  expect((await stack.up()).outputs).toMatchObject({ alias: "docs" });
  expect((await stack.preview()).changes).toEqual({ same: 2 });
});

test("deleteBeforeReplace beats the order of the provider", async () => {
  await stack.up();
  domain = 2;
  opts = { deleteBeforeReplace: true };
  expect(await requestsOf(() => stack.up())).toEqual(["DELETE /links/1", "POST /links"]);
});

test("a link that is replaced in its place is deleted first, because its alias is taken by itself", async () => {
  opts = { replaceOnChanges: ["url"] };
  await stack.up();
  args = { ...args, url: "https://example.com/b" };
  expect(await requestsOf(() => stack.up())).toEqual(["DELETE /links/1", "POST /links"]);
});

test.each([{ alias: "docs" }, {}])("aliases rename the resource of %j without a change", async (alias) => {
  args = { url: "https://example.com/a", ...alias };
  const { outputs } = await stack.up();
  [name, opts] = ["documentation", { aliases: [{ name: "docs" }] }];
  expect((await stack.preview()).changes).toEqual({ same: 2 });
  const requests = await requestsOf(async () => expect((await stack.up()).outputs).toEqual(outputs));
  expect(requests).toEqual([]);
  // The new name is now that of the state.
  opts = {};
  expect((await stack.preview()).changes).toEqual({ same: 2 });
});

test("a protected link is not destroyed, and a retained one stays on the service", async () => {
  opts = { protect: true };
  await stack.up();
  const requests = await requestsOf(() => expect(stack.destroy()).rejects.toThrow("protect"));
  expect(requests).toEqual([]);
  opts = { retainOnDelete: true };
  await stack.up();
  expect(await requestsOf(() => stack.destroy())).toEqual([]);
  expect(await remote(1)).toMatchObject({ alias: "docs" });
});

test("additionalSecretOutputs of the program come on top of the passwords", async () => {
  args = { ...args, password: "statistics" };
  opts = { additionalSecretOutputs: ["shortUrl"] };
  await stack.up();
  const [link] = stack.state().resources;
  const secret = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };
  expect(link?.outputs).toMatchObject({ shortUrl: secret, password: secret, alias: "docs" });
});

test("another text of the provider, as another release may bring it, changes nothing", async () => {
  await stack.up();
  const text = JSON.stringify(await stack.export());
  await stack.import(JSON.parse(text.replaceAll("exports.handler=()=>", "exports.handler = () => ")));
  const all = async () => {
    expect((await stack.preview()).changes).toEqual({ same: 2 });
    expect((await stack.up()).changes).toEqual({ same: 2 });
  };
  expect(await requestsOf(all)).toEqual([]);
  expect((await stack.refresh()).changes).toEqual({ same: 2 });
  await stack.destroy();
  expect(await remote(1)).toBeUndefined();
});

test("the preview of a destruction sends nothing", async () => {
  await stack.up();
  expect(await requestsOf(() => stack.destroy({ previewOnly: true }))).toEqual([]);
  expect(await remote(1)).toMatchObject({ alias: "docs" });
});
