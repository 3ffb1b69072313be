import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Connection } from "../service/client-options";

/** Reads a value of the stack's configuration by its full key, for example `shortlink:baseUrl`. */
export type ReadConfig = (key: string) => string | undefined;

/** All settings of a stack. */
export interface Settings extends Connection {
  /** Default treatment of existing objects by creates; a resource may override it. */
  adopt: "never" | "ifEqual" | "always";
  /** The address that the service had before it moved to `baseUrl`. */
  movedFrom: string | undefined;
  /** Source of the alias if the program names none: this package, which always derives the same one, or the service. */
  aliases: "stable" | "service";
  /** The time zone in which the service reads active periods; undefined if the stack does not set it. */
  timeZone: string | undefined;
  /** Lets `refresh` drop links from the state even if most are missing. */
  acceptGone: boolean;
  /** Number of links that a run may delete or replace, whatever the size of the catalog. */
  allowDeletes: number;
  /** Length of the rate limit's window in milliseconds. */
  limitWindow: number;
  /** The folder of the journal; undefined for none. */
  journal: string | undefined;
  /** Prints each request. */
  isTraced: boolean;
}

/** Settings that are missing or wrong. Each problem names the setting and the fix. */
export class SettingsError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join(" "));
    this.name = "SettingsError";
  }
}

/** Parses the text of a setting. Undefined means that the text is wrong; `problem` says what it must be. */
interface Parser<Value> {
  parse: (text: string) => Value | undefined;
  problem: string;
}

const oneOf = <const Word extends string>(words: Word[], problem: string): Parser<Word> => ({
  parse: (text) => words.find((word) => word === text),
  problem,
});
const flag: Parser<boolean> = {
  parse: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  problem: "must be true or false",
};
const wholeNumber = (least: number, most: number, problem: string): Parser<number> => ({
  parse: (text) =>
    /^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= most ? Number(text) : undefined,
  problem,
});
const address: Parser<URL> = {
  parse: (text) => {
    const url = URL.parse(text);
    const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
    return url && isWeb && !url.username && !url.password && !/[?#]/.test(text) ? url : undefined;
  },
  problem: "must be a web address without user, query and fragment, like https://links.example",
};

/** The parser of each setting. A journal may be any folder, so it has none. */
const parsers = {
  baseUrl: address,
  // No message shows the key, even if it is wrong.
  apiKey: {
    parse: (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
    problem:
      "must have no space, line break or letter beyond ASCII, which no HTTP header can carry: copy the key again",
  },
  allowHttp: flag,
  adopt: oneOf(["never", "ifEqual", "always"], "must be never, ifEqual or always"),
  movedFrom: address,
  aliases: oneOf(["stable", "service"], "must be stable or service"),
  timeZone: {
    parse: (text) => (isTimeZone(text) ? text : undefined),
    problem: "must be the name of a time zone, like Europe/Berlin",
  },
  acceptGone: flag,
  allowDeletes: wholeNumber(0, 999_999_999, "must be a number of links, like 25"),
  limitWindow: wholeNumber(1, 86_400, "must be a whole number of seconds from 1 to 86400"),
} satisfies Record<string, Parser<unknown>>;

/**
 * Resolves the address of the service, the key and the settings for all resources of a stack. Pulumi config (`shortlink:baseUrl`)
 * takes precedence over the environment (`SHORTLINK_BASE_URL`): a key left in a shell must not override the stack's key. Throws a
 * `SettingsError` that lists every problem.
 */
export function resolveSettings(readConfig: ReadConfig, environment = process.env): Settings {
  const problems: string[] = [];
  const read = <Name extends keyof typeof parsers>(name: Name) => {
    const parser: Parser<unknown> = parsers[name];
    const text = readSetting(name, readConfig, environment);
    if (text === undefined) return undefined;
    const value = parser.parse(text);
    if (value === undefined) problems.push(`shortlink:${name} ${parser.problem}.`);
    return value as ReturnType<(typeof parsers)[Name]["parse"]>;
  };
  const isMissing = (name: string) => readSetting(name, readConfig, environment) === undefined;
  if (isMissing("apiKey")) {
    problems.push(
      'shortlink:apiKey is not set: run "pulumi config set --secret shortlink:apiKey" or set SHORTLINK_API_KEY.',
    );
  }
  if (isMissing("baseUrl")) {
    problems.push(
      'shortlink:baseUrl is not set: run "pulumi config set shortlink:baseUrl https://links.example" or set SHORTLINK_BASE_URL.',
    );
  }
  const apiKey = read("apiKey");
  const url = read("baseUrl");
  const allowHttp = read("allowHttp") ?? false;
  if (url?.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
    problems.push(
      "shortlink:baseUrl would send the key over plain http: use https, or allow it with shortlink:allowHttp true.",
    );
  }
  const movedFrom = read("movedFrom");
  const proxy = url && proxyVariable(url, environment);
  if (proxy !== undefined && !isProxy(environment[proxy])) {
    problems.push(`${proxy} must be the address of a proxy, like http://proxy.example:3128.`);
  }
  if (!["", "debug"].includes(environment.SHORTLINK_LOG ?? "")) {
    problems.push("SHORTLINK_LOG must be debug, or not be set.");
  }
  const others = {
    adopt: read("adopt") ?? "never",
    movedFrom: movedFrom && trimUrl(movedFrom.href),
    aliases: read("aliases") ?? "stable",
    timeZone: read("timeZone"),
    acceptGone: read("acceptGone") ?? false,
    allowDeletes: read("allowDeletes") ?? 0,
    limitWindow: (read("limitWindow") ?? 60) * 1000,
    journal: journalFolder(readConfig, environment),
    proxy,
    isTraced: isTraced(environment),
  };
  if (problems.length > 0 || url === undefined || apiKey === undefined) throw new SettingsError(problems);
  return { baseUrl: trimUrl(url.href), apiKey, ...others };
}

/** True if the provider prints each request. */
export function isTraced(environment = process.env): boolean {
  return environment.SHORTLINK_LOG === "debug";
}

/** The variable that names the proxy for an address; undefined for none. The local machine needs no proxy. */
function proxyVariable({ protocol, hostname }: URL, environment: NodeJS.ProcessEnv): string | undefined {
  const names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];
  const fitting = protocol === "https:" ? names : names.slice(2);
  return isLoopback(hostname) ? undefined : fitting.find((name) => environment[name]);
}

function isProxy(text = ""): boolean {
  return /^(?:https?|socks5?):$/.test(URL.parse(text)?.protocol ?? "");
}

/** The time zone of the account, if set. Throws a `SettingsError` if the zone is unknown. */
export function timeZoneOf(readConfig: ReadConfig, environment = process.env): string | undefined {
  const text = readSetting("timeZone", readConfig, environment);
  if (text === undefined || isTimeZone(text)) return text;
  throw new SettingsError([`shortlink:timeZone ${parsers.timeZone.problem}.`]);
}

/** A digest of the address of the engine's backend, as far as the provider can find it. */
export function backend(environment = process.env): string {
  const home = environment.PULUMI_HOME ?? join(homedir(), ".pulumi");
  const url = environment.PULUMI_BACKEND_URL ?? currentLogin(join(home, "credentials.json"));
  return createHash("sha256").update(url).digest("base64url").slice(0, 12);
}

function currentLogin(file: string): string {
  try {
    return (JSON.parse(readFileSync(file, "utf8")) as { current?: string }).current ?? "";
  } catch {
    return "";
  }
}

/** The folder of the journal. It belongs to the user and the machine, as Pulumi's home does. */
export function journalFolder(readConfig: ReadConfig, environment = process.env): string | undefined {
  const given = readSetting("journal", readConfig, environment);
  if (given === "none") return undefined;
  return resolve(given ?? join(environment.PULUMI_HOME ?? join(homedir(), ".pulumi"), "shortlink"));
}

function variableOf(name: string): string {
  return `SHORTLINK_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
}

function readSetting(
  name: string,
  readConfig: ReadConfig,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  const values = [readConfig(`shortlink:${name}`), environment[variableOf(name)]];
  return values.map((value) => value?.trim()).find((value) => value);
}

/** An environment variable. An empty one counts as unset: it would leave a link of a catalog without its password. */
export function readVariable(name: string): string | undefined {
  return process.env[name] === "" ? undefined : process.env[name];
}

/** Sets a variable for the commands that this process starts. */
export function setVariable(name: string, value: string): void {
  process.env[name] = value;
}

/** The environment of a command that this process starts. */
export function environmentWith(variables: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...variables };
}

/** The variable that names a file for details that a plan does not show. `pulumi-shortlink plan` reads the file. */
export const planNotesVariable = "SHORTLINK_PLAN_NOTES";

/** The file for details that a plan does not show; undefined if no command reports the plan. */
export function planNotesFile(): string | undefined {
  return process.env[planNotesVariable];
}

/** True if the SDK shows where unfinished promises come from. */
export function showsPromises(): boolean {
  return Boolean(process.env.PULUMI_DEBUG_PROMISE_LEAKS);
}

/** True if Node.js knows a time zone of this name. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }) instanceof Intl.DateTimeFormat;
  } catch {
    return false;
  }
}

/** Users copy the address of a page or of an endpoint. The client needs only the part before /api/v1. */
function trimUrl(href: string): string {
  return href.replace(/(?:\/api\/v1(?:\/.*)?|\/api)?\/*$/, "");
}

function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host)
  );
}
