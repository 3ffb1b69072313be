import { expect } from "vitest";
import type { Emulator } from "../../src/emulator/server";
import { send, test, visit } from "../helpers/emulator";

/** A domain `go.example` with one link `go.example/a`. */
async function link(emulator: Emulator, form = "", domain = ""): Promise<void> {
  await send(emulator, "POST", "/domains", { form: `name=go.example&${domain}` });
  const { status } = await send(emulator, "POST", "/links", {
    form: `url=https://example.com/&domain_id=1&alias=a&${form}`,
  });
  expect(status).toBe(201);
}

const short = "http://go.example/a";
const year = new Date().getFullYear();
const period = (from: number, to: number) =>
  `active_period_start_at=${year + from}-01-01T00:00:00&active_period_end_at=${year + to}-01-01T00:00:00`;

test("a visit redirects to the destination and counts a click", async ({ emulator }) => {
  await link(emulator);
  expect(await visit(emulator, short)).toMatchObject({ status: 301, location: "https://example.com/" });
  expect((await send(emulator, "GET", "/links/1")).body).toMatchObject({ data: { clicks: 1 } });
});

test("the port and the case of host and alias do not matter", async ({ emulator }) => {
  await link(emulator);
  const headers = { host: "GO.example:8080" };
  expect(await visit(emulator, "http://go.example/A", { headers })).toMatchObject({ status: 301 });
});

test("a non-ASCII alias is found by its percent-encoded path", async ({ emulator }) => {
  await link(emulator);
  await send(emulator, "PATCH", "/links/1", { form: "alias=%C3%B6l" });
  expect(await visit(emulator, "http://go.example/öl")).toMatchObject({ status: 301 });
  expect(await visit(emulator, "http://go.example/%ff")).toMatchObject({ status: 404 });
});

test("an unknown path returns 404 or redirects to the domain's not-found URL", async ({ emulator }) => {
  await link(emulator);
  expect(await visit(emulator, "http://go.example/nothing")).toMatchObject({ status: 404 });
  await send(emulator, "PATCH", "/domains/1", { form: "not_found_url=https://example.com/404" });
  expect(await visit(emulator, "http://go.example/nothing")).toMatchObject({
    status: 301,
    location: "https://example.com/404",
  });
});

test("the bare domain redirects to its homepage URL", async ({ emulator }) => {
  await link(emulator, "", "homepage_url=https://example.com/home");
  expect(await visit(emulator, "http://go.example/")).toMatchObject({
    status: 301,
    location: "https://example.com/home",
  });
});

test("a bare domain without a homepage shows the installation's page", async ({ emulator }) => {
  await link(emulator, "", "not_found_url=https://example.com/404");
  expect(await visit(emulator, "http://go.example/")).toMatchObject({ status: 200 });
});

test("a non-ASCII destination is sent percent-encoded", async ({ emulator }) => {
  await link(emulator);
  await send(emulator, "PATCH", "/links/1", { form: "url=https://ja.wikipedia.org/wiki/日本" });
  expect(await visit(emulator, short)).toMatchObject({
    status: 301,
    location: "https://ja.wikipedia.org/wiki/%E6%97%A5%E6%9C%AC",
  });
});

test("a path of slashes returns 404, and the emulator keeps working", async ({ emulator }) => {
  await link(emulator);
  expect((await fetch(`${emulator.url}//`)).status).toBe(404);
  expect(await visit(emulator, short)).toMatchObject({ status: 301 });
});

test.for<[string, string]>([
  ["before its period", period(1, 2)],
  ["after its period", period(-2, -1)],
])("a link %s is expired", async ([, form], { emulator }) => {
  await link(emulator, form);
  expect(await visit(emulator, short)).toMatchObject({ status: 404 });
  await send(emulator, "PATCH", "/links/1", { form: "expiration_url=https://example.com/expired" });
  expect(await visit(emulator, short)).toMatchObject({
    status: 301,
    location: "https://example.com/expired",
  });
});

test("a link inside its active period redirects", async ({ emulator }) => {
  await link(emulator, period(-1, 1));
  expect(await visit(emulator, short)).toMatchObject({ status: 301, location: "https://example.com/" });
});

test("a link expires when it reaches its click limit", async ({ emulator }) => {
  await link(emulator, "clicks_limit=2&expiration_url=https://example.com/expired");
  const locations: unknown[] = [];
  for (let i = 0; i < 3; i++) locations.push((await visit(emulator, short)).location);
  expect(locations).toEqual(["https://example.com/", "https://example.com/", "https://example.com/expired"]);
});

test("a visitor must give the password and then the consent before a click counts", async ({ emulator }) => {
  await link(emulator, "redirect_password=open+sesame&sensitive_content=1&pixel_ids[]=1");
  expect(await visit(emulator, short)).toMatchObject({
    status: 200,
    text: expect.stringContaining("password"),
  });
  expect(await visit(emulator, short, { form: "password=wrong" })).toMatchObject({ status: 200 });
  const consent = await visit(emulator, short, { form: "password=open+sesame" });
  expect(consent).toMatchObject({ status: 200, text: expect.stringContaining("sensitive") });
  expect(await visit(emulator, short, { form: "password=open+sesame&consent=1" })).toMatchObject({
    status: 301,
  });
  expect((await send(emulator, "GET", "/links/1")).body).toMatchObject({ data: { clicks: 1 } });
});

test("a link with pixels asks for consent", async ({ emulator }) => {
  await link(emulator, "pixel_ids[]=1");
  expect(await visit(emulator, short)).toMatchObject({
    status: 200,
    text: expect.stringContaining("pixels"),
  });
});

test("the visitor's query is merged into the destination", async ({ emulator }) => {
  await link(emulator, "");
  await send(emulator, "PATCH", "/links/1", { form: "url=https://example.com/?a=1%26b=2" });
  expect((await visit(emulator, `${short}?b=3&c=4`)).location).toBe("https://example.com/?a=1&b=3&c=4");
});

const agents = {
  iphone:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1",
  firefox: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
};
test.for<[string, string, Record<string, string>]>([
  ["continents", "EU", { "x-visitor-continent": "EU" }],
  ["countries", "DE", { "x-visitor-country": "DE" }],
  ["operating_systems", "iOS", { "user-agent": agents.iphone }],
  ["operating_systems", "Linux", { "user-agent": agents.firefox }],
  ["browsers", "Firefox", { "user-agent": agents.firefox }],
  ["browsers", "Safari", { "user-agent": agents.iphone }],
  ["devices", "mobile", { "user-agent": agents.iphone }],
  ["devices", "desktop", { "user-agent": agents.firefox }],
  ["languages", "de", { "accept-language": "de" }],
])("targets by %s: %s", async ([type, key, headers], { emulator }) => {
  const entries = [
    [key, "https://first.example/"],
    [key, "https://target.example/"],
  ].map(([name, value], i) => `targets[${i}][key]=${name}&targets[${i}][value]=${value}`);
  await link(emulator, `targets_type=${type}&${entries.join("&")}`);
  // The last match wins. Other visitors get the link's own URL.
  expect((await visit(emulator, short, { headers })).location).toBe("https://target.example/");
  expect((await visit(emulator, short, { headers: { "user-agent": "x" } })).location).toBe(
    key === "desktop" ? "https://target.example/" : "https://example.com/",
  );
});

test("rotations alternate between all destinations, including the link's URL", async ({ emulator }) => {
  await link(
    emulator,
    "targets_type=rotations&targets[0][value]=https://b.example/&targets[1][value]=https://c.example/",
  );
  const locations: unknown[] = [];
  for (let i = 0; i < 4; i++) locations.push((await visit(emulator, short)).location);
  expect(locations).toEqual([
    "https://b.example/",
    "https://c.example/",
    "https://example.com/",
    "https://b.example/",
  ]);
});

test("a redirect has Cache-Control: no-store", async ({ emulator }) => {
  await link(emulator);
  expect((await visit(emulator, short)).headers["cache-control"]).toBe("no-store");
});
