import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Emulator } from "pulumi-shortlink/emulator";
import { expect } from "vitest";
import { pulumiEnvironment, root } from "../../tools/environment.mjs";

/** A project in a new folder, and the commands that its owner types there. `shortlink` is the command of this package. */
export class Commands {
  readonly folder = mkdtempSync(join(tmpdir(), "shortlink-commands-"));
  readonly #environment: Record<string, string>;

  constructor({ url, apiKey }: Pick<Emulator, "url" | "apiKey">, variables: Record<string, string> = {}) {
    this.write("Pulumi.yaml", "name: project\nruntime: nodejs\n");
    this.write("package.json", JSON.stringify({ name: "project", main: "index.js" }));
    symlinkSync(join(root, "node_modules"), join(this.folder, "node_modules"));
    this.#environment = {
      ...pulumiEnvironment(join(this.folder, ".pulumi")),
      SHORTLINK_BASE_URL: url,
      SHORTLINK_API_KEY: apiKey,
      ...variables,
    };
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.folder, file)), { recursive: true });
    writeFileSync(join(this.folder, file), text);
  }

  /** Sets a variable in the environment of the commands. */
  set(name: string, value: string): void {
    this.#environment[name] = value;
  }

  /** Runs a command line, expects its exit status, and returns its output on both streams. */
  async run(command: string, status = 0): Promise<string> {
    const main = join(root, "dist/cli/main.js");
    const line = command.replace(/^shortlink/, `${process.execPath} ${main}`);
    const child = spawn("bash", ["-c", `{ ${line}\n} 2>&1`], { cwd: this.folder, env: this.#environment });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    await once(child, "close");
    expect(child.exitCode, `${command}\n${output}`).toBe(status);
    return output;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
