// `npm run bench:engine`: what 1,000 links cost above the engine itself. Deploys, in one run and turn by turn, 1,000
// links to the emulator (no limit, no latency) and 1,000 resources with the same inputs whose provider does nothing.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "pulumi-shortlink/emulator";
import { pulumiEnvironment, root } from "../tools/environment.mjs";

const count = Number(process.env.BENCH_LINKS ?? 1000);
const rounds = Number(process.env.BENCH_ROUNDS ?? 1);
const domains = 2;

const links = `
const shortlink = require("pulumi-shortlink");
const domains = Array.from({ length: ${domains} }, (_, i) => new shortlink.Domain("domain-" + i, { name: "go" + i + ".example" }));
for (let i = 0; i < ${count}; i++) {
  new shortlink.Link("link-" + i, { domainId: domains[i % ${domains}].id, alias: "a" + i, url: "https://example.com/" + i });
}`;

// The floor: the same registrations, with a provider text of the same kind that sends nothing anywhere.
const nothing = `
const pulumi = require("@pulumi/pulumi");
class Nothing extends pulumi.CustomResource {
  constructor(type, name, inputs) {
    const __provider = "exports.handler=()=>require('do-nothing/provider').nothing";
    super("pulumi-nodejs:dynamic/bench:" + type, name, { ...inputs, __provider });
  }
}
const domains = Array.from({ length: ${domains} }, (_, i) => new Nothing("Domain", "domain-" + i, { name: "go" + i + ".example", url: undefined }));
for (let i = 0; i < ${count}; i++) {
  new Nothing("Link", "link-" + i, { domainId: domains[i % ${domains}].id, alias: "a" + i, url: "https://example.com/" + i, shortUrl: undefined });
}`;

const doNothing = `
let id = 0;
exports.nothing = {
  check: async (olds, news) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs) => ({ id: String(++id), outs: inputs }),
};`;

const folder = mkdtempSync(join(tmpdir(), "shortlink-bench-"));
const emulator = await createEmulator();

/**
 * A project with its own state that finds its packages as installed ones.
 *
 * @param {string} name
 * @param {string} program
 */
function project(name, program) {
  const path = join(folder, name);
  mkdirSync(join(path, "node_modules", "do-nothing"), { recursive: true });
  writeFileSync(join(path, "Pulumi.yaml"), `name: ${name}\nruntime: nodejs\n`);
  writeFileSync(join(path, "package.json"), JSON.stringify({ name, main: "index.js" }));
  writeFileSync(join(path, "index.js"), program);
  writeFileSync(join(path, "node_modules", "do-nothing", "provider.js"), doNothing);
  cpSync(join(root, "dist"), join(path, "node_modules", "pulumi-shortlink", "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(path, "node_modules", "pulumi-shortlink", "package.json"));
  for (const each of ["@pulumi", "undici", "qs", "zod", "side-channel", "es-errors"]) {
    symlinkSync(join(root, "node_modules", each), join(path, "node_modules", each));
  }
  return path;
}

/**
 * @param {string} path
 * @param {string[]} args
 * @returns {Promise<number>} seconds
 */
async function pulumi(path, ...args) {
  const env = {
    ...pulumiEnvironment(join(path, ".pulumi")),
    SHORTLINK_BASE_URL: emulator.url,
    SHORTLINK_API_KEY: emulator.apiKey,
  };
  const started = performance.now();
  const child = spawn("pulumi", args, { cwd: path, env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => (output += String(chunk)));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`pulumi ${args.join(" ")} failed:\n${output.slice(-3000)}`);
  return (performance.now() - started) / 1000;
}

try {
  const projects = { links: project("links", links), nothing: project("nothing", nothing) };
  for (const path of Object.values(projects)) await pulumi(path, "stack", "init", "bench");
  /** @type {{ links: number[], nothing: number[] }} */
  const times = { links: [], nothing: [] };
  for (let round = 1; round <= rounds; round++) {
    for (const name of /** @type {const} */ (["nothing", "links"])) {
      const before = emulator.requests.length;
      times[name].push(await pulumi(projects[name], "up", "--yes", "--skip-preview", "--suppress-outputs"));
      const requests = emulator.requests.length - before;
      const state = readFileSync(
        join(projects[name], ".pulumi/state/.pulumi/stacks", name, "bench.json"),
      ).length;
      console.log(
        `round ${round}, ${count} ${name}: ${times[name].at(-1)?.toFixed(1)} s, ${requests} requests, ${Math.round(state / 1000)} kB of state`,
      );
      if (name === "links" && requests !== count + domains)
        throw new Error(`${requests} requests, not ${count + domains}`);
      if (round < rounds) await pulumi(projects[name], "destroy", "--yes", "--skip-preview");
    }
  }
  const median = (/** @type {number[]} */ all) =>
    [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
  const ratio = median(times.links) / median(times.nothing);
  console.log(`ratio ${ratio.toFixed(2)} (at most 1.25)`);
  if (ratio > 1.25) process.exitCode = 1;
} finally {
  await emulator.close();
  rmSync(folder, { recursive: true, force: true });
}
