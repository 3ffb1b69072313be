import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import { send, visit } from "../helpers/emulator";
import { createMonitor, destroy, run, type Program, type State } from "../helpers/simulated-engine";

// Two entries of the state with one object, and runs that target only one of them.

let emulator: Emulator;
let folder: string;
let settings: Record<string, string>;
let state: State;
let monitor: Awaited<ReturnType<typeof createMonitor>>;
beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  monitor = await createMonitor();
});
afterAll(() => monitor.close());
beforeEach(async () => {
  emulator = await createEmulator();
  folder = mkdtempSync(join(tmpdir(), "shortlink-ownership-"));
  settings = {
    "shortlink:baseUrl": emulator.url,
    "shortlink:apiKey": emulator.apiKey,
    "shortlink:journal": folder,
    "shortlink:adopt": "ifEqual",
  };
  state = { live: [], pending: [] };
});
afterEach(async () => {
  await emulator.close();
  rmSync(folder, { recursive: true });
});

const url = "https://example.com/";
const programOf = (...links: string[]): Program => ({
  go: { type: "Domain", args: { name: "go.example" } },
  ...Object.fromEntries(
    links.map((name) => [name, { type: "Link", args: { domainId: "@go", alias: "docs", url } } as const]),
  ),
});
const up = (program: Program, targets?: string[]) => run(state, { program, targets }, settings, monitor);
const good = { errors: [], isKilled: false };
const location = async () => (await visit(emulator, "http://go.example/docs")).location;
const entries = () => state.live.map(({ name, id }) => [name, id]);

/** Renames a resource without aliases, in a run that targets only the new name. */
async function renamed(): Promise<void> {
  expect(await up(programOf("old"))).toMatchObject(good);
  expect(await up(programOf("new"), ["new"])).toMatchObject(good);
  expect(entries()).toEqual([
    ["go", "1"],
    ["old", "1"],
    ["new", "1"],
  ]);
}

test.each<[string, () => Promise<unknown>]>([
  ["an up", () => up(programOf("new"))],
  ["an up with --target", () => up(programOf("new"), ["old"])],
  ["a destroy with --target", () => destroy(state, settings, ["old"])],
])("%s removes the old name of a renamed resource and keeps its link", async (_command, command) => {
  await renamed();
  expect(await command()).toMatchObject(good);
  expect(entries()).toEqual([
    ["go", "1"],
    ["new", "1"],
  ]);
  expect(await location()).toBe(url);
  expect(await run(state, { program: programOf("new"), isPreview: true }, settings)).toMatchObject({
    changes: [],
  });
  expect(await destroy(state, settings)).toMatchObject(good);
  expect((await send(emulator, "GET", "/links/1")).status).toBe(404);
});

test("after an unsaved adoption, the original resource still deletes its link", async () => {
  expect(await up(programOf("old"))).toMatchObject(good);
  await run(state, { program: programOf("new"), killedAfter: 1, checkpoints: false }, settings, monitor);
  expect(await up(programOf("old"))).toMatchObject(good);
  expect(await up(programOf())).toMatchObject(good);
  expect((await send(emulator, "GET", "/links/1")).status).toBe(404);
});

test.each<[string, Program[string]["args"], string]>([
  ["domain", { name: "go.example", homepageUrl: url, adopt: "always" }, "/domains/1"],
  ["link", { domainId: "@go", alias: "docs", url, clicksLimit: 1, adopt: "always" }, "/links/1"],
])(
  "after a failed adoption, destroy still deletes the %s of the original resource",
  async (type, args, path) => {
    const own = type === "domain" ? "go" : "old";
    expect(await up(programOf("old"))).toMatchObject(good);
    emulator.faults.push({ method: "PATCH", when: "before", answer: 403 });
    const other: Program[string] = { type: type === "domain" ? "Domain" : "Link", args };
    const { errors } = await up({ ...programOf("old"), other }, ["other"]);
    expect(errors).toEqual([expect.stringContaining("(403)")]);
    emulator.faults.length = 0;
    expect(entries()).toContainEqual([own, "1"]);
    expect(await destroy(state, settings)).toMatchObject(good);
    expect((await send(emulator, "GET", path)).status).toBe(404);
  },
);
