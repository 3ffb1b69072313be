import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Connection } from "../service/client-options";

/** Reads a value of the stack's configuration by its full key, for example `shortlink:baseUrl`. */
export type ReadConfig = (key: string) => string | undefined;

/** All settings of a stack. */
export interface Settings extends Connection {
  /** What creates do with objects that exist already, unless the resource says otherwise. */
  adopt: "never" | "ifEqual" | "always";
  /** The address that the service had before it moved to `baseUrl`. */
  movedFrom: string | undefined;
  /** Who chooses the alias of a link for which the program names none: this package, always the same, or the service. */
  aliases: "stable" | "service";
  /** The time zone of the account, in which the service reads active periods, where the stack says so. */
  timeZone: string | undefined;
  /** Lets `refresh` drop links from the state even if most are missing. */
  acceptGone: boolean;
  /** How many links of a catalog a run may delete or replace, however many it has. */
  allowDeletes: number;
  /** Milliseconds within which the account's limit of requests counts. */
  limitWindow: number;
  /** The folder of the journal; undefined for none. */
  journal: string | undefined;
  /** Prints each request. */
  isTraced: boolean;
}

/** Settings that are missing or wrong; one text for each, naming the setting and the way out. */
export class SettingsError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join(" "));
    this.name = "SettingsError";
  }
}

/** How the text of a setting is read: to undefined where it is wrong, and what it must be then. */
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

/** How each setting is read; a journal may be any folder. */
const parsers = {
  baseUrl: address,
  // Never shown, whatever is wrong with it.
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
 * Where the service is, which key to use and what a stack decides for all its resources. Pulumi config comes first
 * (`shortlink:baseUrl`), then the environment (`SHORTLINK_BASE_URL`): a key left in a shell must not win over a stack's own.
 * Throws a `SettingsError` that lists every problem.
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

/** True if each request is to be printed. */
export function isTraced(environment = process.env): boolean {
  return environment.SHORTLINK_LOG === "debug";
}

/** The variable that names the proxy for an address; undefined for none. The own machine is reached without one. */
function proxyVariable({ protocol, hostname }: URL, environment: NodeJS.ProcessEnv): string | undefined {
  const names = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"];
  const fitting = protocol === "https:" ? names : names.slice(2);
  return isLoopback(hostname) ? undefined : fitting.find((name) => environment[name]);
}

function isProxy(text = ""): boolean {
  return /^(?:https?|socks5?):$/.test(URL.parse(text)?.protocol ?? "");
}

/** The time zone of the account, where it is set. Throws a `SettingsError` where it is none. */
export function timeZoneOf(readConfig: ReadConfig, environment = process.env): string | undefined {
  const text = readSetting("timeZone", readConfig, environment);
  if (text === undefined || isTimeZone(text)) return text;
  throw new SettingsError([`shortlink:timeZone ${parsers.timeZone.problem}.`]);
}

/** A digest of where the engine keeps the states of this user, as far as can be told. */
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

/** The folder of the journal, which belongs to the user and the machine as Pulumi's own home does. */
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

/** A variable of the environment that a catalog names. An empty one is none: it would leave a link without its password. */
export function readVariable(name: string): string | undefined {
  return process.env[name] === "" ? undefined : process.env[name];
}

/** The environment of a command that this one starts. */
export function environmentWith(variables: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...variables };
}

/** The variable that names a file for what a plan does not show: `pulumi-shortlink plan` reads it. */
export const planNotesVariable = "SHORTLINK_PLAN_NOTES";

/** The file for what a plan does not show; undefined where nobody asks for it. */
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

/** People copy the address of a page or of an endpoint; what the client needs is where /api/v1 begins. */
function trimUrl(href: string): string {
  return href.replace(/(?:\/api\/v1(?:\/.*)?|\/api)?\/*$/, "");
}

function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d+){3}$/.test(host)
  );
}
