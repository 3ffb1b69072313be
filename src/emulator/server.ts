import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { html, json, notFound, Refusal, type Result } from "./answers";
import { domains, links, type Call } from "./endpoints";
import { answerFault, Faults } from "./faults";
import type { Fault } from "./faults";
import type { Flavour } from "./flavour";
import { FormError, parseForm } from "./form";
import { Window } from "./limits";
import type { Limit } from "./limits";
import { accountPage, qrCode } from "./page";
import { visit } from "./redirect";
import { isJsonWanted, keyOf, methodOf, readBody, readForms } from "./request";
import { newLink } from "./rules";
import { isOwn, Store, type DomainRow } from "./store";

export type { Fault } from "./faults";
export type { Flavour } from "./flavour";
export type { Limit } from "./limits";

export interface EmulatorOptions {
  /** Port on the loopback interface; 0 picks a free one. Default: 0. */
  port?: number;
  /** The account's API key. Default: `emulator-key`. */
  apiKey?: string;
  /** JSON file that keeps the data between runs. Default: none; all data are lost at the end. */
  data?: string;
  /** Differences from the newest known version of the service. Default: none. */
  flavour?: Flavour;
  /** Rate limit; further requests get a 429. Default: no limit, and no headers about it. */
  limit?: Limit;
  /** Milliseconds before the emulator handles a call. Default: 0. */
  latency?: number;
  /** Failures of calls; the first that matches a call counts. Default: none. */
  faults?: Fault[];
  /** Seed that selects the calls of faults with a rate. Default: 1. */
  seed?: number;
}

/** One answered request to `/api/v1`. */
export interface EmulatorRequest {
  method: string;
  /** Path with its query, for example `/api/v1/links?page=2`. */
  path: string;
  /** HTTP status of the answer; 0 if a fault left none. */
  status: number;
  /** The fault that the call met. */
  fault?: Fault;
  /** Requests left in the window, if there is a limit. */
  left?: number;
}

/** A running emulator. */
export interface Emulator {
  /** Address without a trailing slash, for example `http://127.0.0.1:8787`; the value for `baseUrl`. */
  readonly url: string;
  readonly apiKey: string;
  /** Every request to `/api/v1` so far, in the order of the answers. It omits requests of visitors. */
  readonly requests: readonly EmulatorRequest[];
  /** Failures from now on; the first that matches a call counts. You may change the list. */
  readonly faults: Fault[];
  /** Stops the server, ends open connections and writes the data file. */
  close(): Promise<void>;
}

/**
 * Starts a local emulator of the service on the loopback interface: the documented endpoints of `/api/v1` and the redirects for
 * visitors. It has the answers, rules and quirks of the newest known version. The `Host` header selects the domain:
 * `curl -i -H 'Host: go.example' http://127.0.0.1:8787/docs` follows `go.example/docs`.
 * Every account has the spaces 1, 2, 3 and the pixels 1, 2, 3.
 *
 * It is strict about requests: it answers a body that is not `application/x-www-form-urlencoded` with 415, and a form that the
 * service would misread with 422.
 *
 * Throws if the port is in use. Throws if `data` is not a data file of the emulator or cannot be written.
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { apiKey = "emulator-key", flavour = {} } = options;
  const store = new Store(options.data);
  if (flavour.shared) addShared(store, flavour.shared);
  // A file that cannot be written fails now, and not after the first create.
  store.save();
  const { limit, latency = 0, seed = 1 } = options;
  const window = (requests: number | undefined) =>
    requests === undefined ? undefined : new Window(requests, limit?.window ?? 60);
  const context: Context = {
    ...{ store, apiKey, flavour, latency, requests: [] },
    faults: new Faults([...(options.faults ?? [])], seed),
    accountLimit: window(limit?.requests),
    addressLimit: window(limit?.perAddress),
  };
  const server = createServer((request, response) => void answer(request, response, context));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey,
    requests: context.requests,
    faults: context.faults.list,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      store.save();
    },
  };
}

/** Adds a domain of the installation, and links of another account on it. */
function addShared(store: Store, { domain, taken }: { domain: string; taken: string[] }): void {
  if (store.findDomain(domain)) return;
  const { id } = store.addDomain({ name: domain, homepage_url: null, not_found_url: null }, 0);
  for (const alias of taken) {
    store.addLink({ ...newLink({ url: "https://other.example/" }, id, alias), user_id: 2 });
  }
}

interface Context {
  store: Store;
  apiKey: string;
  flavour: Flavour;
  latency: number;
  requests: EmulatorRequest[];
  faults: Faults;
  accountLimit: Window | undefined;
  addressLimit: Window | undefined;
}

async function answer(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  // Not by new URL(path, base): a path that begins with // would name a host.
  const url = URL.parse(`http://emulator${request.url ?? "/"}`) ?? new URL("http://emulator/");
  const isApi = url.pathname.startsWith("/api/");
  const { method = "" } = request;
  const path = url.pathname + url.search;
  const fault = isApi ? context.faults.of(method, path) : undefined;
  const body = await readBody(request);
  // The client disconnected before the end of the body.
  if (body === undefined) return;
  if (isApi && context.latency > 0) await setTimeout(context.latency);
  let result: Result;
  try {
    const [, domain] = /\/domains\/(\d+)$/.exec(url.pathname) ?? [];
    if (fault?.when === "half" && method === "DELETE") context.store.deleteHalf(Number(domain));
    result =
      fault && fault.when !== "after"
        ? html(200, "Fault", "")
        : await handle(request, response, url, body, context);
  } catch (error) {
    result = failure(error, isJsonWanted(request));
  }
  if (fault) {
    const status = typeof fault.answer === "number" ? fault.answer : fault.answer === "html" ? 200 : 0;
    context.requests.push({ method, path, status, fault });
    answerFault(fault, response, result.body);
    return;
  }
  if (isApi) {
    const left = response.getHeader("X-RateLimit-Remaining");
    const rest = left === undefined ? {} : { left: Number(left) };
    context.requests.push({ method, path, status: result.status, ...rest });
  }
  response.writeHead(result.status, {
    "Content-Type": result.type,
    "Cache-Control": "no-store",
    ...result.headers,
  });
  response.end(method === "HEAD" ? undefined : result.body);
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: string,
  context: Context,
): Promise<Result> {
  const host = request.headers.host ?? "";
  if (context.flavour.httpsOnly) {
    return html(301, "Moved", "", { Location: `https://${host}${url.pathname}${url.search}` });
  }
  if (url.pathname.startsWith("/api/")) return api(request, response, url, host, body, context);
  const domain = context.store.findDomain(host.replace(/:\d+$/, ""));
  if (domain) return redirect(request, url, domain, body, context.store);
  if (url.pathname === "/login") return html(200, "Login", "Log in to manage your links.");
  // Only under a local name: a foreign page may have led a browser here under another one.
  const own = /^(?:127\.0\.0\.1|localhost)(?::\d+)?$/.test(host)
    ? ownPage(request, url, host, body, context)
    : undefined;
  return own ?? (url.pathname === "/" ? homePage() : html(404, "Not found", "There is no such page."));
}

/** The account's page, its QR codes, and the short links on it. They are no part of the service. */
function ownPage(
  request: IncomingMessage,
  url: URL,
  host: string,
  body: string,
  { store, requests, apiKey }: Context,
): Result | undefined {
  if (url.pathname === "/") {
    const search = url.searchParams.get("search") ?? "";
    const page = accountPage({ url: `http://${host}`, search, store, requests, apiKey });
    return { status: 200, type: "text/html; charset=UTF-8", body: page };
  }
  const [, id] = /^\/qr\/(\d+)\.svg$/.exec(url.pathname) ?? [];
  const link = store.links.get(Number(id));
  const domain = link && isOwn(link) ? store.domains.get(link.domain_id) : undefined;
  if (link && domain) {
    const code = qrCode(`http://${domain.name}/${link.alias}`);
    return { status: 200, type: "image/svg+xml", body: code };
  }
  // `/go.example/docs` follows `http://go.example/docs`, which most machines cannot reach.
  const [, name = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
  const visited = store.findDomain(name);
  return visited && redirect(request, new URL(path + url.search, `http://${name}`), visited, body, store);
}

function homePage(): Result {
  return html(200, "Short links", "The emulator is running.");
}

function failure(error: unknown, jsonWanted: boolean): Result {
  if (error instanceof Refusal) {
    const { status, body, headers } = error;
    if (jsonWanted || error.alwaysJson) return json(status, body, headers);
    if (status === 401) return html(302, "Redirecting", "", { Location: "/login" });
    return html(status, String(status), "", headers);
  }
  if (error instanceof FormError) return json(422, { message: { form: [`${error.message}.`] }, status: 422 });
  return jsonWanted ? json(500, { message: "Server Error" }) : html(500, "Server Error", "");
}

function redirect(request: IncomingMessage, url: URL, domain: DomainRow, body: string, store: Store): Result {
  const visitor = {
    path: url.pathname,
    query: url.search.slice(1),
    headers: request.headers,
    form: request.method === "POST" ? parseForm(body) : {},
  };
  // A bare domain without a homepage shows the installation's homepage.
  if (url.pathname === "/" && domain.homepage_url === null) return homePage();
  const result = visit(visitor, domain, store);
  if (result.status !== 301) return html(result.status, result.title, result.page);
  // A header may contain only ASCII, a destination any letters.
  return html(301, "Redirecting", "", {
    Location: URL.parse(result.location)?.href ?? encodeURI(result.location),
  });
}

async function api(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  host: string,
  body: string,
  context: Context,
): Promise<Result> {
  const { flavour } = context;
  const [, path] = /^\/api\/v1(\/.*)?$/.exec(url.pathname) ?? [];
  if (path === undefined) throw notFound();
  // A web server in front answers this before the application sees it.
  if (path.endsWith("/")) return html(301, "Moved", "", { Location: url.pathname.slice(0, -1) + url.search });
  const [query, form, misread] = readForms(request, url, body, flavour);
  const method = methodOf(request, form);
  if (path === "/status" && method === "GET") return json(200, { message: "Online.", status: 200 });

  const route = /^\/(domains|links)(?:\/([^/]+))?$/.exec(path);
  const allowed = !route
    ? ["GET"]
    : route[2] === undefined
      ? ["GET", "POST"]
      : ["GET", "PUT", "PATCH", "DELETE"];
  if (!allowed.includes(method)) {
    const methods = allowed.flatMap((name) => (name === "GET" ? ["GET", "HEAD"] : [name])).join(", ");
    const message = `The ${method} method is not supported for route api/v1${path}. Supported methods: ${methods}.`;
    throw new Refusal(405, { message }, { Allow: methods });
  }
  if (!route) throw notFound();
  countRequest(context.addressLimit, response);
  if (keyOf(request, query, form) !== context.apiKey) {
    // The answer to a wrong key does not show how many requests are left.
    for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining"]) response.removeHeader(name);
    throw new Refusal(401, { message: "Unauthenticated." });
  }
  countRequest(context.accountLimit, response);
  if (flavour.noApi) {
    const message = "You don't have access to this feature.";
    throw new Refusal(403, { message, status: 403 }, {}, true);
  }
  if (misread) throw misread;

  const call: Call = {
    store: context.store,
    flavour,
    host,
    origin: `http://${host}`,
    query,
    form,
  };
  const [collection, operations] =
    route[1] === "domains" ? (["domains", domains] as const) : (["links", links] as const);
  if (route[2] === undefined) {
    return method === "POST"
      ? operations.store(call)
      : operations.list(
          call,
          `${flavour.innerHost ? "http://app.internal:8080" : call.origin}/api/v1/${collection}`,
        );
  }
  const id = parseInt(route[2], 10);
  if (method === "GET") return operations.show(call, id);
  return method === "DELETE" ? operations.delete(call, id) : operations.update(call, id);
}

/** Counts a request and sets the headers of its limit. Of two limits, the answer shows the one with less left. */
function countRequest(limit: Window | undefined, response: ServerResponse): void {
  if (!limit) return;
  const { headers, isOver } = limit.count();
  const told = response.getHeader("X-RateLimit-Remaining");
  if (told === undefined || Number(headers["X-RateLimit-Remaining"]) < Number(told)) {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  }
  if (isOver) throw new Refusal(429, { message: "Too Many Attempts." }, headers);
}
