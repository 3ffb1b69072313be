import { expect, test } from "vitest";
import { nodeProblem } from "../src/node-version";

test.each(["22.19.0", "22.23.3", "24.21.0", "100.0.0"])("Node %s is new enough", (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test.each(["18.20.0", "20.20.2", "22.18.9"])(
  "Node %s is too old, and the message says what to do",
  (version) => {
    expect(nodeProblem(version)).toBe(
      `pulumi-shortlink needs Node.js 22.19.0 or newer, and this is ${version}. Put a newer "node" first on PATH.`,
    );
  },
);
