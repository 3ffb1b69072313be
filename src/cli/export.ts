import { Command, Option } from "commander";
import type { Account } from "../account/account";
import { SettingsError } from "../account/settings";
import { exportAccount, type Exported, type ExportOptions } from "../live/export";
import { splits } from "../live/layout";
import { formats } from "../live/render";
import { survey } from "../live/survey";
import { openAccount } from "./account";
import { collect, matchesOne } from "./patterns";
import { timeZoneOption } from "./validate";

/** The options of each command that writes catalog files. */
export type FilesOptions = Omit<ExportOptions, "folder" | "isWanted"> & { only: string[] };

/** Adds the options about the files to a command. */
export function withFilesOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "format of the files").choices(formats).default("yaml"))
    .addOption(
      new Option("--split <by>", "how to split the links into folders").choices(splits).default("domain"),
    )
    .option(
      "--only <pattern>",
      "links to write, by domain/alias or by domain, like 'go.example/docs-*'; repeatable",
      collect,
      [],
    )
    .option("--skip-invalid", "skip and list what a catalog cannot describe", false);
}

/** `pulumi-shortlink export`: writes a whole account as a catalog. */
export function exportCommand(): Command {
  const command = new Command("export")
    .description(
      "write all domains and links of the account as a catalog; needs SHORTLINK_BASE_URL and SHORTLINK_API_KEY",
    )
    .argument("[folder]", "folder to write; must be empty or missing", "links");
  return withFilesOptions(command)
    .addOption(timeZoneOption())
    .action(async (folder: string, { timeZone, ...options }: FilesOptions & { timeZone?: string }) => {
      const account = openEnvironment(timeZone);
      const list = () => survey(account.client);
      printExported(folder, await exportAccount(account, list, toExportOptions(folder, options)));
    });
}

/** Opens the account of the environment. */
function openEnvironment(timeZone: string | undefined): Account {
  try {
    return openAccount((key) => (key === "shortlink:timeZone" ? timeZone : undefined));
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new SettingsError([
      ...error.problems,
      "export reads only the environment, not the configuration of a stack.",
    ]);
  }
}

/** Converts the options of a command to the options of an export. */
export function toExportOptions(folder: string, { only, ...options }: FilesOptions): ExportOptions {
  return { ...options, folder, ...(only.length > 0 ? { isWanted: matchesOne(only) } : {}) };
}

/** Prints a summary, and the secrets that the files need. */
export function printExported(folder: string, { files, links, domains, secrets, skipped }: Exported): void {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  console.log(
    `${folder}: ${count(links, "link")} and ${count(domains, "domain")} in ${count(files.length, "file")}.`,
  );
  for (const text of skipped) console.error(`left out: ${text}`);
  if (secrets.length === 0) return;
  console.log(
    `The service returns no passwords: set ${count(secrets.length, "password")} before the first "pulumi up":`,
  );
  for (const name of secrets) console.log(`  pulumi config set --secret ${name}`);
}
