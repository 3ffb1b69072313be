import { Command } from "commander";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "../account/account";
import { exportAccount } from "../live/export";
import { describeImport, toImport, type Step } from "../live/import";
import { survey, type Survey } from "../live/survey";
import { openAccountOf } from "./account";
import { printExported, toExportOptions, withFilesOptions, type FilesOptions } from "./export";
import { pulumi } from "./pulumi";

interface Options extends FilesOptions {
  stack?: string;
  file: string;
  run: boolean;
}

/** `pulumi-shortlink import`: brings existing objects of the program into the state, without a write to the service. */
export function importCommand(): Command {
  const command = new Command("import")
    .description(
      "import existing domains and links into the stack of this project; changes nothing on the service",
    )
    .argument("[folder]", "folder into which to export the whole account first (default: none)")
    .option("--stack <name>", "stack (default: the selected one)")
    .option("--file <file>", 'file to write for "pulumi import --file"', "import.json")
    .option("--run", "run the import instead of writing a file", false);
  return withFilesOptions(command).action(
    async (folder: string | undefined, { stack, file, run, ...options }: Options) => {
      const of = stack === undefined ? [] : ["--stack", stack];
      const account = await openAccountOf(of);
      let listed: Promise<Survey> | undefined;
      const list = () => (listed ??= survey(account.client));
      if (folder !== undefined)
        printExported(folder, await exportAccount(account, list, toExportOptions(folder, options)));
      await importAll(account, list, run ? { of } : { of, file });
    },
  );
}

/**
 * Imports the objects that the program in the working directory names and the account has.
 *
 * @param of The option that names the stack.
 * @param file The file to write for a manual import; undefined to import now.
 */
export async function importAll(
  account: Account,
  list: () => Promise<Survey>,
  { of, file }: { of: readonly string[]; file?: string },
): Promise<void> {
  const plan = JSON.parse(await pulumi(["preview", "--json", ...of])) as { steps?: Step[] };
  const made = await toImport(account, await list(), plan.steps ?? []);
  console.log(describeImport(made));
  if (made.domains + made.links === 0) return;
  const text = JSON.stringify(made.file, null, 2);
  const importing = ["--yes", "--protect=false", "--generate-code=false", ...of];
  if (file !== undefined) {
    writeFileSync(file, `${text}\n`);
    return console.log(`To import them: pulumi import --file ${file} ${importing.join(" ")}`);
  }
  const aside = mkdtempSync(join(tmpdir(), "pulumi-shortlink-"));
  try {
    writeFileSync(join(aside, "import.json"), text, { mode: 0o600 });
    const args = [
      "import",
      "--file",
      join(aside, "import.json"),
      "--skip-preview",
      "--suppress-outputs",
      ...importing,
    ];
    // With checkpoints the engine would save the whole state twice for each link. The import writes nothing on the service, so an
    // interrupted run needs no trace.
    await pulumi(args, { variables: { PULUMI_SKIP_CHECKPOINTS: "true" } });
  } finally {
    rmSync(aside, { recursive: true });
  }
  console.log('They are imported. "pulumi preview" shows what is left to do.');
}
