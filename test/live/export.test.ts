import fc from "fast-check";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load";
import { openAccount } from "../../src/cli/account";
import { matchesOne } from "../../src/cli/patterns";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/server";
import { exportAccount, type ExportOptions } from "../../src/live/export";
import { survey } from "../../src/live/survey";
import { linkArgs, seed } from "../helpers/arbitraries";
import { bareLinks, send } from "../helpers/emulator";
import { flavours } from "../helpers/flavours";
import { newRun, settingsOf } from "../helpers/run";

// An account as a catalog, and the same catalog deployed to another service.

let folder: string;
let emulators: Emulator[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "shortlink-export-"));
  emulators = [];
});
afterEach(async () => {
  for (const each of emulators) await each.close();
  rmSync(folder, { recursive: true });
});

async function newService(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await createEmulator({ limit: { requests: 100_000, window: 1 }, ...options });
  emulators.push(emulator);
  return emulator;
}

/** Exports the account of an emulator into a subfolder of the test's folder. */
async function exported(
  emulator: Emulator,
  {
    folder: name = "links",
    timeZone = "UTC",
    ...options
  }: Partial<ExportOptions> & { timeZone?: string } = {},
) {
  Object.assign(process.env, { SHORTLINK_BASE_URL: emulator.url, SHORTLINK_API_KEY: emulator.apiKey });
  try {
    const account = openAccount((key) => (key === "shortlink:timeZone" ? timeZone : undefined));
    return await exportAccount(account, () => survey(account.client), {
      folder: join(folder, name),
      format: "yaml",
      split: "domain",
      skipInvalid: false,
      ...options,
    });
  } finally {
    delete process.env.SHORTLINK_BASE_URL;
    delete process.env.SHORTLINK_API_KEY;
  }
}

const passwords: Record<string, string> = { redirectPassword: "open sesame", password: "statistics" };

/** Makes domains, and links with any arguments on them. */
async function fill(emulator: Emulator, all: Record<string, unknown>[]): Promise<void> {
  const { domain, link } = newRun(settingsOf(emulator));
  const make = async (provider: typeof link, args: Record<string, unknown>) => {
    const { inputs, failures } = await provider.check({}, args);
    expect(failures).toEqual([]);
    return provider.create(inputs);
  };
  const names = ["go.example", "docs.example", "empty.example"];
  for (const [i, name] of names.entries())
    await make(domain, { name, ...(i === 0 ? { homepageUrl: "https://example.com/" } : {}) });
  for (const [i, args] of all.entries())
    await make(link, { ...args, domainId: 1 + (i % 2), alias: `${"abz"[i % 3]}-${i}` });
}

const argsOf = (count: number, n: number) =>
  fc.sample(linkArgs, { seed: seed + n, numRuns: count }).map((args) => {
    const given = Object.keys(passwords).filter((name) => name in args);
    return { ...args, ...Object.fromEntries(given.map((name) => [name, passwords[name]])) };
  });

test.each(Object.entries(flavours))(
  "links created from an export equal the original: %s",
  async (name, flavour) => {
    const [original, copy] = [await newService({ flavour }), await newService({ flavour })];
    const { timeZone = "UTC" } = flavour;
    const isHidden = flavour.passwordsHidden === true;
    await fill(
      original,
      argsOf(60, name.length).map((args) =>
        isHidden ? { ...args, redirectPassword: undefined, password: undefined } : args,
      ),
    );
    const wanted = await bareLinks(original);
    for (const [i, [format, split]] of (
      [
        ["yaml", "domain"],
        ["json", "letter"],
        ["csv", "space"],
        ["yaml", "none"],
      ] as const
    ).entries()) {
      const name = `links-${i}`;
      const { links: count, domains } = await exported(original, { folder: name, format, split, timeZone });
      expect([count, domains]).toEqual([60, 3]);
    }
    const { links: entries } = loadCatalog({ files: ["links-2"], folder });
    await fill(copy, []);
    const run = newRun(settingsOf(copy, { "shortlink:timeZone": timeZone }));
    for (const { domain, values } of entries) {
      const { domain: _domain, ...args } = values;
      for (const [field, text] of Object.entries(passwords)) if (field in args) args[field] = text;
      const { inputs, failures } = await run.link.check(
        {},
        { ...args, domainId: domain === "go.example" ? 1 : 2 },
      );
      expect(failures).toEqual([]);
      await run.link.create(inputs);
    }
    expect(await bareLinks(copy)).toEqual(wanted);
  },
);

const text = (name: string) => readFileSync(join(folder, name), "utf8");
const plain = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ url: `https://example.com/${i}`, privacy: "private" }));

test("a key is the alias, with the domain if two domains have it; common values become defaults", async () => {
  const emulator = await newService();
  await fill(emulator, plain(6));
  for (const form of [
    "domain_id=1&alias=sale&url=https://example.com/&redirect_password=x",
    "domain_id=2&alias=sale&url=https://example.com/",
  ])
    await send(emulator, "POST", "/links", { form });
  const { files, secrets } = await exported(emulator);
  expect(files).toEqual([
    "domains.yaml",
    ...[
      "docs.example/folder.yaml",
      "docs.example/links.yaml",
      "go.example/folder.yaml",
      "go.example/links.yaml",
    ],
  ]);
  expect(secrets).toEqual(["go.example-sale.redirectPassword"]);
  expect(text("links/domains.yaml")).toBe(
    "domains:\n  docs.example: {}\n  empty.example: {}\n  go.example:\n    homepageUrl: https://example.com/\n",
  );
  expect(text("links/go.example/folder.yaml")).toBe("defaults:\n  domain: go.example\n  privacy: private\n");
  expect(text("links/go.example/links.yaml")).toBe(
    [
      "links:",
      ...[0, 4, 2].flatMap((n) => [
        `  ${"abz"[n % 3]}-${n}:`,
        `    alias: ${"abz"[n % 3]}-${n}`,
        `    url: https://example.com/${n}`,
      ]),
      "  go.example/sale:",
      "    alias: sale",
      "    url: https://example.com/",
      "    redirectPassword:",
      "      secret: config:go.example-sale.redirectPassword",
      "    privacy: public",
      "",
    ]
      .join("\n")
      .replace(/(  z-2:(?:\n    .*)*\n)((?:.*\n)*)/, "$2$1"),
  );
  // A second export of the same account gives the same files.
  await exported(emulator, { folder: "again" });
  for (const file of files) expect(text(`again/${file}`)).toBe(text(`links/${file}`));
});

test("an export of 5,000 links takes 51 requests", async () => {
  const emulator = await newService();
  await fill(emulator, []);
  const { body } = await send(emulator, "POST", "/links", {
    form: "domain_id=1&alias=x&url=https://example.com/",
  });
  expect(body).toMatchObject({ data: { id: 1 } });
  for (let i = 1; i < 5000; i += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, 5000 - i) }, (_, n) =>
        send(emulator, "POST", "/links", {
          form: `domain_id=1&alias=x-${i + n}&url=https://example.com/${i + n}`,
        }),
      ),
    );
  const before = emulator.requests.length;
  expect(await exported(emulator, { format: "csv" })).toMatchObject({ links: 5000, domains: 3 });
  expect(emulator.requests.length - before).toBe(51);
});

test("an export writes nothing if a link is deleted while the list is read", async () => {
  const data = join(mkdtempSync(join(tmpdir(), "shortlink-changed-")), "data.json");
  onTestFinished(() => rmSync(dirname(data), { recursive: true }));
  const filled = await newService({ data });
  await fill(filled, plain(150));
  await filled.close();
  const emulator = await newService({ data, latency: 300 });
  const writing = expect(exported(emulator)).rejects.toThrow(
    "The list of links changed while it was read: the service counted 150 and then 149. Run the command again.",
  );
  // The deletion happens between the two pages of links, so the second page begins one link later.
  await expect.poll(() => emulator.requests.length, { interval: 5 }).toBe(1);
  await setTimeout(150);
  await send(emulator, "DELETE", "/links/5");
  await writing;
  expect(readdirSync(folder)).toEqual([]);
});

test("an export writes all or nothing", async () => {
  const emulator = await newService();
  await fill(emulator, plain(120));
  const nothing = () => expect(readdirSync(folder)).toEqual([]);
  emulator.faults.push({ method: "GET", nth: 3, when: "before", answer: 403 });
  await expect(exported(emulator)).rejects.toThrow("list links, page 2: the service refused it (403)");
  nothing();
  emulator.faults.length = 0;
  // The service accepts a link to itself, a catalog does not.
  await send(emulator, "PATCH", "/links/7", { form: "url=http://go.example/a-6" });
  await expect(exported(emulator)).rejects.toThrow(
    /skip it with --skip-invalid:\n {2}link "a-6": url leads to the link itself/,
  );
  nothing();
  expect(await exported(emulator, { skipInvalid: true })).toMatchObject({
    links: 119,
    skipped: [expect.stringContaining('link "a-6": url')],
  });
  await expect(exported(emulator)).rejects.toThrow("is not empty: name a folder that does not exist yet");
  await send(emulator, "PATCH", "/links/8", {
    form: "active_period_start_at=2026-01-01T00:00:00&active_period_end_at=2026-02-01T00:00:00",
  });
  await expect(exported(emulator, { folder: "dated", timeZone: "" })).rejects.toThrow(
    "give that with --time-zone or SHORTLINK_TIME_ZONE",
  );
  expect(readdirSync(folder)).toEqual(["links"]);
});

/** Runs a command of the package in the folder of the test. */
function shortlink(environment: Record<string, string>, ...args: string[]) {
  const main = join(__dirname, "../../dist/cli/main.js");
  const options = { cwd: folder, env: { PATH: process.env.PATH, ...environment } };
  return new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [main, ...args], options, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
  });
}

test("export reports its files and the secrets to set, and never shows the key", async () => {
  const emulator = await newService({ apiKey: "a-key-that-must-not-show" });
  await fill(emulator, [{ url: "https://example.com/", redirectPassword: "x" }]);
  const service = { SHORTLINK_BASE_URL: emulator.url, SHORTLINK_API_KEY: emulator.apiKey };
  expect(await shortlink(service, "export", "--split", "none")).toEqual({
    status: 0,
    stdout:
      "links: 1 link and 3 domains in 2 files.\n" +
      'The service returns no passwords: set 1 password before the first "pulumi up":\n' +
      "  pulumi config set --secret a-0.redirectPassword\n",
    stderr: "",
  });
  expect(await shortlink({}, "validate")).toMatchObject({ status: 0 });
  expect(await shortlink(service, "export")).toMatchObject({
    status: 2,
    stderr: "pulumi-shortlink: links is not empty: name a folder that does not exist yet\n",
  });
  expect(await shortlink({}, "export", "other")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("SHORTLINK_API_KEY") as string,
  });
  const wrong = await shortlink({ ...service, SHORTLINK_API_KEY: "a-wrong-key" }, "export", "other");
  expect(wrong).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("refused the API key") as string,
  });
  expect(wrong.stderr).not.toContain("a-wrong-key");
  expect(readdirSync(folder)).toEqual(["links"]);
  for (const file of ["domains.yaml", "links.yaml"])
    expect(text(`links/${file}`)).not.toContain(emulator.apiKey);
});

test("a partial export contains only the domains of its links", async () => {
  const emulator = await newService();
  await fill(emulator, plain(30));
  const isWanted = matchesOne(["GO.example/a-*", "docs.example/a-3"]);
  expect(await exported(emulator, { isWanted })).toMatchObject({ links: 6, domains: 2 });
  const only = await exported(emulator, { isWanted: matchesOne(["docs.example"]), folder: "docs" });
  expect(only).toMatchObject({ links: 15, domains: 1 });
});
