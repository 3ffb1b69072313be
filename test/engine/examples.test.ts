import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "pulumi-shortlink/emulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort, pack, Project, stepsOf } from "../helpers/project";

let packed: ReturnType<typeof pack>;
beforeAll(() => {
  packed = pack();
});
afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

/** Spaces at the ends and between columns are not worth an example that breaks. */
const squeeze = (text: string) => text.trim().replace(/ +/g, " ");

test.each(["basic", "gitops", "environments"])(
  "the README of examples/%s shows commands that work and lines that they print",
  async (name) => {
    const project = new Project(name, packed.tarball);
    const port = String(await freePort());
    try {
      for (const { command, shown } of stepsOf(`examples/${name}/README.md`)) {
        const line = command.replaceAll("8787", port);
        const { output, status } = line.includes("pulumi-shortlink emulator")
          ? { output: await project.start(line), status: 0 }
          : await project.run(line);
        expect(status, `${command}\n${output}`).toBe(0);
        const printed = output.replaceAll(port, "8787").split("\n").map(squeeze);
        for (const each of shown) expect(printed, `$ ${command}`).toContain(squeeze(each));
      }
    } finally {
      await project.remove();
    }
  },
);

test("the state of 100 links that pulumi up makes is under 190 kB and holds no API key", async () => {
  const project = new Project("basic", packed.tarball);
  const emulator = await createEmulator({ apiKey: "a-key-that-must-not-show" });
  try {
    await project.run("npm install ./*.tgz && pulumi stack init dev");
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
    // Neither the state nor any other file of the project or of Pulumi's home.
    expect(await project.run(`grep -rl ${emulator.apiKey} .`)).toEqual({ output: "", status: 1 });
    expect(output).not.toContain(emulator.apiKey);
  } finally {
    await emulator.close();
    await project.remove();
  }
});
