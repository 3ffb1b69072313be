import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nodeProblem } from "../src/node-problem";

const messageOf = (version: string) =>
  `pulumi-shortlink needs Node.js 22.19.0 or newer, and this is ${version}. Put a newer "node" first on PATH.`;

test.each(["22.19.0", "22.23.3", "24.21.0", "100.0.0"])("Node %s is new enough", (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test.each(["18.20.0", "20.20.2", "22.18.9"])("Node %s is too old", (version) => {
  expect(nodeProblem(version)).toBe(messageOf(version));
});

test("the command on an old Node prints one line", () => {
  // Only the version that the command reads is old here.
  const pretend =
    'data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" })';
  const main = join(__dirname, "../dist/cli/main.js");
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--import", pretend, main, "validate"], {
    encoding: "utf8",
  });
  expect([stdout, stderr, status]).toEqual(["", `${messageOf("20.20.2")}\n`, 2]);
});
