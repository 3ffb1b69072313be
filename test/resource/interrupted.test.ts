import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import { Journal } from "../../src/account/journal";
import { readJournal } from "../../src/account/journal-files";
import { backend } from "../../src/account/settings";
import { domainModel } from "../../src/domain/model";
import { linkModel } from "../../src/link/model";
import { digestOfWish } from "../../src/resource/create";
import { send } from "../helpers/emulator";
import * as helpers from "../helpers/run";
import type { Settings } from "../helpers/run";

// A create after an interrupted run, which left a note in the journal and perhaps an object.

let emulator: Emulator;
let folder: string;
beforeEach(async () => {
  folder = join(mkdtempSync(join(tmpdir(), "shortlink-interrupted-")), "journal");
  emulator = await createEmulator();
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
});
afterEach(async () => {
  rmSync(join(folder, ".."), { recursive: true });
  await emulator.close();
});

const url = "https://example.com/";
/** A program of one resource, so the provider waits for no other plan. No monitor answers at this address. */
const alone = "127.0.0.1:1 links 1";
const urn = "urn:pulumi:prod::links::pulumi-nodejs:dynamic/shortlink:Link::docs";

/** New providers, as in a new process. */
function newRun(settings: Settings = {}) {
  const run = helpers.newRun(
    helpers.settingsOf(emulator, { "shortlink:journal": folder, ...settings }),
    helpers.quickClock,
  );
  return {
    ...run,
    createLink: async (args: object = {}, owner = urn) => {
      const given = {
        __provider: "text",
        __urn: owner,
        __state: alone,
        url,
        domainId: 1,
        alias: "docs",
        ...args,
      };
      const { inputs } = await run.link.check({}, given);
      return run.link.create(inputs);
    },
    createDomain: async (args: object, owner = urn) => {
      const { inputs } = await run.domain.check({}, { __provider: "text", __urn: owner, ...args });
      return run.domain.create(inputs);
    },
  };
}

/** The digest of a link with only a destination, and of a domain with only a name. */
const linkSent = digestOfWish(linkModel, { args: { url }, about: {} });
const domainSent = (name: string) => digestOfWish(domainModel, { args: { name }, about: {} });

/** Leaves the note of a run that is interrupted before its request arrives. */
function intend(key: string, sent: string): Promise<string> {
  const time = new Date().toISOString();
  return new Journal(folder).begin({ time, service: emulator.url, backend: backend(), urn, key, sent });
}

/** Leaves the traces of a run that is interrupted after its request, or after it has learned the id. */
async function killedRun(path: string, key: string, sent: string, form: string, id?: string): Promise<void> {
  const intent = await intend(key, sent);
  expect((await send(emulator, "POST", path, { form })).status).toBe(201);
  if (id !== undefined) await new Journal(folder).made(intent, id);
}

const open = () => readJournal(folder).intents.map(({ key, id }) => [key, id]);
const posts = () => emulator.requests.filter(({ method }) => method === "POST").length;

test("a link from an interrupted run is adopted, and its note closes once the state has it", async () => {
  await killedRun("/links", "link 1/docs", linkSent, `url=${url}&domain_id=1&alias=docs`);
  const run = newRun();
  const { id, outs } = await run.createLink();
  expect(id).toBe("1");
  expect(open()).toEqual([["link 1/docs", "1"]]);
  const next = newRun();
  const { inputs } = await next.link.check(outs, { ...outs });
  await next.link.diff(id, outs, inputs);
  await expect.poll(open).toEqual([]);
});

test("a preview announces that a link from an interrupted run will be adopted", async () => {
  await killedRun("/links", "link 1/docs", linkSent, `url=${url}&domain_id=1&alias=docs`, "1");
  const run = newRun();
  const args = {
    __provider: "text",
    __urn: urn,
    __preview: true,
    url: `${url}new`,
    domainId: 1,
    alias: "docs",
  };
  await run.link.check({}, args);
  await run.link.check({}, { ...args, __urn: `${urn}-2`, url });
  expect(run.said).toEqual([
    "http://go.example/docs exists already as link 1 and differs in url: an interrupted run made it; it will be adopted and changed.",
  ]);
});

test("a domain from an interrupted run is adopted", async () => {
  await killedRun("/domains", "domain a.example", domainSent("a.example"), "name=a.example");
  expect(await newRun().createDomain({ name: "a.example" })).toMatchObject({ id: "2" });
  await killedRun("/domains", "domain b.example", domainSent("b.example"), "name=b.example", "3");
  const before = posts();
  const homepageUrl = "https://example.com/home";
  expect(await newRun().createDomain({ name: "b.example", homepageUrl })).toMatchObject({
    id: "3",
    outs: { homepageUrl },
  });
  expect(posts()).toBe(before);
});

test("a link with a noted id is adopted without a create, even if the program changed", async () => {
  await killedRun("/links", "link 1/docs", linkSent, `url=${url}&domain_id=1&alias=docs`, "1");
  const before = posts();
  const changed = { url: "https://example.com/new", alias: "handbook", clicksLimit: 7 };
  expect(await newRun().createLink(changed)).toMatchObject({ id: "1", outs: changed });
  expect(posts()).toBe(before);
});

test("an unchanged link is adopted without a noted id, even if the program changed", async () => {
  await killedRun("/links", "link 1/docs", linkSent, `url=${url}&domain_id=1&alias=docs`);
  const changed = { url: "https://example.com/new", alias: "handbook", clicksLimit: 7 };
  const before = posts();
  expect(await newRun().createLink(changed)).toMatchObject({ id: "1", outs: changed });
  expect(posts()).toBe(before);
});

test("a link deleted after the interrupted run is created again", async () => {
  await killedRun("/links", "link 1/docs", linkSent, `url=${url}&domain_id=1&alias=docs`, "1");
  await send(emulator, "DELETE", "/links/1");
  expect(await newRun().createLink()).toMatchObject({ id: "2" });
  expect(open()).toEqual([["link 1/docs", "2"]]);
});

test("a request that never arrived leaves no extra note after the next create", async () => {
  await intend("link 1/docs", linkSent);
  expect(await newRun().createLink()).toMatchObject({ id: "1" });
  expect(open()).toEqual([["link 1/docs", "1"]]);
});

test("links of another stack, changed links and older links are conflicts and add no note", async () => {
  await killedRun("/links", "link 1/docs", linkSent, `url=${url}&domain_id=1&alias=docs`);
  const other = newRun().createLink({}, urn.replace("prod", "staging"));
  await expect(other).rejects.toThrow("The link with the id 1 has it.");
  await send(emulator, "PATCH", "/links/1", { form: "url=https://example.com/theirs" });
  await expect(newRun().createLink()).rejects.toThrow("The link with the id 1 has it.");

  await send(emulator, "POST", "/links", { form: `url=${url}&domain_id=1&alias=old` });
  await setTimeout(1100);
  await intend("link 1/old", linkSent);
  const older = newRun().createLink({ alias: "old" });
  await expect(older).rejects.toThrow("The link with the id 2 has it.");
  expect(open()).toEqual([
    ["link 1/docs", undefined],
    ["link 1/old", undefined],
  ]);
});

test("a domain that an interrupted run created under another name stays, and so does its note", async () => {
  await killedRun("/domains", "domain old.example", domainSent("old.example"), "name=old.example");
  expect(await newRun().createDomain({ name: "new.example" })).toMatchObject({ id: "3" });
  expect(open()).toEqual([
    ["domain old.example", "2"],
    ["domain new.example", "3"],
  ]);
});

test("an object just assigned to a resource is not deleted as the old object of another", async () => {
  const { outs } = await newRun().createLink();
  // As with "pulumi up --replace": no diff, and the create comes before the delete.
  const replacing = newRun();
  expect(await replacing.createLink()).toMatchObject({ id: "1" });
  await replacing.link.delete("1", outs);
  // As with a renamed resource that may adopt.
  const renaming = newRun();
  expect(await renaming.createLink({ adopt: "always" }, `${urn}-2`)).toMatchObject({ id: "1" });
  await renaming.link.delete("1", outs);
  expect((await send(emulator, "GET", "/links/1")).status).toBe(200);
  const twice = renaming.createLink({ adopt: "always" }, `${urn}-3`);
  await expect(twice).rejects.toThrow(
    `link 1 is managed by another resource of this stack, "docs-2" (${urn}-2)`,
  );
  // Without such a create, the delete really deletes.
  await newRun().link.delete("1", outs);
  expect((await send(emulator, "GET", "/links/1")).status).toBe(404);
});

test("a lost request stays in the journal if the lookup fails, and the next run adopts the link", async () => {
  const run = newRun();
  emulator.faults.push(
    { method: "POST", when: "after", answer: "reset" },
    { method: "GET", answer: "reset" },
  );
  await expect(run.createLink()).rejects.toThrow('store link "docs": the connection');
  expect(open()).toEqual([["link 1/docs", undefined]]);
  emulator.faults.length = 0;
  expect(await newRun().createLink()).toMatchObject({ id: "1" });
}, 60_000);

test("a link with a service-chosen alias is found by destination, except links in the plan", async () => {
  const service = { "shortlink:aliases": "service" };
  const unnamed = { alias: undefined, __alias: "derived" };
  const first = await newRun(service).createLink(unnamed, `${urn}-1`);
  await killedRun("/links", "link 1/*", linkSent, `url=${url}&domain_id=1`);
  // The first link is in the state, as the plan of the next run shows.
  const run = newRun(service);
  await run.link.diff(first.id, first.outs, first.outs);
  expect(await run.createLink(unnamed)).toMatchObject({ id: "2" });
  expect(open()).toEqual([["link 1/*", "2"]]);

  const { id, outs } = await newRun(service).createLink(
    { ...unnamed, url: "https://example.com/2" },
    `${urn}-3`,
  );
  expect(outs).toMatchObject({ alias: expect.any(String) as string });
  expect(id).toBe("3");
});

test("without a journal nothing is written, and a link of an earlier run is a conflict", async () => {
  const none = { "shortlink:journal": "none" };
  expect(await newRun(none).createLink()).toMatchObject({ id: "1" });
  expect(existsSync(folder)).toBe(false);
  await expect(newRun(none).createLink()).rejects.toThrow("The link with the id 1 has it.");
});

test("an unwritable journal stops a create before its request, but not a plan", async () => {
  const run = newRun({ "shortlink:journal": "/dev/null/journal" });
  const before = emulator.requests.length;
  await expect(run.createLink()).rejects.toThrow("The journal in /dev/null/journal cannot be used (ENOTDIR)");
  expect(emulator.requests.length).toBe(before);
  const state = { url, domainId: 1, alias: "docs", shortUrl: "x", __provider: "text" };
  await run.link.diff("1", state, state);
});
