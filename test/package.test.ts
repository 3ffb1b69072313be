import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as typescript from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../tools/environment.mjs";
import { pack } from "./helpers/project";

let packed: ReturnType<typeof pack>;
let installed: string;

beforeAll(() => {
  packed = pack();
  execFileSync("tar", ["-xzf", packed.tarball, "-C", packed.folder]);
  const modules = join(packed.folder, "node_modules");
  mkdirSync(modules);
  installed = join(modules, "pulumi-shortlink");
  cpSync(join(packed.folder, "package"), installed, { recursive: true });
  symlinkSync(join(root, "node_modules", "@pulumi"), join(modules, "@pulumi"));
});
afterAll(() => rmSync(packed.folder, { recursive: true, force: true }));

function declarations(): string[] {
  const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
  return files.filter((file) => file.endsWith(".d.ts")).map((file) => join(installed, file));
}

test("publint and attw find nothing wrong with the tarball", () => {
  const run = (tool: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(root, "node_modules", tool), ...args], {
      cwd: root,
      encoding: "utf8",
    });
  expect(run("publint/src/cli.js", packed.tarball, "--strict")).toContain("All good!");
  expect(run("@arethetypeswrong/cli/dist/index.js", packed.tarball)).toContain("No problems found");
});

test("a program without lookups and catalogs loads only the SDK", () => {
  const script = `
    require("@pulumi/pulumi");
    const before = new Set(Object.keys(require.cache));
    require("pulumi-shortlink");
    console.log(Object.keys(require.cache).filter((file) => !before.has(file)).join("\\n"));`;
  const output = execFileSync(process.execPath, ["-e", script], { cwd: packed.folder, encoding: "utf8" });
  const loaded = output.trim().split("\n");
  expect(loaded).toContain(join(installed, "dist/index.js"));
  expect(loaded.filter((file) => !file.startsWith(installed))).toEqual([]);
});

test("the declarations import only from the Pulumi SDK", () => {
  const imports = declarations().flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:from|import|import\(|types=)\s*"([^"]+)"/g)].map(
      ([, name]) => name,
    ),
  );
  expect(new Set(imports.filter((name) => !name?.startsWith(".")))).toEqual(new Set(["@pulumi/pulumi"]));
});

test("the declarations compile with the fallback compiler of the SDK", () => {
  const require = createRequire(join(root, "package.json"));
  const ts = require("@pulumi/pulumi/vendor/typescript@3.8.3/typescript.js") as typeof typescript;
  expect(ts.version).toBe("3.8.3");
  const program = join(packed.folder, "index.ts");
  writeFileSync(
    program,
    `import * as shortlink from "pulumi-shortlink";
     import { createEmulator } from "pulumi-shortlink/emulator";
     import { link } from "pulumi-shortlink/provider";
     const go = new shortlink.Domain("go", { name: "go.example" });
     const args: shortlink.LinkArgs = { domainId: go.id, url: "https://example.com/", privacy: "private" };
     new shortlink.Link("docs", args).shortUrl.apply((url) => url.length);
     shortlink.getLinksOutput({ domainId: 1 }).apply((links) => links.map((each) => each.targets));
     createEmulator({ port: 0 }).then((emulator) => emulator.close());
     link.create;
     new shortlink.Link("wrong", { domainId: go.id });`,
  );
  const options = {
    strict: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2018,
    module: ts.ModuleKind.CommonJS,
    types: [],
  };
  const own = ts
    .getPreEmitDiagnostics(ts.createProgram([program], { ...options, moduleResolution: 2 }))
    .filter(
      ({ file }) =>
        file === undefined || file.fileName === program || file.fileName.includes("pulumi-shortlink"),
    );
  // The program's only mistake shows that the compiler really read the types.
  expect(own.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([
    expect.stringContaining("Property 'url' is missing"),
  ]);
});

/** The names of all files below a folder of the repository. */
const filesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test("besides code and types, the tarball contains exactly the expected files", () => {
  const entries = readdirSync(installed, { recursive: true, withFileTypes: true, encoding: "utf8" });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  expect(files.filter((name) => !/\.(?:js|d\.ts)$/.test(name)).sort()).toEqual(
    [
      ...["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "package.json"],
      // The design page and the pictures are only for readers of the repository.
      ...filesIn("docs").filter((name) => name !== "design.md" && !/\.(?:png|svg)$/.test(name)),
      ...readdirSync(join(root, "schema")),
    ].sort(),
  );
});

test("the built command prints the version of the tarball", () => {
  const output = execFileSync(process.execPath, [join(root, "dist/cli/main.js"), "--version"], {
    encoding: "utf8",
  });
  const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    version: string;
  };
  expect(output.trim()).toBe(version);
});
