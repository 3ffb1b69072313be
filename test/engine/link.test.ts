import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

let emulator: Emulator;
let stack: TestStack | undefined;

beforeEach(async () => {
  emulator = await createEmulator();
});
afterEach(async () => {
  stack?.remove();
  stack = undefined;
  await emulator.close();
});

type Args = Omit<shortlink.LinkArgs, "domainId">;

/** A stack of one domain and one link whose arguments the test may change. */
async function stackOf(first: Args, domains: string[] = ["go.example"]) {
  let args = first;
  let domain = 0;
  const program = () => {
    const all = domains.map((name, i) => new shortlink.Domain(`domain-${i}`, { name }));
    const link = new shortlink.Link("link", { ...args, domainId: all[domain]?.id ?? "" });
    return Promise.resolve({ shortUrl: link.shortUrl, alias: link.alias, domainId: link.domainId });
  };
  const created = await createStack(emulator, program);
  stack = created;
  return Object.assign(created, {
    change: (next: Args) => (args = next),
    move: (index: number) => (domain = index),
  });
}

/** The link as the service shows it. */
async function remote(id = 1): Promise<Record<string, unknown>> {
  const { status, body } = await send(emulator, "GET", `/links/${id}`);
  return status === 200 ? (body as { data: Record<string, unknown> }).data : { status };
}

/** The requests that a command sent to the service. */
async function requestsOf(command: () => Promise<unknown>): Promise<string[]> {
  const before = emulator.requests.length;
  await command();
  return emulator.requests
    .slice(before)
    .map(({ method, path }) => `${method} ${path.replace("/api/v1", "")}`);
}

const every: Required<Omit<Args, "adopt">> = {
  url: "https://example.com/a",
  alias: "docs",
  spaceId: 1,
  pixelIds: [2, 1],
  redirectPassword: "visitor-secret",
  sensitiveContent: true,
  privacy: "password",
  password: "statistics-secret",
  activePeriodStartAt: "2026-03-01T08:00:00",
  activePeriodEndAt: "2027-03-01T08:00:00",
  clicksLimit: 100,
  expirationUrl: "https://example.com/expired",
  targetsType: "countries",
  targets: [
    { key: "US", value: "https://example.com/us" },
    { key: "DE", value: "https://example.com/de" },
  ],
};

test("a link with every field is created, repaired, updated and deleted, without secrets in the output", async () => {
  const stack = await stackOf(every);
  const outputs: string[] = [];
  /** Keeps the output of a command. */
  const kept = async <Result extends { output: string }>(command: Promise<Result>) => {
    const result = await command;
    outputs.push(result.output);
    return result;
  };
  const preview = await kept(stack.preview());
  expect(preview.changes).toEqual({ create: 3 });
  expect(preview.output).toContain('alias              : "docs"');
  // The provider looks once for existing objects.
  expect(emulator.requests.map(({ method }) => method)).toEqual(["GET"]);

  const upRequests = await requestsOf(async () => {
    const { outputs } = await kept(stack.up());
    expect(outputs).toEqual({ shortUrl: "http://go.example/docs", alias: "docs", domainId: 1 });
  });
  expect(upRequests).toEqual(["POST /domains", "POST /links"]);
  expect(await remote()).toMatchObject({
    url: "https://example.com/a",
    alias: "docs",
    space: { id: 1 },
    pixels: [{ id: 1 }, { id: 2 }],
    redirect_password: true,
    sensitive_content: 1,
    privacy: 2,
    password: true,
    active_period_start_at: "2026-03-01T08:00:00.000000Z",
    active_period_end_at: "2027-03-01T08:00:00.000000Z",
    clicks_limit: 100,
    expiration_url: "https://example.com/expired",
    targets_type: "countries",
    targets: [
      { key: "US", value: "https://example.com/us" },
      { key: "DE", value: "https://example.com/de" },
    ],
  });

  expect(await requestsOf(async () => expect((await stack.up()).changes).toEqual({ same: 3 }))).toEqual([]);
  expect(
    await requestsOf(async () => expect((await stack.refresh()).changes).toEqual({ same: 3 })),
  ).toHaveLength(2);

  // Equivalent spellings are no change.
  stack.change({
    ...every,
    url: " https://example.com/a ",
    pixelIds: ["1", 2, 1],
    sensitiveContent: 1,
    privacy: 2,
    spaceId: "1",
    activePeriodStartAt: "2026-03-01 08:00",
    targets: [...(every.targets as shortlink.TargetArgs[])].reverse(),
  });
  expect(await requestsOf(async () => expect((await stack.preview()).changes).toEqual({ same: 3 }))).toEqual(
    [],
  );
  stack.change(every);

  // Changes behind Pulumi's back appear under the field's name, and the next up reverts them.
  const wanted = await remote();
  const changes = [
    ["url=https://example.com/x", '~ url: "https://example.com/a" => "https://example.com/x"'],
    ["alias=other", '~ alias: "docs" => "other"'],
    ["space_id=", "- spaceId: 1"],
    ["pixel_ids[]=2&pixel_ids[]=3", "~ pixelIds: ["],
    ["redirect_password=", "- redirectPassword: [secret]"],
    ["sensitive_content=0", "- sensitiveContent: true"],
    ["privacy=1", '~ privacy: "password" => "private"'],
    ["clicks_limit=7", "~ clicksLimit: 100 => 7"],
    ["expiration_url=", '- expirationUrl: "https://example.com/expired"'],
    ["active_period_end_at=2026-12-01T00:00:00", "~ activePeriodEndAt: "],
    ["targets_type=&targets=", "- targetsType: "],
  ] as const;
  for (const [form] of changes)
    expect((await send(emulator, "PATCH", "/links/1", { form })).status).toBe(200);
  // From the program's side: the change that the next "up" will make.
  const repair = (await kept(stack.preview({ refresh: true }))).output.replace(/ +:/g, ":");
  for (const [, line] of changes) {
    const [, sign = "", field = ""] = /^([~-]) (\w+):/.exec(line) ?? [];
    expect(repair).toContain(`${sign === "-" ? "+" : "~"} ${field}: `);
  }
  const { output, changes: drift } = await kept(stack.refresh());
  expect(drift).toEqual({ same: 2, update: 1 });
  for (const [, line] of changes) expect(output.replace(/ +:/g, ":")).toContain(line);

  expect((await kept(stack.up())).changes).toEqual({ same: 2, update: 1 });
  const { updated_at: _wanted, ...before } = wanted;
  const { updated_at: _now, ...after } = await remote();
  expect(after).toEqual(before);
  expect((await stack.refresh()).changes).toEqual({ same: 3 });

  // The program passes the passwords as plain text.
  stack.change({
    ...every,
    redirectPassword: "another-visitor-secret",
    password: "another-statistics-secret",
  });
  await kept(stack.preview());
  expect((await kept(stack.up())).changes).toEqual({ same: 2, update: 1 });
  const { text, resources } = stack.state();
  expect(resources).toHaveLength(2);
  expect((await kept(stack.destroy())).changes).toEqual({ delete: 3 });
  expect(await remote()).toEqual({ status: 404 });
  expect((await send(emulator, "GET", "/domains")).body).toMatchObject({ data: [] });
  for (const all of [...outputs, text]) {
    expect(all).not.toContain("visitor-secret");
    expect(all).not.toContain("statistics-secret");
    expect(all).not.toContain(emulator.apiKey);
  }
  expect(outputs.join("")).toContain("[secret]");
});

test("each kind of field is updated in place with one PATCH, and cleared", async () => {
  const plain: Args = { url: "https://example.com/a", alias: "docs" };
  const stack = await stackOf(plain);
  await stack.up();
  const empty = await remote();
  const steps: [Args, string[], object][] = [
    [
      { url: "https://example.com/b", alias: "manual" },
      ["~ alias:", "~ url  :"],
      { url: "https://example.com/b", alias: "manual" },
    ],
    [
      { ...plain, spaceId: 2, clicksLimit: 7, sensitiveContent: true, privacy: 1 },
      ["+ clicksLimit     : 7", "+ privacy", "+ sensitiveContent: true", "+ spaceId         : 2"],
      { space: { id: 2 }, clicks_limit: 7, sensitive_content: 1, privacy: 1 },
    ],
    [
      {
        ...plain,
        pixelIds: [3],
        activePeriodStartAt: "2026-03-01T08:00",
        activePeriodEndAt: "2026-04-01 08:00",
      },
      ["+ pixelIds", '+ activePeriodStartAt: "2026-03-01T08:00:00"'],
      {
        pixels: [{ id: 3 }],
        active_period_start_at: "2026-03-01T08:00:00.000000Z",
        space: null,
        clicks_limit: null,
        sensitive_content: 0,
        privacy: 0,
      },
    ],
    [
      {
        ...plain,
        redirectPassword: "a",
        password: "b",
        targetsType: "devices",
        targets: [{ key: "mobile", value: "https://m.example/" }],
      },
      ["+ redirectPassword", "+ targetsType"],
      {
        redirect_password: true,
        password: true,
        targets: [{ key: "mobile", value: "https://m.example/" }],
        pixels: [],
      },
    ],
    [
      plain,
      ["- targetsType"],
      { targets: [], targets_type: null, redirect_password: false, password: false },
    ],
  ];
  for (const [args, shown, expected] of steps) {
    stack.change(args);
    const requests = await requestsOf(async () => {
      const { changes, output } = await stack.up();
      expect(changes).toEqual({ same: 2, update: 1 });
      for (const line of shown) expect(output).toContain(line);
    });
    expect(requests).toEqual(["PATCH /links/1"]);
    expect(await remote()).toMatchObject(expected);
  }
  const { updated_at: _before, targets: _never, clicks_limit: _zero, ...before } = empty;
  const { updated_at: _after, targets: _cleared, clicks_limit: _null, ...after } = await remote();
  expect(after).toEqual(before);
  expect((await stack.refresh()).changes).toEqual({ same: 3 });
});

test("another domain replaces the link, and creates the new one before it deletes the old one", async () => {
  const stack = await stackOf({ url: "https://example.com/a", alias: "docs" }, [
    "go.example",
    "docs.example",
  ]);
  await stack.up();
  stack.move(1);
  const preview = await stack.preview();
  expect(preview.changes).toEqual({ same: 3, replace: 1 });
  expect(preview.output).toMatch(/~ domainId: \d => \d/);
  expect(await requestsOf(() => stack.up())).toEqual(["POST /links", "DELETE /links/1"]);
  expect(await remote(2)).toMatchObject({ alias: "docs" });
  expect(await remote(1)).toEqual({ status: 404 });
});

test("a link without an alias gets the previewed alias; a removed alias argument keeps the alias", async () => {
  const stack = await stackOf({ url: "https://example.com/a" });
  const alias = /alias +: "([2-9a-z]{8})"/.exec((await stack.preview()).output)?.[1] ?? "";
  const { outputs } = await stack.up();
  expect(outputs.alias).toBe(alias);
  stack.change({ url: "https://example.com/a", alias: "printed" });
  await stack.up();
  stack.change({ url: "https://example.com/a" });
  const { outputs: kept, changes } = await stack.up();
  expect([kept.alias, changes]).toEqual(["printed", { same: 3 }]);
});

test("a kept alias survives a replacement; equal names under two components get different aliases", async () => {
  let url = "https://example.com/a";
  let alias: string | undefined = "printed";
  stack = await createStack(emulator, () => {
    const go = new shortlink.Domain("go", { name: "go.example" });
    const parents = ["A", "B"].map((type) => new pulumi.ComponentResource(`test:index:${type}`, "same"));
    const kept = new shortlink.Link("kept", { domainId: go.id, url, alias }, { replaceOnChanges: ["url"] });
    const links = parents.map((parent) => new shortlink.Link("docs", { domainId: go.id, url }, { parent }));
    return Promise.resolve({ kept: kept.alias, aliases: links.map((link) => link.alias) });
  });
  const { outputs: first } = await stack.up();
  expect(new Set(first.aliases as string[]).size).toBe(2);
  alias = undefined;
  expect((await stack.up()).outputs.kept).toBe("printed");
  url = "https://example.com/b";
  const { outputs, changes } = await stack.up();
  expect(changes).toMatchObject({ replace: 1, update: 2 });
  expect(outputs).toEqual(first);
});

test("a plain link has a minimal state, and changes and deletions by hand are repaired", async () => {
  const plain: Args = { url: "https://example.com/a", alias: "docs" };
  const stack = await stackOf(plain);
  await stack.up();
  // The state has the constant provider text and nothing volatile. Its positions are in the program and in no other file.
  const { resources } = stack.state();
  const [domain, link] = resources;
  expect(domain).toMatchObject({
    id: "1",
    inputs: {
      __provider: "exports.handler=()=>require('pulumi-shortlink/provider').domain",
      name: "go.example",
    },
    outputs: { name: "go.example", url: "http://go.example" },
  });
  expect(link?.inputs).toEqual({
    __provider: "exports.handler=()=>require('pulumi-shortlink/provider').link",
    __urn: link?.urn,
    url: "https://example.com/a",
    domainId: 1,
    alias: "docs",
  });
  expect(link?.outputs).toEqual({
    ...link?.inputs,
    shortUrl: "http://go.example/docs",
    __origin: emulator.url,
  });
  const { sourcePosition: place, stackTrace } = link as object as {
    sourcePosition: string;
    stackTrace: { sourcePosition?: string }[];
  };
  expect(place).toContain("link.test.ts#");
  for (const { sourcePosition = "" } of stackTrace) {
    expect(sourcePosition).not.toMatch(/node:|@pulumi|pulumi-shortlink|^$/);
  }

  await send(emulator, "PATCH", "/links/1", { form: "redirect_password=x&privacy=1&pixel_ids[]=3" });
  const { output } = await stack.refresh();
  for (const line of ["+ pixelIds", "+ privacy", '+ redirectPassword: "(set outside of this program)"']) {
    expect(output.replace(/ +:/g, ":")).toContain(line);
  }
  await stack.up();
  expect(await remote()).toMatchObject({ redirect_password: false, privacy: 0, pixels: [] });

  // The provider removes the password even if the statistics now require one and the program has none.
  stack.change({ ...plain, password: "old" });
  await stack.up();
  stack.change({ ...plain, privacy: "password" });
  await stack.up();
  expect(await remote()).toMatchObject({ privacy: 2, password: false });

  await send(emulator, "DELETE", "/links/1");
  expect((await stack.refresh()).changes).toEqual({ same: 2, delete: 1 });
  expect((await stack.up()).changes).toEqual({ same: 2, create: 1 });
  expect(await remote(2)).toMatchObject({ alias: "docs" });

  await send(emulator, "DELETE", "/domains/1");
  expect((await stack.destroy()).changes).toEqual({ delete: 3 });
});

test("outputs without arguments are available, and secret outputs stay encrypted", async () => {
  let given: Partial<shortlink.LinkArgs> = {
    spaceId: pulumi.secret(2),
    password: "open-sesame",
    clicksLimit: 3,
  };
  const seen: unknown[] = [];
  const stack = await createStack(emulator, async () => {
    const go = new shortlink.Domain("go", { name: "go.example" });
    const options = { ignoreChanges: ["spaceId", "password"] };
    const docs = new shortlink.Link(
      "docs",
      { domainId: go.id, url: "https://example.com/", ...given },
      options,
    );
    const plain = new shortlink.Link("plain", {
      domainId: go.id,
      url: "https://example.com/",
      ...given,
      ...unset,
    });
    pulumi.all([docs.clicksLimit, plain.spaceId, go.homepageUrl]).apply((values) => seen.push(values));
    return {
      space: docs.spaceId,
      password: docs.password,
      isSecret: await pulumi.isSecret(plain.targets),
      id: docs.id,
    };
  });
  const unset = { spaceId: undefined, password: undefined };
  await stack.preview();
  await stack.up();
  given = {};
  // Ignored fields keep their values.
  const { outputs, changes } = await stack.up();
  expect(changes).toEqual({ same: 2, update: 2 });
  expect(seen).toEqual([
    [3, undefined, undefined],
    [undefined, undefined, undefined],
  ]);
  const encrypted = expect.objectContaining({ ciphertext: expect.any(String) as string }) as object;
  expect(outputs).toEqual({
    space: encrypted,
    password: encrypted,
    isSecret: false,
    id: expect.any(String) as string,
  });
  expect(stack.state().text).not.toContain("open-sesame");
  expect(await remote(Number(outputs.id))).toMatchObject({
    space: { id: 2 },
    password: true,
    clicks_limit: null,
  });
});
