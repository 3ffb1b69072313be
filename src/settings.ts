import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Connection } from "./service/client";

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
  /** Is it no error of a refresh when most of the stack's links are gone? */
  acceptGone: boolean;
  /** How many links of a catalog a run may delete or replace, however many it has. */
  allowDeletes: number;
  /** Milliseconds within which the account's limit of requests counts. */
  limitWindow: number;
  /** The folder of the journal; undefined for none. */
  journal: string | undefined;
}

/** Settings that are missing or wrong; one text for each, naming the setting and the way out. */
export class SettingsError extends Error {
  constructor(readonly problems: string[]) {
    super(problems.join(" "));
    this.name = "SettingsError";
  }
}

/**
 * Where the service is, which key to use and what a stack decides for all its resources. Pulumi config comes first
 * (`shortlink:baseUrl`), then the environment (`SHORTLINK_BASE_URL`): a key left in a shell must not win over a stack's own.
 * Throws a `SettingsError` that lists every problem.
 */
export function resolveSettings(readConfig: ReadConfig, environment = process.env): Settings {
  const read = (name: string) => readSetting(name, readConfig, environment);
  const problems: string[] = [];

  const apiKey = read("apiKey");
  if (apiKey === undefined) {
    problems.push(
      'shortlink:apiKey is not set: run "pulumi config set --secret shortlink:apiKey" or set SHORTLINK_API_KEY.',
    );
  } else if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    problems.push("shortlink:apiKey holds a character that no HTTP header can carry: copy the key again.");
  }

  const allowHttp = read("allowHttp") === "true";
  const given = read("baseUrl");
  if (given === undefined) {
    problems.push(
      'shortlink:baseUrl is not set: run "pulumi config set shortlink:baseUrl https://links.example" or set SHORTLINK_BASE_URL.',
    );
  }
  const url = given === undefined ? undefined : URL.parse(given);
  if (url === null || (url && url.protocol !== "https:" && url.protocol !== "http:")) {
    problems.push("shortlink:baseUrl is not a web address: set it to one like https://links.example.");
  } else if (url && (url.username || url.password || url.search || url.hash)) {
    problems.push(
      "shortlink:baseUrl holds a user, a query or a fragment: leave only one like https://links.example.",
    );
  } else if (url?.protocol === "http:" && !isLoopback(url.hostname) && !allowHttp) {
    problems.push(
      "shortlink:baseUrl would send the key over plain http: use https, or allow it with shortlink:allowHttp true.",
    );
  }
  const adopt = read("adopt") ?? "never";
  if (adopt !== "never" && adopt !== "ifEqual" && adopt !== "always") {
    problems.push("shortlink:adopt is not one of never, ifEqual and always.");
  }
  const movedFrom = read("movedFrom");
  const aliases = read("aliases") ?? "stable";
  if (aliases !== "stable" && aliases !== "service") {
    problems.push("shortlink:aliases is not one of stable and service.");
  }
  const timeZone = read("timeZone");
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    problems.push("shortlink:timeZone is not the name of a time zone: set it to one like Europe/Berlin.");
  }
  const limitWindow = Number(read("limitWindow") ?? 60);
  if (!(limitWindow > 0 && limitWindow <= 86_400)) {
    problems.push("shortlink:limitWindow is not a number of seconds from 1 to 86400.");
  }
  const allowDeletes = Number(read("allowDeletes") ?? 0);
  if (!Number.isSafeInteger(allowDeletes) || allowDeletes < 0) {
    problems.push("shortlink:allowDeletes is not a number of links: set it to one like 25, or remove it.");
  }
  if (problems.length > 0 || !url || apiKey === undefined) throw new SettingsError(problems);
  return {
    baseUrl: trimUrl(url.href),
    apiKey,
    adopt: adopt as Settings["adopt"],
    movedFrom: movedFrom === undefined ? undefined : trimUrl(URL.parse(movedFrom)?.href ?? movedFrom),
    aliases: aliases as Settings["aliases"],
    timeZone,
    acceptGone: read("acceptGone") === "true",
    allowDeletes,
    limitWindow: limitWindow * 1000,
    journal: journalFolder(readConfig, environment),
  };
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

/** The variables of the environment by the names of the settings: providers read their settings thousands of times. */
const variables = new Map<string, string>();

function variableOf(name: string): string {
  const variable = variables.get(name) ?? `SHORTLINK_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
  variables.set(name, variable);
  return variable;
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

function isTimeZone(name: string): boolean {
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
