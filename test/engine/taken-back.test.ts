import type { CustomResourceOptions } from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send, visit } from "../helpers/emulator";

// Failed runs, changes that are undone, accidents with the state, and two resources with one object.

let emulator: Emulator;
let stacks: TestStack[];
let stack: TestStack;
let program: () => unknown;

beforeEach(async () => {
  emulator = await createEmulator();
  stacks = [];
  stack = await newStack(() => program());
});
afterEach(async () => {
  for (const each of stacks) each.remove();
  await emulator.close();
});

async function newStack(of: () => unknown): Promise<TestStack> {
  const created = await createStack(emulator, () => Promise.resolve(of()));
  stacks.push(created);
  return created;
}

const url = (name: string) => `https://example.com/${name}`;
interface Args {
  alias?: string;
  opts?: CustomResourceOptions;
  [name: string]: unknown;
}
/** A program of one domain and some links. */
const linksOf = (links: Record<string, Args>, domain = "go.example") => {
  const go = new shortlink.Domain("go", { name: domain });
  for (const [name, { opts, ...args }] of Object.entries(links))
    new shortlink.Link(name, { url: url(name), domainId: go.id, alias: name, ...args }, opts);
};

/** The destination of a visitor, for each alias. */
async function destinations(...aliases: string[]): Promise<(string | undefined)[]> {
  const answers = aliases.map((alias) => visit(emulator, `http://go.example/${alias}`));
  return (await Promise.all(answers)).map(({ location }) => location);
}

async function count(path: string): Promise<number> {
  return ((await send(emulator, "GET", path)).body as { data: unknown[] }).data.length;
}

const writes = () => emulator.requests.filter(({ method }) => method !== "GET").length;
const idOf = (name: string) => stack.state().resources.find(({ urn }) => urn.endsWith(`::${name}`))?.id;
const urnOf = (name: string) =>
  stack.state().resources.find(({ urn }) => urn.endsWith(`::${name}`))?.urn ?? "";

test("reverting a swap of aliases that failed at any write restores both links", async () => {
  const before = { one: { alias: "a" }, two: { alias: "b" } };
  const swapped = { one: { alias: "b" }, two: { alias: "a" } };
  program = () => linksOf(before);
  await stack.up();
  for (const nth of [1, 2, 3, 4, 5]) {
    // The service refuses this write and all later ones, even those that undo changes.
    for (let each = nth; each < nth + 20; each++)
      emulator.faults.push({ method: "PATCH", nth: each, answer: 403 });
    program = () => linksOf(swapped);
    await stack.up().catch(() => undefined);
    emulator.faults.length = 0;
    program = () => linksOf(before);
    const meanwhile = await destinations("a", "b");
    const { changes } = await stack.up();
    if (!("update" in changes)) expect(meanwhile, `${nth}`).toEqual([url("one"), url("two")]);
    expect(await destinations("a", "b"), `${nth}`).toEqual([url("one"), url("two")]);
  }
  expect((await stack.preview()).changes).toEqual({ same: 4 });
});

test("two resources with one object are refused before any write; removing one deletes nothing", async () => {
  program = () => linksOf({ docs: {}, news: {} });
  await stack.up();
  const sent = writes();
  program = () =>
    linksOf({ docs: {}, news: {}, again: { alias: "docs-2", url: url("docs"), opts: { import: "1" } } });
  await expect(stack.preview()).rejects.toThrow(/two resources cannot manage one object/);
  program = () => {
    linksOf({ docs: {} });
    new shortlink.Domain("same", { name: "GO.example", adopt: "ifEqual" });
  };
  await expect(stack.preview()).rejects.toThrow(/name is already used by the resource "(go|same)"/);
  program = () =>
    linksOf({
      docs: {},
      one: { alias: "x", opts: { import: "7" } },
      two: { alias: "y", opts: { import: "7" } },
    });
  await expect(stack.preview()).rejects.toThrow(/import: link 7 is already used by the resource "(one|two)"/);
  expect(writes()).toBe(sent);

  // Renamed without aliases in a run that fails elsewhere: the state has the link under both names.
  await send(emulator, "POST", "/links", { form: `url=${url("x")}&domain_id=1&alias=taken` });
  const renamed = { renamed: { alias: "docs", url: url("docs"), adopt: "ifEqual" }, news: {} };
  program = () => linksOf({ ...renamed, other: { alias: "taken" } });
  await expect(stack.up()).rejects.toThrow("The link with the id 3 has it.");
  expect([idOf("docs"), idOf("renamed")].filter(Boolean).length).toBeGreaterThan(0);
  program = () => linksOf(renamed);
  await stack.up();
  expect(await destinations("docs", "news")).toEqual([url("docs"), url("news")]);
  expect((await stack.preview()).changes).toEqual({ same: 4 });

  // The same in a run whose state is lost. Then the new name moves to another domain, and the old domain is deleted with its link.
  await send(emulator, "DELETE", "/links/3");
  const before = await stack.export();
  const again = { again: { alias: "docs", url: url("docs"), adopt: "ifEqual" } };
  program = () => linksOf({ ...again, news: {} });
  await stack.up();
  await stack.import(before);
  program = () => linksOf(again, "other.example");
  await stack.up();
  expect([await count("/domains"), await count("/links")]).toEqual([1, 1]);
  expect((await stack.preview()).changes).toEqual({ same: 3 });
});

test("the option import has no effect on a link that already has its object", async () => {
  await send(emulator, "POST", "/domains", { form: "name=docs.example" });
  await send(emulator, "POST", "/links", { form: `url=${url("docs")}&domain_id=1&alias=docs` });
  let args: shortlink.LinkArgs = { url: url("docs"), domainId: 1, alias: "docs" };
  let opts: CustomResourceOptions = { import: "docs.example/docs" };
  program = () => new shortlink.Link("docs", args, opts).id && {};
  await stack.up();
  expect(idOf("docs")).toBe("1");
  // A replacement for another domain, one that the user requests, and one that deletes first.
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  args = { ...args, domainId: 2 };
  await stack.up();
  expect(await destinations("docs")).toEqual([url("docs")]);
  await stack.up({ replace: [urnOf("docs")] });
  opts = { ...opts, deleteBeforeReplace: true };
  await stack.pulumi("state", "taint", urnOf("docs"), "--yes");
  await stack.up();
  expect(await destinations("docs")).toEqual([url("docs")]);
  expect((await stack.preview()).changes).toEqual({ same: 2 });
  expect(await count("/links")).toBe(1);
});

test("ignoreChanges addresses targets and pixels by their position in the program", async () => {
  const targets = (us: string) => [
    { key: "US", value: url(us) },
    { key: "DE", value: url("de") },
  ];
  const docs = { targetsType: "countries", targets: targets("us"), pixelIds: [3, 1] };
  program = () => linksOf({ docs });
  await stack.up();
  const opts = { ignoreChanges: ["targets[0].value", "pixelIds[0]"] };
  program = () =>
    linksOf({ docs: { ...docs, targets: targets("us-2"), pixelIds: [2, 1], clicksLimit: 5, opts } });
  await stack.up();
  expect((await send(emulator, "GET", "/links/1")).body).toMatchObject({
    data: { clicks_limit: 5, targets: targets("us"), pixels: [{ id: 1 }, { id: 3 }] },
  });
  // A different order in the program is no change.
  program = () =>
    linksOf({ docs: { ...docs, targets: targets("us").reverse(), pixelIds: [1, 3], clicksLimit: 5 } });
  expect((await stack.preview()).changes).toEqual({ same: 3 });
});

test("a failed rename of a domain and a failed move of links can be reverted", async () => {
  const links = { one: {}, two: {}, three: {} };
  program = () => linksOf(links);
  await stack.up();
  emulator.faults.push({ method: "POST", path: "/links", nth: 3, answer: 403 });
  program = () => linksOf(links, "new.example");
  await expect(stack.up()).rejects.toThrow("(403)");
  emulator.faults.length = 0;
  program = () => linksOf(links);
  await stack.up();
  expect(await destinations("one", "two", "three")).toEqual([url("one"), url("two"), url("three")]);
  expect([idOf("go"), await count("/domains"), await count("/links")]).toEqual(["1", 1, 3]);
  expect((await stack.preview()).changes).toEqual({ same: 5 });

  const moved = (target: string) => () => {
    const domains = ["go", "new"].map((name) => new shortlink.Domain(name, { name: `${name}.example` }));
    const owner = domains[target === "go" ? 0 : 1]?.id ?? "";
    for (const name of Object.keys(links))
      new shortlink.Link(name, { url: url(name), domainId: owner, alias: name });
  };
  emulator.faults.push({ method: "DELETE", answer: 403 });
  program = moved("new");
  await expect(stack.up()).rejects.toThrow("(403)");
  emulator.faults.length = 0;
  program = moved("go");
  await stack.up();
  expect(await destinations("one", "two", "three")).toEqual([url("one"), url("two"), url("three")]);
  expect([await count("/domains"), await count("/links")]).toEqual([2, 3]);
  expect((await stack.preview()).changes).toEqual({ same: 6 });
});

test("a link that another stack imported is not adopted back", async () => {
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  const docs = (to: string) => ({ url: url(to), domainId: 1, alias: "docs" });
  // One user has both stacks.
  const journal = mkdtempSync(join(tmpdir(), "shortlink-journal-"));
  onTestFinished(() => rmSync(journal, { recursive: true }));
  await stack.config({ "shortlink:journal": journal });
  program = () => new shortlink.Link("docs", docs("a")).id && {};
  await stack.up();
  await stack.pulumi("state", "delete", urnOf("docs"), "--yes");
  const other = await newStack(() => new shortlink.Link("theirs", docs("a"), { import: "1" }).id && {});
  await other.config({ "shortlink:journal": journal });
  await other.up();
  program = () => new shortlink.Link("docs", docs("b")).id && {};
  for (let run = 0; run < 2; run++) {
    await expect(stack.up()).rejects.toThrow(
      "The link with the id 1 has it. It differs from the program in url",
    );
    expect(await destinations("docs")).toEqual([url("a")]);
    // As if the other stack were on another machine with its own journal.
    await send(emulator, "PATCH", "/links/1", { form: "clicks_limit=7" });
  }
});

test("a read link with passwords shows no drift", async () => {
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  const secrets = "redirect_password=one&privacy=2&password=two";
  await send(emulator, "POST", "/links", { form: `url=${url("a")}&domain_id=1&alias=a&${secrets}` });
  program = () => ({ url: shortlink.Link.get("read", "1").url });
  await stack.up();
  const { output, changes } = await stack.refresh();
  expect(changes).toEqual({ same: 2 });
  expect(output).not.toContain("assword");
});

test("the command in the message frees an alias that a failed replacement blocks", async () => {
  const named = (aliases: object) => () => linksOf(aliases as Record<string, Args>);
  const wayOut = async (option: "target" | "replace" | "exclude") => {
    const message = await stack.up().then(
      ({ output }) => output,
      (error: Error) => error.message,
    );
    const [, urn = ""] = RegExp(`[Rr]un "pulumi up --${option} '(.*?)'"`).exec(message) ?? [];
    expect(urn, message).not.toBe("");
    await stack.up({ [option]: [urn] });
    await stack.up();
  };
  // "a" moves to another domain, and the update that gives its alias to "b" fails in the same run.
  const other = () => new shortlink.Domain("other", { name: "other.example" });
  program = () => {
    other();
    linksOf({ a: {}, b: {} });
  };
  await stack.up();
  program = () => {
    const go = new shortlink.Domain("go", { name: "go.example" });
    const a = new shortlink.Link("a", { url: url("a"), domainId: other().id, alias: "a" });
    // The engine starts nothing after a failure. So the replacement must come first.
    new shortlink.Link("b", { url: url("b"), domainId: go.id, alias: "a" }, { dependsOn: a });
  };
  emulator.faults.push({ method: "PATCH", when: "before", answer: 403, rate: 1 });
  await expect(stack.up()).rejects.toThrow("403");
  emulator.faults.length = 0;
  await wayOut("target");
  expect(await destinations("a", "b")).toEqual([url("b"), undefined]);

  // A run with --replace ends before the engine saves the link that it made.
  program = named({ a: {}, b: {} });
  await stack.up();
  const before = await stack.export();
  program = named({ a: {}, b: { alias: "c" } });
  emulator.faults.push({ method: "DELETE", when: "before", answer: 403, rate: 1 });
  await expect(stack.up({ replace: [urnOf("b")] })).rejects.toThrow("403");
  emulator.faults.length = 0;
  await stack.import(before);
  await wayOut("replace");
  expect(await destinations("a", "b", "c")).toEqual([url("a"), undefined, url("b")]);
  expect(await count("/links")).toBe(2);

  // "b" passes its alias to "a" while --replace recreates "b". The provider sees no plan for "b", and the update of "a" fails.
  program = named({ a: { alias: "c" }, b: {} });
  await stack.up({ replace: [urnOf("b")] });
  expect(await destinations("a", "b", "c")).toEqual([undefined, url("b"), url("a")]);
  await stack.up();
  program = named({ a: { alias: "b" }, b: { alias: "d" } });
  emulator.faults.push({ path: `/links/${idOf("a")}`, method: "PATCH", nth: 2, answer: 403 });
  await expect(stack.up({ replace: [urnOf("b")] })).rejects.toThrow("403");
  emulator.faults.length = 0;
  await wayOut("exclude");
  expect(await destinations("a", "b", "c", "d")).toEqual([undefined, url("a"), undefined, url("b")]);
  expect(await count("/links")).toBe(2);
}, 300_000);

test("a refresh keeps a password in doubt, and the next up writes it again", async () => {
  const opens = async (password: string) => {
    const body = new URLSearchParams({ password });
    const page = await fetch(`${emulator.url}/go.example/a`, { method: "POST", body, redirect: "manual" });
    return page.status === 301;
  };
  program = () => linksOf({ a: { redirectPassword: "old" } });
  await stack.up();
  program = () => linksOf({ a: { redirectPassword: "new" } });
  emulator.faults.push({ method: "PATCH", when: "after", answer: 500 });
  await expect(stack.up()).rejects.toThrow("(500)");
  emulator.faults.length = 0;
  program = () => linksOf({ a: { redirectPassword: "old" } });
  await stack.refresh();
  await stack.up();
  expect([await opens("old"), await opens("new")]).toEqual([true, false]);
  expect((await stack.preview()).changes).toEqual({ same: 3 });
});
