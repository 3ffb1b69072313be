import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { pulumiEnvironment, root } from "../../tools/environment.mjs";
import { Commands } from "../helpers/commands";
import { send } from "../helpers/emulator";
import { Installed, pack } from "../helpers/project";

// From an empty folder to a first preview, with the packed package and the real npm.

let packed: ReturnType<typeof pack>;
const installed = new Installed();
let emulator: Emulator;
let place: Commands;
beforeAll(() => {
  packed = pack();
});
beforeEach(async () => {
  emulator = await createEmulator({ apiKey: "never-shown" });
  place = new Commands(emulator, { npm_config_prefer_offline: "true", SHORTLINK_API_KEY: "" });
  place.write("key", `${emulator.apiKey}\n`);
});
afterEach(async () => {
  await emulator.close();
  place.remove();
});
afterAll(() => {
  rmSync(packed.folder, { recursive: true });
  installed.remove();
});

const run = (command: string, status?: number) =>
  place.run(command.replace(/^init (\S+)/, `shortlink init $1 --package ${packed.tarball}`), status);
const read = (file: string) => readFileSync(join(place.folder, file), "utf8");
const ports = (text: string) => text.replaceAll(emulator.url, "http://the.service");

test("init creates a project for an empty account, and its first up works", async () => {
  expect(await run("init links-a --key-file key", 2)).toContain(
    "The account has no domain yet: name the one of the first link with --domain.",
  );
  const output = await run("init links-a --key-file key --domain go.example");
  installed.keep(join(place.folder, "links-a"));
  expect(ports(output)).toContain("http://the.service has 0 domains and 0 links.\n");
  expect(output).toContain("    + 5 to create\n");
  expect(output).toContain('Go there, look at the plan above, and run "pulumi up".');
  expect(emulator.requests.every(({ method }) => method === "GET")).toBe(true);
  expect(readdirSync(join(place.folder, "links-a")).filter((name) => name !== "node_modules")).toEqual([
    ...[".gitignore", "Pulumi.dev.yaml", "Pulumi.yaml", "index.js", "links", "package-lock.json"],
    "package.json",
  ]);
  expect(await run("cd links-a && npm run --silent validate")).toBe("No mistake in 1 link and 1 domain.\n");
  await run("cd links-a && pulumi up --yes --skip-preview --suppress-outputs");
  // Another project for the same account makes a second link beside the first one.
  const printed = await run("init links-b --key-file key --template typescript --no-install");
  expect(printed).toContain("Go on there with:\n  npm install\n  pulumi stack init dev\n");
  expect(read("links-b/index.ts")).toContain('shortlink.Domain.get("domain", "go.example")');
  expect(read("links-b/index.ts")).toContain('alias: "pulumi-2"');
  await run("cd links-b && ln -s ../links-a/node_modules . && pulumi stack init dev");
  await run(`cd links-b && SHORTLINK_API_KEY=${emulator.apiKey} pulumi up --yes --skip-preview`);
  const { body } = await send(emulator, "GET", "/links");
  expect((body as { data: { alias: string }[] }).data.map(({ alias }) => alias).sort()).toEqual([
    ...["pulumi", "pulumi-2"],
  ]);

  // `init` overwrites nothing.
  writeFileSync(join(place.folder, "links-b", "package.json"), "mine");
  expect(await run("init links-b --key-file key", 2)).toContain(
    "links-b has package.json, Pulumi.yaml, .gitignore already, and init overwrites nothing",
  );
  expect(read("links-b/package.json")).toBe("mine");
  installed.lend(join(place.folder, "other/links-a"));
  expect(await run("init other/links-a --key-file key", 1)).toContain(
    'There is a stack "dev" of a project "links-a" already.',
  );
  if (hasTerminal) {
    // A local state without a passphrase yet.
    const { PULUMI_CONFIG_PASSPHRASE: _, ...environment } = pulumiEnvironment(join(place.folder, "state"));
    const command = `unset PULUMI_CONFIG_PASSPHRASE; ${process.execPath} ${join(root, "dist/cli/main.js")} init other/links-c`;
    installed.lend(join(place.folder, "other/links-c"));
    const asked = await typed(
      `${command} --package ${packed.tarball} --key-file key --url ${emulator.url} --template files --no-import`,
      environment,
      [
        ["New passphrase", "wonder"],
        ["The same again", "wander"],
        ["The passphrases differ.", "\u0015wonder"],
      ],
    );
    expect(asked).toContain("+ 4 to create");
    expect(asked).not.toMatch(/wonder|wander/);
    const variables = Object.entries({ ...environment, PULUMI_CONFIG_PASSPHRASE: "wonder" });
    for (const [name, value] of variables) if (name.startsWith("PULUMI_")) place.set(name, value);
    expect(await run("cd other/links-c && pulumi config get shortlink:apiKey")).toBe(`${emulator.apiKey}\n`);
  }
  // Outside the key file, the key exists only as a secret of the stack.
  expect(await run(`grep -rl ${emulator.apiKey} --exclude-dir node_modules .`)).toBe("./key\n");
});

test("init --import brings an account into files and the stack, with an empty preview", async () => {
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  for (const alias of ["docs", "fair"])
    await send(emulator, "POST", "/links", { form: `domain_id=1&alias=${alias}&url=https://example.com/` });
  installed.lend(join(place.folder, "all"));
  const output = await run("init all --key-file key --import");
  expect(output).toContain("links: 2 links and 1 domain in 3 files.\n");
  expect(output).toContain("They are imported.");
  expect(output).toMatch(/Resources:\n {4}6 unchanged/);
  expect(emulator.requests.filter(({ method }) => method !== "GET")).toHaveLength(3);

  const dated = "active_period_start_at=2026-01-01T00:00:00&active_period_end_at=2027-01-01T00:00:00";
  await send(emulator, "PATCH", "/links/1", { form: `redirect_password=x&${dated}` });
  installed.lend(join(place.folder, "again"));
  expect(await run("init again --key-file key --import", 2)).toContain("Links have active periods (1), and ");
  expect(readdirSync(join(place.folder, "again"))).toHaveLength(2);
  const stopped = await run("init again --key-file key --import --time-zone UTC");
  expect(stopped).toContain("  pulumi config set --secret docs.redirectPassword\n");
  expect(stopped).toMatch(/Then go to \S*again and run: npx pulumi-shortlink import --run/);
  const early = await run("cd again && npx pulumi-shortlink import --run", 1);
  expect(early).toContain('failed:\nerror: The files of the LinkCatalog "links" have a mistake:\n');
  expect(early).toContain("there is no secret config:docs.redirectPassword");
  expect(early).not.toContain("stackTrace");
  await run("cd again && pulumi config set --secret docs.redirectPassword y");
  expect(await run("cd again && npx pulumi-shortlink import --run")).toContain("They are imported.");
});

test("a missing or wrong argument is one message, and no project is written", async () => {
  const wrong = async (command: string, message: string, status = 2) => {
    expect(ports(await run(command, status))).toContain(message);
    expect(existsSync(join(place.folder, "new"))).toBe(false);
  };
  await wrong("init new", "There is no terminal to ask on: give the address with --url, and the key in");
  await wrong("init new --key-file nothing", "nothing cannot be read (ENOENT).");
  await wrong(
    "init new --key-file key --domain nothing",
    "Give a host name like go.example.com for the domain.",
  );
  await wrong(
    "init new --key-file key --import --template typescript",
    "--import writes the account as files: leave out --template typescript.",
  );
  place.write("key", "wrong");
  await wrong("init new --key-file key", "the service at http://the.service refused the API key (401)", 1);
  await wrong("init new --key-file key --url nothing", "must be a web address");
});

/** Types a command on a terminal and answers its questions. */
async function typed(
  command: string,
  variables: Record<string, string>,
  answers: [question: string, answer: string][],
) {
  const child = spawn("script", ["-qfec", `stty cols 120 rows 40; ${command}`, "/dev/null"], {
    cwd: place.folder,
    env: { ...process.env, ...variables, TERM: "xterm" },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  for (const [question, answer] of answers) {
    await expect.poll(() => output, { timeout: 60_000 }).toContain(question);
    child.stdin.write(`${answer}\r`);
  }
  await once(child, "close");
  expect(child.exitCode, output).toBe(0);
  expect(output).not.toContain(emulator.apiKey);
  return output;
}
// macOS has a `script` command with other options, Windows has none.
const hasTerminal = process.platform === "linux";

test.runIf(hasTerminal)("on a terminal, init asks for missing arguments", async () => {
  const ask = async (folder: string, ...answers: [question: string, answer: string][]) => {
    const command = `${process.execPath} ${join(root, "dist/cli/main.js")} init ${folder} --no-install`;
    const output = await typed(command, { SHORTLINK_BASE_URL: "", SHORTLINK_API_KEY: "" }, answers);
    expect(output).toContain("Go on there with:");
    return output;
  };
  const connection: [string, string][] = [
    ["Address of the service", emulator.url],
    ["API key", emulator.apiKey],
  ];
  await ask(
    "new",
    ...connection,
    ["How do you want to keep the links?", "\u001b[B"],
    ["Domain of the short links", "go.example"],
  );
  expect(read("new/index.ts")).toContain('new shortlink.Domain("domain", { name: "go.example" })');

  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  const period = "active_period_start_at=2026-01-01T00:00:00&active_period_end_at=2027-01-01T00:00:00";
  await send(emulator, "POST", "/links", { form: `domain_id=1&alias=a&url=https://example.com/&${period}` });
  const output = await ask(
    "all",
    ...connection,
    ["import them into the stack?", ""],
    ["Time zone of the account (1 link with an active period)", "nowhere"],
    ["Name a time zone like Europe/Berlin.", "\u0015Europe/Berlin"],
  );
  expect(output).toMatch(
    /pulumi config set shortlink:timeZone Europe\/Berlin\r\n[^]*import links --run\r\n$/,
  );
});
