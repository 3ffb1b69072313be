import { accessSync, constants, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Account } from "../account/account";
import { describe } from "../account/messages";
import type { SettingsError } from "../account/settings";

// Checks of a project and its account. They change neither.

/** The result of one check. */
export interface Check {
  /** Subject of the check. */
  about: string;
  /** False if the user must do something. */
  ok: boolean;
  /** The finding, and what to do about it. */
  text: string;
}

/** The oldest Pulumi CLI that the tests run with. */
const oldestPulumi = "3.258.0";

/** Checks the version of Pulumi's CLI. @param ask Runs `pulumi version`. */
export async function checkPulumi(ask: () => Promise<string>): Promise<Check> {
  const about = "Pulumi CLI";
  try {
    const version = (await ask()).trim().replace(/^v/, "");
    const [have, need] = [version, oldestPulumi].map((text) => text.split(".").map(Number));
    const isOld =
      (have?.[0] ?? 0) < (need?.[0] ?? 0) || (have?.[0] === need?.[0] && (have?.[1] ?? 0) < (need?.[1] ?? 0));
    if (!isOld) return { about, ok: true, text: version };
    return {
      about,
      ok: false,
      text: `${version} is older than ${oldestPulumi}, the oldest tested version. Install a newer one.`,
    };
  } catch (error) {
    return { about, ok: false, text: (error as Error).message };
  }
}

/** Looks up the packages as a program in the folder does. */
export function checkPackages(folder: string): Check[] {
  const { resolve } = createRequire(join(folder, "package.json"));
  const version = (name: string) => {
    const path = resolve(`${name}/package.json`);
    return (JSON.parse(readFileSync(path, "utf8")) as { version: string }).version;
  };
  const check = (about: string, find: () => string, help: string): Check => {
    try {
      return { about, ok: true, text: find() };
    } catch {
      return { about, ok: false, text: help };
    }
  };
  return [
    check(
      "@pulumi/pulumi",
      () => version("@pulumi/pulumi"),
      'Programs in this folder cannot find it. Run "npm install @pulumi/pulumi".',
    ),
    check(
      "provider",
      () => resolve("pulumi-shortlink/provider"),
      'Programs in this folder cannot find pulumi-shortlink. Run "npm install pulumi-shortlink" in this folder, not globally.',
    ),
  ];
}

/** Checks that the configuration marks the API key as a secret. */
export function checkKey({ value, secret }: { value?: string; secret?: boolean } = {}): Check {
  const about = "key";
  if (value === undefined) return { about, ok: true, text: "not in the configuration of the stack" };
  if (secret === true) return { about, ok: true, text: "a secret of the stack" };
  const text =
    'shortlink:apiKey is not marked as a secret, so it is in clear text in the file of the stack. Run "pulumi config set --secret ' +
    'shortlink:apiKey", and replace the key, because others may have read it.';
  return { about, ok: false, text };
}

/** What to do about failures of Pulumi's CLI that a new user meets. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /no project file found/,
    "There is no Pulumi project here: run the command in the folder with Pulumi.yaml, or create a project with " +
      '"npx pulumi-shortlink init".',
  ],
  [/no stack selected/, 'No stack is selected: run "pulumi stack select", or name the stack with --stack.'],
  [/no stack named/, 'There is no stack of this name: "pulumi stack ls" lists the stacks of the project.'],
  [
    /passphrase must be set/,
    "The secrets of the stack are encrypted: set PULUMI_CONFIG_PASSPHRASE to the passphrase of the stack.",
  ],
  [/incorrect passphrase/, "PULUMI_CONFIG_PASSPHRASE is not the passphrase of this stack."],
  [
    /PULUMI_ACCESS_TOKEN must be set/,
    'Pulumi does not know where the state is: run "pulumi login", or set PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL.',
  ],
];

/** What to do about a failure of Pulumi's CLI; undefined if only its own text helps. @param text Its standard error. */
export function remedyFor(text: string): string | undefined {
  return remedies.find(([pattern]) => pattern.test(text))?.[1];
}

/** Reports why the configuration of the stack cannot be read. */
export function noStack({ message }: Error): Check {
  return {
    about: "stack",
    ok: false,
    text: `The configuration cannot be read. ${message.split("\n").at(-1) ?? ""}`,
  };
}

/** Reports wrong settings. @param isRead False if only the environment could be read. */
export function checkSettings({ problems }: SettingsError, isRead: boolean): Check[] {
  const unknown = ["They are not in the environment, and the configuration of the stack cannot be read."];
  return (isRead ? problems : unknown).map((text) => ({ about: "settings", ok: false, text }));
}

/** Checks that the folder of the journal can be written. */
export function checkJournal({ settings }: Account): Check {
  const about = "journal";
  const { journal } = settings;
  if (journal === undefined)
    return { about, ok: true, text: "none (shortlink:journal): an interrupted run cannot be finished later" };
  try {
    mkdirSync(journal, { recursive: true, mode: 0o700 });
    accessSync(journal, constants.W_OK);
    return { about, ok: true, text: journal };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error);
    return {
      about,
      ok: false,
      text: `${journal} cannot be written (${reason}). Set shortlink:journal to another folder.`,
    };
  }
}

/** Milliseconds by which clocks may differ. After a lost response the provider finds its object by the time, in whole seconds. */
const clockTolerance = 60_000;

/** Requests one page of each list. @param patience Milliseconds to wait for an answer. */
export async function checkService(account: Account, patience: number): Promise<Check[]> {
  const { client, settings } = account;
  const about = "service";
  const begin = Date.now();
  const lists = async () => [
    (await client.listDomains().next()).value as { total?: number; names: string[] } | undefined,
    (await client.listLinks().next()).value as { total?: number; names: string[] } | undefined,
  ];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const text = `${settings.baseUrl} does not answer. Check that it runs, and that shortlink:baseUrl (or SHORTLINK_BASE_URL) is its address.`;
    timer = setTimeout(() => reject(new Error(text)), patience);
  });
  try {
    const [domains, links] = await Promise.race([lists(), late]);
    const time = Date.now() - begin;
    const counts = `${domains?.total ?? 0} domains and ${links?.total ?? 0} links`;
    return [
      { about, ok: true, text: `${settings.baseUrl} answers within ${time} ms: ${counts}` },
      checkClock(client.ahead),
      limitOf(account),
      { about: "version", ok: true, text: versionOf(domains?.names ?? [], links?.names ?? []) },
    ];
  } catch (error) {
    return [{ about, ok: false, text: describe(error, true) }];
  } finally {
    clearTimeout(timer);
  }
}

function checkClock(ahead: number): Check {
  const about = "clock";
  const seconds = Math.round(Math.abs(ahead) / 1000);
  if (Math.abs(ahead) < clockTolerance)
    return { about, ok: true, text: `equal to the clock of the service, within ${seconds + 1} s` };
  const text =
    ahead > 0
      ? `${seconds} s behind the clock of the service. Correct one of the two clocks.`
      : `${seconds} s ahead of the clock of the service. Correct one of the two clocks.`;
  return { about, ok: false, text };
}

function limitOf({ client, settings }: Account): Check {
  const cost = client.costOf(1);
  const seconds = settings.limitWindow / 1000;
  const text = cost
    ? `${cost.limit} requests in ${seconds} s (shortlink:limitWindow)`
    : "the service reports none";
  return { about: "limit", ok: true, text };
}

/** The version of the service, inferred from the names of fields (service.md, versions). */
function versionOf(domain: readonly string[], link: readonly string[]): string {
  const has = (names: readonly string[], ...wanted: string[]) => wanted.some((name) => names.includes(name));
  if (has(domain, "homepage_url")) return "like those of 2026";
  if (has(link, "targets_type")) return "like those of 2025";
  if (has(link, "target_type", "expiration_clicks"))
    return "like those of 2022 and 2023, of which some fields have no name in this package";
  return "not known: the account has no domain and no link that would show it";
}
