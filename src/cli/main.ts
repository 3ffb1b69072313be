#!/usr/bin/env node
import "./node-version";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe } from "../account/messages";
import { SettingsError } from "../account/settings";
import { FilesError } from "../catalog/files";
import { ReviewError } from "../live/review";
import { doctorCommand } from "./doctor";
import { driftCommand } from "./drift";
import { emulatorCommand } from "./emulator";
import { exportCommand } from "./export";
import { importCommand } from "./import";
import { initCommand } from "./init";
import { journalCommand } from "./journal";
import { planCommand } from "./plan";
import { schemaCommand } from "./schema";
import { showCommand } from "./show";
import { withCommonOptions } from "./terminal";
import { upCommand } from "./up";
import { validateCommand } from "./validate";

const { version } = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
  version: string;
};

const program = withCommonOptions(new Command("pulumi-shortlink"))
  .description("Short links as code: tools around the Pulumi provider for a self-hosted short-link service")
  .version(version)
  .configureHelp({ showGlobalOptions: true })
  .showHelpAfterError("(see pulumi-shortlink --help)")
  .addCommand(initCommand())
  .addCommand(validateCommand(version))
  .addCommand(showCommand(version))
  .addCommand(schemaCommand())
  .addCommand(exportCommand())
  .addCommand(importCommand())
  .addCommand(planCommand())
  .addCommand(upCommand())
  .addCommand(driftCommand())
  .addCommand(doctorCommand())
  .addCommand(emulatorCommand())
  .addCommand(journalCommand())
  // Exit codes: 0 done, 1 problems, 2 wrong use.
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
for (const command of program.commands) command.copyInheritedSettings(program);

program.parseAsync().catch((error: unknown) => {
  console.error(`pulumi-shortlink: ${describe(error, true)}`);
  process.exitCode = [FilesError, ReviewError, SettingsError].some((wrong) => error instanceof wrong) ? 2 : 1;
});
