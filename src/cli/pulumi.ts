import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { PlanNote } from "../account/account";
import { environmentWith, planNotesVariable } from "../account/settings";
import type { EngineEvent } from "./progress";
import { remedyFor } from "../live/doctor";
import type { Preview } from "../live/preview";

/** A failed command of Pulumi's CLI. The message contains its output. */
export class PulumiError extends Error {
  /** @param output Its other output. */
  constructor(
    message: string,
    readonly output = "",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

interface Running {
  isShown?: boolean;
  variables?: Record<string, string>;
  /** Text for its standard input. Pass a secret here, because a list of processes shows arguments. */
  input?: string;
}

function startPulumi(
  args: readonly string[],
  { isShown = false, variables = {}, input }: Running = {},
): ChildProcess {
  const child = spawn("pulumi", [...args, "--non-interactive"], {
    stdio: [
      input === undefined ? "ignore" : "pipe",
      isShown ? "inherit" : "pipe",
      isShown ? "inherit" : "pipe",
    ],
    env: environmentWith(variables),
  });
  child.stdin?.end(input);
  // A chunk may end in the middle of a character.
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8");
  return child;
}

async function ended(closed: Promise<unknown>): Promise<void> {
  try {
    await closed;
  } catch (cause) {
    throw new PulumiError(
      "Pulumi's CLI cannot be started. Install it (https://www.pulumi.com/docs/install) and run the command in the folder " +
        "of the project.",
      "",
      { cause },
    );
  }
}

/** Runs a command of Pulumi's CLI in the working directory and returns its standard output. */
export async function pulumi(args: readonly string[], running: Running = {}): Promise<string> {
  const child = startPulumi(args, running);
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (text: string) => (output += text));
  child.stderr?.on("data", (text: string) => (errors += text));
  await ended(once(child, "close"));
  if (child.exitCode === 0) return output;
  throw new PulumiError(
    remedyFor(errors) ?? `"pulumi ${args.join(" ")}" failed:\n${reasonOf(errors, output)}`,
    output,
  );
}

/** What a failed command printed; of a report in JSON only its errors. */
function reasonOf(errors: string, output: string): string {
  const all = `${errors}${output}`.trim();
  try {
    const { diagnostics = [] } = JSON.parse(output) as {
      diagnostics?: { severity: string; message: string }[];
    };
    const failures = diagnostics.filter(({ severity }) => severity === "error");
    return failures.map(({ message }) => message.trim()).join("\n") || all;
  } catch {
    return all;
  }
}

/** Lends a temporary folder, and deletes it afterwards. */
export async function withFolder<Result>(use: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-shortlink-"));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Previews a program, and collects the provider's notes. @param options Options of `pulumi preview`. */
export async function previewOf(
  options: readonly string[],
): Promise<{ preview: Preview; notes: PlanNote[] }> {
  return withFolder(async (folder) => {
    const file = join(folder, "notes");
    // Without the steps of replacements a preview hides deletions that an earlier run left.
    const text = await pulumi(["preview", "--json", "--show-replacement-steps", ...options], {
      variables: { [planNotesVariable]: file },
    }).catch((error: unknown) => {
      // Pulumi cannot plan the program. The output has the reasons.
      if (error instanceof PulumiError && error.output.startsWith("{")) return error.output;
      throw error;
    });
    const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
    const notes = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as PlanNote);
    return { preview: JSON.parse(text) as Preview, notes };
  });
}

/** Runs `pulumi up` and passes each event of the engine on. @throws PulumiError with all other output if it fails. */
export async function upWith(
  options: readonly string[],
  onEvent: (event: EngineEvent) => void,
): Promise<void> {
  const all = ["up", "--yes", "--skip-preview", "--json", ...options];
  const child = startPulumi(all);
  let errors = "";
  child.stderr?.on("data", (text: string) => (errors += text));
  const closed = once(child, "close");
  closed.catch(() => undefined);
  if (child.stdout)
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith("{")) onEvent(JSON.parse(line) as EngineEvent);
      else errors += `${line}\n`;
    }
  await ended(closed);
  if (child.exitCode !== 0)
    throw new PulumiError(`"pulumi up" failed.${errors === "" ? "" : `\n${errors.trim()}`}`, errors);
}

/** A value of the configuration. */
export interface ConfigValue {
  value?: string;
  secret?: boolean;
}

/** The configuration of a stack by full keys. */
export async function configOf(stack: readonly string[]): Promise<Record<string, ConfigValue>> {
  const text = await pulumi(["config", "--json", "--show-secrets", ...stack]);
  return JSON.parse(text) as Record<string, ConfigValue>;
}
