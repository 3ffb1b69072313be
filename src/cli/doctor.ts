import { Command, Option } from "commander";
import { SettingsError, type ReadConfig } from "../account/settings";
import {
  checkJournal,
  checkKey,
  checkPackages,
  checkPulumi,
  checkService,
  checkSettings,
  noStack,
  type Check,
} from "../live/doctor";
import type { Paint } from "../live/page";
import { openAccount } from "./account";
import { configOf, pulumi } from "./pulumi";
import { painter } from "./terminal";

interface Options {
  stack?: string;
  format: "text" | "json";
}

/** Milliseconds to wait for the service. */
const patience = 20_000;

/** `pulumi-shortlink doctor`: reports what is missing or wrong, before the first `pulumi up`. */
export function doctorCommand(): Command {
  return new Command("doctor")
    .description("check the project, its settings and the service, and print what to do; changes nothing")
    .option("--stack <name>", "stack (default: the selected one)")
    .addOption(
      new Option("--format <format>", "format of the report").choices(["text", "json"]).default("text"),
    )
    .action(async ({ stack, format }: Options, command: Command) => {
      const checks = await examine(stack === undefined ? [] : ["--stack", stack]);
      console.log(format === "json" ? JSON.stringify(checks, null, 2) : toText(checks, painter(command)));
      if (checks.some(({ ok }) => !ok)) process.exitCode = 1;
      // A call that timed out must not keep the command running.
      process.stdout.write("", () => process.exit());
    });
}

function toText(checks: readonly Check[], paint: Paint): string {
  const width = Math.max(...checks.map(({ about }) => about.length));
  const bad = checks.filter(({ ok }) => !ok).length;
  return [
    ...checks.map(
      ({ about, ok, text }) =>
        `${ok ? paint("good", "ok   ") : paint("bad", "WRONG")}  ${about.padEnd(width)}  ${text}`,
    ),
    bad === 0 ? "Nothing is wrong." : `${bad} of ${checks.length} checks failed.`,
  ].join("\n");
}

async function examine(stack: readonly string[]): Promise<Check[]> {
  const { readConfig, check } = await checkConfig(stack);
  const checks: Check[] = [
    { about: "Node.js", ok: true, text: process.versions.node },
    await checkPulumi(() => pulumi(["version"])),
    ...checkPackages(process.cwd()),
    check,
  ];
  try {
    const account = openAccount(readConfig);
    checks.push(checkJournal(account), ...(await checkService(account, patience)));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    checks.push(...checkSettings(error, check.about !== "stack"));
  }
  return checks;
}

/** Reads and checks the configuration of the stack. */
async function checkConfig(stack: readonly string[]): Promise<{ readConfig: ReadConfig; check: Check }> {
  try {
    const values = await configOf(stack);
    return { readConfig: (name) => values[name]?.value, check: checkKey(values["shortlink:apiKey"]) };
  } catch (error) {
    return { readConfig: () => undefined, check: noStack(error as Error) };
  }
}
