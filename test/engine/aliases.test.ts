import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

let emulator: Emulator;
let stack: TestStack;
/** The links of the program: alias by name of the resource. */
let links: Record<string, string | undefined>;

beforeEach(async () => {
  emulator = await createEmulator();
  stack = await createStack(emulator, () => {
    const go = new shortlink.Domain("go", { name: "go.example" });
    const all = Object.entries(links).map(([name, alias]) => {
      const url = `https://example.com/${name}`;
      return [name, new shortlink.Link(name, { domainId: go.id, alias, url }).alias] as const;
    });
    return Promise.resolve(Object.fromEntries(all));
  });
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

/** Alias and id of each link of the account, by the name of the resource. */
async function remote(): Promise<Record<string, [alias: string, id: number]>> {
  const { body } = await send(emulator, "GET", "/links?per_page=100");
  const { data } = body as { data: { id: number; alias: string; url: string }[] };
  return Object.fromEntries(data.map(({ id, alias, url }) => [url.replace(/.*\//, ""), [alias, id]]));
}

// One `up` leads from each step to the next.
const steps: [string, Record<string, string>][] = [
  ["two are created", { one: "a", two: "b" }],
  ["they swap", { one: "b", two: "a" }],
  ["the first takes the second's, which takes a new link's place", { one: "a", two: "c", new: "b" }],
  ["a chain whose last link moves first", { new: "d", two: "b", one: "c" }],
  ["a chain whose last link moves last", { one: "b", two: "d", new: "e" }],
  ["all go round", { one: "d", two: "e", new: "b" }],
  ["two swap with another case", { one: "E", two: "D", new: "b" }],
  ["a link is created with what one told after it gives up", { last: "b", one: "E", two: "D", new: "f" }],
  ["one takes what a link had that is removed", { last: "e", two: "D", new: "f" }],
];

// Three groups of links with a third of the steps each, so that one run makes three steps.
const groups = [steps.slice(0, 4), steps.slice(3, 7), steps.slice(6)];

test.each([1, 16])(
  "each up moves aliases between links and keeps the links, with --parallel %i",
  async (parallel) => {
    const ids: Record<string, number> = {};
    for (const round of [0, 1, 2, 3]) {
      const current = groups.map((group) => group[Math.min(round, group.length - 1)]);
      links = {};
      for (const [n, [, program] = ["", {}]] of current.entries())
        for (const [name, alias] of Object.entries(program)) links[`${name}-${n}`] = `${alias}-${n}`;
      const step = current.map(([name = ""] = ["", {}]) => name).join("; ");
      expect((await stack.up({ parallel })).outputs, step).toEqual(links);
      const now = await remote();
      for (const [name, alias] of Object.entries(links)) {
        ids[name] ??= now[name]?.[1] ?? 0;
        expect(now[name], step).toEqual([alias, ids[name]]);
      }
      expect(Object.keys(now).sort(), step).toEqual(Object.keys(links).sort());
    }
    expect((await stack.refresh()).changes).not.toHaveProperty("update");
    expect(Object.keys((await stack.preview()).changes)).toEqual(["same"]);
  },
);

test("the next up finishes an interrupted move of aliases", async () => {
  links = { one: "a", two: "b" };
  await stack.up();
  // As if the run was interrupted after the second link moved away, and after the first got its alias.
  const ids = await remote();
  links = { one: "b", two: "a" };
  for (const alias of ["a", "b"]) {
    // The engine may have created either of the two first.
    await send(emulator, "PATCH", `/links/${ids.two?.[1]}`, { form: `alias=moving-${ids.two?.[1]}` });
    await send(emulator, "PATCH", `/links/${ids.one?.[1]}`, { form: `alias=${alias}` });
    const deployment = await stack.export();
    await stack.up();
    expect(await remote()).toEqual({ one: ["b", ids.one?.[1]], two: ["a", ids.two?.[1]] });
    await stack.import(deployment);
  }
});

test("a duplicate alias is refused before any request; a renamed resource gets a hint at aliases", async () => {
  links = { one: "a", two: "b" };
  await stack.up();
  links = { one: "b", two: "b" };
  const before = emulator.requests.length;
  await expect(stack.preview()).rejects.toThrow(
    /alias is already used by the resource "(?:one|two)" \(urn:.*\): give each link on a domain its own alias/,
  );
  expect(emulator.requests.length).toBe(before);
  links = { renamed: "a", two: "b" };
  await expect(stack.up()).rejects.toThrow(
    /It differs from the program in url. If the resource was renamed in the program, give it the option aliases/,
  );
  expect(
    Object.values(await remote())
      .map(([alias]) => alias)
      .sort(),
  ).toEqual(["a", "b"]);
});

test("a derived alias changed by hand is shown as drift and restored", async () => {
  links = { one: undefined };
  const { outputs } = await stack.up();
  for (const form of ["alias=x", "alias=y"]) {
    await send(emulator, "PATCH", "/links/1", { form });
    const { output } = await stack.refresh();
    expect(output).toMatch(/~ alias *: ".*" => "[xy]"/);
  }
  expect((await stack.up()).outputs).toEqual(outputs);
  expect(await remote()).toEqual({ one: [outputs.one, 1] });
  expect((await stack.preview()).changes).toEqual({ same: 3 });
});

test("an alias chosen by the service stays, also after the setting is removed", async () => {
  await stack.config({ "shortlink:aliases": "service" });
  links = { one: undefined };
  const { outputs } = await stack.up();
  expect(outputs.one).toMatch(/^[A-Za-z0-9]{6}$/);
  const stays = async () => {
    expect((await stack.preview()).changes).toEqual({ same: 3 });
    expect((await stack.up()).outputs).toEqual(outputs);
  };
  await stays();
  await stack.config({ "shortlink:aliases": undefined });
  await stays();
  await stack.refresh();
  await stays();
  expect(await remote()).toEqual({ one: [outputs.one, 1] });
});
