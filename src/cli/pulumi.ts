import { spawn } from "node:child_process";
import { once } from "node:events";

/** A command of Pulumi's CLI that failed; the message is what it printed. */
export class PulumiError extends Error {}

/** Runs a command of Pulumi's CLI in the working directory and returns what it printed. */
export async function pulumi(args: readonly string[], isShown = false): Promise<string> {
  const child = spawn("pulumi", [...args, "--non-interactive"], {
    stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"],
  });
  let [output, errors] = ["", ""];
  child.stdout?.on("data", (chunk) => (output += String(chunk)));
  child.stderr?.on("data", (chunk) => (errors += String(chunk)));
  try {
    await once(child, "close");
  } catch (cause) {
    throw new PulumiError(
      "Pulumi's CLI cannot be started. Install it (https://www.pulumi.com/docs/install) and run the command in the folder " +
        "of the project.",
      { cause },
    );
  }
  if (child.exitCode === 0) return output;
  throw new PulumiError(`"pulumi ${args.join(" ")}" failed:\n${`${errors}${output}`.trim()}`);
}

/** The configuration of a stack by full keys. */
export async function configOf(stack: readonly string[]): Promise<(key: string) => string | undefined> {
  const text = await pulumi(["config", "--json", "--show-secrets", ...stack]);
  const values = JSON.parse(text) as Record<string, { value?: string }>;
  return (key) => values[key]?.value;
}
