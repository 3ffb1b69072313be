import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pulumiEnvironment, root } from "../../tools/environment.mjs";

/** Packs the package into a new folder, as `npm publish` would. */
export function pack(): { tarball: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "shortlink-package-"));
  // Without scripts: the build under test exists already.
  const args = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const name = execFileSync("npm", args, { cwd: root, encoding: "utf8" }).trim();
  return { tarball: join(folder, name), folder };
}

/** Shares one npm installation between projects with the same dependencies, because npm is slow. */
export class Installed {
  #kept: string | undefined;

  /** Fills the folder of a new project. */
  lend(folder: string): void {
    mkdirSync(folder, { recursive: true });
    if (this.#kept !== undefined) execFileSync("cp", ["-al", `${this.#kept}/.`, folder]);
  }

  /** Keeps the packages of the first project. */
  keep(folder: string): void {
    if (this.#kept !== undefined) return;
    this.#kept = mkdtempSync(join(tmpdir(), "shortlink-installed-"));
    const parts = ["node_modules", "package-lock.json"].map((name) => join(folder, name));
    execFileSync("cp", ["-al", ...parts, this.#kept]);
  }

  remove(): void {
    if (this.#kept !== undefined) rmSync(this.#kept, { recursive: true });
  }
}

/** A copy of an example in a new folder, with the packed package beside its program. */
export class Project {
  readonly folder = mkdtempSync(join(tmpdir(), "shortlink-project-"));
  readonly #environment: Record<string, string>;
  readonly #background: ChildProcess[] = [];

  constructor(example: string, tarball: string) {
    cpSync(join(root, "examples", example), this.folder, {
      recursive: true,
      filter: (source) => !source.includes("node_modules"),
    });
    cpSync(tarball, join(this.folder, tarball.slice(tarball.lastIndexOf("/") + 1)));
    // `npm test` checks the types of the examples. The compiler would check them again in each command.
    const typescript = { PULUMI_NODEJS_TRANSPILE_ONLY: "true" };
    // npm takes packages from its cache without asking the registry.
    const npm = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };
    // Kept out of the machine's cache: these paths are never used again.
    const compiled = { NODE_COMPILE_CACHE: join(dirname(tarball), "compiled") };
    this.#environment = {
      ...pulumiEnvironment(join(this.folder, ".pulumi")),
      ...npm,
      ...compiled,
      ...typescript,
    };
  }

  /** Runs a command line in the project's folder. The output has both streams. */
  async run(command: string): Promise<{ output: string; status: number | null }> {
    // Each command runs in a new shell.
    for (const [, name = "", value = ""] of /^export /.test(command) ? command.matchAll(/(\w+)=(\S+)/g) : [])
      this.#environment[name] = value;
    const child = spawn("bash", ["-c", `{ ${command}\n} 2>&1`], { cwd: this.folder, env: this.#environment });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    await once(child, "close");
    return { output, status: child.exitCode };
  }

  /** Starts a command that runs until the end of the test, and waits for its first line. */
  async start(command: string): Promise<string> {
    const child = spawn("bash", ["-c", `exec ${command}`], {
      cwd: this.folder,
      env: this.#environment,
      detached: true,
    });
    this.#background.push(child);
    return new Promise((resolve, reject) => {
      let output = "";
      child.stderr.on("data", (chunk) => (output += String(chunk)));
      child.stdout.on("data", (chunk) => {
        output += String(chunk);
        if (output.includes("\n")) resolve(output);
      });
      child.once("close", () => reject(new Error(`"${command}" ended: ${output}`)));
    });
  }

  async remove(): Promise<void> {
    for (const child of this.#background) {
      const closed = once(child, "close");
      // npx does not pass signals on, so the test ends its whole process group.
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await closed;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Step {
  command: string;
  /** The lines that the document shows below the command. */
  shown: string[];
}

/** The commands of the `console` blocks of a document, in their order. */
export function stepsOf(document: string): Step[] {
  const blocks = readFileSync(join(root, document), "utf8").matchAll(/^```console\n([^]*?)^```$/gm);
  const steps: Step[] = [];
  for (const line of [...blocks].flatMap(([, block = ""]) => block.trimEnd().split("\n"))) {
    if (line.startsWith("$ ")) steps.push({ command: line.slice(2), shown: [] });
    else steps.at(-1)?.shown.push(line);
  }
  return steps;
}

/** A port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
