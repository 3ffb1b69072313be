import { afterEach, expect, test } from "vitest";
import { createEmulator, type Emulator, type EmulatorOptions, type Fault } from "../../src/emulator/server";
import { send } from "../helpers/emulator";
import { newRun, quickClock, settingsOf } from "../helpers/run";

// Exactly one object for each create, even if responses are lost.

let emulator: Emulator;
let run: ReturnType<typeof newRun>;
afterEach(() => emulator.close());

async function start(options: EmulatorOptions = {}, settings: Record<string, string> = {}) {
  emulator = await createEmulator(options);
  run = newRun(settingsOf(emulator, settings), quickClock);
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
}

const url = "https://example.com/";
const linkInputs = (alias?: string) => ({
  ...{ __provider: "text", url, domainId: 1 },
  ...(alias === undefined ? {} : { alias }),
});
const create = (alias?: string) => run.link.create(linkInputs(alias));

async function total(path: string): Promise<number> {
  emulator.faults.length = 0;
  const { body } = await send(emulator, "GET", path);
  return (body as { meta: { total: number } }).meta.total;
}
const posts = (path: string) =>
  emulator.requests.filter((each) => each.method === "POST" && each.path === `/api/v1${path}`).length;

const answers: Fault["answer"][] = ["reset", "cut", "html", 500, 502, 503, 504];

test.each(answers)("a response lost after the write (%s) causes no duplicate", async (answer) => {
  await start();
  emulator.faults.push({ method: "POST", when: "after", nth: 1, answer });
  expect(await create("docs")).toMatchObject({ id: "1", outs: { shortUrl: "http://go.example/docs" } });
  expect(posts("/links")).toBe(1);
  expect(await total("/links")).toBe(1);

  emulator.faults.push({ method: "POST", when: "after", nth: 1, answer });
  const domain = await run.domain.create({ __provider: "text", name: "a.example" });
  expect(domain).toMatchObject({ id: "2" });
  expect(await total("/domains")).toBe(2);
});

test.each(answers)("a request lost before the write (%s) is retried", async (answer) => {
  await start();
  emulator.faults.push({ method: "POST", nth: 1, answer });
  expect(await create("docs")).toMatchObject({ id: "1" });
  expect(posts("/links")).toBe(2);
  expect(await total("/links")).toBe(1);
});

test("a create whose connection always breaks fails after four requests", async () => {
  await start();
  emulator.faults.push({ method: "POST", answer: "reset" });
  await expect(create("docs")).rejects.toThrow("; it is not known whether it was carried out");
  expect(posts("/links")).toBe(4);
});

test("after a lost request, an older or a different link is a conflict and not adopted", async () => {
  await start();
  await send(emulator, "POST", "/links", { form: `url=${url}&domain_id=1&alias=docs` });
  await new Promise((resolve) => setTimeout(resolve, 2100));
  emulator.faults.push({ path: "/links", method: "POST", nth: 1, answer: "reset" });
  await expect(create("docs")).rejects.toThrow("The link with the id 1 has it.");
  expect(posts("/links")).toBe(2);
  // Somebody else takes the alias while the request is lost.
  emulator.faults.push({ path: "/links", method: "POST", nth: 1, answer: "reset" });
  const before = emulator.requests.length;
  const other = create("other");
  const isLost = () => emulator.requests.slice(before).some(({ fault }) => fault);
  while (!isLost()) await new Promise((resolve) => setTimeout(resolve, 5));
  await send(emulator, "POST", "/links", { form: "url=https://other.example/&domain_id=1&alias=other" });
  await expect(other).rejects.toThrow("The link with the id 2 has it.");
});

test("lost responses cause no duplicates when the service chooses the aliases", async () => {
  await start({}, { "shortlink:aliases": "service" });
  // Ids that no earlier test has used, because this process remembers facts about ids.
  for (let id = 1; id <= 1100; id++) {
    await send(emulator, "POST", "/links", { form: `url=${url}&domain_id=1` });
    if (id < 1100) await send(emulator, "DELETE", `/links/${id}`);
  }
  await new Promise((resolve) => setTimeout(resolve, 2100));
  const first = await create();
  emulator.faults.push({ method: "POST", when: "after", rate: 0.5, answer: "reset" });
  const more = await Promise.all(Array.from({ length: 20 }, () => create()));
  const ids = [first, ...more].map(({ id }) => id);
  expect(new Set(ids).size).toBe(21);
  expect(ids).not.toContain("1100");
  expect(await total("/links")).toBe(22);
});

test("an older link with the same destination is not adopted when the service chooses aliases", async () => {
  await start({}, { "shortlink:aliases": "service", "shortlink:adopt": "always" });
  await send(emulator, "POST", "/links", { form: `url=${url}&domain_id=1` });
  await new Promise((resolve) => setTimeout(resolve, 2100));
  emulator.faults.push({ method: "POST", nth: 1, answer: "reset" });
  expect(await create()).toMatchObject({ id: "2" });
});

test("1,000 creates with 30 % lost responses make exactly 1,000 links", async () => {
  await start({ seed: 20_261_121 });
  emulator.faults.push({ method: "POST", path: "/links", when: "after", rate: 0.3, answer: "reset" });
  const created = await Promise.all(Array.from({ length: 1000 }, (_, i) => create(`a-${i}`)));
  const lost = emulator.requests.filter(({ fault }) => fault).length;
  expect(lost).toBeGreaterThan(250);
  // No POST for an existing link: each POST made its own link.
  expect(posts("/links")).toBe(1000);
  expect(await total("/links")).toBe(1000);
  for (const { id, outs } of created) {
    const { body } = await send(emulator, "GET", `/links/${id}`);
    expect((body as { data: { alias: string } }).data.alias).toBe(outs?.alias);
  }
});

test("a domain deletion that fails halfway is retried, and a domain without DNS records is refused", async () => {
  await start({ flavour: { unresolved: ["late.example"] } });
  await create("docs");
  await create("blog");
  emulator.faults.push({ method: "DELETE", nth: 1, when: "half", answer: 500 });
  const state = { __provider: "text", name: "go.example", url: "http://go.example", forceDestroy: true };
  await run.domain.delete("1", state);
  expect(await total("/domains")).toBe(0);
  await expect(run.domain.create({ __provider: "text", name: "late.example" })).rejects.toThrow(
    'store domain "late.example": the service refused it (422): name: The DNS records of the domain do not point',
  );
});

test("a create is retried after a 429 response", async () => {
  await start();
  emulator.faults.push({ method: "POST", nth: 1, answer: 429 });
  expect(await create("docs")).toMatchObject({ id: "1" });
  expect(posts("/links")).toBe(2);
});
