import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createEmulator } from "pulumi-shortlink/emulator";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { root } from "../../tools/environment.mjs";
import { Commands } from "../helpers/commands";
import { pack } from "../helpers/project";

// The packed package in projects of each kind, as package managers lay them out. `npm run endurance` tests all kinds, `npm test` the
// strictest layout. The examples and `init` test npm with programs in TypeScript and CommonJS.

let packed: ReturnType<typeof pack>;
beforeAll(() => {
  packed = pack();
});
afterAll(() => rmSync(packed.folder, { recursive: true }));

const commonJs = `
const shortlink = require("pulumi-shortlink");
const go = new shortlink.Domain("go", { name: "go.example" });
exports.url = new shortlink.Link("docs", { domainId: go.id, alias: "docs", url: "https://example.com/" }).shortUrl;
new shortlink.LinkCatalog("links", { files: "links" });
`;
const module = `
import { Domain, Link, LinkCatalog, getDomains } from "pulumi-shortlink";
const go = new Domain("go", { name: "go.example" });
export const { shortUrl: url } = new Link("docs", { domainId: go.id, alias: "docs", url: "https://example.com/" });
new LinkCatalog("links", { files: "links" });
await getDomains();
`;
const typeScript = commonJs
  .replace('const shortlink = require("pulumi-shortlink");', 'import * as shortlink from "pulumi-shortlink";')
  .replace("exports.url =", "export const url: unknown =");

const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  devDependencies: Record<string, string>;
};
const dependencies = {
  "@pulumi/pulumi": devDependencies["@pulumi/pulumi"],
  "pulumi-shortlink": "file:TARBALL",
};
const manifest = (more: object) => JSON.stringify({ name: "links", private: true, dependencies, ...more });
const bin = (name: string) => `${process.execPath} ${join(root, "node_modules", name)}`;
const npm = "npm install --silent --no-audit --no-fund";

interface Layout {
  files: Record<string, string>;
  install: string;
  /** The folder of the project, if it is a subfolder. */
  in?: string;
}
const layouts: Record<string, Layout> = {
  "pnpm, isolated, an ES module": {
    files: { "package.json": manifest({ type: "module", main: "index.js" }), "index.js": module },
    install: `${bin("pnpm/bin/pnpm.cjs")} install --silent --config.node-linker=isolated`,
  },
  "npm, an ES module": {
    files: { "package.json": manifest({ type: "module", main: "index.js" }), "index.js": module },
    install: npm,
  },
  "npm, CommonJS": {
    files: { "package.json": manifest({ main: "index.js" }), "index.js": commonJs },
    install: npm,
  },
  "yarn, TypeScript": {
    files: { "package.json": manifest({ main: "index.ts" }), "index.ts": typeScript },
    install: `${bin("yarn/bin/yarn.js")} install --silent --no-lockfile`,
  },
  "npm workspaces": {
    files: {
      "package.json": JSON.stringify({ name: "all", private: true, workspaces: ["stacks/*"] }),
      "stacks/links/package.json": manifest({ main: "index.js" }),
      "stacks/links/index.js": commonJs,
    },
    install: npm,
    in: "stacks/links",
  },
  "a checkout that is linked": {
    files: {
      "links/package.json": manifest({ main: "index.js" }).replace("file:TARBALL", "file:../package"),
      "links/index.js": commonJs,
    },
    install: `tar -xzf TARBALL && (cd package && npm pkg delete devDependencies && ${npm}) && cd links && ${npm}`,
    in: "links",
  },
};
const chosen = process.env.LAYOUTS === "all" ? Object.keys(layouts) : Object.keys(layouts).slice(0, 1);

test.each(chosen)("the package works in a project of %s", async (name) => {
  const { files, install, in: folder = "." } = layouts[name] ?? { files: {}, install: "" };
  const emulator = await createEmulator();
  const place = new Commands(emulator, { npm_config_prefer_offline: "true" });
  onTestFinished(async () => {
    await emulator.close();
    place.remove();
  });
  // Node must find nothing above the project.
  await place.run("rm node_modules package.json Pulumi.yaml");
  for (const [file, text] of Object.entries(files))
    place.write(file, text.replaceAll("TARBALL", packed.tarball));
  place.write(join(folder, "Pulumi.yaml"), "name: links\nruntime: nodejs\n");
  place.write(
    join(folder, "links", "links.yaml"),
    "domains: { docs.example: {} }\nlinks: { guide: { domain: docs.example, alias: guide, url: https://example.com/ } }\n",
  );
  await place.run(install.replaceAll("TARBALL", packed.tarball));
  const run = (command: string) => place.run(`cd ${folder} && ${command}`);
  await run("pulumi stack init dev");
  expect(await run("pulumi up --yes --skip-preview")).toContain("+ 7 created");
  await run("pulumi preview --expect-no-changes");
  expect(await run("npx pulumi-shortlink validate links")).toContain("No mistake in 1 link and 1 domain.\n");
  await run("pulumi destroy --yes --skip-preview");
});
