import { Command, InvalidArgumentError, Option } from "commander";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { readVariable, SettingsError, setVariable } from "../account/settings";
import { FilesError } from "../catalog/files";
import { exportAccount, needsTimeZone } from "../live/export";
import { projectFiles, templates, type NewProject, type Template } from "../live/project";
import { survey, type Survey } from "../live/survey";
import { openAccount } from "./account";
import { printExported } from "./export";
import { importAll } from "./import";
import { pulumi, PulumiError } from "./pulumi";
import { timeZoneOption, toTimeZone } from "./validate";

interface Options {
  url?: string;
  keyFile?: string;
  template?: Template;
  domain?: string;
  stack: string;
  import?: boolean;
  package?: string;
  install: boolean;
  timeZone?: string;
}

/** The manifest of this package. */
interface Manifest {
  version: string;
  peerDependencies: Record<string, string>;
}

const passphraseVariable = "PULUMI_CONFIG_PASSPHRASE";

/** `pulumi-shortlink init`: from nothing to a first preview. */
export function initCommand(): Command {
  return new Command("init")
    .description(
      "create a project: check the account, write the files, create the stack, show the first preview",
    )
    .argument("[folder]", "folder of the project; created if it is missing", ".")
    .option("--url <address>", "address of the service (default: SHORTLINK_BASE_URL, else a question)")
    .option(
      "--key-file <file>",
      "file with the API key, - for standard input (default: SHORTLINK_API_KEY, else a question)",
    )
    .addOption(
      new Option(
        "--template <template>",
        "links in files, or in a program (default: files, or a question)",
      ).choices(templates),
    )
    .option(
      "--domain <name>",
      "domain of the first link (default: the account's only domain, else a question)",
      toDomain,
    )
    .option("--stack <name>", "stack to create", "dev")
    .option(
      "--import",
      "export the whole account into files and import it into the stack (default: a question)",
    )
    .option("--no-import", "do not import the account")
    .addOption(timeZoneOption())
    .option("--package <spec>", "package that npm installs as pulumi-shortlink (default: this version)")
    .option("--no-install", "only write the files: no npm, no stack")
    .action(init);
}

function toDomain(text: string): string {
  if (/^[^\s/:]+\.[^\s/:.]+$/.test(text)) return text;
  throw new InvalidArgumentError("Give a host name like go.example.com for the domain.");
}

/** The message of a parser about an answer. Undefined if the answer is valid. */
const problemFor =
  (parse: (text: string) => string) =>
  (text = ""): string | undefined => {
    try {
      parse(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

async function init(folder: string, options: Options): Promise<void> {
  const isAsking = process.stdin.isTTY && process.stdout.isTTY;
  const root = resolve(folder);
  const { url, key } = await connection(options, isAsking);
  const open = (timeZone?: string) => {
    const config: Record<string, string | undefined> = { baseUrl: url, apiKey: key, timeZone };
    return openAccount((name) => config[name.replace("shortlink:", "")]);
  };
  let account = open();
  const { baseUrl } = account.settings;
  const held = await survey(account.client);
  console.log(
    `${baseUrl} has ${count(held.domains.length, "domain")} and ${count(held.links.length, "link")}.`,
  );

  const { timeZone, ...chosen } = await choices(options, held, isAsking);
  if (timeZone !== undefined) account = open(timeZone);
  const { version, peerDependencies } = JSON.parse(
    readFileSync(join(__dirname, "../../package.json"), "utf8"),
  ) as Manifest;
  const { stack, package: spec, install } = options;
  const name = projectName(root);
  const packageSpec = spec === undefined ? `^${version}` : specFrom(root, spec);
  const sdkRange = peerDependencies["@pulumi/pulumi"] ?? "*";
  write(root, projectFiles({ ...chosen, name, packageSpec, sdkRange }));
  process.chdir(root);
  const config = { baseUrl, ...(timeZone === undefined ? {} : { timeZone }) };
  const commands = [
    "npm install",
    `pulumi stack init ${stack}`,
    ...Object.entries(config).map(([setting, value]) => `pulumi config set shortlink:${setting} ${value}`),
    "pulumi config set --secret shortlink:apiKey",
    chosen.isImport ? "npx pulumi-shortlink import links --run" : "pulumi preview",
  ];
  const next = `Go on there with:\n${commands.map((line) => `  ${line}`).join("\n")}`;
  if (!install) return console.log(next);
  try {
    await npmInstall();
    const passphrase = await makeStack(stack, name, isAsking);
    if (passphrase !== undefined) setVariable(passphraseVariable, passphrase);
    for (const [setting, value] of Object.entries(config))
      await pulumi(["config", "set", `shortlink:${setting}`, value, "--stack", stack]);
    await pulumi(["config", "set", "--secret", "shortlink:apiKey", "--stack", stack], { input: key });
  } catch (error) {
    throw new Error(`${(error as Error).message}\nThe files are written. ${next}`, { cause: error });
  }
  if (chosen.isImport) {
    const exported = await exportAccount(account, () => Promise.resolve(held), {
      ...{ folder: "links", format: "yaml", split: "domain", skipInvalid: false },
    });
    printExported("links", exported);
    if (exported.secrets.length > 0)
      return console.log(`Then go to ${root} and run: npx pulumi-shortlink import --run`);
    await importAll(account, () => Promise.resolve(held), { of: ["--stack", stack] });
  }
  await pulumi(["preview", "--stack", stack], { isShown: true });
  const step = chosen.isImport ? "change a file in links" : "look at the plan above";
  console.log(`\nThe project is in ${root}. Go there, ${step}, and run "pulumi up".`);
}

/** Where the service is and the key, as given or as the user answers. */
async function connection(
  { url: given, keyFile }: Options,
  isAsking: boolean,
): Promise<{ url: string; key: string }> {
  const url = given ?? readVariable("SHORTLINK_BASE_URL");
  const key = keyFile === undefined ? readVariable("SHORTLINK_API_KEY") : readKey(keyFile);
  if (url !== undefined && key !== undefined) return { url, key };
  if (!isAsking) {
    throw new SettingsError([
      "There is no terminal to ask on: give the address with --url, and the key in SHORTLINK_API_KEY or with --key-file.",
    ]);
  }
  const { text, password } = await prompts();
  return {
    url:
      url ??
      (await answer(text({ message: "Address of the service", placeholder: "https://links.example.com" }))),
    key: key ?? (await answer(password({ message: "API key, from the settings of the account" }))),
  };
}

function readKey(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").trim();
  } catch (cause) {
    throw new FilesError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}).`, { cause });
  }
}

/** What the project is to be, as given, as the account has it, or as the user answers. */
async function choices(
  options: Options,
  { domains, links }: Survey,
  isAsking: boolean,
): Promise<
  Pick<NewProject, "template" | "isImport" | "domain" | "alias" | "isExisting"> & {
    timeZone?: string | undefined;
  }
> {
  const isEmpty = domains.length + links.length === 0;
  const { select, confirm, text } = isAsking ? await prompts() : {};
  const isImport =
    options.import ??
    (!isEmpty && options.template !== "typescript" && confirm
      ? await answer(confirm({ message: "Export them into files and import them into the stack?" }))
      : false);
  if (isImport && options.template === "typescript")
    throw new FilesError("--import writes the account as files: leave out --template typescript.");
  // The service returns active periods in UTC and does not return the zone in which it reads them.
  const dated = isImport ? links.filter((link) => link.active_period_end_at !== null).length : 0;
  const timeZone =
    options.timeZone ??
    (dated > 0 && text
      ? await answer(
          text({
            message: `Time zone of the account (${count(dated, "link")} with an active period)`,
            placeholder: "Europe/Berlin",
            validate: problemFor(toTimeZone),
          }),
        )
      : undefined);
  if (dated > 0 && timeZone === undefined) throw new FilesError(needsTimeZone(dated));
  const template =
    options.template ??
    (isImport || !select
      ? "files"
      : await answer(
          select({
            message: "How do you want to keep the links?",
            options: [
              { value: "files" as const, label: "in YAML, JSON or CSV files" },
              { value: "typescript" as const, label: "in a TypeScript program" },
            ],
          }),
        ));
  const [first] = domains;
  const domain =
    options.domain ??
    first?.name ??
    (isImport
      ? ""
      : text &&
        (await answer(text({ message: "Domain of the short links", validate: problemFor(toDomain) }))));
  if (domain === undefined)
    throw new FilesError("The account has no domain yet: name the one of the first link with --domain.");
  const isSame = (name: string | null, other: string) => name?.toLowerCase() === other.toLowerCase();
  const isExisting = domains.some(({ name }) => isSame(name, domain));
  const names = ["pulumi", ...links.map((_, i) => `pulumi-${i + 2}`)];
  const alias = names.find((name) => !links.some((link) => isSame(link.alias, name))) ?? "pulumi";
  return { template, isImport, domain, alias, isExisting, timeZone };
}

/** The questions; loaded for those who are asked. */
async function prompts() {
  return import("@clack/prompts");
}

async function answer<Value>(asked: Promise<Value>): Promise<Exclude<Value, symbol>> {
  const value = await asked;
  if (typeof value === "symbol") throw new FilesError("Canceled. Nothing was written.");
  return value as Exclude<Value, symbol>;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The name of a project by its folder, as Pulumi and npm take it. */
function projectName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "");
  return name === "" ? "short-links" : name;
}

/** What npm reads from the folder of the project: a file that was named from here. */
function specFrom(folder: string, spec: string): string {
  return existsSync(spec) ? `file:${relative(folder, resolve(spec))}` : spec;
}

/** Writes the files of a project, all or none. */
function write(folder: string, files: Record<string, string>): void {
  const tops = [...Object.keys(files), "links"].map((file) => file.replace(/\/.*/, ""));
  const taken = [...new Set(tops)].filter((file) => existsSync(join(folder, file)));
  if (taken.length > 0) {
    throw new FilesError(
      `${folder} has ${taken.join(", ")} already, and init overwrites nothing: name another folder, like "pulumi-shortlink init short-links".`,
    );
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

/** Creates the stack. Returns the passphrase for its secrets, if it had to ask for one. */
async function makeStack(stack: string, project: string, isAsking: boolean): Promise<string | undefined> {
  const make = (variables = {}) => pulumi(["stack", "init", stack], { variables });
  try {
    await make();
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    // Pulumi asks for it itself, but at each of the following commands again.
    if (message.includes(passphraseVariable) && isAsking) {
      const passphrase = await askPassphrase();
      await make({ [passphraseVariable]: passphrase });
      return passphrase;
    }
    // It belongs to another project of this name, whose links must not become this project's.
    if (error instanceof PulumiError && message.includes("already exists"))
      throw new Error(
        `There is a stack "${stack}" of a project "${project}" already. Create one of another name, or remove that one if it is ` +
          `not needed: pulumi stack rm ${stack}`,
        { cause: error },
      );
    throw error;
  }
}

async function askPassphrase(): Promise<string> {
  const { password, note } = await prompts();
  note(
    `Pulumi encrypts the secrets of a stack on this machine with a passphrase.\n` +
      `It asks for it at each command, unless ${passphraseVariable} is set.`,
  );
  const passphrase = (await answer(password({ message: "New passphrase" }))) ?? "";
  const isSame = (text = "") => (text === passphrase ? undefined : "The passphrases differ.");
  await answer(password({ message: "The same again", validate: isSame }));
  return passphrase;
}

async function npmInstall(): Promise<void> {
  console.log("Installing the packages (npm install) ...");
  const child = spawn("npm", ["install", "--silent", "--no-audit", "--no-fund"], {
    stdio: ["ignore", "ignore", "pipe"],
    shell: process.platform === "win32",
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`"npm install" failed:\n${errors.trim()}`);
}
