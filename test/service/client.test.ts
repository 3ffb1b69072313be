import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, vi } from "vitest";
import { createEmulator } from "../../src/emulator/server";
import { Client } from "../../src/service/client";
import {
  AnswerError,
  isNotFound,
  isUnauthorized,
  isUnreachable,
  NoAnswerError,
  RefusedError,
  ServiceError,
} from "../../src/service/errors";
import { send, test } from "../helpers/emulator";

// Waits before a retry pass a hundred times as fast.
vi.mock("node:timers/promises", async (importOriginal) => {
  const timers = await importOriginal<typeof import("node:timers/promises")>();
  return { ...timers, setTimeout: (milliseconds: number) => timers.setTimeout(milliseconds / 100) };
});

async function collect<Item>(pages: AsyncIterable<Item[]>): Promise<Item[][]> {
  const all: Item[][] = [];
  for await (const page of pages) all.push(page);
  return all;
}

/** The error that a call ends with. */
async function errorOf(call: Promise<unknown>): Promise<ServiceError> {
  return call.then(
    () => expect.unreachable("the call should fail"),
    (error: unknown) => {
      expect(error).toBeInstanceOf(ServiceError);
      return error as ServiceError;
    },
  );
}

describe("against the emulator", () => {
  test("does not count a wait for the rate limit towards the time for retries", async () => {
    const emulator = await createEmulator({ limit: { requests: 2, window: 1 } });
    onTestFinished(() => emulator.close());
    const client = new Client({ baseUrl: emulator.url, apiKey: emulator.apiKey }, { window: 1000 });
    await client.storeDomain({ name: "go.example" });
    await client.showDomain(1);
    emulator.faults.push({ method: "GET", answer: 503, nth: 1 });
    const show = client.showDomain(1);
    const time = Date.now() + 700_000;
    vi.spyOn(Date, "now").mockImplementation(() => time);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await show).toMatchObject({ id: 1 });
    expect(emulator.requests.map(({ status }) => status)).toEqual([201, 200, 503, 200]);
  });

  test("stores, shows, updates, lists and deletes a domain", async ({ client }) => {
    const stored = await client.storeDomain({ name: "Go.Example", homepage_url: "https://example.com/" });
    expect(stored).toEqual({
      id: 1,
      name: "go.example",
      url: "http://go.example",
      homepage_url: "https://example.com/",
      not_found_url: null,
      created_at: expect.stringMatching(/Z$/) as string,
    });
    expect(await client.showDomain(1)).toEqual(stored);
    const updated = await client.updateDomain(1, {
      homepage_url: null,
      not_found_url: "https://example.com/404",
    });
    expect(updated).toMatchObject({ homepage_url: null, not_found_url: "https://example.com/404" });
    expect((await collect(client.listDomains())).flat()).toEqual([updated]);
    await client.deleteDomain(1);
    expect(await collect(client.listDomains())).toEqual([]);
  });

  test("stores a link with every field and reads the same back", async ({ client }) => {
    await client.storeDomain({ name: "go.example" });
    const stored = await client.storeLink({
      url: "https://example.com/",
      domain_id: 1,
      alias: "Docs",
      space_id: 2,
      pixel_ids: [3, 1],
      redirect_password: "visitor",
      sensitive_content: true,
      privacy: 2,
      password: "statistics",
      active_period_start_at: "2026-03-01T08:00:00",
      active_period_end_at: "2026-04-01T08:00:00",
      clicks_limit: 100,
      expiration_url: "https://example.com/expired",
      targets_type: "countries",
      targets: [{ key: "DE", value: "https://example.de/" }],
    });
    expect(stored).toEqual({
      id: 1,
      alias: "Docs",
      url: "https://example.com/",
      short_url: "http://go.example/Docs",
      domain_id: 1,
      space_id: 2,
      pixel_ids: [1, 3],
      redirect_password: true,
      sensitive_content: true,
      privacy: 2,
      password: true,
      active_period_start_at: "2026-03-01T08:00:00.000000Z",
      active_period_end_at: "2026-04-01T08:00:00.000000Z",
      clicks_limit: 100,
      expiration_url: "https://example.com/expired",
      targets_type: "countries",
      targets: [{ key: "DE", value: "https://example.de/" }],
      domain_name: "go.example",
      // The answer to a create omits them.
      clicks: null,
      disabled: false,
      ends_at: null,
      expiration_clicks: null,
      created_at: expect.stringMatching(/Z$/) as string,
    });
    expect(await client.showLink(1)).toEqual({ ...stored, clicks: 0 });
  });

  test("clears every field that can be cleared", async ({ client }) => {
    await client.storeDomain({ name: "go.example" });
    const plain = await client.storeLink({ url: "https://example.com/", domain_id: 1, alias: "a" });
    await client.updateLink(1, {
      space_id: 1,
      pixel_ids: [1],
      redirect_password: "x",
      sensitive_content: true,
      privacy: 1,
      password: "y",
      active_period_start_at: "2026-03-01T08:00:00",
      active_period_end_at: "2026-04-01T08:00:00",
      clicks_limit: 1,
      expiration_url: "https://example.com/",
      targets_type: "rotations",
      targets: [{ value: "https://example.com/r" }],
    });
    await client.updateLink(1, {
      space_id: null,
      pixel_ids: [],
      redirect_password: null,
      sensitive_content: false,
      privacy: 0,
      password: null,
      active_period_start_at: null,
      active_period_end_at: null,
      clicks_limit: null,
      expiration_url: null,
      targets_type: null,
      targets: null,
    });
    expect(await client.showLink(1)).toEqual({ ...plain, clicks_limit: null, clicks: 0 });
  });

  test("lists pages of 100 in the order of ids", async ({ client, emulator }) => {
    await client.storeDomain({ name: "go.example" });
    for (let i = 1; i <= 205; i++) await client.storeLink({ url: `https://example.com/${i}`, domain_id: 1 });
    const before = emulator.requests.length;
    const pages = await collect(client.listLinks({ domain_id: 1 }));
    expect(pages.map((page) => page.length)).toEqual([100, 100, 5]);
    expect(pages.flat().map(({ id }) => id)).toEqual(Array.from({ length: 205 }, (_, i) => i + 1));
    expect(emulator.requests.slice(before).map(({ path }) => path)).toEqual(
      [1, 2, 3].map((page) => `/api/v1/links?domain_id=1&sort_by=id&sort=asc&per_page=100&page=${page}`),
    );
  });

  test("sends the status filter with the request of every page", async ({ client, emulator }) => {
    await client.storeDomain({ name: "go.example" });
    for (let i = 1; i <= 101; i++) await client.storeLink({ url: `https://example.com/${i}`, domain_id: 1 });
    const before = emulator.requests.length;
    expect((await collect(client.listLinks({ status: 1 }))).flat()).toHaveLength(101);
    const paths = emulator.requests.slice(before).map(({ path }) => path);
    expect(paths).toEqual([1, 2].map((page) => expect.stringMatching(`status=1&.*page=${page}$`) as string));
  });

  test("reports operation, status, method, path and field messages in an error", async ({ client }) => {
    await client.storeDomain({ name: "go.example" });
    const error = await errorOf(client.storeLink({ url: "nope", domain_id: 1, alias: "a b" }));
    expect(error).toBeInstanceOf(RefusedError);
    expect(error).toMatchObject({
      name: "RefusedError",
      operation: 'store link "a b"',
      status: 422,
      method: "POST",
      path: "/api/v1/links",
      fields: {
        url: ["The url must be a valid URL."],
        alias: ["The alias may only contain letters, numbers, dashes and underscores."],
      },
      message:
        'store link "a b": the service refused it (422): url: The url must be a valid URL. ' +
        "alias: The alias may only contain letters, numbers, dashes and underscores.",
    });
  });

  test("recognizes a missing record", async ({ client }) => {
    const error = await errorOf(client.showLink(7));
    expect(error.message).toBe("show link 7: the service refused it (404): Resource not found.");
    expect(isNotFound(error)).toBe(true);
  });

  test("reports a wrong key without showing it", async ({ emulator }) => {
    const error = await errorOf(new Client({ baseUrl: emulator.url, apiKey: "not-the-key" }).showLink(7));
    expect(error.message).toBe(
      `show link 7: the service at ${emulator.url} refused the API key (401): Unauthenticated.`,
    );
    expect(isUnauthorized(error)).toBe(true);
    expect(JSON.stringify(error)).not.toContain("not-the-key");
  });

  test("reports a second delete as not found", async ({ client }) => {
    await client.storeDomain({ name: "go.example" });
    await client.deleteDomain(1);
    expect(isNotFound(await errorOf(client.deleteDomain(1)))).toBe(true);
  });

  test("sends a JSON Accept header with every request, also without a body", async ({ emulator, client }) => {
    // Without it the service answers a wrong key with a redirect to an HTML page.
    const bare = await send(emulator, "GET", "/links/1", { headers: { accept: "*/*", authorization: "" } });
    expect(bare.status).toBe(302);
    const wrong = new Client({ baseUrl: emulator.url, apiKey: "x" });
    const calls = [wrong.showLink(1), wrong.storeLink({}), wrong.updateLink(1, {}), wrong.deleteLink(1)];
    const errors = await Promise.all(calls.map(errorOf));
    expect(errors.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    expect(await collect(client.listLinks())).toEqual([]);
  });
});

describe("against a faulty server", () => {
  const deadlines = { read: 300, write: 400, domain: 500 };
  async function serveAt(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  async function serve(listener: RequestListener, read = deadlines.read): Promise<Client> {
    const baseUrl = await serveAt(listener);
    return new Client({ baseUrl, apiKey: "secret-key" }, { deadlines: { ...deadlines, read } });
  }
  const answer =
    (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
    (request, response) => {
      request.resume();
      response.writeHead(status, headers).end(body);
    };
  const url = /http:\/\/127\.0\.0\.1:\d+/g;

  test("does not follow a redirect and names its target without the query", async () => {
    const client = await serve(answer(301, "", { location: "https://links.example/api/v1/links?token=abc" }));
    const error = await errorOf(client.storeLink({ url: "https://example.com/?token=abc", domain_id: 7 }));
    expect(error.message.replace(url, "URL")).toBe(
      "store link on domain 7: the service at URL redirects to https://links.example/api/v1/links (301), and redirects are not followed",
    );
  });

  test("gives up when the deadline of a call has passed", async () => {
    const client = await serve(() => undefined);
    const [read, write, domain] = await Promise.all([
      errorOf(client.showLink(1)),
      errorOf(client.updateLink(1, { alias: "a" })),
      errorOf(client.storeDomain({ name: "go.example" })),
    ]);
    expect(read.message.replace(url, "URL")).toBe(
      "show link 1: no answer from the service at URL within 0.3 s",
    );
    expect(write.message.replace(url, "URL")).toBe(
      "update link 1: no answer from the service at URL within 0.4 s; it is not known whether it was carried out",
    );
    expect(domain.message).toContain("within 0.5 s");
    expect(isUnreachable(write)).toBe(false);
  });

  test("gives up when a response begins and never ends", async () => {
    const client = await serve((_request, response) => response.writeHead(200).write('{"data":'));
    expect((await errorOf(client.showLink(1))).message).toContain("within 0.3 s");
  });

  test("does not send a request that timed out before it had a connection", async () => {
    const seen: string[] = [];
    const baseUrl = await serveAt((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      const id = /\d+$/.exec(request.url ?? "")?.[0] ?? "1";
      setTimeout(() => response.end(`{"data":{"id":${id},"alias":"a","url":"https://example.com/"}}`), 1_000);
    });
    const busy = new Client({ baseUrl, apiKey: "a-key" });
    const other = new Client({ baseUrl, apiKey: "other-key" }, { deadlines });
    const four = Promise.all([1, 2, 3, 4].map((id) => busy.showLink(id)));
    expect((await errorOf(other.storeLink({ alias: "a" }))).message).toContain("within 0.4 s");
    await four;
    await busy.showLink(5);
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5].map((id) => `GET /api/v1/links/${id}`));
  });

  test("waits for the final response after interim responses", async () => {
    const client = await serve((_request, response) => {
      response.writeProcessing();
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.end('{"data":{"id":1,"alias":"a","url":"https://example.com/"}}');
    });
    expect(await client.showLink(1)).toMatchObject({ id: 1 });
  });

  test("limits the size of a response", async () => {
    const piece = Buffer.alloc(1024 * 1024, " ");
    const client = await serve((_request, response) => {
      const go = () => void response.write(piece, () => response.destroyed || go());
      go();
    }, 20_000);
    const { message } = await errorOf(client.showLink(1));
    expect(message).toContain("broke (UND_ERR_RES_EXCEEDED_MAX_SIZE)");
  });

  test("says that a write may have been carried out when the connection breaks", async () => {
    const client = await serve((request) => request.socket.destroy());
    const error = await errorOf(client.storeLink({ alias: "a" }));
    expect(error).toBeInstanceOf(NoAnswerError);
    expect(error.message.replace(url, "URL")).toBe(
      'store link "a": the connection to the service at URL broke (UND_ERR_SOCKET); it is not known whether it was carried out',
    );
  });

  test("reports that nothing listens at the address", async () => {
    const client = new Client({ baseUrl: "http://127.0.0.1:1", apiKey: "k" });
    const error = await errorOf(client.storeLink({ alias: "a" }));
    expect(error.message).toBe(
      'store link "a": cannot reach the service at http://127.0.0.1:1 (ECONNREFUSED)',
    );
    expect(isUnreachable(error)).toBe(true);
  });

  test("shows nothing of an HTML error page", async () => {
    const client = await serve(
      answer(502, "<html>secret of the proxy</html>", { "content-type": "text/html" }),
    );
    const error = await errorOf(client.showLink(1));
    expect(error.message).toBe("show link 1: the service refused it (502)");
  });

  test("treats a success status without JSON as an error", async () => {
    const client = await serve(answer(200, "<html>login</html>"));
    const error = await errorOf(client.showLink(1));
    expect(error).toBeInstanceOf(AnswerError);
    expect(error.message.replace(url, "URL")).toBe(
      "show link 1: the service at URL answered 200 without JSON (maybe a login or proxy page: check shortlink:baseUrl)",
    );
    // The answer was only an HTML page, so nothing was carried out.
    const write = await errorOf(client.updateLink(1, { clicks_limit: 1 }));
    expect(write.message).not.toContain("carried out");
  });

  test("does not treat a 404 of another web server as a missing record", async () => {
    const client = await serve(answer(404, "<h1>nginx</h1>", { "content-type": "text/html" }));
    const error = await errorOf(client.showLink(1));
    expect(isNotFound(error)).toBe(false);
    expect(error.message.replace(url, "URL")).toBe(
      "show link 1: there is no short-link service at URL, something else answered (404)",
    );
    for (const body of ["", "[]", '"Not found"', "{}"]) {
      expect(isNotFound(await errorOf((await serve(answer(404, body))).deleteLink(1)))).toBe(false);
    }
  });

  test("starts the deadline when a request starts, not when it is queued", async () => {
    let running = 0;
    let most = 0;
    const client = await serve((request, response) => {
      request.resume();
      most = Math.max(most, ++running);
      setTimeout(() => {
        running--;
        response.end('{"data":{"id":1,"alias":"a","url":"https://example.com/"}}');
      }, 500);
    }, 2_000);
    // Five rounds of four calls take longer than the deadline. A single call is much faster.
    await Promise.all(Array.from({ length: 20 }, () => client.showLink(1)));
    expect(most).toBe(4);
  });

  test("ends a list without a page count when a page has no new rows", async () => {
    let calls = 0;
    const client = await serve((_request, response) => {
      calls++;
      response.end('{"data":[{"id":1,"alias":"a","url":"https://example.com/"}]}');
    });
    expect(await collect(client.listLinks())).toHaveLength(1);
    expect(calls).toBe(2);
  });

  test("reads error bodies of other shapes", async () => {
    const said = async (body: unknown) =>
      (await errorOf((await serve(answer(422, JSON.stringify(body)))).showLink(1))).message;
    const start = "show link 1: the service refused it (422)";
    expect(await said({ message: { targets: { "0": { key: ["bad"] } } } })).toBe(
      `${start}: targets.0.key: bad`,
    );
    expect(await said({ message: "no", errors: "something" })).toBe(`${start}: no`);
    expect(await said({ error: "bad" })).toBe(`${start}: bad`);
    expect(await said({ message: {} })).toBe(start);
  });

  test("treats a list instead of a record as an error", async () => {
    const client = await serve(answer(200, '{"data":[]}'));
    expect((await errorOf(client.storeLink({ alias: "a" }))).message).toBe(
      'store link "a": the answer of the service is not the requested record; it was probably carried out',
    );
  });

  test("reads the framework's default body of a 422", async () => {
    const body = {
      message: "The url is bad. (and 1 more error)",
      errors: { url: ["The url is bad."], alias: ["No."] },
    };
    const client = await serve(answer(422, JSON.stringify(body)));
    const error = await errorOf(client.storeLink({ alias: "a" }));
    expect(error.fields).toEqual(body.errors);
    expect(error.message).toBe(
      'store link "a": the service refused it (422): url: The url is bad. alias: No.',
    );
  });

  test("withholds a message that echoes the key or a password", async () => {
    const client = await serve(
      answer(422, JSON.stringify({ message: { password: ["hunter22 secret-key is bad"] } })),
    );
    const error = await errorOf(client.updateLink(1, { password: "hunter22" }));
    expect(error.message).toBe(
      "update link 1: the service refused it (422): password: (withheld: it contains a secret)",
    );
  });

  test("accepts a delete that the service confirms or a lookup proves", async () => {
    const gone = JSON.stringify({ message: "Resource not found.", status: 404 });
    const there = JSON.stringify({ data: { id: 1, alias: "a", url: "https://a.example/" } });
    const proxy = (deleted: string, shown: RequestListener): RequestListener => {
      return (request, response) =>
        request.method === "DELETE" ? answer(200, deleted)(request, response) : shown(request, response);
    };
    const hello = JSON.stringify({ hello: 1 });
    const own = JSON.stringify({ id: 1, object: "link", deleted: true, status: 200 });
    for (const answered of ["", hello, own.replace("1", "2"), own.replace("true", "false")]) {
      await (await serve(proxy(answered, answer(404, gone)))).deleteLink(1);
      const kept = await errorOf((await serve(proxy(answered, answer(200, there)))).deleteLink(1));
      expect(kept.message).toBe(
        "delete link 1: something other than the service answered with success, and nothing was deleted",
      );
      await errorOf((await serve(proxy(answered, answer(200, hello)))).deleteLink(1));
      await errorOf((await serve(proxy(answered, answer(200, hello)))).deleteDomain(1));
    }
    await (await serve(proxy(own, answer(200, there)))).deleteLink(1);
  });

  test("refuses a record with another id than requested", async () => {
    const record = JSON.stringify({ data: { id: 2, alias: "a", url: "https://a.example/" } });
    const client = await serve(answer(200, record));
    for (const call of [client.showLink(1), client.updateLink(1, {})]) {
      expect((await errorOf(call)).message).toContain("the service answered with the record 2");
    }
  });

  test("understands records of older versions", async () => {
    const record = {
      id: "12",
      alias: "a",
      url: "https://example.com/",
      domain_id: "3",
      space_id: null,
      pixel_ids: ["2"],
      privacy: "1",
      clicks_limit: "5",
      sensitive_content: false,
      redirect_password: 1,
      targets: { "1": { key: "DE", value: "https://example.de/" } },
    };
    const client = await serve(answer(200, JSON.stringify(record)));
    expect(await client.showLink(12)).toMatchObject({
      id: 12,
      domain_id: 3,
      space_id: null,
      pixel_ids: [2],
      privacy: 1,
      clicks_limit: 5,
      sensitive_content: false,
      redirect_password: true,
      password: false,
      targets: [{ key: "DE", value: "https://example.de/" }],
    });
    const domain = {
      id: 3,
      name: "go.example",
      index_page: "https://a.example/",
      not_found_page: "https://b.example/",
    };
    const older = await serve(answer(200, JSON.stringify({ data: domain })));
    expect(await older.showDomain(3)).toMatchObject({
      homepage_url: "https://a.example/",
      not_found_url: "https://b.example/",
    });
  });

  test("returns a row only once if it moves to the next page", async () => {
    const link = (id: number) => ({ id, alias: `a${id}`, url: "https://example.com/" });
    const pages = [
      [link(1), link(2)],
      [link(2), link(3)],
    ];
    const client = await serve((request, response) => {
      const page = Number(new URL(request.url ?? "", "http://x").searchParams.get("page"));
      response.end(JSON.stringify({ data: pages[page - 1] ?? [], meta: { last_page: "2" } }));
    });
    expect((await collect(client.listLinks())).map((page) => page.map(({ id }) => id))).toEqual([
      [1, 2],
      [3],
    ]);
  });
});
