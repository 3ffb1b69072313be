import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { resolveSettings } from "../../src/account/settings";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import { Client } from "../../src/service/client";

// A proxy as companies have one. It passes plain requests for any host to the emulator, and refuses every CONNECT.

const asked: string[] = [];
let emulator: Emulator;
const proxy = createServer((incoming, outgoing) => {
  asked.push(`${incoming.method} ${incoming.url}`);
  const { pathname, search } = new URL(incoming.url ?? "");
  const { method, headers } = incoming;
  const passedOn = request(`${emulator.url}${pathname}${search}`, { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(outgoing);
  });
  incoming.pipe(passedOn);
}).on("connect", ({ url }, socket) => {
  asked.push(`CONNECT ${url}`);
  socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
});
beforeAll(async () => {
  emulator = await createEmulator();
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = `http://someone:word@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  Object.assign(process.env, { HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: "inner.example" });
});
afterAll(async () => {
  for (const name of ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"]) delete process.env[name];
  proxy.close();
  await emulator.close();
});

const client = (baseUrl: string) => {
  const given: Record<string, string> = { baseUrl, apiKey: emulator.apiKey, allowHttp: "true" };
  return new Client(resolveSettings((key) => given[key.replace("shortlink:", "")]));
};

test("requests use the proxy of the environment, except to the local machine", async () => {
  const domain = await client("http://links.example").storeDomain({ name: "go.example" });
  expect(asked.splice(0)).toEqual(["POST http://links.example/api/v1/domains"]);
  await client(emulator.url).showDomain(domain.id);
  expect(asked).toEqual([]);
});

test("a refusal by the proxy names its variable and leaves no write in doubt", async () => {
  const error = await client("https://links.example")
    .storeDomain({ name: "go.example" })
    .catch((each: unknown) => String(each));
  expect(error).toBe(
    'NoAnswerError: store domain "go.example": cannot reach the service at https://links.example through the proxy that ' +
      "HTTPS_PROXY names (the proxy answered 407)",
  );
  expect(asked.splice(0)).toEqual(["CONNECT links.example:443"]);
});

test("hosts in NO_PROXY bypass the proxy", async () => {
  await expect(client("http://inner.example").showDomain(1)).rejects.toThrow("ENOTFOUND");
  expect(asked).toEqual([]);
});

test("an invalid proxy address is an error that names its variable", () => {
  const problem = "HTTPS_PROXY must be the address of a proxy, like http://proxy.example:3128.";
  const resolve = (HTTPS_PROXY: string) =>
    resolveSettings(() => undefined, {
      HTTPS_PROXY,
      SHORTLINK_BASE_URL: "https://links.example",
      SHORTLINK_API_KEY: "key",
    });
  for (const wrong of ["proxy.example:3128", "ftp://proxy.example", "word"])
    expect(() => resolve(wrong)).toThrow(problem);
  expect(resolve("http://proxy.example:3128").proxy).toBe("HTTPS_PROXY");
});
