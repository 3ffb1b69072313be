// The subjects of the benchmark: programs for the engine, and a loop of requests.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent, request } from "undici";
import { pulumiEnvironment, root } from "../tools/environment.mjs";
import { watchProcesses } from "./processes.mjs";

/** @typedef {"preview" | "update ten" | "create" | "no-op" | "refresh" | "refresh, one by one" | "update one" | "update all" | "destroy, one by one" | "destroy"} Operation */
/** @typedef {{ memory: number | undefined, uses?: import("./processes.mjs").Uses, failed: boolean, stateBytes: number | undefined }} Outcome */
/** @typedef {{ operations: string[], carryOut: (operation: Operation) => Promise<Outcome>, end: () => unknown }} Subject */
/** @typedef {import("pulumi-shortlink/emulator").Emulator} Emulator */

const domains = 2;

/** All programs make the same resources with the same properties. CHANGED is the number of links with another destination. */
const shape = `
const count = Number(process.env.LINKS), changed = Number(process.env.CHANGED ?? 0);
const names = ${JSON.stringify(Array.from({ length: domains }, (_, i) => `go${i}.example`))};
const link = (i) => ({ alias: "a" + i, url: (i < changed ? "https://new.example/" : "https://example.com/") + i });
`;

/** @type {Record<string, string>} */
const programs = {
  shortlink: `${shape}
const shortlink = require("pulumi-shortlink");
const domains = names.map((name) => new shortlink.Domain(name, { name }));
for (let i = 0; i < count; i++) new shortlink.Link("link-" + i, { domainId: domains[i % 2].id, ...link(i) });
`,
  // Links from a file, which is written beside the program.
  catalog: `
const shortlink = require("pulumi-shortlink");
new shortlink.LinkCatalog("links", { files: "links.yaml" });
`,
  // The same registrations as ours, with a similar provider text.
  nothing: `${shape}
const pulumi = require("@pulumi/pulumi");
class Nothing extends pulumi.CustomResource {
  constructor(type, name, inputs) {
    const __provider = "exports.handler=()=>require('do-nothing/provider').nothing";
    super("pulumi-nodejs:dynamic/bench:" + type, name, { ...inputs, __provider });
  }
}
const domains = names.map((name) => new Nothing("Domain", name, { name, url: undefined }));
for (let i = 0; i < count; i++) new Nothing("Link", "link-" + i, { domainId: domains[i % 2].id, ...link(i), shortUrl: undefined });
`,
  // As in Pulumi's guide to dynamic providers: each resource carries the text of the provider's methods.
  plain: `${shape}
const pulumi = require("@pulumi/pulumi");
async function call(method, path, form) {
  const { request } = require("undici");
  const { statusCode, body } = await request(process.env.SHORTLINK_BASE_URL + "/api/v1" + path, {
    method,
    headers: {
      accept: "application/json",
      authorization: "Bearer " + process.env.SHORTLINK_API_KEY,
      ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    },
    body: form ? new URLSearchParams(form).toString() : undefined,
  });
  const text = await body.text();
  if (statusCode >= 300) throw new Error(method + " " + path + " failed with " + statusCode);
  return text === "" ? {} : JSON.parse(text).data;
}
const provider = (path, fields) => ({
  async create(inputs) {
    const { id } = await call("POST", path, fields(inputs));
    return { id: String(id), outs: inputs };
  },
  async diff(id, olds, news) {
    return { changes: JSON.stringify(fields(olds)) !== JSON.stringify(fields(news)) };
  },
  async read(id, props) {
    const record = await call("GET", path + "/" + id);
    return { id, props: { ...props, ...(record.url && record.alias ? { url: record.url, alias: record.alias } : {}) } };
  },
  async update(id, olds, news) {
    await call("PATCH", path + "/" + id, fields(news));
    return { outs: news };
  },
  async delete(id) {
    await call("DELETE", path + "/" + id);
  },
});
const domainProvider = provider("/domains", ({ name }) => ({ name }));
const linkProvider = provider("/links", ({ domainId, alias, url }) => ({ domain_id: domainId, alias, url }));
class Domain extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(domainProvider, name, args);
  }
}
class Link extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(linkProvider, name, args);
  }
}
const domains = names.map((name) => new Domain(name, { name }));
for (let i = 0; i < count; i++) new Link("link-" + i, { domainId: domains[i % 2].id, ...link(i) });
`,
};

const doNothing = `
let id = 0;
async function send(method, id) {
  const headers = { accept: "application/json", authorization: "Bearer " + process.env.SHORTLINK_API_KEY };
  const url = process.env.SHORTLINK_BASE_URL + "/api/v1/links/" + id;
  const { body } = await require("undici").request(url, { method, headers });
  JSON.parse((await body.text()) || "null");
}
exports.nothing = {
  check: async (olds, news) => ({ inputs: news }),
  diff: async () => ({}),
  create: async (inputs) => ({ id: String(++id), outs: inputs }),
  read: async (id, props) => (process.env.ONE_BY_ONE && (await send("GET", id)), { id, props }),
  update: async (id, olds, news) => ({ outs: news }),
  delete: async (id) => process.env.ONE_BY_ONE && send("DELETE", id),
};`;

/**
 * A program that the engine runs, with its own state and with its packages in node_modules.
 *
 * @param {string} name
 * @param {Emulator} emulator
 * @param {number} links
 * @param {{ checkpoints: boolean, window: number | undefined, packageRoot?: string, catalog?: (changed: number) => string }} options
 * @returns {Promise<Subject>}
 */
export async function engineSubject(name, emulator, links, options) {
  const { checkpoints, window, packageRoot = root, catalog = () => catalogText("yaml", links) } = options;
  const folder = mkdtempSync(join(tmpdir(), "shortlink-bench-"));
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "do-nothing"), { recursive: true });
  writeFileSync(join(folder, "Pulumi.yaml"), "name: bench\nruntime: nodejs\n");
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "bench", main: "index.js" }));
  writeFileSync(join(folder, "index.js"), programs[name] ?? "");
  writeFileSync(join(modules, "do-nothing", "provider.js"), doNothing);
  cpSync(join(packageRoot, "dist"), join(modules, "pulumi-shortlink", "dist"), { recursive: true });
  cpSync(join(packageRoot, "package.json"), join(modules, "pulumi-shortlink", "package.json"));
  const libraries = [
    "undici",
    "qs",
    "zod",
    "side-channel",
    "es-errors",
    "yaml",
    "csv-parse",
    "fastest-levenshtein",
    "jsonc-parser",
  ];
  for (const each of ["@pulumi", ...libraries]) {
    symlinkSync(join(root, "node_modules", each), join(modules, each));
  }
  const writeCatalog = (/** @type {number} */ changed) =>
    writeFileSync(join(folder, "links.yaml"), catalog(changed));
  if (name === "catalog") writeCatalog(0);
  /** @type {Record<string, string>} */
  const environment = {
    ...pulumiEnvironment(join(folder, "pulumi")),
    SHORTLINK_BASE_URL: emulator.url,
    SHORTLINK_API_KEY: emulator.apiKey,
    LINKS: String(links),
    ...(checkpoints ? {} : { PULUMI_SKIP_CHECKPOINTS: "true" }),
    ...(window === undefined ? {} : { SHORTLINK_LIMIT_WINDOW: String(window) }),
  };

  /** @param {string[]} args */
  async function pulumi(...args) {
    const child = spawn("pulumi", [...args, "--stack", "bench", "--non-interactive"], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "ignore", "ignore"],
    });
    const watch = watchProcesses(child.pid ?? 0);
    await once(child, "close");
    const uses = watch.end();
    return { memory: uses.megabytes * 1e6, uses, failed: child.exitCode !== 0 };
  }

  await pulumi("stack", "init");
  const up = () => pulumi("up", "--yes", "--skip-preview", "--suppress-outputs");
  const refresh = () => pulumi("refresh", "--yes", "--skip-preview");
  const destroy = () => pulumi("destroy", "--yes", "--skip-preview");
  const state = join(folder, "pulumi/state/.pulumi/stacks/bench/bench.json");
  /** @param {typeof refresh} command */
  async function oneByOne(command) {
    environment.ONE_BY_ONE = "1";
    const outcome = await command();
    delete environment.ONE_BY_ONE;
    return outcome;
  }
  /** @type {Partial<Record<Operation, () => Promise<Omit<Outcome, "stateBytes">>>>} */
  const commands = {
    preview: () => pulumi("preview"),
    create: up,
    "no-op": up,
    refresh,
    "update ten": () => (writeCatalog(10), up()),
    "update one": () => ((environment.CHANGED = "1"), up()),
    "update all": () => ((environment.CHANGED = String(links)), up()),
    destroy,
  };
  // This provider can send one request per link and nothing else: the floor for operations on each link.
  if (name === "nothing") {
    commands["refresh, one by one"] = () => oneByOne(refresh);
    commands["destroy, one by one"] = async () => {
      const saved = readFileSync(state);
      const outcome = await oneByOne(destroy);
      // The next operation destroys the same resources again.
      writeFileSync(state, saved);
      return outcome;
    };
  }
  return {
    operations: Object.keys(commands),
    carryOut: async (operation) => {
      const outcome = await commands[operation]?.();
      if (!outcome) throw new Error(`${name} cannot ${operation}`);
      return { ...outcome, stateBytes: statSync(state).size };
    },
    end: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/**
 * A catalog of the links that the programs make.
 *
 * @param {"yaml" | "json" | "csv"} format
 * @param {number} links
 */
export function catalogText(format, links) {
  const names = Array.from({ length: domains }, (_, i) => `go${i}.example`);
  const entries = Array.from({ length: links }, (_, i) => ({
    ...{
      key: `link-${i}`,
      domain: names[i % domains] ?? "",
      alias: `a${i}`,
      url: `https://example.com/${i}`,
    },
  }));
  if (format === "csv")
    return ["key,domain,alias,url", ...entries.map((each) => Object.values(each).join(","))].join("\n");
  if (format === "json")
    return JSON.stringify(
      { domains: Object.fromEntries(names.map((each) => [each, {}])), links: entries },
      null,
      2,
    );
  const rows = entries.map(
    ({ key, domain, alias, url }) => `  ${key}: { domain: ${domain}, alias: ${alias}, url: ${url} }`,
  );
  return ["domains:", ...names.map((each) => `  ${each}:`), "links:", ...rows].join("\n");
}

/**
 * A catalog of real addresses: pages of MDN, and the specifications that they describe.
 *
 * @param {number} links
 * @param {number} changed Number of links with another destination.
 */
export function documentationCatalog(links, changed) {
  const file = join(root, "node_modules/@mdn/browser-compat-data/data.json");
  /** @type {Map<string, string>} Addresses by alias. Aliases are unique regardless of case. */
  const found = new Map();
  /** @type {Set<string>} */
  const taken = new Set();
  /** @type {(tree: object) => void} */
  const walk = (tree) => {
    for (const [name, value] of /** @type {[string, unknown][]} */ (Object.entries(tree))) {
      if (name !== "mdn_url" && name !== "spec_url") {
        if (typeof value === "object" && value !== null) walk(value);
        continue;
      }
      for (const url of /** @type {string[]} */ ([value].flat())) {
        const words =
          url.replace(/^https:\/\/(?:developer\.mozilla\.org\/docs\/)?/, "").match(/[A-Za-z0-9]+/g) ?? [];
        const alias = words.join("-").slice(0, 200);
        // The service refuses a "%" without two hexadecimal digits after it.
        if (/%(?![0-9A-Fa-f]{2})/.test(url) || taken.has(alias.toLowerCase()) || found.size === links)
          continue;
        taken.add(alias.toLowerCase());
        found.set(alias, url);
      }
    }
  };
  /** @type {object} */
  const pages = JSON.parse(readFileSync(file, "utf8"));
  walk(pages);
  if (found.size < links) throw new Error(`there are only ${found.size} addresses`);
  const rows = [...found].map(([alias, url], i) => {
    const domain = url.startsWith("https://developer.mozilla.org/") ? "mdn.example" : "spec.example";
    const fields = { domain, alias, url: i < changed ? `${url}${url.includes("#") ? "" : "#"}new` : url };
    return `  ${JSON.stringify(`${domain}/${alias}`)}: ${JSON.stringify(fields)}`;
  });
  return ["domains:", "  mdn.example:", "  spec.example:", "links:", ...rows].join("\n");
}

/**
 * Sends the fewest requests that the operations need, four at a time.
 *
 * @param {Emulator} emulator
 * @param {number} links
 * @returns {Promise<Subject>}
 */
export async function loop(emulator, links) {
  const dispatcher = new Agent({ connections: 4 });
  /**
   * @param {"GET" | "POST" | "PATCH" | "DELETE"} method
   * @param {string} path
   * @param {Record<string, string>} [form]
   * @returns {Promise<void>}
   */
  async function send(method, path, form) {
    const { statusCode, headers, body } = await request(`${emulator.url}/api/v1${path}`, {
      dispatcher,
      method,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${emulator.apiKey}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: form ? new URLSearchParams(form).toString() : null,
    });
    await body.dump();
    if (statusCode !== 429) return;
    await new Promise((resolve) => setTimeout(resolve, Number(headers["retry-after"]) * 1000));
    return send(method, path, form);
  }
  /** @param {(i: number) => Promise<void>} each */
  async function all(each) {
    let next = 0;
    const worker = async () => {
      while (next < links) await each(next++);
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  }
  for (let i = 0; i < domains; i++) await send("POST", "/domains", { name: `go${i}.example` });
  const form = (/** @type {number} */ i, host = "https://example.com/") => ({
    ...{ domain_id: String((i % domains) + 1), alias: `a${i}`, url: host + i },
  });
  /** @type {Partial<Record<Operation, () => Promise<void>>>} */
  const work = {
    create: () => all((i) => send("POST", "/links", form(i))),
    "no-op": () => Promise.resolve(),
    refresh: () =>
      all((i) =>
        i % 100 === 0 ? send("GET", `/links?per_page=100&page=${i / 100 + 1}`) : Promise.resolve(),
      ),
    "refresh, one by one": () => all((i) => send("GET", `/links/${i + 1}`)),
    "update one": () => send("PATCH", "/links/1", form(0, "https://new.example/")),
    "update all": () => all((i) => send("PATCH", `/links/${i + 1}`, form(i, "https://new.example/"))),
    destroy: () => all((i) => send("DELETE", `/links/${i + 1}`)),
  };
  return {
    operations: Object.keys(work),
    carryOut: async (operation) => {
      await work[operation]?.();
      return { memory: undefined, failed: false, stateBytes: undefined };
    },
    end: () => void dispatcher.close(),
  };
}
