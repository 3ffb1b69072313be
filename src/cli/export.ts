import { Command, Option } from "commander";
import { exportAccount, type Exported, type ExportOptions } from "../live/export";
import { splits } from "../live/layout";
import { formats } from "../live/render";
import { survey } from "../live/survey";
import { openAccount } from "./account";
import { collect, matchesOne } from "./patterns";
import { timeZoneOption } from "./validate";

/** How files are written, for each command that writes them. */
export type FilesOptions = Omit<ExportOptions, "folder" | "isWanted"> & { only: string[] };

/** Adds the options about the files to a command. */
export function withFilesOptions(command: Command): Command {
  return command
    .addOption(new Option("--format <format>", "form of the files").choices(formats).default("yaml"))
    .addOption(new Option("--split <by>", "folders of the links").choices(splits).default("domain"))
    .option(
      "--only <pattern>",
      "domain/alias of the links to write, like 'go.example/docs-*'; several times",
      collect,
      [],
    )
    .option("--skip-invalid", "leave out what a catalog cannot say, and name it", false);
}

/** `pulumi-shortlink export`: a whole account as a catalog. */
export function exportCommand(): Command {
  const command = new Command("export")
    .description(
      "write all domains and links of the account as a catalog; reads SHORTLINK_BASE_URL and SHORTLINK_API_KEY",
    )
    .argument("[folder]", "folder to write, which must be empty or not exist", "links");
  return withFilesOptions(command)
    .addOption(timeZoneOption())
    .action(async (folder: string, { timeZone, ...options }: FilesOptions & { timeZone?: string }) => {
      const account = openAccount((key) => (key === "shortlink:timeZone" ? timeZone : undefined));
      const list = () => survey(account.client);
      printExported(folder, await exportAccount(account, list, toExportOptions(folder, options)));
    });
}

/** The options as an export takes them. */
export function toExportOptions(folder: string, { only, ...options }: FilesOptions): ExportOptions {
  return { ...options, folder, ...(only.length > 0 ? { isWanted: matchesOne(only) } : {}) };
}

/** Says what was written, and which secrets the files need. */
export function printExported(folder: string, { files, links, domains, secrets, skipped }: Exported): void {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  console.log(
    `${folder}: ${count(links, "link")} and ${count(domains, "domain")} in ${count(files.length, "file")}.`,
  );
  for (const text of skipped) console.error(`left out: ${text}`);
  if (secrets.length === 0) return;
  console.log(
    `The service tells no passwords, so ${count(secrets.length, "password")} must be set before the first "pulumi up":`,
  );
  for (const name of secrets) console.log(`  pulumi config set --secret ${name}`);
}
