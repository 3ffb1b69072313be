import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { journalFolder, resolveSettings, SettingsError } from "../../src/account/settings";

const key = "shortlink:apiKey";
const url = "shortlink:baseUrl";

function resolve(config: Record<string, string>, environment: Record<string, string> = {}) {
  return resolveSettings((name) => config[name], environment);
}

function problems(config: Record<string, string>): string[] {
  try {
    resolve(config);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as SettingsError).problems;
  }
  return [];
}

test("Pulumi config takes precedence over the environment", () => {
  const environment = { SHORTLINK_BASE_URL: "https://env.example", SHORTLINK_API_KEY: "env-key" };
  expect(resolve({}, environment)).toEqual({
    baseUrl: "https://env.example",
    apiKey: "env-key",
    adopt: "never",
    movedFrom: undefined,
    aliases: "stable",
    timeZone: undefined,
    acceptGone: false,
    allowDeletes: 0,
    limitWindow: 60_000,
    journal: join(homedir(), ".pulumi", "shortlink"),
    proxy: undefined,
    isTraced: false,
  });
  expect(resolve({ [url]: "https://config.example" }, environment)).toEqual({
    baseUrl: "https://config.example",
    apiKey: "env-key",
    adopt: "never",
    movedFrom: undefined,
    aliases: "stable",
    timeZone: undefined,
    acceptGone: false,
    allowDeletes: 0,
    limitWindow: 60_000,
    journal: join(homedir(), ".pulumi", "shortlink"),
    proxy: undefined,
    isTraced: false,
  });
});

test("the journal folder defaults to Pulumi's home; environment and config override it", () => {
  const folder = (config: string | undefined, environment: Record<string, string>) =>
    journalFolder(() => config, environment);
  expect(folder(undefined, { PULUMI_HOME: "/home" })).toBe("/home/shortlink");
  expect(folder(undefined, { PULUMI_HOME: "/home", SHORTLINK_JOURNAL: "/cache" })).toBe("/cache");
  expect(folder("journal", { SHORTLINK_JOURNAL: "/cache" })).toBe(join(process.cwd(), "journal"));
  expect(folder("none", { SHORTLINK_JOURNAL: "/cache" })).toBeUndefined();
});

test("an empty config value does not hide the environment", () => {
  const environment = { SHORTLINK_BASE_URL: "https://env.example", SHORTLINK_API_KEY: "env-key" };
  expect(resolve({ [url]: " ", [key]: "" }, environment)).toMatchObject({
    baseUrl: "https://env.example",
    apiKey: "env-key",
    adopt: "never",
    movedFrom: undefined,
  });
});

test.each([
  ["https://links.example", "https://links.example"],
  [" https://links.example/ ", "https://links.example"],
  ["https://links.example/api/v1/", "https://links.example"],
  ["https://links.example/shortener/api/v1", "https://links.example/shortener"],
  ["https://links.example/api/v1/links", "https://links.example"],
  ["https://links.example/api", "https://links.example"],
  ["https://LINKS.example:443", "https://links.example"],
  ["http://127.0.0.1:8787", "http://127.0.0.1:8787"],
  ["http://localhost:8787/", "http://localhost:8787"],
  ["http://[::1]:8787", "http://[::1]:8787"],
])("the base URL %s is normalized to %s", (given, baseUrl) => {
  expect(resolve({ [url]: given, [key]: "k" }).baseUrl).toBe(baseUrl);
});

test("missing settings are reported with the commands that set them", () => {
  expect(problems({})).toEqual([
    'shortlink:apiKey is not set: run "pulumi config set --secret shortlink:apiKey" or set SHORTLINK_API_KEY.',
    'shortlink:baseUrl is not set: run "pulumi config set shortlink:baseUrl https://links.example" or set SHORTLINK_BASE_URL.',
  ]);
  expect(problems({ [url]: " ", [key]: "" })).toHaveLength(2);
});

test.each([
  ["links.example"],
  ["ftp://links.example"],
  ["https://me:pw@links.example"],
  ["https://links.example/?a=b"],
  ["https://links.example?"],
  ["https://links.example/#"],
])("the address %s is refused for baseUrl and movedFrom", (given) => {
  const must = "must be a web address without user, query and fragment, like https://links.example.";
  expect(problems({ [url]: given, [key]: "k" })).toEqual([`shortlink:baseUrl ${must}`]);
  expect(problems({ [url]: "https://links.example", [key]: "k", "shortlink:movedFrom": given })).toEqual([
    `shortlink:movedFrom ${must}`,
  ]);
});

test.each(["http://links.example", "http://127.evil.example"])(
  "the plain http address %s is refused",
  (given) => {
    const reason =
      "would send the key over plain http: use https, or allow it with shortlink:allowHttp true.";
    expect(problems({ [url]: given, [key]: "k" })).toEqual([`shortlink:baseUrl ${reason}`]);
  },
);

test.each([
  ["adopt", "yes", "be never, ifEqual or always"],
  ["aliases", "Stable", "be stable or service"],
  ["allowHttp", "yes", "be true or false"],
  ["acceptGone", "TRUE", "be true or false"],
  ["movedFrom", "hello", "be a web address without user, query and fragment, like https://links.example"],
  ["timeZone", "Berlin", "be the name of a time zone, like Europe/Berlin"],
  ["allowDeletes", "1e3", "be a number of links, like 25"],
  ["allowDeletes", "-1", "be a number of links, like 25"],
  ["limitWindow", "a minute", "be a whole number of seconds from 1 to 86400"],
  ["limitWindow", "0.5", "be a whole number of seconds from 1 to 86400"],
  ["limitWindow", "0", "be a whole number of seconds from 1 to 86400"],
])("the setting %s refuses %s in config and environment", (name, text, must) => {
  const config = { [url]: "https://links.example", [key]: "k" };
  expect(problems({ ...config, [`shortlink:${name}`]: text })).toEqual([`shortlink:${name} must ${must}.`]);
  const variable = `SHORTLINK_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
  expect(() => resolve(config, { [variable]: text })).toThrow(`shortlink:${name} must ${must}.`);
});

test("shortlink:allowHttp allows plain http", () => {
  const config = { [url]: "http://links.internal", [key]: "k", "shortlink:allowHttp": "true" };
  expect(resolve(config).baseUrl).toBe("http://links.internal");
});

test("shortlink:adopt is read from the config and the environment", () => {
  const config = { [url]: "https://links.example", [key]: "k" };
  expect(resolve({ ...config, "shortlink:adopt": "ifEqual" }).adopt).toBe("ifEqual");
  expect(resolve(config, { SHORTLINK_ADOPT: "always" }).adopt).toBe("always");
});

test("an API key with a line break is refused without being shown", () => {
  expect(problems({ [url]: "https://links.example", [key]: "two\nlines" })).toEqual([
    "shortlink:apiKey must have no space, line break or letter beyond ASCII, which no HTTP header can carry: copy the key again.",
  ]);
});
