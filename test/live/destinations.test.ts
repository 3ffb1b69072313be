import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkDestinations } from "../../src/live/destinations";

// Destinations that answer in many ways, over HTTP.

type Answer = (response: ServerResponse, request: IncomingMessage) => unknown;
let answers: Record<string, Answer>;
let servers: Server[];
let asked: string[];
let [atOnce, most] = [0, 0];
const pauses: number[] = [];
let last = 0;

async function listen(): Promise<string> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    pauses.push(Date.now() - last);
    asked.push(`${request.method} ${request.url}`);
    most = Math.max(most, ++atOnce);
    await setTimeout(10);
    last = Date.now();
    atOnce--;
    (answers[request.url ?? ""] ?? status(200))(response, request);
  };
  const server = createServer((request, response) => void answer(request, response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const status =
  (code: number): Answer =>
  (response) =>
    response.writeHead(code).end();
const to =
  (location: string): Answer =>
  (response) =>
    response.writeHead(302, { location }).end();

beforeEach(() => {
  [answers, servers, asked, atOnce, most, last] = [{}, [], [], 0, 0, 0];
  pauses.length = 0;
});
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

test("each kind of failing destination is reported, and working ones are not", async () => {
  const [one, other, closed] = [await listen(), await listen(), await listen()];
  servers.pop()?.close();
  answers = {
    "/gone": status(404),
    "/broken": status(500),
    "/get-only": (response, { method }) => response.writeHead(method === "HEAD" ? 405 : 200).end("a page"),
    "/moved": to("/there?x=1"),
    "/to-gone": to(`${other}/gone`),
    "/circle-1": to("/circle-2"),
    "/circle-2": to("/circle-1"),
    "/hangs": () => undefined,
    ...Object.fromEntries(Array.from({ length: 22 }, (_, i) => [`/long-${i}`, to(`/long-${i + 1}`)])),
  };
  const good = [`${one}/`, `${one}/get-only`, `${one}/moved`, `${other}/`];
  const bad = {
    [`${one}/gone`]: "it answers 404",
    [`${one}/broken`]: "it answers 500",
    [`${one}/to-gone`]: "it answers 404 after 1 redirect",
    [`${one}/circle-1`]: "its redirects lead in a circle",
    [`${one}/long-0`]: "it has more than 20 redirects",
    [`${one}/hangs`]: "it does not answer in time",
    [`${closed}/`]: "it does not answer (ECONNREFUSED)",
    "https://no.invalid/": expect.stringMatching(/^it does not answer \(E\w+\)$/) as string,
  };
  const problems = await checkDestinations([...good, ...Object.keys(bad), `${one}/`], {
    pause: 0,
    timeout: 300,
  });
  expect(Object.fromEntries(problems)).toEqual(bad);
  // One HEAD per destination. GET follows only if HEAD was not enough.
  expect(asked.filter((line) => line === "HEAD /")).toHaveLength(2);
  expect(asked.filter((line) => line.startsWith("GET ")).sort()).toEqual([
    "GET /broken",
    "GET /get-only",
    "GET /gone",
    "GET /gone",
    "GET /hangs",
  ]);
});

test("each host gets one request at a time, with pauses; different hosts are checked in parallel", async () => {
  const host = await listen();
  await checkDestinations(
    Array.from({ length: 5 }, (_, i) => `${host}/${i}`),
    { pause: 30, timeout: 1000 },
  );
  expect(most).toBe(1);
  expect(Math.min(...pauses.slice(1))).toBeGreaterThanOrEqual(25);
  const hosts = [host, await listen(), await listen()];
  await checkDestinations(
    hosts.flatMap((each) => [`${each}/a`, `${each}/b`]),
    { pause: 0, timeout: 1000 },
  );
  expect(most).toBeGreaterThan(1);
});
