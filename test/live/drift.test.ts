import { afterEach, beforeEach, expect, test } from "vitest";
import { openAccount } from "../../src/cli/account";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import { findDrift, type DriftOptions } from "../../src/live/drift";
import { reportDrift } from "../../src/live/drift-report";
import { managedIn } from "../../src/live/state";
import { survey } from "../../src/live/survey";
import { send } from "../helpers/emulator";
import { newRun, settingsOf } from "../helpers/run";

// Differences between a state and an account, for states in the format of `pulumi stack export --show-secrets`.

let emulator: Emulator;
let resources: { urn: string; type: string; id: string; outputs: Record<string, unknown> }[];
beforeEach(async () => {
  emulator = await createEmulator();
  resources = [];
});
afterEach(() => emulator.close());

/** Makes an object as an `up` does, and adds it to the state. */
async function make(type: "Domain" | "Link", name: string, args: Record<string, unknown>): Promise<void> {
  const { domain, link } = newRun(settingsOf(emulator));
  const provider = type === "Domain" ? domain : link;
  const urn = `urn:pulumi:dev::test::pulumi-nodejs:dynamic/shortlink:${type}::${name}`;
  const { inputs } = await provider.check({}, { __provider: "text", __urn: urn, ...args });
  const { id, outs } = await provider.create(inputs);
  resources.push({ urn, type: `pulumi-nodejs:dynamic/shortlink:${type}`, id, outputs: outs });
}

async function drift(
  options: Partial<DriftOptions> = {},
  change = (_survey: Awaited<ReturnType<typeof survey>>) => undefined as void,
) {
  const settings = settingsOf(emulator);
  const account = openAccount((key) => settings[key]);
  const found = await survey(account.client);
  change(found);
  const state = JSON.parse(JSON.stringify({ deployment: { resources } })) as Parameters<typeof managedIn>[0];
  const now = Date.parse("2026-06-01T00:00:00Z");
  return findDrift(account, found, managedIn(state), { isIgnored: () => false, soon: 0, now, ...options });
}

const url = "https://example.com/";
const day = 24 * 60 * 60 * 1000;

test("expired links are reported, and links that expire within the given days", async () => {
  await make("Domain", "go", { name: "go.example" });
  const until = (end: string) => ({ activePeriodStartAt: "2026-01-01T00:00:00", activePeriodEndAt: end });
  await make("Link", "past", { domainId: 1, alias: "past", url, ...until("2026-05-31T00:00:00") });
  await make("Link", "soon", { domainId: 1, alias: "soon", url, ...until("2026-06-08T00:00:00") });
  await make("Link", "later", { domainId: 1, alias: "later", url, ...until("2026-06-09T00:00:00") });
  await make("Link", "clicks", { domainId: 1, alias: "clicks", url, clicksLimit: 3 });
  const used = (clicks: number) => drift({}, ({ links }) => void Object.assign(links[3] ?? {}, { clicks }));
  const past = { kind: "expired", address: "go.example/past", id: 1, end: "2026-05-31T00:00:00" };
  expect(await drift()).toEqual([past]);
  expect(await drift({ isIgnored: (address) => address === "go.example/past" })).toEqual([]);
  expect(await drift({ soon: 7 * day })).toEqual([
    past,
    { kind: "expiring", address: "go.example/soon", id: 2, end: "2026-06-08T00:00:00" },
  ]);
  expect(await used(2)).toEqual([past]);
  expect(await used(3)).toEqual([
    { kind: "expired", address: "go.example/clicks", id: 4, end: "3 clicks" },
    past,
  ]);
});

test("drift reports changed domains, duplicate aliases and unmanaged objects, which can be ignored", async () => {
  await make("Domain", "go", { name: "go.example", homepageUrl: url });
  await make("Domain", "gone", { name: "gone.example" });
  await make("Link", "docs", { domainId: 1, alias: "docs", url });
  await send(emulator, "PATCH", "/domains/1", { form: "homepage_url=https://example.com/x" });
  await send(emulator, "DELETE", "/domains/2");
  await send(emulator, "POST", "/domains", { form: "name=other.example" });
  await send(emulator, "POST", "/links", { form: `domain_id=1&alias=by-hand&url=${url}` });
  const twice = ({ links }: Awaited<ReturnType<typeof survey>>) => {
    const [docs] = links;
    if (docs) links.push({ ...docs, id: 9, alias: "DOCS" });
  };
  const all = await drift({}, twice);
  expect(all).toEqual([
    { kind: "missing", address: "gone.example", id: 2, resource: "gone" },
    {
      kind: "changed",
      address: "go.example",
      id: 1,
      resource: "go",
      fields: [{ name: "homepageUrl", state: url, service: "https://example.com/x" }],
    },
    { kind: "duplicate", address: "go.example/DOCS", id: 9 },
    { kind: "unmanaged", address: "go.example/DOCS", id: 9 },
    { kind: "unmanaged", address: "go.example/by-hand", id: 2 },
    { kind: "unmanaged", address: "other.example", id: 3 },
  ]);
  const isIgnored = (address: string) => address !== "other.example";
  expect((await drift({ isIgnored }, twice)).filter(({ kind }) => kind === "unmanaged")).toHaveLength(1);
  expect(reportDrift(all, "text")).toContain(
    '  go.example (id 1): go; homepageUrl "https://example.com/" is now',
  );
  expect(reportDrift([], "markdown")).toBe("No drift.");
});

test("a state of another service is refused", async () => {
  await make("Domain", "go", { name: "go.example" });
  Object.assign(resources[0]?.outputs ?? {}, { __origin: "https://other.example" });
  await expect(drift()).rejects.toThrow("This resource was created on the service at https://other.example");
});

test("unreachable destinations are reported, a secret one without its address", async () => {
  await make("Domain", "go", { name: "go.example" });
  await make("Link", "a", { domainId: 1, alias: "a", url: "https://example.com/a", expirationUrl: url });
  const hidden = { domainId: 1, alias: "b", url: "https://example.com/b", __secrets: ["url"] };
  await make("Link", "b", hidden);
  const problems = new Map([
    ["https://example.com/", "it answers 404"],
    ["https://example.com/b", "it does not answer in time"],
  ]);
  const found = await drift({ problems });
  expect(found).toEqual([
    { kind: "unreachable", address: "go.example/a", id: 1, destination: url, why: "it answers 404" },
    {
      kind: "unreachable",
      address: "go.example/b",
      id: 2,
      destination: "[secret]",
      why: "it does not answer in time",
    },
  ]);
  expect(reportDrift(found, "markdown")).toContain(
    "- `go.example/a` (id 1): `https://example.com/`: it answers 404",
  );
});

test("backticks in a value do not end the code spans of a Markdown report", () => {
  const fields = [{ name: "url", state: "https://example.com/`a`", service: "https://example.com/``b" }];
  expect(reportDrift([{ kind: "changed", address: "go.example/a", id: 1, fields }], "markdown")).toBe(
    "### Changed on the service (1)\n\n- `go.example/a` (id 1): url " +
      '`` "https://example.com/`a`" `` is now ``` "https://example.com/``b" ```',
  );
});

test("secret values stay hidden; read resources and pending deletions are not compared", async () => {
  await make("Domain", "go", { name: "go.example" });
  await make("Link", "secret", {
    domainId: 1,
    alias: "hidden",
    url,
    __secrets: ["url", "alias"],
    redirectPassword: "x",
    clicksLimit: 1,
  });
  await make("Link", "pending", { domainId: 1, alias: "pending", url });
  await make("Link", "read", { domainId: 1, alias: "read", url });
  Object.assign(resources[2] ?? {}, { delete: true });
  Object.assign(resources[3] ?? {}, { external: true });
  const outputs = resources[1]?.outputs ?? {};
  const sealed = (value: unknown) => ({
    "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
    plaintext: JSON.stringify(value),
  });
  for (const name of ["url", "alias", "shortUrl", "redirectPassword"]) outputs[name] = sealed(outputs[name]);
  await send(emulator, "PATCH", "/links/1", { form: "url=https://example.com/seen&alias=shown" });
  const found = await drift({}, ({ links }) => void Object.assign(links[0] ?? {}, { clicks: 1 }));
  expect(found.at(-1)).toEqual({ kind: "expired", address: "[secret]", id: 1, end: "1 click" });
  expect(found.filter(({ kind }) => kind === "changed")).toEqual([
    {
      kind: "changed",
      address: "[secret]",
      id: 1,
      resource: "secret",
      fields: ["url", "alias"].map((name) => ({ name, state: "[secret]", service: "[secret]" })),
    },
  ]);
  expect(found.filter(({ kind }) => kind === "unmanaged").map(({ id }) => id)).toEqual([2, 3]);
});
