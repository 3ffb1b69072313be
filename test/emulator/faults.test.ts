import { afterEach, describe, expect, test } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/server";
import { send } from "../helpers/emulator";

let emulator: Emulator;
afterEach(() => emulator.close());

async function start(options: EmulatorOptions) {
  emulator = await createEmulator(options);
  return (method: string, path: string, form?: string) =>
    send(emulator, method, path, form === undefined ? {} : { form });
}

describe("limits", () => {
  test("responses have the remaining requests, and a 429 says when to retry", async () => {
    const call = await start({ limit: { requests: 2, window: 1 } });
    const headers = ["limit", "remaining", "reset"].map((name) => `x-ratelimit-${name}`);
    const told = (answer: Awaited<ReturnType<typeof call>>) =>
      headers.map((name) => answer.headers.get(name));
    expect(told(await call("GET", "/links"))).toEqual(["2", "1", null]);
    // A refused form counts. A refused key and a refused method do not.
    expect(told(await call("POST", "/domains", "name=x"))).toEqual(["2", "0", null]);
    const wrongKey = { headers: { authorization: "Bearer x" } };
    const unauthorized = await send(emulator, "GET", "/links", wrongKey);
    expect([unauthorized.status, ...told(unauthorized)]).toEqual([401, null, null, null]);
    expect((await call("DELETE", "/links")).status).toBe(405);
    const over = await call("GET", "/links");
    expect([over.status, over.body, over.headers.get("retry-after")]).toEqual([
      429,
      { message: "Too Many Attempts." },
      "1",
    ]);
    expect(Number(over.headers.get("x-ratelimit-reset")) * 1000).toBeGreaterThan(Date.now() - 1);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(told(await call("GET", "/links"))).toEqual(["2", "1", null]);
  });

  test("the limit per address counts refused keys, and headers show the smaller remainder", async () => {
    const call = await start({ limit: { requests: 10, perAddress: 2 } });
    await send(emulator, "GET", "/links", { headers: { authorization: "Bearer x" } });
    const answer = await call("GET", "/links");
    expect([answer.headers.get("x-ratelimit-limit"), answer.headers.get("x-ratelimit-remaining")]).toEqual([
      "2",
      "0",
    ]);
    expect((await call("GET", "/links")).status).toBe(429);
  });
});

describe("faults", () => {
  const form = (name: string) => `name=${name}.example`;

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("a connection that breaks %s the write leaves %i domains", async (when, count) => {
    const call = await start({ faults: [{ method: "POST", when, answer: "reset", nth: 1 }] });
    await expect(call("POST", "/domains", form("a"))).rejects.toThrow();
    expect((await call("GET", "/domains")).body).toMatchObject({ meta: { total: count } });
    expect(emulator.requests.map(({ status, fault }) => [status, fault?.answer])).toEqual([
      [0, "reset"],
      [200, undefined],
    ]);
  });

  test("faults cut a response, replace it with a proxy page, or withhold it", async () => {
    const call = await start({
      faults: [
        { path: "/domains?a", answer: "cut", when: "after" },
        { path: "/domains?b", answer: 502 },
        { path: "/domains?c", answer: "html" },
        { path: "/domains?d", answer: "hang" },
      ],
    });
    await expect(call("GET", "/domains?a")).rejects.toThrow();
    for (const [path, status] of [
      ["/domains?b", 502],
      ["/domains?c", 200],
    ] as const) {
      const answer = await call("GET", path);
      expect([answer.status, answer.headers.get("content-type")]).toEqual([
        status,
        "text/html; charset=UTF-8",
      ]);
    }
    const signal = AbortSignal.timeout(100);
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    await expect(fetch(`${emulator.url}/api/v1/domains?d`, { headers, signal })).rejects.toThrow("timeout");
  });

  test("a fault rate hits the same calls for the same seed, and faults can be removed", async () => {
    const draw = async (seed: number) => {
      const call = await start({ seed, faults: [{ rate: 0.3, answer: 503 }] });
      const statuses: number[] = [];
      for (let i = 0; i < 100; i++) statuses.push((await call("GET", "/links")).status);
      emulator.faults.length = 0;
      expect((await call("GET", "/links")).status).toBe(200);
      return statuses.join(" ");
    };
    const first = await draw(7);
    await emulator.close();
    expect(await draw(7)).toBe(first);
    await emulator.close();
    expect(await draw(8)).not.toBe(first);
    expect(first.split("503").length - 1).toBeGreaterThan(15);
    expect(first.split("503").length - 1).toBeLessThan(45);
  });

  test("a fault stops the deletion of a domain halfway", async () => {
    const call = await start({ faults: [{ method: "DELETE", nth: 1, when: "half", answer: 504 }] });
    await call("POST", "/domains", "name=go.example");
    for (const alias of ["a", "b", "c"])
      await call("POST", "/links", `url=https://example.com/&domain_id=1&alias=${alias}`);
    expect((await call("DELETE", "/domains/1")).status).toBe(504);
    const { body } = await call("GET", "/links");
    expect((body as { data: { alias: string }[] }).data.map(({ alias }) => alias)).toEqual(["c"]);
    expect((await call("GET", "/domains/1")).status).toBe(200);
    expect((await call("DELETE", "/domains/1")).status).toBe(200);
  });

  test("latency delays a response", async () => {
    const call = await start({ latency: 50 });
    const begin = performance.now();
    await call("GET", "/links");
    expect(performance.now() - begin).toBeGreaterThan(45);
  });
});
