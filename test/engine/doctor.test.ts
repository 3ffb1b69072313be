import { createEmulator } from "pulumi-shortlink/emulator";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../tools/environment.mjs";
import { Commands } from "../helpers/commands";

// `pulumi-shortlink doctor` in a project, from an empty one to a correct one.

test("doctor names what is missing in a project until nothing is, and never the key", async () => {
  const emulator = await createEmulator({ apiKey: "a-key-that-must-not-show" });
  onTestFinished(() => emulator.close());
  const project = new Commands({ url: "", apiKey: "" });
  onTestFinished(() => project.remove());
  const outputs = [await project.run("shortlink doctor", 1)];
  expect(outputs[0]).toMatch(/WRONG {2}stack +There is no stack to read: /);
  expect(outputs[0]).toMatch(/WRONG {2}settings +.*shortlink:apiKey/);
  await project.run("pulumi stack init dev");
  await project.run(`pulumi config set shortlink:baseUrl ${emulator.url}`);
  await project.run(`pulumi config set --plaintext shortlink:apiKey ${emulator.apiKey}`);
  outputs.push(await project.run("shortlink doctor", 1));
  expect(outputs[1]).toMatch(/WRONG {2}key +shortlink:apiKey is not marked as a secret/);
  expect(outputs[1]).toMatch(/\n1 of \d+ checks failed\.\n$/);
  await project.run(`pulumi config set --secret shortlink:apiKey ${emulator.apiKey}`);
  outputs.push(await project.run("shortlink doctor --stack dev"));
  for (const line of [
    /^ok {5}Node\.js +\d+\.\d+\.\d+$/m,
    /^ok {5}Pulumi CLI +\d+\.\d+\.\d+$/m,
    /^ok {5}@pulumi\/pulumi +3\.\d+\.\d+$/m,
    /^ok {5}provider +\S+provider\.js$/m,
    /^ok {5}key +a secret of the stack$/m,
    /^ok {5}journal +\S+$/m,
    /^ok {5}service +\S+ answers within \d+ ms: 0 domains and 0 links$/m,
    /^Nothing is wrong\.$/m,
  ])
    expect(outputs[2]).toMatch(line);
  const checks = JSON.parse(await project.run("shortlink doctor --format json")) as { ok: boolean }[];
  expect(checks.every(({ ok }) => ok)).toBe(true);
  expect(outputs.join("\n")).not.toContain(emulator.apiKey);

  // An old CLI first on PATH, and no CLI.
  project.write("old/pulumi", "#!/bin/sh\necho v3.100.0\n");
  const main = join(root, "dist/cli/main.js");
  expect(
    await project.run(`chmod +x old/pulumi && PATH="$PWD/old:$PATH" ${process.execPath} ${main} doctor`, 1),
  ).toMatch(
    /WRONG {2}Pulumi CLI +3\.100\.0 is older than 3\.\d+\.0, the oldest tested version\. Install a newer one\./,
  );
  expect(await project.run(`PATH=/nowhere ${process.execPath} ${main} import`, 1)).toBe(
    "pulumi-shortlink: Pulumi's CLI cannot be started. Install it (https://www.pulumi.com/docs/install) and run the command in " +
      "the folder of the project.\n",
  );
  expect(await project.run("shortlink drift --expiring soon", 2)).toContain(
    "Give a number of days, like 14.",
  );
}, 120_000);
