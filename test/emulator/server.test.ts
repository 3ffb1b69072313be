import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { once } from "node:events";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createEmulator, type EmulatorOptions } from "../../src/emulator/server";
import { send, visit } from "../helpers/emulator";

async function start(options: EmulatorOptions = {}) {
  const emulator = await createEmulator(options);
  onTestFinished(() => emulator.close());
  return emulator;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "shortlink-emulator-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the emulator has a loopback address and accepts only the given API key", async () => {
  const emulator = await start({ apiKey: "another-key" });
  expect(emulator.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  // The other addresses of this machine do not reach it.
  const port = Number(new URL(emulator.url).port);
  for (const { address, internal } of Object.values(networkInterfaces()).flatMap((each) => each ?? [])) {
    if (internal || address.startsWith("fe80")) continue;
    const [error] = (await once(connect(port, address), "error")) as [NodeJS.ErrnoException];
    expect(error.code, address).toBe("ECONNREFUSED");
  }
  expect((await send(emulator, "GET", "/links")).status).toBe(200);
  const { status } = await send(emulator, "GET", "/links", {
    headers: { authorization: "Bearer emulator-key" },
  });
  expect(status).toBe(401);
});

test("the request log lists API requests and no visits", async () => {
  const emulator = await start();
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  await send(emulator, "GET", "/links?page=2");
  await visit(emulator, "http://go.example/x");
  expect(emulator.requests).toEqual([
    { method: "POST", path: "/api/v1/domains", status: 201 },
    { method: "GET", path: "/api/v1/links?page=2", status: 200 },
  ]);
});

test("a complete request of a disconnected client is carried out, a partial one is not", async () => {
  const emulator = await start({ latency: 50 });
  const { port } = new URL(emulator.url);
  const post = (form: string, length: number) =>
    `POST /api/v1/domains HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\nAuthorization: Bearer ${emulator.apiKey}\r\n` +
    `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n\r\n${form}`;
  for (const [form, length] of [
    ["name=whole.example", 18],
    ["name=part", 18],
  ] as const) {
    const socket = connect(Number(port), "127.0.0.1");
    socket.write(post(form, length));
    await setTimeout(20);
    socket.destroy();
  }
  const names = async () => {
    const { body } = await send(emulator, "GET", "/domains");
    return (body as { data: { name: string }[] }).data.map(({ name }) => name);
  };
  await expect.poll(names).toEqual(["whole.example"]);
});

test("a data file keeps the account between runs, without passwords in plain text", async () => {
  const folder = temporaryFolder();
  const data = join(folder, "links.json");
  const first = await createEmulator({ data });
  await send(first, "POST", "/domains", { form: "name=go.example" });
  await send(first, "POST", "/links", {
    form: "url=https://example.com/&domain_id=1&alias=a&redirect_password=hunter22",
  });
  await send(first, "POST", "/links", { form: "url=https://example.com/&domain_id=1&alias=b" });
  await send(first, "DELETE", "/links/2");
  const shown = await send(first, "GET", "/links/1");
  await first.close();
  expect(readdirSync(folder)).toEqual(["links.json"]);
  expect(readFileSync(data, "utf8")).not.toContain("hunter22");

  const second = await start({ data });
  expect((await send(second, "GET", "/links/1")).body).toEqual(shown.body);
  expect((await visit(second, "http://go.example/a", { form: "password=hunter22" })).status).toBe(301);
  // An id is never reused.
  const { body } = await send(second, "POST", "/links", {
    form: "url=https://example.com/&domain_id=1&alias=c",
  });
  expect(body).toMatchObject({ data: { id: 3 } });
});

test("a file in another format is refused as data file and left unchanged", async () => {
  const data = join(temporaryFolder(), "notes.json");
  for (const text of ["not JSON", '{"links":[]}', "[]"]) {
    writeFileSync(data, text);
    await expect(createEmulator({ data })).rejects.toThrow(
      `${data} is not a data file of the emulator; name another file, or remove it to start empty`,
    );
    expect(readFileSync(data, "utf8")).toBe(text);
  }
});

test("an unwritable data file is reported at the start", async () => {
  const data = join(temporaryFolder(), "missing", "links.json");
  await expect(createEmulator({ data })).rejects.toThrow(`cannot write ${data} (ENOENT)`);
});
