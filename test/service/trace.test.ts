import { expect } from "vitest";
import { Account } from "../../src/account/account";
import { createEmulator } from "../../src/emulator/server";
import { test } from "../helpers/emulator";
import { settingsOf } from "../helpers/run";

test("each attempt and wait is traced, a summary follows, and no secret appears", async () => {
  const emulator = await createEmulator({
    apiKey: "a-secret-key",
    limit: { requests: 2, window: 1 },
    faults: [
      { path: "/links", method: "POST", nth: 1, answer: 503 },
      { path: "/links/1", method: "GET", nth: 1, answer: "reset" },
    ],
  });
  const lines: string[] = [];
  const settings: Record<string, string> = {
    ...settingsOf(emulator),
    "shortlink:limitWindow": "1",
  };
  process.env.SHORTLINK_LOG = "debug";
  const account = new Account({
    readConfig: (key) => settings[key],
    say: (text) => lines.push(text),
    tell: () => undefined,
    assertWanted: () => undefined,
    readState: () => Promise.resolve(undefined),
  });
  try {
    expect(account.summary).toBeUndefined();
    const { client } = account;
    expect(account.summary).toBeUndefined();
    await client.storeDomain({ name: "go.example" });
    const fields = { url: "https://example.com/?token=secret", domain_id: 1, redirect_password: "secret" };
    await expect(client.storeLink(fields)).rejects.toThrow("503");
    await client.storeLink({ ...fields, alias: "secret" });
    await client.showLink(1);
    await client.listLinks({ search: "secret" }).next();
  } finally {
    delete process.env.SHORTLINK_LOG;
    await emulator.close();
  }
  const plain = lines.map((line) => line.replace(/\d+\.\d{3} s/g, "…"));
  expect(plain).toEqual([
    "shortlink: … POST /api/v1/domains: 201 in …",
    "shortlink: … POST /api/v1/links: 503 in …",
    "shortlink: … POST /api/v1/links: 201 in …",
    "shortlink: … GET /api/v1/links/1: ECONNRESET in … after … for the limit of the account",
    "shortlink: … GET /api/v1/links/1: attempt 2 follows in …",
    "shortlink: … GET /api/v1/links/1: 200 in …",
    "shortlink: … GET /api/v1/links: 200 in …",
  ]);
  expect(emulator.requests).toHaveLength(6);
  expect(account.summary?.replace(/\d+\.\d{3} s/g, "…")).toBe(
    "shortlink: 6 requests in …, … of it waiting for the limit; 1 repeated",
  );
  expect(lines.join()).not.toContain("secret");
});
