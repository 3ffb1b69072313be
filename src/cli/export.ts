import { Command, Option } from "commander";
import { exportAccount } from "../live/export";
import { splits, type Split } from "../live/layout";
import { formats, type Format } from "../live/render";
import { openAccount } from "./account";
import { timeZoneOption } from "./validate";

interface Options {
  format: Format;
  split: Split;
  timeZone?: string;
  skipInvalid: boolean;
}

/** `pulumi-shortlink export`: a whole account as a catalog. */
export function exportCommand(): Command {
  return new Command("export")
    .description(
      "write all domains and links of the account as a catalog; reads SHORTLINK_BASE_URL and SHORTLINK_API_KEY",
    )
    .argument("[folder]", "folder to write, which must be empty or not exist", "links")
    .addOption(new Option("--format <format>", "form of the files").choices(formats).default("yaml"))
    .addOption(new Option("--split <by>", "folders of the links").choices(splits).default("domain"))
    .addOption(timeZoneOption())
    .option("--skip-invalid", "leave out what a catalog cannot say, and name it", false)
    .action(async (folder: string, { timeZone, ...options }: Options) => {
      const account = openAccount((key) => (key === "shortlink:timeZone" ? timeZone : undefined));
      const { files, links, domains, secrets, skipped } = await exportAccount(account, {
        folder,
        ...options,
      });
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
    });
}
