import { Command, InvalidArgumentError, Option } from "commander";
import { checkDestinations } from "../live/destinations";
import { destinationsIn, findDrift } from "../live/drift";
import { driftFormats, reportDrift, type DriftFormat } from "../live/drift-report";
import { managedIn, type Deployment } from "../live/state";
import { survey } from "../live/survey";
import { openAccountOf } from "./account";
import { collect, matchesOne } from "./patterns";
import { pulumi } from "./pulumi";
import { painter } from "./terminal";

interface Options {
  stack?: string;
  ignore: string[];
  expiring: number;
  format: DriftFormat;
  checkLinks: boolean;
}

const day = 24 * 60 * 60 * 1000;

/** `pulumi-shortlink drift`: reports differences on the service, for a nightly run. */
export function driftCommand(): Command {
  return new Command("drift")
    .description("compare the account with the state of a stack; changes nothing; exit code 1 if they differ")
    .option("--stack <name>", "stack (default: the selected one)")
    .option(
      "--ignore <pattern>",
      "links to leave out, by domain/alias or by domain, like 'go.example/tmp-*'; repeatable",
      collect,
      [],
    )
    .option("--expiring <days>", "list links that expire within this many days", parseDays, 7)
    .option("--check-links", "check that the destinations of the stack's links answer", false)
    .addOption(new Option("--format <format>", "format of the report").choices(driftFormats).default("text"))
    .action(async ({ stack, ignore, expiring, format, checkLinks }: Options, command: Command) => {
      const of = stack === undefined ? [] : ["--stack", stack];
      const account = await openAccountOf(of);
      const state = JSON.parse(await pulumi(["stack", "export", "--show-secrets", ...of])) as Deployment;
      const [found, managed] = [await survey(account.client), managedIn(state)];
      const findings = findDrift(account, found, managed, {
        isIgnored: matchesOne(ignore),
        soon: expiring * day,
        now: Date.now(),
        ...(checkLinks ? { problems: await checkDestinations(destinationsIn(found, managed)) } : {}),
      });
      console.log(reportDrift(findings, format, painter(command)));
      if (findings.length > 0) process.exitCode = 1;
    });
}

function parseDays(value: string): number {
  if (!/^\d{1,4}$/.test(value)) throw new InvalidArgumentError("Give a number of days, like 14.");
  return Number(value);
}
