import { createEmulator } from "pulumi-shortlink/emulator";
import { expect, onTestFinished, test } from "vitest";
import { Commands } from "../helpers/commands";

// `pulumi-shortlink doctor` in a project, from nothing to one in which all is right.

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
  expect(outputs[1]).toMatch(/\n1 of \d+ to put right\.\n$/);
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
}, 120_000);
