import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { join } from "node:path";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import decodeQR from "qr/decode.js";
import { openBrowser } from "../helpers/browser";
import { send, visit } from "../helpers/emulator";

// The emulator's page in a real browser.

let browser: Browser;
let page: Page;
let emulator: Emulator;
const requests: string[] = [];
beforeAll(async () => {
  emulator = await createEmulator({ apiKey: "never-shown" });
  const post = (path: string, form: string) => send(emulator, "POST", path, { form });
  await post("/domains", "name=go.example&homepage_url=https://example.com/");
  await post("/domains", "name=docs.example");
  for (const form of [
    `alias=guide&url=${emulator.url}/login`,
    "alias=sale&url=https://example.com/spring-sale&clicks_limit=1&redirect_password=secret",
    "alias=map&url=https://example.com/map&targets_type=countries&targets[0][key]=DE&targets[0][value]=https://example.com/de",
    "alias=fair&url=https://example.com/fair&sensitive_content=1&active_period_start_at=2020-01-01T00:00:00&active_period_end_at=2020-02-01T00:00:00",
  ])
    await post("/links", `domain_id=1&${form}`);
  await send(emulator, "GET", "/links?api_key=never-shown");
  await send(emulator, "GET", "/links/99");
  browser = await openBrowser();
  page = await browser.newPage();
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => expect.unreachable(String(error)));
  page.on("dialog", (dialog) => expect.unreachable(dialog.message()));
});
afterAll(async () => {
  await browser.close();
  await emulator.close();
});

/** The content of a section, without its details. */
const seen = async (title: string) => {
  const sections = await page.$$eval("section", (all) =>
    all.map((section) => [
      section.querySelector("h2")?.textContent ?? "",
      ...[...section.querySelectorAll("li")].map(({ innerText }) => innerText.replace(/\s+/g, " ").trim()),
    ]),
  );
  return sections.find(([name]) => name?.startsWith(title))?.slice(1) ?? [];
};

async function picture(name: string): Promise<void> {
  const pictures = process.env.PICTURES;
  if (pictures === undefined) return;
  await page.setViewport({ width: 1100, height: 1000, deviceScaleFactor: 2 });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

test("the page shows domains, links and requests, and loads only from the emulator", async () => {
  await page.goto(emulator.url);
  expect(await page.$eval("header", ({ innerText }) => innerText)).toBe(
    `Short links\n\nThe emulator of the service at ${emulator.url}: 2 domains, 4 links, 0 visits.`,
  );
  expect(await seen("Domains")).toEqual([
    "4 links go.example homepage https://example.com/",
    "0 links docs.example",
  ]);
  expect((await seen("Links")).map((line) => line.replace("0 visits QR ", ""))).toEqual([
    "go.example/fair expired asks for consent https://example.com/fair",
    "go.example/map by countries https://example.com/map",
    "go.example/sale password https://example.com/spring-sale",
    `go.example/guide ${emulator.url}/login`,
  ]);
  expect((await seen("Last requests")).slice(0, 2)).toEqual([
    "404 GET /api/v1/links/99",
    "200 GET /api/v1/links?api_key=…",
  ]);
  expect(await page.content()).not.toContain("never-shown");
  await picture("emulator-light");
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  expect(await page.$eval("body", (body) => getComputedStyle(body).backgroundColor)).toBe("rgb(20, 23, 27)");
  await picture("emulator-dark");
  expect(requests.every((each) => each.startsWith(emulator.url) || each.startsWith("data:"))).toBe(true);
});

test("links on the page work, visits update automatically, and the search filters links", async () => {
  await page.goto(emulator.url);
  const link = await page.$eval("a::-p-text(go.example/guide)", ({ href }) => href);
  expect(link).toBe(`${emulator.url}/go.example/guide`);
  const other = await browser.newPage();
  await other.goto(link);
  expect(other.url()).toBe(`${emulator.url}/login`);
  // A link with a password asks for it here too.
  await other.goto(`${emulator.url}/go.example/sale`);
  expect(await other.$("input[name=password]")).not.toBeNull();
  await other.close();
  await page.bringToFront();
  const header = () => page.$eval("header", ({ innerText }) => innerText);
  await expect.poll(header, { timeout: 10_000 }).toContain("1 visit.");
  expect((await seen("Links")).at(-1)).toMatch(/^1 visit QR go.example\/guide/);

  await page.type("input", "EXPIRED fair");
  await expect.poll(() => seen("Links")).toHaveLength(1);
  expect(page.url()).toBe(`${emulator.url}/?search=EXPIRED%20fair`);
  await page.reload();
  expect(await seen("Links")).toHaveLength(1);
  expect(await page.$eval("input", ({ value }) => value)).toBe("EXPIRED fair");
});

test("the page shows the QR code of a link", async () => {
  await page.goto(emulator.url);
  await page.click("details summary");
  await expect
    .poll(() => page.$eval("details[open] img", ({ naturalWidth }) => naturalWidth))
    .toBeGreaterThan(100);
  const code = await page.$eval("details[open] img", (image) => {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = 400;
    const context = canvas.getContext("2d") as CanvasRenderingContext2D;
    context.drawImage(image, 0, 0, 400, 400);
    return [...context.getImageData(0, 0, 400, 400).data];
  });
  expect(decodeQR({ width: 400, height: 400, data: Uint8ClampedArray.from(code) })).toBe(
    "http://go.example/fair",
  );
  // It stays open while the page asks for news, which show when it is closed.
  await visit(emulator, "http://go.example/map");
  await page.waitForResponse((response) => response.url().includes("/?search="));
  expect(await page.$("details[open] img")).not.toBeNull();
  await picture("emulator-code");
  expect((await fetch(`${emulator.url}/qr/99.svg`)).status).toBe(404);
  await page.click("details summary");
  const visited = expect.stringMatching(/^1 visit QR go.example\/map /) as string;
  await expect.poll(() => seen("Links"), { timeout: 10_000 }).toContainEqual(visited);
});

test("the page is not served under another host name", async () => {
  const port = new URL(emulator.url).port;
  const text = await page.evaluate(() => document.title);
  expect(text).toBe("Short links");
  await page.goto(`http://evil.localhost:${port}/`);
  expect(await page.$("section")).toBeNull();
});
