import type { Plan } from "../../src/live/plan";
import { setTimeout } from "node:timers/promises";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Commands } from "../helpers/commands";
import { send } from "../helpers/emulator";

// The report of `pulumi-shortlink plan` for a real plan, and the effect and cost of the run.

let emulator: Emulator;
let project: Commands;
beforeEach(async () => {
  emulator = await createEmulator({ limit: { requests: 20, window: 1 } });
  project = new Commands(emulator, {
    SHORTLINK_LIMIT_WINDOW: "1",
    SHORTLINK_ALLOW_DELETES: "100",
    SESAME: "open sesame",
  });
});
afterEach(async () => {
  await emulator.close();
  project.remove();
});

const link = (key: string, domain: string, more = "") =>
  `  ${key}: { domain: ${domain}, alias: ${key}, url: "https://example.com/${key}"${more} }`;

test("a plan lists lost links, changes with their places, and the exact number of requests", async () => {
  project.write("index.js", 'new (require("pulumi-shortlink").LinkCatalog)("links", { files: "links" });');
  const catalog = (domains: string, ...links: string[]) =>
    project.write("links/all.yaml", [`domains: { ${domains} }`, "links:", ...links].join("\n"));
  const many = Array.from({ length: 30 }, (_, i) => link(`many-${i}`, "go.example"));
  const before = ["keep", "gone", "moved", "renamed", "edited", "one"].map((key) => link(key, "go.example"));
  catalog("go.example: {}, old.example: {}", ...many, ...before, link("locked", "old.example"));
  await project.run("pulumi stack init dev && pulumi up --yes --skip-preview");
  // After this wait the account may send requests again.
  await setTimeout(1000);
  const { body } = await send(emulator, "GET", "/domains?search=go.example");
  const [go] = (body as { data: { id: number }[] }).data;
  const found = await send(emulator, "GET", "/links?search=keep&search_by=alias");
  const keep = (found.body as { data: { id: number }[] }).data[0]?.id;
  for (const alias of ["free", "taken"])
    await send(emulator, "POST", "/links", {
      form: `url=https://example.com/free&domain_id=${go?.id}&alias=${alias}`,
    });

  const after = [
    link("keep", "go.example", ", adopt: ifEqual").replace("keep:", "kept:"),
    link("moved", "new.example"),
    link("renamed", "go.example").replace("alias: renamed", "alias: other"),
    link("edited", "go.example", ', clicksLimit: 5, redirectPassword: { secret: "env:SESAME" }'),
    link("one", "go.example"),
    link("created", "new.example"),
    link("free", "go.example", ", adopt: ifEqual"),
    ...many.map((line, i) => (i < 20 ? line.replaceAll("many-", "new-") : line)),
  ];
  const domains = "go.example: {}, new.example: { homepageUrl: https://example.com/ }";
  const refusedLinks = after.map((line) => line.replace(/(kept.*), adopt: ifEqual/, "$1"));
  catalog(domains, ...refusedLinks, link("taken", "go.example"));
  const writes = () => emulator.requests.filter(({ method }) => method !== "GET").length;
  const written = writes();
  const refused = await project.run("shortlink plan", 1);
  expect(refused).toContain(
    `In the way (2):\n  go.example/keep: exists already as link ${keep}, until now "links-keep"; to keep it under the new name, add ` +
      "formerly and the old key (links/all.yaml:3:3)\n  go.example/taken: exists already as link",
  );
  expect(refused).toContain("and differs in url (links/all.yaml:40:3)");
  catalog(domains, ...after);
  const plan = JSON.parse(await project.run("shortlink plan --format json")) as Plan & { wait: number };
  expect(plan).toMatchObject({ requests: 54, limit: 20, wait: 2000, errors: [], others: [] });
  const lost = plan.lost.map(({ address, why, leadsTo }) => [address, why, leadsTo]);
  expect(lost).toHaveLength(24);
  expect(lost).toEqual(
    expect.arrayContaining([
      ["go.example/gone", "deleted", undefined],
      ["go.example/many-0", "deleted", undefined],
      ["old.example/locked", "deleted", undefined],
      ["go.example/moved", "other domain", undefined],
      ["go.example/renamed", "other alias", undefined],
    ]),
  );
  const text = await project.run("shortlink plan");
  expect(text).toContain(
    "23 to delete, 1 to replace, 2 to adopt, 2 to change, 22 to create; 15 unchanged.\n\nShort links that stop working (24):\n",
  );
  for (const line of [
    "go.example/moved: becomes new.example/moved; the service does not take domain_id in an update; domainId",
    'go.example/renamed: becomes go.example/other; alias "renamed" becomes "other" (links/all.yaml:5:3)',
    'go.example/edited: redirectPassword none becomes "[secret]"; clicksLimit none becomes 5 (links/all.yaml:6:3)',
    "new.example/created to https://example.com/created (links/all.yaml:8:3)",
    "go.example/free: exists already as link 38 (links/all.yaml:9:3)",
    `go.example/keep: exists already as link ${keep}, until now "links-keep" (links/all.yaml:3:3)`,
    "It sends 54 requests, which take about 1 minute at the account's limit of 20.",
  ])
    expect(text).toContain(line);
  expect(text + JSON.stringify(plan)).not.toMatch(/open sesame|emulator-key/);
  expect(writes()).toBe(written);

  const sent = emulator.requests.length;
  await project.run("pulumi up --yes --skip-preview");
  expect(emulator.requests.length - sent).toBe(plan.requests);
  expect(await project.run("shortlink plan")).toBe("No changes; 42 unchanged.\n\nIt sends no request.\n");

  // A link gets the alias of a link that is deleted at the end of the run: a refused request, a lookup, and a move out of the way.
  const handedOn = after.filter((line) => !line.includes(" one: "));
  catalog(domains, ...handedOn.map((line) => line.replace("alias: other", "alias: one")));
  const next = JSON.parse(await project.run("shortlink plan --format json")) as Plan;
  expect(next.lost.map(({ address, leadsTo }) => [address, leadsTo])).toEqual([
    ["go.example/other", undefined],
    ["go.example/one", "https://example.com/renamed"],
  ]);
  const done = emulator.requests.length;
  await project.run("pulumi up --yes --skip-preview");
  expect(emulator.requests.length - done).toBe(next.requests);

  // A file was truncated: the plan names the links that would be deleted.
  project.set("SHORTLINK_ALLOW_DELETES", "0");
  catalog(domains, ...after.slice(0, 20));
  const accident = await project.run("shortlink plan", 1);
  expect(accident).toContain("Pulumi cannot plan this program.");
  expect(accident).toMatch(/links would be deleted or replaced \(many-\d+, /);

  // Pulumi can plan without the service.
  catalog(domains, ...after);
  project.set("SHORTLINK_BASE_URL", "http://127.0.0.1:1");
  project.set("SHORTLINK_MOVED_FROM", emulator.url);
  expect(await project.run("shortlink plan")).toContain(
    "The plan lacks the names of domains and the duration:",
  );
}, 300_000);
