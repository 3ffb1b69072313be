import { Command } from "commander";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeImport, toImport, type Step } from "../live/import";
import { survey } from "../live/survey";
import { openAccount } from "./account";
import { configOf, pulumi } from "./pulumi";

interface Options {
  stack?: string;
  file: string;
  run: boolean;
}

/** `pulumi-shortlink import`: what the program names and the account has comes into the state, without a write. */
export function importCommand(): Command {
  return new Command("import")
    .description(
      "bring domains and links that the account has already into the stack of this project; changes nothing on the service",
    )
    .option("--stack <name>", "stack (default: the selected one)")
    .option("--file <file>", 'file to write for "pulumi import --file"', "import.json")
    .option("--run", "run that import and write no file", false)
    .action(async ({ stack, file, run }: Options) => {
      const of = stack === undefined ? [] : ["--stack", stack];
      const account = openAccount(await configOf(of));
      const plan = JSON.parse(await pulumi(["preview", "--json", ...of])) as { steps?: Step[] };
      const made = await toImport(account, await survey(account.client), plan.steps ?? []);
      console.log(describeImport(made));
      if (made.domains + made.links === 0) return;
      const text = JSON.stringify(made.file, null, 2);
      const importing = ["--yes", "--protect=false", "--generate-code=false", ...of];
      if (!run) {
        writeFileSync(file, `${text}\n`);
        return console.log(`To import them: pulumi import --file ${file} ${importing.join(" ")}`);
      }
      const folder = mkdtempSync(join(tmpdir(), "pulumi-shortlink-"));
      try {
        writeFileSync(join(folder, "import.json"), text, { mode: 0o600 });
        await pulumi([
          "import",
          "--file",
          join(folder, "import.json"),
          "--skip-preview",
          "--suppress-outputs",
          ...importing,
        ]);
      } finally {
        rmSync(folder, { recursive: true });
      }
      console.log('They are imported. "pulumi preview" shows what is left to do.');
    });
}
