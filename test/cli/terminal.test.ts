import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "../../tools/environment.mjs";

// The options that all commands have.

const folder = mkdtempSync(join(tmpdir(), "shortlink-terminal-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The output of a command on both streams, which are no terminals. */
function run(line: string, variables: Record<string, string> = {}): string {
  const { NO_COLOR: _no, FORCE_COLOR: _force, ...environment } = process.env;
  const command = `${process.execPath} ${join(root, "dist/cli/main.js")} ${line} 2>&1`;
  return execFileSync("bash", ["-c", command], {
    cwd: folder,
    env: { ...environment, ...variables },
    encoding: "utf8",
  });
}

const change = {
  action: "delete",
  type: "link",
  resource: "docs",
  urn: "urn:pulumi:dev::links::pulumi-nodejs:dynamic/shortlink:Link::docs",
  address: "go.example/docs",
  fields: [],
};
const plan = {
  changes: [change],
  lost: [],
  unchanged: 1,
  others: [],
  requests: 1,
  errors: [],
  isRefreshing: false,
};
writeFileSync(join(folder, "plan.json"), JSON.stringify({ format: 1, plan }));

test("reports have colors only on request, and the same text without them", () => {
  const red = "\u001b[31mDeleted (1):\u001b[39m";
  const show = "plan --from plan.json";
  const plain = run(show);
  expect(plain).toContain("\nDeleted (1):\n");
  expect(run(`${show} --color`)).toBe(plain.replace("Deleted (1):", red));
  expect(run(`--color ${show}`, { NO_COLOR: "1" })).toContain(red);
  expect(run(show, { FORCE_COLOR: "1" })).toContain(red);
  for (const [line, variables] of [
    [show, { NO_COLOR: "1" }],
    [`${show} --no-color`, { FORCE_COLOR: "1" }],
    [`${show} --color --format markdown`, {}],
  ] as const)
    expect(run(line, variables)).not.toContain("\u001b");
});

test("--quiet hides the success message and keeps mistakes", () => {
  writeFileSync(
    join(folder, "good.yaml"),
    "domains: { go.example: {} }\nlinks: { docs: { domain: go.example, url: https://example.com/ } }\n",
  );
  expect(run("validate good.yaml")).toBe("No mistake in 1 link and 1 domain.\n");
  expect(run("validate good.yaml --quiet")).toBe("");
  writeFileSync(join(folder, "bad.yaml"), "links: { docs: { domain: go.example } }\n");
  expect(run("validate -q bad.yaml || echo $?")).toMatch(
    /^bad.yaml:1:\d+ link "docs": url is required\n[^]*1\n$/,
  );
});

test("reporting commands accept --format json, and wrong usage exits with 2", () => {
  for (const command of ["validate", "show", "plan", "drift", "doctor", "journal", "export"])
    expect(run(`${command} --help`), command).toMatch(/--format <format>[^]*"json"/);
  expect(JSON.parse(run("plan --from plan.json --format json"))).toEqual(plan);
  expect(JSON.parse(run("journal --format json", { SHORTLINK_JOURNAL: folder }))).toEqual([]);
  for (const line of ["plan --format nonsense", "nonsense", "plan --from nothing.json", "up"])
    expect(run(`${line} > /dev/null 2>&1 || echo $?`)).toBe("2\n");
});
