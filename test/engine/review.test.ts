import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Review } from "../../src/live/review";
import { seed } from "../helpers/arbitraries";
import { Commands } from "../helpers/commands";
import { send } from "../helpers/emulator";

// If something changes after the review of a plan, `pulumi-shortlink up` stops before it writes. Without changes, it applies the plan.

const apiKey = "a-key-that-must-not-show";
const folder = mkdtempSync(join(tmpdir(), "shortlink-review-"));
const data = join(folder, "data.json");
let emulator: Emulator;
let project: Commands;

const link = (key: string, more = "", domain = "go.example") =>
  `  ${key}: { domain: ${domain}, alias: ${key}, url: "https://example.com/${key}"${more} }`;
const locked = link("locked", ', redirectPassword: { secret: "env:SESAME" }');
const before = [
  ...["keep", "edited", "gone", "renamed", "moved"].map((key) => link(key)),
  locked,
  link("old", "", "old.example"),
];
const after = [
  link("keep"),
  link("edited").replace("com/edited", "com/edited-2"),
  link("renamed").replace("alias: renamed", "alias: other"),
  link("moved", "", "new.example"),
  locked,
  link("free", ", adopt: ifEqual"),
  link("new"),
];
const write = (lines: string[], domains = "go.example: {}, new.example: {}") =>
  project.write("links/all.yaml", [`domains: { ${domains} }`, "links:", ...lines].join("\n"));
/** The reviewed catalog with the lines of one key replaced or removed. */
const edit = (key: string, ...instead: string[]) =>
  write(after.flatMap((line) => (line.startsWith(`  ${key}:`) ? instead : [line])));

const settings = {
  PULUMI_STACK: "dev",
  SHORTLINK_ALLOW_DELETES: "100",
  SHORTLINK_API_KEY: apiKey,
  SESAME: "another sesame",
};
/** The files that a plan depends on, beside the data of the service. */
const parts = ["links", "plan.json", ".pulumi/state"];

beforeAll(async () => {
  emulator = await createEmulator({ apiKey, data });
  project = new Commands(emulator, { ...settings, SESAME: "open sesame" });
  project.write("index.js", 'new (require("pulumi-shortlink").LinkCatalog)("links", { files: "links" });');
  write(before, "go.example: {}, new.example: {}, old.example: { forceDestroy: true }");
  await project.run("pulumi stack init other && pulumi stack init dev && pulumi up --yes --skip-preview");
  await byHand("POST", "/links", `url=https://example.com/free&domain_id=${await domainId("go")}&alias=free`);
  write(after);
  project.set("SESAME", settings.SESAME);
  const told = await project.run("shortlink plan --save plan.json");
  expect(told).toContain("To apply it: npx pulumi-shortlink up --plan plan.json");
  const kept = readFileSync(join(project.folder, "plan.json"), "utf8");
  for (const secret of [apiKey, "sesame"]) expect(kept).not.toContain(secret);
  await emulator.close();
  cpSync(data, `${data}.kept`);
  for (const part of parts)
    cpSync(join(project.folder, part), join(folder, "kept", part), { recursive: true });
});
afterAll(async () => {
  await emulator.close();
  project.remove();
  rmSync(folder, { recursive: true });
});

/** Restores everything to the time of the plan. */
async function restore(): Promise<void> {
  await emulator.close();
  cpSync(`${data}.kept`, data);
  for (const part of parts) {
    rmSync(join(project.folder, part), { recursive: true });
    cpSync(join(folder, "kept", part), join(project.folder, part), { recursive: true });
  }
  for (const [name, value] of Object.entries(settings)) project.set(name, value);
  project.set("SHORTLINK_BASE_URL", emulator.url);
  emulator = await createEmulator({ apiKey, data, port: Number(new URL(emulator.url).port) });
  // This process still has the connection to the previous emulator.
  await fetch(emulator.url).catch(() => undefined);
}

async function byHand(method: string, path: string, form?: string): Promise<void> {
  const { status } = await send(emulator, method, path, form === undefined ? {} : { form });
  expect(status).toBeLessThan(300);
}
async function rows(path: string): Promise<{ id: number; alias: string; name: string }[]> {
  const { body } = await send(emulator, "GET", `${path}?per_page=100`);
  return (body as { data: Awaited<ReturnType<typeof rows>> }).data;
}
const domainId = async (name: string) =>
  (await rows("/domains")).find((row) => row.name === `${name}.example`)?.id;
const path = async (alias: string) =>
  `/links/${(await rows("/links")).find((row) => row.alias === alias)?.id}`;
const urn = (name: string) =>
  `'urn:pulumi:dev::project::shortlink:index:LinkCatalog$pulumi-nodejs:dynamic/shortlink:Link::links-${name}'`;

type Move = [what: string, move: () => unknown, told: RegExp | string];
const inCatalog: Move[] = [
  [
    "another destination",
    () => edit("edited", link("edited")),
    /edited: the plan changes it; now it would stay as it is/,
  ],
  [
    "a third destination",
    () => edit("edited", link("edited").replace("com/edited", "com/edited-3")),
    'links/all.yaml:4:3 go.example/edited: url: "https://example.com/edited-3", but "https://example.com/edited-2" in the plan\nSave',
  ],
  [
    "a change more",
    () => edit("keep", link("keep", ", clicksLimit: 1")),
    /keep: not in the plan; now it would be changed/,
  ],
  [
    "a link more",
    () => edit("keep", link("keep"), link("more")),
    /more: not in the plan; now it would be created/,
  ],
  ["a link less", () => edit("keep"), /keep: not in the plan; now it would be deleted/],
  ["a new link less", () => edit("new"), /new: the plan creates it; now it would stay as it is/],
  [
    "a new link with more fields",
    () => edit("new", link("new", ", clicksLimit: 1")),
    /new: clicksLimit differs from the plan/,
  ],
  [
    "another alias",
    () => edit("new", link("new").replace("alias: new", "alias: n")),
    /saved:\n {2}\S+ go\.example\/n: address: "go\.example\/n", but "go\.example\/new" in the plan\nSave/,
  ],
  [
    "a deletion taken back",
    () => edit("keep", link("keep"), link("gone")),
    /gone: the plan deletes it; now it would stay as it is/,
  ],
  [
    "a move taken back",
    () => edit("moved", link("moved")),
    /moved: the plan replaces it; now it would stay as it is/,
  ],
  [
    "another name in the file",
    () => edit("new", link("new").replace("  new:", "  newer:")),
    /new: the plan creates it/,
  ],
  [
    "another password",
    () => project.set("SESAME", "a third sesame"),
    /locked: redirectPassword differs from the plan/,
  ],
  [
    "a mistake",
    () => edit("new", link("new", ", clicksLimit: x")),
    /Pulumi cannot plan the program: [^]*clicksLimit/,
  ],
  [
    "an emptied file",
    () => {
      project.set("SHORTLINK_ALLOW_DELETES", "0");
      write([]);
    },
    /Pulumi cannot plan the program: [^]*the catalog has no link/,
  ],
];
const onService: Move[] = [
  [
    "a link to change is changed",
    async () => byHand("PATCH", await path("edited"), "clicks_limit=5"),
    /edited: clicksLimit was changed on the service/,
  ],
  [
    "a link to change is deleted",
    async () => byHand("DELETE", await path("edited")),
    /edited: it was deleted on the service/,
  ],
  [
    "a link to delete is used again",
    async () => byHand("PATCH", await path("gone"), "url=https://example.com/used"),
    /gone: url was changed on the service/,
  ],
  [
    "a link to adopt is changed",
    async () => byHand("PATCH", await path("free"), "clicks_limit=5"),
    /free: the plan adopts it; now it would be in the way/,
  ],
  [
    "a new alias is taken",
    async () =>
      byHand("POST", "/links", `url=https://example.com/&domain_id=${await domainId("go")}&alias=new`),
    /new: the plan creates it; now it would be in the way of a new one/,
  ],
  [
    "the alias of a rename is taken",
    async () =>
      byHand("POST", "/links", `url=https://example.com/&domain_id=${await domainId("go")}&alias=other`),
    /renamed: link with this address: "\d+", but "none" in the plan/,
  ],
  [
    "a domain to delete gets a link",
    async () =>
      byHand("POST", "/links", `url=https://example.com/&domain_id=${await domainId("old")}&alias=x`),
    /old.example: links on this domain: "\d+, \d+"/,
  ],
];
const inState: Move[] = [
  [
    "a refresh",
    async () => {
      await byHand("PATCH", await path("edited"), "url=https://example.com/hand");
      await project.run("pulumi refresh --yes --skip-preview");
    },
    /edited: url in the state: "https:\/\/example.com\/hand"/,
  ],
  [
    "a resource that is gone",
    () => project.run(`pulumi state delete --yes ${urn("keep")}`),
    /keep: not in the plan; now it would be in the way/,
  ],
  [
    "another stack",
    () => project.set("PULUMI_STACK", "other"),
    /stack: "other of project", but "dev of project" in the plan/,
  ],
  [
    "another service",
    () => project.set("SHORTLINK_BASE_URL", emulator.url.replace("127.0.0.1", "localhost")),
    /shortlink:baseUrl: "http:\/\/localhost/,
  ],
  [
    "a plan that somebody has edited",
    () => {
      const file = join(project.folder, "plan.json");
      const review = JSON.parse(readFileSync(file, "utf8")) as Review;
      review.plan.changes = review.plan.changes.filter(({ action }) => action !== "delete");
      writeFileSync(file, JSON.stringify(review));
    },
    /gone: not in the plan; now it would be deleted/,
  ],
];

// All of them are slow, so each test run takes some.
const moves = [...inCatalog, ...onService, ...inState];
const some =
  fc.sample(fc.shuffledSubarray(moves, { minLength: moves.length }), { seed, numRuns: 1 })[0] ?? [];

test.each(some.slice(0, Number(process.env.MOVES ?? 3)))(
  `up --plan stops before any write: %s (seed ${seed})`,
  async (_what, move, told) => {
    await restore();
    await move();
    const writes = () => emulator.requests.filter(({ method }) => method !== "GET").length;
    const written = writes();
    const output = await project.run("shortlink up --plan plan.json", 1);
    expect(output).toContain(
      "The plan no longer matches. Nothing was written. Changed since it was saved:\n",
    );
    if (typeof told === "string") expect(output).toContain(told);
    else expect(output).toMatch(told);
    expect(output).not.toMatch(/sesame|must-not-show/);
    expect(writes()).toBe(written);
  },
);

test("up --plan applies a plan that still matches, and only once", async () => {
  await restore();
  const { plan } = JSON.parse(readFileSync(join(project.folder, "plan.json"), "utf8")) as Review;
  emulator.faults.push({ method: "POST", path: "/links", answer: 403, rate: 1 });
  const failing = await project.run("shortlink up --plan plan.json", 1);
  expect(failing).toMatch(
    /links-(?:new|free): .*\(403\)[^]*"pulumi up" failed[^]*Save a new plan for the rest/,
  );
  emulator.faults.length = 0;
  await restore();
  // Objects outside the plan may change.
  await byHand("PATCH", await path("keep"), "clicks_limit=5");
  write([...after].reverse());
  const sent = emulator.requests.filter(({ method }) => method !== "GET").length;
  const output = await project.run("shortlink up --plan plan.json");
  expect(output).toContain("The plan is applied: 3 deleted, 1 replaced, 1 adopted, 3 changed, 1 created in ");
  expect(emulator.requests.filter(({ method }) => method !== "GET").length - sent).toBe(10);
  expect(plan.lost.map(({ address }) => address)).toHaveLength(4);
  const aliases = (await rows("/links")).map(({ alias }) => alias).sort();
  expect(aliases).toEqual(["edited", "free", "keep", "locked", "moved", "new", "other"]);
  const again = await project.run("shortlink up --plan plan.json", 1);
  expect(again).toContain("the plan creates it; now it would stay as it is");

  // Pulumi cannot match such an output with a plan, and does not report it.
  const program = readFileSync(join(project.folder, "index.js"), "utf8");
  project.write("index.js", program.replace("new (", "exports.all = new ("));
  write([...after, link("latest")]);
  await project.run("shortlink plan --save plan.json");
  expect(await project.run("shortlink up --plan plan.json", 1)).toMatch(
    /All changes of the plan are made, [^]* export its properties, like shortUrl\.\n$/,
  );
  await project.run("pulumi up --yes --skip-preview");
});

test("missing and invalid plan files are reported, and an invalid program is not saved", async () => {
  await restore();
  project.write("broken.json", "{");
  project.write("foreign.json", "{}");
  for (const [file, reason] of [
    ["missing.json", "ENOENT"],
    ["broken.json", "not JSON"],
    ["foreign.json", "not a plan of this version"],
  ] as const)
    expect(await project.run(`shortlink up --plan ${file}`, 2)).toContain(reason);
  edit("new", link("new", ", clicksLimit: x"));
  expect(await project.run("shortlink plan --save no.json", 1)).toContain("Not saved");
});
