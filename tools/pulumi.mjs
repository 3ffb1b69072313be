// `npm run pulumi -- <arguments>`: the Pulumi CLI of this repository, with its own home and state.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { pulumiEnvironment } from "./environment.mjs";

const { status } = spawnSync("pulumi", process.argv.slice(2), { stdio: "inherit", env: pulumiEnvironment() });
process.exitCode = status ?? 1;
