import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { createEmulator, type Emulator, type Flavour } from "pulumi-shortlink/emulator";
import { afterEach, expect, test } from "vitest";
import { linkArgs, seed } from "../helpers/arbitraries";
import { Commands } from "../helpers/commands";
import { bareLinks, send } from "../helpers/emulator";
import { flavours } from "../helpers/flavours";
import { newRun, settingsOf } from "../helpers/run";

// A program adopts an account that people made by hand, through the commands that its owner types.

const count = Number(process.env.IMPORT_LINKS ?? 120);
let emulator: Emulator;
let project: Commands;
async function start(flavour: Flavour = {}): Promise<void> {
  emulator = await createEmulator({ flavour, limit: { requests: 100_000, window: 1 } });
  // docs/performance.md recommends this for stacks with hundreds of links.
  project = new Commands(emulator, { PULUMI_SKIP_CHECKPOINTS: "true" });
}
afterEach(async () => {
  await emulator.close();
  project.remove();
});
const run = (command: string, status?: number) => project.run(command, status);

const writes = () => emulator.requests.filter(({ method }) => method !== "GET").length;

/** Makes domains, and links with all kinds of arguments, as people do by hand. */
async function fill(count: number): Promise<void> {
  const { domain, link } = newRun(settingsOf(emulator));
  for (const name of ["go.example", "docs.example"]) await domain.create({ __provider: "text", name });
  for (const [i, args] of fc.sample(linkArgs, { seed, numRuns: count }).entries()) {
    const { redirectPassword: _redirect, password: _password, ...others } = args;
    const { inputs, failures } = await link.check(
      {},
      { ...others, domainId: 1 + (i % 2), alias: `by-hand-${i}` },
    );
    expect(failures).toEqual([]);
    await link.create(inputs);
  }
}

const program = (more = "") =>
  project.write(
    "index.js",
    `const { Domain, Link, LinkCatalog } = require("pulumi-shortlink");\n${more}\nnew LinkCatalog("links", { files: "links" });\n`,
  );

test("an account is exported and imported without a write, and the first up changes nothing", async () => {
  await start();
  await fill(count);
  program();
  const before = writes();
  await run("pulumi stack init dev && pulumi config set shortlink:timeZone UTC");
  const sent = emulator.requests.length;
  expect(await run("shortlink import links --run")).toBe(
    `links: ${count} links and 2 domains in 5 files.\n` +
      `The account has ${count} links and 2 domains that the program has and the stack does not.\n` +
      'They are imported. "pulumi preview" shows what is left to do.\n',
  );
  // The export and the preview list the domains once each. The export reads each page of a hundred links once.
  expect(emulator.requests.length - sent).toBe(2 + Math.ceil(count / 100));
  expect(readdirSync(project.folder)).not.toContain("import.json");
  const requests = emulator.requests.length;
  await run("pulumi up --yes --skip-preview --expect-no-changes");
  expect(emulator.requests.length).toBe(requests);
  await run("pulumi refresh --yes --skip-preview --expect-no-changes");
  expect(writes()).toBe(before);
}, 600_000);

// `npm run endurance` runs all of them.
const all = process.env.FLAVOURS === "all" ? Object.entries(flavours) : Object.entries(flavours).slice(-1);

test.each(all)("links are equal after import, destroy and up: %s", async (_, flavour) => {
  await start(flavour);
  await fill(40);
  const before = await bareLinks(emulator);
  expect(before).toHaveLength(40);
  program();
  await run("pulumi stack init dev");
  await run(`pulumi config set shortlink:timeZone ${flavour.timeZone ?? "UTC"}`);
  await run("shortlink import links --run");
  project.set("SHORTLINK_LOG", "debug");
  const sent = emulator.requests.length;
  const output = await run("pulumi destroy --yes --skip-preview");
  const [, count] = /shortlink: (\d+) requests in [\d.]+ s/.exec(output) ?? [];
  expect(Number(count)).toBe(emulator.requests.length - sent);
  expect(await bareLinks(emulator)).toEqual([]);
  await run("pulumi up --yes --skip-preview");
  expect(await bareLinks(emulator)).toEqual(before);
});

test("a catalog adopts a part of an account unchanged, and drift lists the rest", async () => {
  await start();
  // Each link is made and then adopted, so half as many are enough.
  const all = Math.ceil(count / 4) * 2;
  await fill(all);
  const only = "--only 'GO.example/*' --only 'docs.example/by-hand-1*'";
  await run(`shortlink export links --format csv --split none --time-zone UTC ${only}`);
  const [table = ""] = readdirSync(join(project.folder, "links")).filter((name) => name.endsWith(".csv"));
  const kept =
    readFileSync(join(project.folder, "links", table), "utf8")
      .trimEnd()
      .split("\n").length - 1;
  expect(kept).toBe(
    all / 2 + Array.from({ length: all }, (_, n) => n).filter((n) => n % 2 && /^1/.test(String(n))).length,
  );
  program();
  const links = async () => (await send(emulator, "GET", "/links?per_page=1000&sort_by=id&sort=asc")).body;
  const before = await links();
  await run("pulumi stack init dev && pulumi config set shortlink:timeZone UTC");
  await run("pulumi config set shortlink:adopt ifEqual");
  await run("pulumi up --yes --skip-preview");
  expect(await links()).toEqual(before);
  const done = emulator.requests.filter(({ method, status }) => method !== "GET" && status < 300);
  // Only the requests that made the account.
  expect(done).toHaveLength(all + 2);
  await run("pulumi up --yes --skip-preview --expect-no-changes");
  const drift = await run("shortlink drift --format json", 1);
  const findings = JSON.parse(drift) as { kind: string }[];
  expect(findings.filter(({ kind }) => kind === "unmanaged")).toHaveLength(all - kept);
  expect(findings.filter(({ kind }) => !/unmanaged|expir/.test(kind))).toEqual([]);
}, 300_000);

test("a partial import leaves differences to the next up, and drift reports later changes", async () => {
  await start();
  const go = 'const go = new Domain("go", { name: "go.example" });';
  const link = (name: string, more = "") =>
    `new Link("${name}", { domainId: go.id, alias: "${name}", url: "https://example.com/${name}"${more} });`;
  const index = (...lines: string[]) =>
    project.write("index.js", `const { Domain, Link } = require("pulumi-shortlink");\n${lines.join("\n")}\n`);
  index(go, link("first"));
  await run("pulumi stack init dev");
  await run("pulumi up --yes --skip-preview");
  expect(await run("shortlink import")).toBe(
    "The account has 0 links and 0 domains that the program has and the stack does not.\n",
  );
  for (const form of [
    "alias=equal&url=https://example.com/equal",
    "alias=other&url=https://example.com/x&clicks_limit=5",
    "alias=locked&url=https://example.com/locked&redirect_password=y",
    "alias=unmanaged&url=https://example.com/",
  ])
    await send(emulator, "POST", "/links", { form: `domain_id=1&${form}` });
  index(
    go,
    ...["first", "equal", "other", "missing"].map((name) => link(name)),
    link("locked", ', redirectPassword: "open sesame"'),
  );
  const before = writes();
  const plain = readFileSync(join(project.folder, "index.js"), "utf8");
  project.write(
    "index.js",
    `${plain}new Link("sealed", { domainId: go.id, alias: require("@pulumi/pulumi").secret("hidden"), url: "https://example.com/" });\n`,
  );
  expect(await run("shortlink import")).toContain(
    "give these resources the option import instead:\n  sealed\n",
  );
  project.write("index.js", plain);
  const output = await run("shortlink import --stack dev");
  expect(output).toBe(
    [
      "The account has 3 links and 0 domains that the program has and the stack does not.",
      'It lacks 1 that the next "pulumi up" creates.',
      'These differ from the program, and the next "pulumi up" changes them:',
      "  other: url, clicksLimit",
      'The service returns no passwords, so the next "pulumi up" sets the passwords of 1 link.',
      "To import them: pulumi import --file import.json --yes --protect=false --generate-code=false --stack dev\n",
    ].join("\n"),
  );
  expect(readFileSync(join(project.folder, "import.json"), "utf8")).not.toMatch(/open sesame|emulator-key/);
  await run(/pulumi import .*/.exec(output)?.[0] ?? "");
  expect(writes()).toBe(before);
  const plan = await run("pulumi preview --diff");
  expect(plan).toMatch(/\+ 1 to create\n {4}~ 2 to update\n/);
  expect(plan).toContain('~ url        : "https://example.com/x" => "https://example.com/other"');
  await run("pulumi up --yes --skip-preview");
  await run("pulumi preview --expect-no-changes");
  expect(writes()).toBe(before + 3);
  const { body } = await send(emulator, "GET", "/links?per_page=100&sort_by=id&sort=asc");
  const left = (body as { data: { alias: string; url: string }[] }).data;
  expect(left.map(({ alias, url }) => `${alias} ${url.replace("https://example.com", "")}`)).toEqual([
    ...["first /first", "equal /equal", "other /other", "locked /locked", "unmanaged /", "missing /missing"],
  ]);

  // From now on, changes by hand are drift.
  expect(await run("shortlink drift --ignore 'go.example/un*'")).toBe(
    "No drift: the account is as the state says.\n",
  );
  const form = "alias=equal&url=https://example.com/y&clicks_limit=7&redirect_password=z";
  await send(emulator, "PATCH", "/links/2", { form });
  await send(emulator, "PATCH", "/links/4", {
    form: "redirect_password=&active_period_start_at=2020-01-01T00:00:00&active_period_end_at=2021-01-01T00:00:00",
  });
  await send(emulator, "DELETE", "/links/6");
  const requests = emulator.requests.length;
  const drift = await run("shortlink drift --stack dev || echo exit code $?");
  expect(emulator.requests.length).toBe(requests + 2);
  expect(drift).toBe(
    [
      "Deleted on the service (1):",
      "  go.example/missing (id 6): missing",
      "",
      "Changed on the service (2):",
      '  go.example/equal (id 2): equal; url "https://example.com/equal" is now "https://example.com/y"; ' +
        'redirectPassword null is now "[secret]"; clicksLimit null is now 7',
      '  go.example/locked (id 4): locked; redirectPassword "[secret]" is now null; ' +
        'activePeriodStartAt null is now "2020-01-01T00:00:00"; activePeriodEndAt null is now "2021-01-01T00:00:00"',
      "",
      "Not managed by this stack (1):",
      "  go.example/unmanaged (id 5)",
      "",
      "Expired (1):",
      "  go.example/locked (id 4): until 2021-01-01T00:00:00",
      "exit code 1\n",
    ].join("\n"),
  );
  expect(await run("shortlink drift --format markdown || true")).toContain(
    '### Changed on the service (2)\n\n- `go.example/equal` (id 2): equal; url `"https://example.com/equal"` is now `"https://example.com/y"`',
  );
  const told = JSON.parse(await run("shortlink drift --format json || true")) as { kind: string }[];
  expect(told.map(({ kind }) => kind)).toEqual(["missing", "changed", "changed", "unmanaged", "expired"]);
  expect(drift).not.toContain("open sesame");
}, 300_000);
