// Prepares a fresh clone, and prints nothing if it is ready. It runs before anything is installed, so it uses
// no dependency and no syntax newer than Node 18.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import process from "node:process";
import { cacheFolder, cliFolders, cliVersion, demoFolder, findPulumi, root } from "./environment.mjs";

const modules = join(root, "node_modules");
const windows = process.platform === "win32";

async function installDependencies() {
  const stamp = join(modules, ".setup");
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  await step(
    "Installing the dependencies (npm ci)",
    "npm",
    ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: root,
    },
  );
  writeFileSync(stamp, wanted);
}

/** Pulumi compiles a provider text without a file name, so the text finds this package only in node_modules. */
function linkThisPackage() {
  const link = join(modules, "pulumi-shortlink");
  if (lstatSync(link, { throwIfNoEntry: false })) return;
  symlinkSync(windows ? root : "..", link, "junction");
}

async function providePulumi() {
  if (findPulumi()) return;
  mkdirSync(cacheFolder(), { recursive: true });
  const failures = ["on PATH: none of version " + cliVersion + " or newer with its Node language host"];
  for (const [way, provide] of /** @type {const} */ ([
    ["download", downloadPulumi],
    ["build", buildPulumi],
  ])) {
    try {
      await provide();
      if (findPulumi()) return;
      failures.push(`${way}: it left no working CLI behind`);
    } catch (error) {
      if (interrupted) throw error;
      const { message } = /** @type {Error} */ (error);
      process.stdout.write(`  no success: ${message.split("\n").at(-1)}\n`);
      failures.push(`${way}: ${message}`);
    }
  }
  throw new Error(
    [
      "No Pulumi CLI could be found or made:",
      ...failures.map((failure) => `  - ${failure}`),
      "Install Pulumi (https://www.pulumi.com/docs/install/), or Go 1.25 or newer to build it, and run this again.",
    ].join("\n"),
  );
}

/** Runs the official installer through the Automation API, into a separate folder. */
async function downloadPulumi() {
  const { downloaded } = cliFolders();
  const partial = `${downloaded}.${process.pid}`;
  const script = `require("@pulumi/pulumi/automation").PulumiCommand.install({ root: ${JSON.stringify(partial)} })
    .then(() => process.exit(0), (error) => { console.error(String(error.message).split("\\n")[0]); process.exit(1); })`;
  try {
    const node = join(modules, ".bin", windows ? "node.cmd" : "node");
    // The installer asks the installed CLI for its version.
    const env = { ...process.env, PULUMI_HOME: join(demoFolder, "home") };
    await step("Downloading the Pulumi CLI", node, ["-e", script], { cwd: root, env, timeout: 600_000 });
    moveInPlace(partial, downloaded);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

/** Builds CLI and language host from the Go modules pinned in `pulumi-cli`. All files stay in the cache. */
async function buildPulumi() {
  const { built } = cliFolders();
  const work = `${built}.${process.pid}`;
  const env = {
    ...process.env,
    GOPATH: join(work, "go"),
    GOMODCACHE: join(work, "go", "pkg", "mod"),
    GOCACHE: join(work, "go", "cache"),
    // Go writes usage counters below the user's configuration. Only its settings come from there.
    GOENV: process.env.GOENV ?? join(process.env.XDG_CONFIG_HOME || join(homedir(), ".config"), "go", "env"),
    XDG_CONFIG_HOME: join(work, "config"),
  };
  const build = (
    /** @type {string} */ name,
    /** @type {string[]} */ flags,
    /** @type {string} */ version,
    /** @type {string} */ main,
  ) => [
    "build",
    // Without it the modules are read-only and cannot be removed afterwards.
    "-modcacherw",
    ...["-o", join(work, "bin", windows ? `${name}.exe` : name), "-trimpath", ...flags],
    // Without the stamp "pulumi version" prints an empty line.
    ...["-ldflags", `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v${version}`, main],
  ];
  const folder = (/** @type {string} */ name) => join(root, "tools", "pulumi-cli", name);
  try {
    await step(
      `Building the Pulumi CLI ${cliVersion} from source, once for all clones (about four minutes)`,
      "go",
      build(
        "pulumi",
        ["-tags", "osusergo,grpcnotrace"],
        cliVersion,
        "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
      ),
      { cwd: folder("cli"), env },
    );
    await step(
      "Building its Node language host",
      "go",
      build(
        "pulumi-language-nodejs",
        [],
        "3.68.0",
        "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
      ),
      { cwd: folder("host"), env },
    );
    // A Pulumi release has it beside the CLI. It starts the project's own copy of the SDK.
    const provider = windows ? "pulumi-resource-pulumi-nodejs.cmd" : "pulumi-resource-pulumi-nodejs";
    copyFileSync(join(modules, "@pulumi", "pulumi", provider), join(work, "bin", provider));
    rmSync(join(work, "go"), { recursive: true, force: true });
    rmSync(join(work, "config"), { recursive: true, force: true });
    moveInPlace(work, built);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Keeps the result of another setup that was faster. */
function moveInPlace(/** @type {string} */ from, /** @type {string} */ to) {
  if (findPulumi()) return;
  rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
}

/**
 * Runs a slow command. Prints its title and regular signs of life, and keeps its output for the error message.
 *
 * @param {string} title
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, timeout?: number }} options
 */
async function step(title, command, args, options) {
  process.stdout.write(`${title} ...\n`);
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const alive = setInterval(() => process.stdout.write(`  still at it after ${seconds()}\n`), 15_000);
  try {
    const child = spawn(command, args, { ...options, shell: windows, stdio: ["ignore", "pipe", "pipe"] });
    running = child;
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (output += String(chunk)));
    await once(child, "close").catch((/** @type {NodeJS.ErrnoException} */ error) => {
      throw error.code === "ENOENT" ? new Error(`there is no "${command}" on PATH`) : error;
    });
    if (child.exitCode !== 0)
      throw new Error(
        `"${command}" ended with ${child.signalCode ?? child.exitCode}: ${output.trim().split("\n").slice(-20).join("\n")}`,
      );
  } finally {
    clearInterval(alive);
  }
  process.stdout.write(`  done in ${seconds()}\n`);
}

// An interrupted step still cleans up, because a half-built CLI is large.
let interrupted = false;
/** @type {import("node:child_process").ChildProcess | undefined} */
let running;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    interrupted = true;
    running?.kill();
  });
}

// The dependencies include the right Node. All later steps use it.
process.env.PATH = [join(modules, ".bin"), process.env.PATH].join(delimiter);
try {
  await installDependencies();
  linkThisPackage();
  await providePulumi();
} catch (error) {
  process.stderr.write(`\n${interrupted ? "Interrupted." : /** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
}
