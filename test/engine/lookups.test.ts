import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send, visit } from "../helpers/emulator";

let emulator: Emulator;
let stack: TestStack | undefined;

// Two domains, and 105 links on the first: `link-1` to `link-105`.
beforeAll(async () => {
  emulator = await createEmulator();
  for (const name of ["go.example", "docs.example"]) {
    await send(emulator, "POST", "/domains", { form: `name=${name}&homepage_url=https://${name}/home` });
  }
  for (let i = 1; i <= 105; i++) {
    const space = i % 10 === 0 ? "&space_id=2" : "";
    const form = `url=https://example.com/${i}&domain_id=1&alias=link-${i}${space}`;
    await send(emulator, "POST", "/links", { form });
  }
  const form =
    "pixel_ids[]=1&privacy=2&password=p&clicks_limit=1&targets_type=countries&targets[0][key]=DE&targets[0][value]=https://de.example/";
  await send(emulator, "PATCH", "/links/7", { form });
  for (const [id, start, end] of [
    [8, 2019, 2020],
    [9, 2036, 2037],
    [10, 2019, 2037],
  ]) {
    const period = `active_period_start_at=${start}-01-01T00:00:00&active_period_end_at=${end}-01-01T00:00:00`;
    await send(emulator, "PATCH", `/links/${id}`, { form: period });
  }
});
afterEach(() => stack?.remove());
afterAll(() => emulator.close());

async function outputs(
  program: () => Promise<unknown> | Record<string, unknown>,
): Promise<Record<string, unknown>> {
  stack = await createStack(emulator, async () => program());
  return (await stack.up()).outputs;
}

test("getDomain and getLink find an object by id and by name", async () => {
  const found = await outputs(async () => ({
    domains: await Promise.all(["2", "DOCS.example"].map(shortlink.getDomain)),
    links: await Promise.all(["7", "go.example/link-7"].map(shortlink.getLink)),
    later: shortlink.getLinkOutput(pulumi.output("go.example/link-1")).url,
    latest: shortlink.getDomainOutput(pulumi.output("1")).apply(({ name }) => name),
  }));
  const domain = {
    id: "2",
    name: "docs.example",
    url: "http://docs.example",
    homepageUrl: "https://docs.example/home",
  };
  const link = {
    id: "7",
    url: "https://example.com/7",
    domainId: 1,
    alias: "link-7",
    shortUrl: "http://go.example/link-7",
    pixelIds: [1],
    privacy: "password",
    clicksLimit: 1,
    targetsType: "countries",
    targets: [{ key: "DE", value: "https://de.example/" }],
    hasRedirectPassword: false,
    hasPassword: true,
  };
  expect(found).toEqual({
    domains: [domain, domain],
    links: [link, link],
    later: "https://example.com/1",
    latest: "go.example",
  });
});

test("getDomains and getLinks return all matches from all pages", async () => {
  await visit(emulator, "http://go.example/link-7", { form: "consent=1" });
  const count = async (args?: shortlink.GetLinksArgs) => (await shortlink.getLinks(args)).length;
  const before = emulator.requests.length;
  const found = await outputs(async () => ({
    all: await count(),
    space: await count({ spaceId: "2" }),
    noSpace: await count({ spaceId: 0 }),
    pixel: await count({ pixelId: 1 }),
    otherDomain: await count({ domainId: "2" }),
    alias: await count({ search: "link-10", searchBy: "alias" }),
    url: await count({ search: "example.com/99", searchBy: "url" }),
    title: await count({ search: "anything" }),
    expired: (await shortlink.getLinks({ status: "expired" })).map(({ alias }) => alias),
    active: await count({ status: "active" }),
    disabled: await count({ status: "disabled" }),
    domains: (await shortlink.getDomains({ search: "docs" })).map(({ name }) => name),
    output: shortlink.getLinksOutput({ spaceId: 2 }).apply((links) => links.length),
    outputs: shortlink.getDomainsOutput().apply((domains) => domains.length),
  }));
  expect(found).toEqual({
    all: 105,
    space: 10,
    noSpace: 95,
    pixel: 1,
    otherDomain: 0,
    alias: 7,
    url: 1,
    title: 0,
    expired: ["link-7", "link-8"],
    active: 102,
    disabled: 0,
    domains: ["docs.example"],
    output: 10,
    outputs: 2,
  });
  expect(emulator.requests.slice(before).map(({ path }) => path)).toContain(
    "/api/v1/links?sort_by=id&sort=asc&per_page=100&page=2",
  );
});

test("a lookup of a missing object or an unknown status fails the program", async () => {
  await expect(outputs(async () => ({ link: await shortlink.getLink("go.example/link") }))).rejects.toThrow(
    'There is no link "go.example/link" in this account.',
  );
  await expect(outputs(async () => ({ domain: await shortlink.getDomain("example") }))).rejects.toThrow(
    'There is no domain "example" in this account.',
  );
  await expect(
    outputs(async () => ({ links: await shortlink.getLinks({ status: "off" as "disabled" }) })),
  ).rejects.toThrow('getLinks has no status "off": it is "all", "active", "expired" or "disabled".');
});
