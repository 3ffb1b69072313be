import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Finding } from "../../src/live/drift";
import { reportDrift } from "../../src/live/drift-report";
import type { Change, LostLink } from "../../src/live/plan";
import { reportPlan } from "../../src/live/plan-report";
import { openBrowser } from "../helpers/browser";

// The pages of plan and drift, in a real browser.

const folder = mkdtempSync(join(tmpdir(), "shortlink-page-"));
let browser: Browser;
let page: Page;
let requests: string[];
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  page = await browser.newPage();
  requests = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => expect.unreachable(String(error)));
  page.on("dialog", (dialog) => expect.unreachable(dialog.message()));
});
afterEach(() => page.close());

async function open(html: string): Promise<void> {
  const file = join(folder, "page.html");
  writeFileSync(file, html);
  await page.goto(pathToFileURL(file).href);
}

/** The visible headings with their counts, and the addresses below them. */
const seen = () =>
  page.$$eval("section", (sections) =>
    sections
      .filter((section) => section.checkVisibility())
      .map((section) => [
        section.querySelector("h2")?.textContent ?? "",
        ...[...section.querySelectorAll("li")]
          .filter((item) => item.checkVisibility())
          .map((item) => item.querySelector("h3")?.textContent ?? ""),
      ]),
  );
const count = () => page.$eval("output", (output) => output.textContent);

/** Takes a picture for a manual check, if PICTURES is set. */
async function picture(name: string): Promise<void> {
  const pictures = process.env.PICTURES;
  if (pictures === undefined) return;
  await page.setViewport({ width: 1100, height: 900, deviceScaleFactor: 2 });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

const evil = `"><img src="https://evil.example/x" onerror="alert(1)"><script>alert(2)</script>`;
const urn = (name: string) => `urn:pulumi:dev::links::pulumi-nodejs:dynamic/shortlink:Link::${name}`;
const about = (name: string, line: number) => ({
  type: "link" as const,
  resource: `links-${name}`,
  urn: urn(name),
  address: `go.example/${name}`,
  place: `links/docs.yaml:${line}:3`,
});
const changes: Change[] = [
  {
    ...about("press", 4),
    action: "delete",
    url: "https://example.com/press/2025",
    fields: [],
    reason: "the program no longer has it",
  },
  {
    ...about("fair", 9),
    action: "replace",
    newAddress: "events.example/fair",
    fields: [{ name: "domainId", old: 1, new: 2 }],
    reason: "the service does not take domain_id in an update",
  },
  {
    ...about("docs", 12),
    action: "update",
    fields: [
      { name: "url", old: "https://example.com/docs/v1", new: "https://example.com/docs/v2" },
      { name: "redirectPassword", old: null, new: "[secret]" },
    ],
  },
  { ...about("menu", 18), action: "update", fields: [{ name: "clicksLimit", old: 100, new: null }] },
  {
    ...about("evil", 21),
    action: "update",
    fields: [{ name: "url", old: evil, new: "https://example.com/" }],
  },
  { ...about("spring", 30), action: "create", url: "https://example.com/spring?from=poster", fields: [] },
];
const lost: LostLink[] = [
  { ...about("press", 4), why: "deleted" },
  { ...about("fair", 9), why: "other domain", newAddress: "events.example/fair" },
];

test("the plan page can be searched and filtered, counts its entries, and loads nothing else", async () => {
  const plan = {
    stack: "production of links",
    changes,
    lost,
    unchanged: 251,
    others: [],
    requests: 7,
    errors: [],
    isRefreshing: false,
    limit: 60,
    wait: 0,
  };
  await open(reportPlan(plan, "html"));
  expect(await page.title()).toBe("Plan of short links: production of links");
  const all = await seen();
  expect(all.map(([title]) => title)).toEqual([
    "Short links that stop working 2",
    "Deleted 1",
    "Replaced 1",
    "Changed 3",
    "Created 1",
  ]);
  expect(all[2]).toEqual(["Replaced 1", "go.example/fair becomes events.example/fair"]);
  expect(await page.$eval("header", ({ innerText }) => innerText)).toContain(
    "1 to delete, 1 to replace, 3 to change, 1 to create; 251 unchanged.",
  );
  await picture("plan-light");
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
  const dark = await page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
  await picture("plan-dark");
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "light" }]);
  const light = await page.$eval("body", (body) => getComputedStyle(body).backgroundColor);
  expect([dark, light]).toEqual(["rgb(20, 23, 27)", "rgb(245, 246, 248)"]);

  // A value, a file with its line, and two words.
  for (const [words, address] of [
    ["docs/V2", "go.example/docs"],
    ["yaml:18", "go.example/menu"],
    ["alert evil", "go.example/evil"],
  ] as const) {
    await page.$eval("input", (input) => (input.value = ""));
    await page.type("input", words);
    expect(await seen(), words).toEqual([["Changed 1", address]]);
    expect(await count()).toBe("1 of 8");
  }
  await page.$eval("input", (input) => (input.value = ""));
  await page.type("input", "nowhere");
  expect([await seen(), await count()]).toEqual([[], "0 of 8"]);
  await page.click("input", { count: 3 });
  await page.keyboard.press("Backspace");
  const click = (name: string) => page.click(`button ::-p-text(${name})`);
  await click("Deleted");
  await click("Created");
  expect((await seen()).map(([title]) => title)).toEqual(["Deleted 1", "Created 1"]);
  expect(await count()).toBe("2 of 8");
  await click("Deleted");
  expect(await seen()).toEqual([["Created 1", "go.example/spring"]]);
  await click("Created");
  expect(await seen()).toEqual(all);
  expect(requests).toEqual([page.url()]);
});

test("the drift page lists all findings, and hides the search without scripts", async () => {
  const findings: Finding[] = [
    { kind: "missing", address: "go.example/press", id: 4, resource: "links-press" },
    {
      kind: "changed",
      address: "go.example/docs",
      id: 7,
      resource: "links-docs",
      fields: [{ name: "url", state: "https://example.com/docs", service: evil }],
    },
    { kind: "unmanaged", address: "go.example/lunch", id: 90 },
    { kind: "expiring", address: "go.example/fair", id: 12, end: "2026-11-30T23:00:00" },
  ];
  await page.setJavaScriptEnabled(false);
  await open(reportDrift(findings, "html"));
  expect(await page.$("input").then((input) => input?.isVisible())).toBe(false);
  const withoutScripts = await seen();
  expect(withoutScripts.map(([title]) => title)).toHaveLength(4);
  await page.setJavaScriptEnabled(true);
  await page.reload();
  await picture("drift-light");
  expect((await seen()).map(([title]) => title)).toEqual([
    "Deleted on the service 1",
    "Changed on the service 1",
    "Not managed by this stack 1",
    "Expiring soon 1",
  ]);
  expect(await page.$eval("dl", ({ innerText }) => innerText)).toContain(evil);
  expect(requests.every((url) => url === page.url())).toBe(true);
  await open(reportDrift([], "html"));
  expect(await page.$eval("header", ({ innerText }) => innerText)).toContain("No drift");
});
