import { afterEach, expect, test } from "vitest";
import { Client } from "../../src/service/client";
import { createEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/server";
import { send } from "../helpers/emulator";

// Windows of two seconds instead of a minute.
const window = 2000;
let emulator: Emulator;
afterEach(() => emulator.close());

async function start(options: EmulatorOptions) {
  emulator = await createEmulator(options);
  const connection = { baseUrl: emulator.url, apiKey: emulator.apiKey };
  return { client: new Client(connection, { window }), connection };
}

const refused = (path = "") =>
  emulator.requests.filter((each) => each.status === 429 && each.path.includes(path)).length;

test("the client uses all requests of each window and gets no 429", async () => {
  const { client } = await start({ limit: { requests: 120, window: window / 1000 } });
  await client.storeDomain({ name: "go.example" });
  const calls = Array.from({ length: 599 }, (_, i) =>
    i % 2 === 0
      ? client.showDomain(1)
      : client.storeLink({ url: "https://example.com/", domain_id: 1, alias: `a-${i}` }),
  );
  await Promise.all(calls);
  expect(refused()).toBe(0);
  // The requests of each window, as the service counted them.
  const left = emulator.requests.map((each) => each.left ?? NaN).sort((a, b) => a - b);
  expect(left).toEqual(Array.from({ length: 120 }, (_, i) => new Array<number>(5).fill(i)).flat());
}, 60_000);

test("two clients of one account share the rate limit without a 429", async () => {
  const { client, connection } = await start({ limit: { requests: 40, window: window / 1000 } });
  const second = new Client(connection);
  const reads = (each: Client) => Array.from({ length: 40 }, () => each.listDomains().next());
  await Promise.all([...reads(client), ...reads(second)]);
  expect(refused()).toBe(0);
}, 60_000);

test("another program with the same key slows the run down but does not end it", async () => {
  const { client } = await start({ limit: { requests: 100, window: window / 1000 } });
  let isOver = false;
  const other = (async () => {
    while (!isOver) {
      await send(emulator, "GET", "/links");
      await new Promise((resolve) => setTimeout(resolve, window / 50));
    }
  })();
  await Promise.all(Array.from({ length: 300 }, () => client.listDomains().next()));
  isOver = true;
  await other;
  expect(
    emulator.requests.filter(({ status, path }) => status === 200 && path.includes("/domains")),
  ).toHaveLength(300);
  expect(refused("/domains")).toBeLessThanOrEqual(3);
}, 60_000);

test("a wait of seconds is reported once; without a limit all requests succeed", async () => {
  emulator = await createEmulator({ limit: { requests: 5, window: 4 } });
  const tell: string[] = [];
  const patient = new Client(
    { baseUrl: emulator.url, apiKey: emulator.apiKey },
    { window: 4000, tell: (text) => tell.push(text) },
  );
  await Promise.all(Array.from({ length: 10 }, () => patient.listDomains().next()));
  expect(tell).toEqual([
    "The account has used its 5 requests; the run continues in 4 s. 5 requests are done; only the engine knows how many are left.",
  ]);
  await emulator.close();

  const { client: free } = await start({});
  await Promise.all(Array.from({ length: 300 }, () => free.listDomains().next()));
  expect(emulator.requests).toHaveLength(300);
}, 60_000);

test("a reported wait includes the progress of the run and an estimate of its end", async () => {
  emulator = await createEmulator({ limit: { requests: 5, window: 4 } });
  const tell: string[] = [];
  const client = new Client(
    { baseUrl: emulator.url, apiKey: emulator.apiKey },
    {
      window: 4000,
      tell: (text) => tell.push(text),
      progress: (sent) => ({ done: sent, left: 400 - sent, what: "resources", requests: 400 - sent }),
    },
  );
  await Promise.all(Array.from({ length: 6 }, () => client.listDomains().next()));
  expect(tell).toEqual([
    "The account has used its 5 requests; the run continues in 4 s. 5 of 400 resources are done; the rest takes about 6 min.",
  ]);
}, 60_000);
