// `npm run docs`: builds a site with search from the pages of this repository and the comments of its API. Fails on a warning and on a
// dead link. The site is in .pulumi/site/dist.
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, extname, join, posix, relative } from "node:path";
import { Application } from "typedoc";
import { root } from "./environment.mjs";

const site = join(root, ".pulumi", "site");
const pages = globSync(["*.md", "docs/**/*.md", "examples/*/README.md"], { cwd: root }).map((name) =>
  name.replaceAll("\\", "/"),
);

rmSync(site, { recursive: true, force: true });
for (const page of pages) {
  const target = join(site, page);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, forSite(page));
}
cpSync(join(root, "docs", "pictures"), join(site, "docs", "pictures"), { recursive: true });

/**
 * Returns a page with the links of the site. A folder leads to its README. Other files are copied to `raw`.
 *
 * @param {string} page
 */
function forSite(page) {
  const text = readFileSync(join(root, page), "utf8");
  const at = (/** @type {string} */ file) => posix.join(posix.dirname(page), file);
  const isFolder = (/** @type {string} */ file) => statSync(join(root, at(file))).isDirectory();
  const hasPage = (/** @type {string} */ file) => existsSync(join(root, at(file), "README.md"));
  return text
    .replace(
      /\[([^\]]*)\]\((?!https?:|#)([^)\s#]+)\)/g,
      (whole, /** @type {string} */ label, /** @type {string} */ file) =>
        isFolder(file) && !hasPage(file) ? label : whole,
    )
    .replace(/\]\((?!https?:|#)([^)\s#]+)\)/g, (whole, /** @type {string} */ file) => {
      if (/\.(?:md|svg|png)$/.test(file)) return whole;
      if (isFolder(file)) return `](${file}/README.md)`;
      // The site treats a file without an extension as a page.
      const copy = posix.join("raw", at(file) + (extname(file) === "" ? ".txt" : ""));
      cpSync(join(root, at(file)), join(site, "public", copy));
      return `](/${copy}){target="_blank"}`;
    });
}

const typedoc = await Application.bootstrapWithPlugins({
  entryPoints: ["index.ts", "emulator/server.ts"].map((name) => join(root, "src", name)),
  tsconfig: join(root, "tsconfig.json"),
  plugin: ["typedoc-plugin-markdown"],
  out: join(site, "api"),
  readme: "none",
  disableSources: true,
  excludeInternal: true,
  externalSymbolLinkMappings: {
    "@pulumi/pulumi": { "*": "https://www.pulumi.com/docs/reference/pkg/nodejs/pulumi/pulumi/" },
  },
  ...{ hideBreadcrumbs: true, hidePageHeader: true, entryFileName: "index.md" },
});
const project = await typedoc.convert();
if (!project) throw new Error("The comments of the code could not be read.");
typedoc.validate(project);
await typedoc.generateOutputs(project);
if (typedoc.logger.hasErrors() || typedoc.logger.hasWarnings())
  throw new Error("The reference of the API has warnings; they stand above.");

/** @param {string} title @param {string[]} names */
const group = (title, ...names) => ({
  text: title,
  items: names.map((name) => ({
    text: titleOf(`docs/${name}.md`),
    link: `/docs/${name.replace(/README$/, "")}`,
  })),
});
/** @param {string} page */
const titleOf = (page) => /^# (.*)$/m.exec(readFileSync(join(root, page), "utf8"))?.[1] ?? page;

const config = {
  title: "pulumi-shortlink",
  description: "Short links as code",
  srcDir: ".",
  outDir: "dist",
  cleanUrls: true,
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Documentation", link: "/docs/" },
      { text: "API", link: "/api/" },
      { text: "Changelog", link: "/CHANGELOG" },
    ],
    sidebar: [
      group("Begin", "getting-started", "catalog", "spreadsheets", "adopt"),
      group(
        "Use",
        ...["resources", "lookups", "settings", "secrets", "environments", "rate-limits", "interrupted-runs"],
      ),
      group("Teams", "plan", "gitops", "ci/README", "drift"),
      group("Look up", "catalog-reference", "cli", "errors", "emulator", "compatibility", "performance"),
      group("Understand", "how-it-works", "design"),
    ],
  },
};
mkdirSync(join(site, ".vitepress"), { recursive: true });
// A README is the index of its folder.
const rewrites = 'rewrites: (name) => name.replace(/(^|\\/)README\\.md$/, "$1index.md")';
writeFileSync(
  join(site, ".vitepress", "config.mjs"),
  `export default { ...${JSON.stringify(config)}, ${rewrites} };\n`,
);
execFileSync(process.execPath, [join(root, "node_modules/vitepress/bin/vitepress.js"), "build", site], {
  stdio: "inherit",
});
process.stdout.write(`\n${pages.length} pages and the API: ${relative(process.cwd(), join(site, "dist"))}\n`);
