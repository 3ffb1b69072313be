import { createEmulator } from "pulumi-shortlink/emulator";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../tools/environment.mjs";
import { Commands } from "../helpers/commands";

// `pulumi-shortlink doctor` in a project, from an empty one to a correct one.

test("doctor reports problems of a project until it finds none, and never shows the key", async () => {
  const emulator = await createEmulator({ apiKey: "a-key-that-must-not-show" });
  onTestFinished(() => emulator.close());
  const project = new Commands({ url: "", apiKey: "" });
  onTestFinished(() => project.remove());
  const outputs = [await project.run("shortlink doctor", 1)];
  expect(outputs[0]).toMatch(/WRONG {2}stack +The configuration cannot be read\. No stack is selected: run/);
  expect(outputs[0]).toMatch(/WRONG {2}settings +They are not in the environment, and/);
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

test("a command without project, stack, passphrase, key or service says what to do", async () => {
  const emulator = await createEmulator();
  onTestFinished(() => emulator.close());
  const project = new Commands(emulator);
  onTestFinished(() => project.remove());
  const shortlink = `${process.execPath} ${join(root, "dist/cli/main.js")}`;
  const said = async (text: string, status = 1) => (await project.run(text, status)).trimEnd();
  // A folder above the project has no project.
  expect(await said(`cd .. && ${shortlink} drift`)).toBe(
    "pulumi-shortlink: There is no Pulumi project here: run the command in the folder with Pulumi.yaml, or create a project with " +
      '"npx pulumi-shortlink init".',
  );
  expect(await said("shortlink plan")).toBe(
    'pulumi-shortlink: No stack is selected: run "pulumi stack select", or name the stack with --stack.',
  );
  project.write(
    "index.js",
    'new (require("pulumi-shortlink").Domain)("go", { name: "go.example" }, { retainOnDelete: true });',
  );
  await project.run("pulumi stack init dev && pulumi config set --secret shortlink:apiKey another-key");
  expect(await said("shortlink plan --stack prod")).toBe(
    'pulumi-shortlink: There is no stack of this name: "pulumi stack ls" lists the stacks of the project.',
  );
  expect(await said(`unset PULUMI_CONFIG_PASSPHRASE; ${shortlink} import`)).toBe(
    "pulumi-shortlink: The secrets of the stack are encrypted: set PULUMI_CONFIG_PASSPHRASE to the passphrase of the stack.",
  );
  expect(await said(`PULUMI_CONFIG_PASSPHRASE=wrong ${shortlink} doctor`)).toMatch(
    /WRONG {2}stack +The configuration cannot be read\. PULUMI_CONFIG_PASSPHRASE is not the passphrase of this stack\./,
  );
  expect(await said(`unset PULUMI_BACKEND_URL; export PULUMI_HOME=$PWD/new; ${shortlink} drift`)).toBe(
    'pulumi-shortlink: Pulumi does not know where the state is: run "pulumi login", or set PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL.',
  );
  // The configuration has another key than the environment.
  for (const command of ["plan", "drift"])
    expect(await said(`shortlink ${command}`)).toMatch(
      /refused the API key \(401\): .*Set the right one with "pulumi config set --secret shortlink:apiKey" or in SHORTLINK_API_KEY\.$/,
    );
  expect(await said(`unset SHORTLINK_API_KEY; ${shortlink} export`, 2)).toMatch(
    /set SHORTLINK_API_KEY\. export reads only the environment, not the configuration of a stack\.$/,
  );
  expect(await said(`SHORTLINK_BASE_URL=http://127.0.0.1:1 ${shortlink} export`)).toMatch(
    /cannot reach the service at http:\/\/127\.0\.0\.1:1 .*Check that it runs, and that shortlink:baseUrl/,
  );
}, 120_000);
