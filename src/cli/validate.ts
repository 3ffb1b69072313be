import { Command, InvalidArgumentError, Option } from "commander";
import { checkCatalog } from "../catalog/checks";
import { findSpreadsheets } from "../catalog/files";
import { loadCatalog } from "../catalog/load";
import { isTimeZone } from "../account/settings";
import { collect } from "./patterns";
import { formats, report, type Format } from "./report";
import { isQuiet } from "./terminal";

/** The default files of a catalog. */
export const defaultFiles = ["links"];

interface Options {
  overlay: string[];
  timeZone?: string;
  format: Format;
  allowEmpty: boolean;
}

export function toTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError("Name a time zone like Europe/Berlin.");
}

/** The option for the stack's setting of this name. Without it, dates with a zone are mistakes. */
export function timeZoneOption(): Option {
  return new Option("--time-zone <name>", "time zone of the account, like shortlink:timeZone of the stack")
    .env("SHORTLINK_TIME_ZONE")
    .argParser(toTimeZone);
}

/** `pulumi-shortlink validate`: finds the mistakes of a catalog without a service. */
export function validateCommand(version: string): Command {
  return new Command("validate")
    .description(
      "check the files of a catalog offline; prints file:line:column and a message for each mistake",
    )
    .argument("[files...]", "files, folders and patterns (default: the folder links)")
    .option("--overlay <file>", "overlay to apply; repeatable, applied in order", collect, [])
    .addOption(timeZoneOption())
    .option("--allow-empty", "accept a catalog without links", false)
    .addOption(new Option("--format <format>", "format of the report").choices(formats).default("text"))
    .action((files: string[], { overlay, format, allowEmpty, timeZone }: Options, command: Command) => {
      const given = files.length > 0 ? files : defaultFiles;
      const catalog = loadCatalog({ files: given, overlays: overlay });
      const findings = checkCatalog(catalog, { allowEmpty, timeZone });
      const text = report(findings, format, version);
      if (text !== "") console.log(text);
      const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
      const { domains, links } = catalog;
      if (findings.length > 0) process.exitCode = 1;
      if (format === "text" && !isQuiet(command)) {
        for (const name of findSpreadsheets(given, process.cwd()))
          console.error(`${name} is not read: save it as "CSV UTF-8", which makes a .csv file.`);
        console.error(
          findings.length > 0
            ? count(findings.length, "mistake")
            : `No mistake in ${count(links.length, "link")} and ${count(domains.length, "domain")}.`,
        );
      }
    });
}
