import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Account } from "../../src/account/account";
import { createEmulator } from "../../src/emulator/server";
import { checkJournal, checkService } from "../../src/live/doctor";
import { send } from "../helpers/emulator";
import { settingsOf, type Settings } from "../helpers/run";

// The checks of `pulumi-shortlink doctor` on a service and a journal. `test/engine/doctor.test.ts` tests the command.

function accountOf(settings: Settings): Account {
  return new Account({
    readConfig: (key) => settings[key],
    say: () => undefined,
    tell: () => undefined,
    assertWanted: () => undefined,
    readState: () => Promise.resolve(new Map()),
  });
}

async function emulatorWith(options: Parameters<typeof createEmulator>[0] = {}) {
  const emulator = await createEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

test.each([
  [{}, "like those of 2026"],
  [{ oldNames: true, defaultsAsNull: true }, "like those of 2025"],
])("a service of the flavour %j is checked with two requests", async (flavour, version) => {
  const emulator = await emulatorWith({ flavour, limit: { requests: 50, window: 60 } });
  const empty = await checkService(accountOf(settingsOf(emulator)), 5000);
  expect(empty.at(-1)?.text).toBe("not known: the account has no domain and no link that would show it");
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  await send(emulator, "POST", "/links", { form: "url=https://example.com/&domain_id=1&alias=a" });
  const sent = emulator.requests.length;
  const checks = await checkService(accountOf(settingsOf(emulator)), 5000);
  expect(emulator.requests.length - sent).toBe(2);
  expect(checks.map(({ about, ok, text }) => [about, ok, text.replace(/\d+ ms/, "… ms")])).toEqual([
    ["service", true, `${emulator.url} answers within … ms: 1 domains and 1 links`],
    ["clock", true, expect.stringMatching(/^equal to the clock of the service, within [12] s$/)],
    ["limit", true, "50 requests in 60 s (shortlink:limitWindow)"],
    ["version", true, version],
  ]);
});

test("a wrong key, a silent service and a wrong clock are reported with the remedy", async () => {
  const emulator = await emulatorWith();
  const wrong = accountOf({ ...settingsOf(emulator), "shortlink:apiKey": "another-key" });
  const [key] = await checkService(wrong, 5000);
  expect(key).toMatchObject({ about: "service", ok: false });
  expect(key?.text).toContain('Set the right one with "pulumi config set --secret shortlink:apiKey"');
  expect(key?.text).not.toContain("another-key");

  const dates = [new Date(Date.now() + 3_600_000), undefined];
  const server = createServer((_request, response) => {
    const [date] = dates;
    if (date === undefined) return;
    response.setHeader("date", date.toUTCString()).setHeader("content-type", "application/json");
    response.end(JSON.stringify({ data: [], meta: { last_page: 1, total: 0 } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const other = () => accountOf({ "shortlink:baseUrl": url, "shortlink:apiKey": "key" });
  const checks = await checkService(other(), 5000);
  expect(checks[1]).toMatchObject({ about: "clock", ok: false });
  expect(checks[1]?.text).toMatch(
    /^(3599|3600) s behind the clock of the service\. Correct one of the two clocks\.$/,
  );
  expect(checks[2]?.text).toBe("the service reports none");
  dates.shift();
  const [silent] = await checkService(other(), 300);
  expect(silent?.text).toBe(
    `${url} does not answer. Check that it runs, and that shortlink:baseUrl (or SHORTLINK_BASE_URL) is its address.`,
  );
});

test("an unwritable journal folder is reported", async () => {
  const emulator = await emulatorWith();
  const folder = mkdtempSync(join(tmpdir(), "shortlink-doctor-"));
  onTestFinished(() => {
    chmodSync(folder, 0o700);
    rmSync(folder, { recursive: true });
  });
  const at = (journal: string) =>
    checkJournal(accountOf({ ...settingsOf(emulator), "shortlink:journal": journal }));
  expect(at(join(folder, "journal"))).toEqual({ about: "journal", ok: true, text: join(folder, "journal") });
  expect(at("none").text).toBe("none (shortlink:journal): an interrupted run cannot be finished later");
  writeFileSync(join(folder, "file"), "");
  expect(at(join(folder, "file", "journal"))).toMatchObject({
    ok: false,
    text: expect.stringContaining(
      "cannot be written (ENOTDIR). Set shortlink:journal to another folder.",
    ) as string,
  });
});
