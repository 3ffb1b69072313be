import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

let emulator: Emulator;
let stack: TestStack;
let args: shortlink.DomainArgs;
let linkCount: number;
let program: () => unknown;

beforeEach(async () => {
  emulator = await createEmulator();
  args = { name: "go.example" };
  linkCount = 0;
  program = () => {
    const go = new shortlink.Domain("go", args);
    for (let i = 0; i < linkCount; i++) {
      new shortlink.Link(`link-${i}`, { domainId: go.id, url: "https://example.com/", alias: `a${i}` });
    }
    return { url: go.url, homepageUrl: go.homepageUrl };
  };
  stack = await createStack(emulator, () => Promise.resolve(program() as object));
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

async function domains(): Promise<unknown[]> {
  return ((await send(emulator, "GET", "/domains?sort=asc")).body as { data: unknown[] }).data;
}

test("a domain is created, updated in place, cleared and destroyed", async () => {
  const { outputs } = await stack.up();
  expect(outputs).toMatchObject({ url: "http://go.example" });

  args = { name: "GO.example", homepageUrl: "https://example.com/", notFoundUrl: "https://example.com/404" };
  const { output, changes } = await stack.up();
  expect(changes).toEqual({ same: 1, update: 1 });
  expect(output).toContain('+ homepageUrl: "https://example.com/"');
  expect(output).not.toContain("~ name");
  expect(await domains()).toMatchObject([
    { homepage_url: "https://example.com/", not_found_url: "https://example.com/404" },
  ]);
  expect((await stack.refresh()).changes).toEqual({ same: 2 });

  args = { name: "go.example", notFoundUrl: "" };
  expect((await stack.up()).changes).toEqual({ same: 1, update: 1 });
  expect(await domains()).toMatchObject([{ homepage_url: null, not_found_url: null }]);

  await stack.destroy();
  expect(await domains()).toEqual([]);
});

test("a new name replaces the domain and its links, and creates before it deletes", async () => {
  linkCount = 2;
  await stack.up();
  args = { name: "docs.example" };
  const preview = await stack.preview();
  expect(preview.changes).toEqual({ same: 1, replace: 3 });
  expect(preview.output).toContain('~ name: "go.example" => "docs.example"');
  const before = emulator.requests.length;
  await stack.up();
  const methods = emulator.requests.slice(before).map(({ method }) => method);
  // Before the provider deletes the old domain, it checks whether links are left on it.
  expect(methods).toEqual(["POST", "POST", "POST", "DELETE", "DELETE", "GET", "DELETE"]);
  expect(await domains()).toMatchObject([{ id: 2, name: "docs.example" }]);
  const { body } = await send(emulator, "GET", "/links?sort=asc");
  expect(body).toMatchObject({ data: [{ domain: { id: 2 } }, { domain: { id: 2 } }] });
  expect((await stack.refresh()).changes).toEqual({ same: 4 });
});

test("refresh shows changes by hand, and up reverts them", async () => {
  args = { name: "go.example", homepageUrl: "https://example.com/" };
  await stack.up();
  await send(emulator, "PATCH", "/domains/1", {
    form: "homepage_url=https://drift.example/&not_found_url=https://drift.example/404",
  });
  const { output } = await stack.refresh();
  expect(output).toContain('~ homepageUrl: "https://example.com/" => "https://drift.example/"');
  expect(output).toContain('+ notFoundUrl: "https://drift.example/404"');
  await stack.up();
  expect(await domains()).toMatchObject([{ homepage_url: "https://example.com/", not_found_url: null }]);
});

test("a domain deleted by hand is created again with its links", async () => {
  linkCount = 1;
  await stack.up();
  await send(emulator, "DELETE", "/domains/1");
  expect((await stack.refresh()).changes).toEqual({ same: 1, delete: 2 });
  expect((await stack.up()).changes).toEqual({ same: 1, create: 2 });
  expect(await domains()).toMatchObject([{ id: 2 }]);
});

test("a domain with unmanaged links is not deleted without forceDestroy", async () => {
  linkCount = 1;
  await stack.up();
  for (let i = 0; i < 4; i++) {
    await send(emulator, "POST", "/links", {
      form: `url=https://example.com/&domain_id=1&alias=printed-${i}`,
    });
  }
  await expect(stack.destroy()).rejects.toThrow(
    "delete domain 1: 4 links on go.example (printed-0, printed-1, printed-2, ...) would be deleted with it, and this " +
      'stack does not delete them itself. Remove them first, or set forceDestroy to true and run "pulumi up".',
  );
  expect(await domains()).toMatchObject([{ id: 1 }]);

  args = { name: "go.example", forceDestroy: true };
  linkCount = 0;
  const before = emulator.requests.length;
  const { output, changes } = await stack.up();
  expect(changes).toMatchObject({ update: 1 });
  expect(output).toContain("+ forceDestroy: true");
  expect(emulator.requests.slice(before)).toEqual([]);
  await stack.destroy();
  expect(await domains()).toEqual([]);
});

test("a domain that leaves the program is not deleted while the program has links on it", async () => {
  args = { name: "go.example", forceDestroy: true };
  linkCount = 2;
  await stack.up();
  const link = (name: string) =>
    new shortlink.Link(name, { domainId: 1, url: "https://example.com/", alias: name.replace("link-", "a") });
  program = () => ["link-0", "link-1"].map(link) && {};
  const message = await stack.up().then(
    () => expect.unreachable("it should fail"),
    (error: unknown) => String(error),
  );
  expect(message).toMatch(
    /delete domain 1: 2 links on go\.example \(a[01], a[01]\) would be deleted with it, but the program still has them\./,
  );
  const [, urn = ""] = /pulumi state delete '(.*?)'/.exec(message) ?? [];
  await stack.pulumi("state", "delete", urn, "--yes");
  expect((await stack.up()).changes).toEqual({ same: 3 });
  expect((await send(emulator, "GET", "/links")).body).toMatchObject({ data: [{}, {}] });
  expect(await domains()).toMatchObject([{ id: 1 }]);
});

test("forceDestroy in the program counts for a renamed domain whose deletion is pending", async () => {
  await stack.up();
  await send(emulator, "POST", "/links", { form: "url=https://example.com/&domain_id=1&alias=by-hand" });
  args = { name: "new.example" };
  await expect(stack.up()).rejects.toThrow("1 link on go.example (by-hand) would be deleted with it");
  args = { name: "new.example", forceDestroy: true };
  await stack.up();
  expect(await domains()).toMatchObject([{ name: "new.example" }]);
});
