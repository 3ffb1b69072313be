import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readJournal } from "../../src/account/journal-files";
import { pulumiEnvironment, root } from "../../tools/environment.mjs";
import { send, visit } from "../helpers/emulator";

// An update of 24 links is killed at a random moment, and so is the next one. The third must match the program, without duplicates.

const runs = Number(process.env.KILL_RUNS ?? 5);
const seed = Number(process.env.KILL_SEED ?? Math.floor(Math.random() * 2 ** 32));
const count = 24;

const program = `
const shortlink = require("pulumi-shortlink");
if (process.env.ALIASES) {
  const go = new shortlink.Domain("go", { name: "go.example" });
  for (const [name, alias] of Object.entries(JSON.parse(process.env.ALIASES)))
    new shortlink.Link(name, { domainId: go.id, alias: alias ?? undefined, url: "https://example.com/" + name });
  return;
}
const domains = [0, 1].map((i) => new shortlink.Domain("domain-" + i, { name: "go" + i + ".example" }));
for (let i = 0; i < ${count}; i++) {
  const alias = i % 4 === 0 ? undefined : "a" + i;
  new shortlink.Link("link-" + i, { domainId: domains[(i + Number(process.env.SHIFT ?? 0)) % 2].id, alias, url: process.env.DESTINATION + i });
}`;

let folder: string, journal: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "shortlink-kills-"));
  journal = join(folder, "pulumi", "home", "shortlink");
  writeFileSync(join(folder, "Pulumi.yaml"), "name: kills\nruntime: nodejs\n");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "kills", main: "index.js" }));
  writeFileSync(join(folder, "index.js"), program);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

class Stack {
  readonly environment: Record<string, string>;

  constructor(
    readonly name: string,
    readonly emulator: Emulator,
    variables: Record<string, string>,
  ) {
    this.environment = {
      ...pulumiEnvironment(join(folder, "pulumi")),
      SHORTLINK_BASE_URL: emulator.url,
      SHORTLINK_API_KEY: emulator.apiKey,
      DESTINATION: "https://example.com/",
      ...variables,
    };
  }

  start(...args: string[]): ChildProcess {
    const all = [...args, "--stack", this.name, "--non-interactive"];
    return spawn("pulumi", all, {
      cwd: folder,
      env: this.environment,
      stdio: ["ignore", "pipe", "pipe"],
    });
  }

  async run(...args: string[]): Promise<{ status: number | null; output: string }> {
    const child = this.start(...args);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => (output += String(chunk)));
    await once(child, "close");
    return { status: child.exitCode, output };
  }

  up(...options: string[]): Promise<{ status: number | null; output: string }> {
    return this.run("up", "--yes", "--skip-preview", "--suppress-outputs", ...options);
  }

  /** The ids of the links in the state. */
  ids(): number[] {
    const file = join(folder, "pulumi", "state", ".pulumi", "stacks", "kills", `${this.name}.json`);
    const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
      checkpoint: { latest: { resources?: { type: string; id: string }[] } };
    };
    const links = checkpoint.latest.resources?.filter(({ type }) => type.endsWith("shortlink:Link")) ?? [];
    return links.map(({ id }) => Number(id)).sort((a, b) => a - b);
  }
}

/** All descendants of a process. */
function descendants(pid: number): number[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid="], { encoding: "utf8" });
  const all = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number]);
  const below = (parent: number): number[] =>
    all.filter(([, each]) => each === parent).flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

interface Link {
  id: number;
  url: string;
  short_url: string;
}
async function links(emulator: Emulator): Promise<Link[]> {
  const { body } = await send(emulator, "GET", "/links?per_page=100&sort_by=id&sort=asc");
  return (body as { data: Link[] }).data;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randoms(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Starts an update and kills it after so many requests, alone or with its descendants. Returns the processes that may live on. */
async function killedUp(stack: Stack, requests: number, isAlone: boolean): Promise<number[]> {
  const before = stack.emulator.requests.length;
  const child = stack.start("up", "--yes", "--skip-preview", "--suppress-outputs");
  const closed = once(child, "exit");
  while (stack.emulator.requests.length < before + requests && child.exitCode === null) await setTimeout(1);
  const started = descendants(child.pid ?? 0);
  kill(child.pid ?? 0);
  if (!isAlone) started.forEach(kill);
  await closed;
  return started;
}

/** Expects each link exactly once, as in the program and in the state. */
async function expectAsProgram(stack: Stack): Promise<void> {
  const { emulator, environment } = stack;
  const { DESTINATION: destination = "", SHIFT: shift = "0" } = environment;
  const made = await links(emulator);
  const wanted = Array.from(
    { length: count },
    (_, n) => `${destination}${n} on go${(n + Number(shift)) % 2}`,
  );
  expect(
    made.map(({ url, short_url: short }) => `${url} on ${new URL(short).host.split(".")[0]}`).sort(),
  ).toEqual(wanted.sort());
  expect(stack.ids()).toEqual(made.map(({ id }) => id));
}

test.each(Array.from({ length: runs }, (_, i) => i))(
  `run %i of seed ${seed} matches the program after two kills`,
  async (i) => {
    const random = randoms(seed + i);
    const isAlone = random() < 0.5;
    const emulator = await createEmulator({ latency: 5 + Math.floor(random() * 60) });
    const stack = new Stack(`run-${i}`, emulator, i % 2 === 0 ? { PULUMI_SKIP_CHECKPOINTS: "true" } : {});
    let left: number[] = [];
    try {
      await stack.run("stack", "init");
      let requests = 1 + Math.floor(random() * (count + 2));
      if (i % 5 === 4) {
        // All links get another destination and move to the other domain, which replaces them.
        expect(await stack.up()).toMatchObject({ status: 0 });
        Object.assign(stack.environment, { DESTINATION: "https://new.example/", SHIFT: "1" });
        requests = 1 + Math.floor(random() * 2 * count);
      }
      left = await killedUp(stack, requests, isAlone);
      await stack.run("cancel", "--yes");
      // The run that should finish it is killed too.
      left.push(...(await killedUp(stack, 1 + Math.floor(random() * requests), random() < 0.5)));
      await stack.run("cancel", "--yes");
      const { status, output } = await stack.up();
      expect(status, output).toBe(0);
      await expectAsProgram(stack);
      const sent = emulator.requests.length;
      const { status: unchanged, output: plan } = await stack.run("preview", "--expect-no-changes");
      expect(unchanged, plan).toBe(0);
      expect(emulator.requests.length).toBe(sent);
      // The journal has no open notes for objects in the state.
      expect(readJournal(journal).intents.filter(({ service }) => service === emulator.url)).toEqual([]);
    } finally {
      left.forEach(kill);
      await emulator.close();
    }
  },
);

test("up --refresh with ifEqual finishes interrupted runs without a journal", async () => {
  const random = randoms(seed + 2000);
  const emulator = await createEmulator({ latency: 20 });
  const stack = new Stack("runner", emulator, { SHORTLINK_JOURNAL: "none", SHORTLINK_ADOPT: "ifEqual" });
  try {
    await stack.run("stack", "init");
    // The first run makes the links. The second gives all of them another destination on the other domain.
    for (const change of [{}, { DESTINATION: "https://new.example/", SHIFT: "1" }]) {
      Object.assign(stack.environment, change);
      await killedUp(stack, 1 + Math.floor(random() * count), false);
      await stack.run("cancel", "--yes");
      const { status, output } = await stack.up("--refresh");
      expect(status, output).toBe(0);
      await expectAsProgram(stack);
    }
  } finally {
    await emulator.close();
  }
});

/** Six links that pass on their aliases, and two with derived aliases. */
const rotated = (by: number): string => {
  const named = Array.from({ length: 6 }, (_, i) => [`link-${i}`, `alias-${(i + by) % 6}`]);
  return JSON.stringify(Object.fromEntries([["free-0", null], ...named, ["free-1", null]]));
};

/** The links whose alias or destination differs from the program. */
async function strayed(emulator: Emulator, aliases: string): Promise<string[]> {
  const wanted = Object.entries(JSON.parse(aliases) as Record<string, string | null>);
  const answers = wanted.flatMap(([name, alias]) =>
    alias === null
      ? []
      : [visit(emulator, `http://go.example/${alias}`).then((answer) => [name, answer.location] as const)],
  );
  return (await Promise.all(answers)).flatMap(([name, location]) =>
    location?.endsWith(`/${name}`) ? [] : [name],
  );
}

test("links rotate their aliases with --parallel 1, beside links with derived aliases", async () => {
  const emulator = await createEmulator();
  const stack = new Stack("serial", emulator, { ALIASES: rotated(0) });
  try {
    await stack.run("stack", "init");
    await stack.up();
    for (const by of [1, 5]) {
      stack.environment.ALIASES = rotated(by);
      const { status, output } = await stack.up("--parallel", "1");
      expect(status, output).toBe(0);
      expect(await strayed(emulator, rotated(by))).toEqual([]);
    }
  } finally {
    await emulator.close();
  }
});

// The next program is the same, the old one, or a third one.
test.each(Array.from({ length: Math.ceil(runs / 3) }, (_, i) => i))(
  `alias move %i of seed ${seed} is killed, and the next up matches the program`,
  async (i) => {
    const random = randoms(seed + 1000 + i);
    const emulator = await createEmulator({ latency: 20 });
    const variables = i % 2 === 0 ? { PULUMI_SKIP_CHECKPOINTS: "true" } : {};
    const stack = new Stack(`move-${i}`, emulator, { ...variables, ALIASES: rotated(0) });
    let left: number[] = [];
    try {
      await stack.run("stack", "init");
      expect(await stack.up()).toMatchObject({ status: 0 });
      stack.environment.ALIASES = rotated(1);
      left = await killedUp(stack, 1 + Math.floor(random() * 16), random() < 0.5);
      await stack.run("cancel", "--yes");
      for (const by of [[1], [0], [3]][i % 3] ?? []) {
        stack.environment.ALIASES = rotated(by);
        // A provider that survives finishes its open requests.
        await setTimeout(1500);
        const plan = await stack.run("preview", "--expect-no-changes");
        if (plan.status === 0) expect(await strayed(emulator, rotated(by)), plan.output).toEqual([]);
        const { status, output } = await stack.up();
        expect(status, output).toBe(0);
        expect(await strayed(emulator, rotated(by))).toEqual([]);
      }
      expect(await stack.run("preview", "--expect-no-changes")).toMatchObject({ status: 0 });
    } finally {
      left.forEach(kill);
      await emulator.close();
    }
  },
);

test("a provider whose engine is killed stops sending requests and exits", async () => {
  const emulator = await createEmulator({ latency: 20, limit: { requests: 10, window: 2 } });
  const stack = new Stack("orphan", emulator, { SHORTLINK_LIMIT_WINDOW: "2" });
  let left: number[] = [];
  try {
    await stack.run("stack", "init");
    left = await killedUp(stack, 8, true);
    const isRunning = (pid: number) =>
      spawnSync("ps", ["-p", String(pid), "-o", "args="], { encoding: "utf8" });
    const providers = () => left.filter((pid) => isRunning(pid).stdout.includes("dynamic-provider"));
    expect(providers().length).toBeGreaterThan(0);
    await expect.poll(providers, { timeout: 10_000 }).toEqual([]);
    // Only requests that were under way when the engine ended, and none of a later window.
    expect(emulator.requests.length).toBeLessThan(10 + 4);
  } finally {
    left.forEach(kill);
    await emulator.close();
  }
});
