import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmulator } from "pulumi-shortlink/emulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../tools/environment.mjs";
import { freePort, pack, Project, stepsOf } from "../helpers/project";

let packed: ReturnType<typeof pack>;
beforeAll(() => {
  packed = pack();
});
afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

/** The lines of a transcript without differences between runs: spaces, ids, and the order of planned resources. */
function linesOf(text: string): string[] {
  const lines = text
    .split("\n")
    .map((line) => line.trim().replace(/ +/g, " "))
    .map((line) => line.replace(/^(\[id=|domainId : )\d+/, "$1…"))
    // These warnings come from the machine's npm settings.
    .filter((line) => line !== "" && !line.startsWith("npm warn"));
  const isResource = (line: string) => /^[+~-] pulumi-nodejs:\S+: \(\w+\)$/.test(line);
  const [begin, end] = [lines.findIndex(isResource), lines.indexOf("Resources:")];
  if (begin < 0 || end < begin) return lines;
  const blocks: string[][] = [];
  for (const line of lines.slice(begin, end)) {
    if (isResource(line)) blocks.push([]);
    blocks.at(-1)?.push(line);
  }
  // Sort by the URN, in the second or third line of each block.
  const urnOf = (block: string[]) => block.find((line) => line.startsWith("[urn=")) ?? "";
  blocks.sort((a, b) => urnOf(a).localeCompare(urnOf(b)));
  return [...lines.slice(0, begin), ...blocks.flat(), ...lines.slice(end)];
}

/** Expects a command to print the lines that a document shows. A line with only `…` matches any lines. */
function expectShown(command: string, output: string, shown: string[]): void {
  const [printed, expected] = [linesOf(output), linesOf(shown.join("\n"))];
  const parts = expected
    .join("\n")
    .split(/^…$/m)
    .map((part) =>
      part
        .trim()
        .split("\n")
        .filter((line) => line !== ""),
    );
  let at = 0;
  for (const [i, part] of parts.entries()) {
    // With nothing omitted before it, a part must be here. With nothing omitted after it, the output ends with it.
    const isHere = (from: number) => part.every((line, offset) => printed[from + offset] === line);
    const places =
      i === 0
        ? [at]
        : printed
            .map((_, index) => index)
            .slice(at)
            .concat(printed.length);
    const place = i === parts.length - 1 && part.length > 0 ? places.findLast(isHere) : places.find(isHere);
    if (place === undefined) expect(printed.slice(at), `$ ${command}\n${output}`).toEqual(part);
    at = (place ?? at) + part.length;
  }
  if (expected.at(-1) !== "…") expect(printed.slice(at), `$ ${command}\n${output}`).toEqual([]);
}

/** The packages that all examples depend on. They are installed once, because npm is slow. */
let installed: string | undefined;
afterAll(() => {
  if (installed !== undefined) rmSync(installed, { recursive: true });
});

/**
 * Runs a command, but links a project to packages that are already installed. So they are also compiled only once.
 * A repository gets the files, because it would commit the link.
 */
async function run(project: Project, command: string): ReturnType<Project["run"]> {
  const others = "cmp package-lock.json ../runner-1/package-lock.json && ln -s ../runner-1/node_modules .";
  if (/runner-[2-9]/.test(command)) return project.run(command.replace("npm ci --silent", others));
  if (installed !== undefined) {
    const way = command.includes(".gitignore")
      ? `cp -al ${installed}/. .`
      : `ln -s ${installed}/node_modules . && cp ${installed}/package-lock.json .`;
    return project.run(command.replace(/npm install.*?\.tgz/, way));
  }
  const outcome = await project.run(command);
  if (!command.startsWith("npm install")) return outcome;
  installed = mkdtempSync(join(tmpdir(), "shortlink-installed-"));
  await project.run(`cp -al node_modules package-lock.json ${installed}`);
  return outcome;
}

test("the examples have the same dependencies", () => {
  const folders = readdirSync(join(root, "examples"));
  const all = folders.map((name) => {
    const text = readFileSync(join(root, "examples", name, "package.json"), "utf8");
    return (JSON.parse(text) as { dependencies: object }).dependencies;
  });
  expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1);
});

test.each([
  ["basic", "examples/basic/README.md"],
  ["gitops", "examples/gitops/README.md"],
  ["environments", "examples/environments/README.md"],
  ["gitops", "docs/gitops.md"],
])("with the files of examples/%s, the commands of %s print the shown output", async (name, document) => {
  const project = new Project(name, packed.tarball);
  const port = String(await freePort());
  try {
    for (const { command, shown } of stepsOf(document)) {
      const line = command.replaceAll("8787", port);
      const { output, status } = line.includes("pulumi-shortlink emulator")
        ? { output: await project.start(line), status: 0 }
        : await run(project, line);
      expect(status, `${command}\n${output}`).toBe(0);
      expectShown(command, output.replaceAll(port, "8787"), shown);
    }
  } finally {
    await project.remove();
  }
});

test("the state of 100 links is under 190 kB and contains no API key", async () => {
  const project = new Project("basic", packed.tarball);
  const emulator = await createEmulator({ apiKey: "a-key-that-must-not-show" });
  try {
    await run(project, "npm install ./*.tgz && pulumi stack init dev");
    await project.run(`pulumi config set shortlink:baseUrl ${emulator.url}`);
    await project.run(`pulumi config set --secret shortlink:apiKey ${emulator.apiKey}`);
    const program = [
      'import * as shortlink from "pulumi-shortlink";',
      'const go = new shortlink.Domain("go", { name: "go.example" });',
      "for (let i = 0; i < 100; i++) {",
      "  new shortlink.Link(`link-${i}`, { domainId: go.id, alias: `link-${i}`, url: `https://example.com/${i}` });",
      "}",
    ];
    writeFileSync(join(project.folder, "index.ts"), program.join("\n"));
    const { output } = await project.run("pulumi up --yes --diff");
    expect(output).toContain("+ 102 created");
    const state = readFileSync(join(project.folder, ".pulumi/state/.pulumi/stacks/shortlink-basic/dev.json"));
    expect(state.length).toBeLessThan(190_000);
    // For a refresh, Pulumi uses the configuration of the last up, unless the refresh runs the program.
    await project.run("pulumi config set --secret shortlink:apiKey another-key");
    expect((await project.run("pulumi refresh --yes --skip-preview")).status).toBe(0);
    const { output: refused } = await project.run("pulumi refresh --yes --skip-preview --run-program");
    expect(refused).toContain("refused the API key (401)");
    // The key is in no file of the project or of Pulumi's home, including the state.
    expect(await project.run(`grep -rl ${emulator.apiKey} .`)).toEqual({ output: "", status: 1 });
    expect(output).not.toContain(emulator.apiKey);
  } finally {
    await emulator.close();
    await project.remove();
  }
});
