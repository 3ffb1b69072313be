import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { pulumi } from "../../src/cli/pulumi";
import { pulumiEnvironment } from "../../tools/environment.mjs";

test("long non-ASCII output of Pulumi is read unchanged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "shortlink-cli-"));
  const [before, environment] = [process.cwd(), { ...process.env }];
  onTestFinished(() => {
    process.chdir(before);
    process.env = environment;
    rmSync(folder, { recursive: true });
  });
  Object.assign(process.env, pulumiEnvironment(join(folder, ".pulumi")));
  process.chdir(folder);
  writeFileSync("Pulumi.yaml", "name: project\nruntime: nodejs\n");
  await pulumi(["stack", "init", "dev"]);
  // Three bytes per character, so chunks of 64 kB end within a character.
  const long = "あ".repeat(200_000);
  appendFileSync("Pulumi.dev.yaml", `config:\n  project:long: ${long}\n`);
  const printed = await pulumi(["config", "get", "long"]);
  expect(printed.trimEnd() === long).toBe(true);
});
