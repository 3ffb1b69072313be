import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

let emulator: Emulator;
let stack: TestStack;
let program: () => Record<string, unknown>;

// An account with the domain go.example (1) and the links go.example/docs (1) and go.example/docs-2 (2).
beforeEach(async () => {
  emulator = await createEmulator();
  await send(emulator, "POST", "/domains", { form: "name=go.example&homepage_url=https://example.com/" });
  for (const alias of ["docs", "docs-2"]) {
    await send(emulator, "POST", "/links", {
      form: `url=https://example.com/${alias}&domain_id=1&alias=${alias}&privacy=1`,
    });
  }
  stack = await createStack(emulator, () => Promise.resolve(program()));
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

const equal = { domainId: 1, alias: "docs", url: "https://example.com/docs", privacy: "private" } as const;

/** Number of links and domains of the account. */
async function counts(): Promise<number[]> {
  const bodies = await Promise.all(["/domains", "/links"].map((path) => send(emulator, "GET", path)));
  return bodies.map(({ body }) => (body as { data: unknown[] }).data.length);
}

async function link(id = 1): Promise<unknown> {
  return ((await send(emulator, "GET", `/links/${id}`)).body as { data: unknown }).data;
}

test("existing objects are never adopted silently; the error names their id and the remedies", async () => {
  program = () => ({ link: new shortlink.Link("docs", equal).id });
  await expect(stack.up()).rejects.toThrow(
    "alias: The alias has already been taken. The link with the id 1 has it. It equals the program. If an " +
      'interrupted run of this stack made it, run "pulumi up" once with the environment variable SHORTLINK_ADOPT set to ' +
      "ifEqual. If the resource was renamed in the program, give it the option aliases: " +
      '[{ name: "<the old name>" }]. To manage the existing link, give it the option import: "1".',
  );
  program = () => ({ domain: new shortlink.Domain("go", { name: "GO.example" }).id });
  await expect(stack.up()).rejects.toThrow(
    "name: The name has already been taken. The domain with the id 1 has it. If another stack manages it, read it with " +
      "Domain.get or name another domain. It differs from the program in homepageUrl.",
  );
  // The remedy that the message names works if the journal of an interrupted run is gone.
  program = () => ({ link: new shortlink.Link("docs", equal).id });
  stack.env("SHORTLINK_ADOPT", "ifEqual");
  expect((await stack.up()).outputs).toEqual({ link: "1" });
  expect(await counts()).toEqual([1, 2]);
});

test("ifEqual adopts an equal object unchanged and refuses a different one", async () => {
  program = () => {
    const go = new shortlink.Domain("go", {
      name: "go.example",
      homepageUrl: "https://example.com/",
      adopt: "ifEqual",
    });
    return {
      link: new shortlink.Link("docs", { ...equal, domainId: go.id, alias: "DOCS", adopt: "ifEqual" }).id,
    };
  };
  // A different spelling of the alias counts as a difference.
  await expect(stack.up()).rejects.toThrow(
    "link 1 cannot be adopted as it is: it differs from the program in alias. " +
      'Change the program, or set adopt to "always" to change it to what the program says.',
  );
  program = () => {
    const go = new shortlink.Domain("go", {
      name: "go.example",
      homepageUrl: "https://example.com/",
      adopt: "ifEqual",
    });
    return { link: new shortlink.Link("docs", { ...equal, domainId: go.id, adopt: "ifEqual" }).id };
  };
  const before = emulator.requests.length;
  expect((await stack.up()).outputs).toEqual({ link: "1" });
  const methods = emulator.requests.slice(before).map(({ method }) => method);
  expect(methods).toEqual(["POST", "GET"]);
  expect((await stack.preview()).changes).toEqual({ same: 3 });
  expect((await stack.refresh()).changes).toEqual({ same: 3 });
  expect(await counts()).toEqual([1, 2]);
});

test("shortlink:adopt always adopts different objects and changes them", async () => {
  await stack.config({ "shortlink:adopt": "always" });
  program = () => {
    const go = new shortlink.Domain("go", { name: "go.example" });
    const docs = new shortlink.Link("docs", {
      domainId: go.id,
      alias: "docs",
      url: "https://example.com/new",
      password: "p",
    });
    // The provider clears its password, because the new protection of the statistics would use it again.
    new shortlink.Link("docs-2", {
      domainId: go.id,
      alias: "docs-2",
      url: "https://example.com/docs-2",
      privacy: "password",
    });
    return { link: docs.id };
  };
  await send(emulator, "PATCH", "/links/2", { form: "password=old" });
  expect((await stack.up()).outputs).toEqual({ link: "1" });
  expect(await link()).toMatchObject({ url: "https://example.com/new", privacy: 0, password: true });
  expect(await link(2)).toMatchObject({ privacy: 2, password: false });
  expect((await send(emulator, "GET", "/domains/1")).body).toMatchObject({ data: { homepage_url: null } });
  expect((await stack.refresh()).changes).toEqual({ same: 4 });
});

test("the option import accepts an id, a domain with an alias, and a URL", async () => {
  await send(emulator, "POST", "/links", { form: "url=https://example.com/docs-3&domain_id=1&alias=docs-3" });
  const keys = { docs: "1", "docs-2": "GO.example/DOCS-2", "docs-3": "https://go.example/docs-3/" };
  const importing = (isTold: boolean) => () => {
    for (const [alias, key] of Object.entries(keys)) {
      const url = `https://example.com/${alias}`;
      const privacy = alias === "docs-3" ? undefined : "private";
      new shortlink.Link(alias, { domainId: 1, alias, url, privacy }, isTold ? { import: key } : {});
    }
    return {};
  };
  program = importing(true);
  expect((await stack.preview()).changes).toEqual({ create: 4 });
  await stack.up();
  expect(
    stack
      .state()
      .resources.map(({ urn, id }) => [urn.split("::").at(-1), id])
      .sort(),
  ).toEqual([
    ["docs", "1"],
    ["docs-2", "2"],
    ["docs-3", "3"],
  ]);
  // The program may keep or drop the option.
  for (const isTold of [true, false]) {
    program = importing(isTold);
    expect((await stack.preview()).changes).toEqual({ same: 4 });
  }
  expect(await counts()).toEqual([1, 3]);
});

test("an import of a missing object is an error that names it", async () => {
  program = () => ({ link: new shortlink.Link("docs", equal, { import: "go.example/nothing" }).id });
  await expect(stack.up()).rejects.toThrow(
    'There is no link "go.example/nothing" to import in this account.',
  );
  program = () => ({ domain: new shortlink.Domain("go", { name: "go.example" }, { import: "99" }).id });
  await expect(stack.up()).rejects.toThrow('There is no domain "99" to import in this account.');
});

test("get reads by id and by name, also in a preview, and writes nothing", async () => {
  program = () => {
    const go = shortlink.Domain.get("go", "GO.example");
    const docs = shortlink.Link.get("docs", "go.example/docs");
    const same = shortlink.Link.get("same", docs.id);
    new shortlink.Link("new", { domainId: go.id, alias: "new", url: "https://example.com/new" });
    return {
      go: go.id,
      home: go.homepageUrl,
      docs: docs.id,
      url: same.url,
      privacy: docs.privacy,
      shortUrl: docs.shortUrl,
    };
  };
  expect((await stack.preview()).output).toContain('"https://example.com/docs"');
  const before = emulator.requests.length;
  expect((await stack.up()).outputs).toEqual({
    go: "1",
    home: "https://example.com/",
    docs: "1",
    url: "https://example.com/docs",
    privacy: "private",
    shortUrl: "http://go.example/docs",
  });
  const writes = emulator.requests.slice(before).filter(({ method }) => method !== "GET");
  expect(writes).toEqual([{ method: "POST", path: "/api/v1/links", status: 201 }]);
  expect((await stack.refresh()).changes).toEqual({ same: 5 });
  await stack.destroy();
  expect(await counts()).toEqual([1, 2]);
});

test("get of a missing object is an error that names it", async () => {
  program = () => ({ link: shortlink.Link.get("docs", "go.example/doc").id });
  await expect(stack.preview()).rejects.toThrow('There is no link "go.example/doc" in this account.');
  program = () => ({ domain: shortlink.Domain.get("go", "99").id });
  await expect(stack.up()).rejects.toThrow('There is no domain "99" in this account.');
});

test("a preview announces adoptions, imports and conflicts with two list requests", async () => {
  for (const alias of ["same", "a", "b", "c", "d"]) {
    await send(emulator, "POST", "/links", {
      form: `url=https://example.com/docs&domain_id=1&alias=${alias}&privacy=1`,
    });
  }
  for (const name of ["by-name.example", "by-id.example"])
    await send(emulator, "POST", "/domains", { form: `name=${name}` });
  program = () => {
    new shortlink.Domain("go", { name: "go.example", adopt: "always" });
    new shortlink.Domain("new", { name: "new.example" });
    new shortlink.Domain("by-name", { name: "by-name.example" }, { import: "by-name.example" });
    new shortlink.Domain("by-id", { name: "by-id.example", homepageUrl: equal.url }, { import: "3" });
    new shortlink.Link("docs", equal);
    new shortlink.Link("docs-2", { ...equal, alias: "DOCS-2", adopt: "always" });
    new shortlink.Link("same", { ...equal, alias: "same", adopt: "ifEqual", password: "p" });
    new shortlink.Link("a", { ...equal, alias: "a" }, { import: "go.example/a" });
    new shortlink.Link("b", { ...equal, alias: "b", password: "p" }, { import: "5" });
    new shortlink.Link("c", { ...equal, alias: "c", clicksLimit: 1 }, { import: "6" });
    new shortlink.Link("d", { ...equal, alias: "d", clicksLimit: 1, adopt: "always" }, { import: "7" });
    new shortlink.Link("more", { ...equal, alias: "more" });
    return {};
  };
  const before = emulator.requests.length;
  const { output, changes } = await stack.preview();
  expect(changes).toEqual({ create: 13 });
  const paths = emulator.requests.slice(before).map(({ path }) => path.replace(/&sort.*/, ""));
  expect(paths.sort()).toEqual(["/api/v1/domains?sort_by=id", "/api/v1/links?domain_id=1"]);
  const failing =
    "creating another will fail, unless this stack deletes it in the same run; see adopt, import and aliases.";
  for (const line of [
    "http://go.example exists already as domain 1 and differs in homepageUrl: it will be adopted and changed.",
    `http://go.example/docs exists already as link 1: ${failing}`,
    "http://go.example/docs-2 exists already as link 2 and differs in url, alias: it will be adopted and changed.",
    "http://go.example/same exists already as link 3: it will be adopted, and its password will be set.",
    "domain by-name.example will be imported; the plan shows it as a create.",
    'domain 3 differs from the program in homepageUrl: its import will fail unless adopt is "always".',
    "link go.example/a will be imported; the plan shows it as a create.",
    "link 5 will be imported; the plan shows it as a create, and its password will be set.",
    'link 6 differs from the program in clicksLimit: its import will fail unless adopt is "always".',
    "link 7 will be imported; the plan shows it as a create, and changed in clicksLimit.",
  ]) {
    expect(output.split(line), line).toHaveLength(2);
  }
  expect(output).not.toContain("more exists");
});

test("a preview works without the service", async () => {
  program = () => ({ link: new shortlink.Link("docs", equal).id });
  await emulator.close();
  expect((await stack.preview()).changes).toEqual({ create: 2 });
});

test("a link does not inherit the alias of a read link with the same name", async () => {
  program = () => ({ link: shortlink.Link.get("docs", "go.example/docs").alias });
  expect((await stack.up()).outputs).toEqual({ link: "docs" });
  program = () => ({
    link: new shortlink.Link("docs", { domainId: 1, url: "https://example.com/new" }).alias,
  });
  stack.env("SHORTLINK_ADOPT", "always");
  const { outputs } = await stack.up();
  expect(outputs.link).toMatch(/^[2-9a-hj-km-np-z]{8}$/);
  expect(await counts()).toEqual([1, 3]);
});
