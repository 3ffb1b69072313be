import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Journal } from "../../src/account/journal";
import { readJournal } from "../../src/account/journal-files";
import { root } from "../../tools/environment.mjs";

const service = "https://links.example";
const urn = "urn:pulumi:prod::links::pulumi-nodejs:dynamic/shortlink:Link::docs";
const owner = { service, backend: "backend", urn };
const details = { time: "2026-11-21T15:00:00.000Z", ...owner, key: "link 12/docs", sent: "digest" };

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "shortlink-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the next run sees the note of a create until the state has the object", async () => {
  const folder = join(temporaryFolder(), "new", "folder");
  const first = new Journal(folder);
  const docs = await first.begin(details);
  const blog = await first.begin({ ...details, urn: `${urn}-2`, key: "link 12/blog" });
  expect(readJournal(folder).intents).toHaveLength(2);
  await first.made(docs, "57");
  await first.close(blog);
  // A run does not see its own creates.
  expect(first.of(owner)).toEqual([]);

  const second = new Journal(folder);
  expect(second.of(owner)).toEqual([{ ...details, intent: docs, id: "57" }]);
  expect(second.of({ ...owner, urn: `${urn}-2` })).toEqual([]);
  expect(second.of({ ...owner, service: "https://other.example" })).toEqual([]);
  expect(second.of({ ...owner, backend: "another" })).toEqual([]);
  await second.saved(service, "domain 57");
  await second.saved("https://other.example", "link 57");
  expect(readJournal(folder).intents).toHaveLength(1);
  await second.saved(service, "link 57");
  expect(readJournal(folder).intents).toEqual([]);
  expect(second.of(owner)).toEqual([]);
});

test("a saved object closes all notes of its create, unless the service chose the alias", async () => {
  const folder = temporaryFolder();
  const orphan = new Journal(folder);
  await orphan.begin(details);
  const next = new Journal(folder);
  await next.made(await next.begin(details), "57");
  await next.made(await next.begin(details), "57");
  // The service chose these aliases, so each create may have made a separate link.
  const chosen = { ...details, urn: `${urn}-2`, key: "link 12/*" };
  await next.begin(chosen);
  await next.made(await next.begin(chosen), "58");
  await next.begin({ ...details, urn: `${urn}-3` });
  const last = new Journal(folder);
  for (const object of ["link 57", "link 58"]) await last.saved(service, object);
  expect(readJournal(folder).intents.map(({ urn: each, id }) => [each, id])).toEqual([
    [`${urn}-2`, undefined],
    [`${urn}-3`, undefined],
  ]);
});

test("a second read of the journal sees new notes of another run", async () => {
  const folder = temporaryFolder();
  const [one, other] = [new Journal(folder), new Journal(folder)];
  await one.begin(details);
  await other.begin({ ...details, key: "link 12/blog" });
  expect(one.of(owner)).toEqual([]);
  expect(one.of(owner, true).map(({ key }) => key)).toEqual(["link 12/blog"]);
});

test("an incomplete line in the journal loses no other note", async () => {
  const folder = temporaryFolder();
  await new Journal(folder).begin(details);
  appendFileSync(join(folder, "intents.jsonl"), '\n{"intent":"half a li');
  await new Journal(folder).begin({ ...details, key: "link 12/blog" });
  appendFileSync(join(folder, "intents.jsonl"), "\n\n7\nnull");
  expect(readJournal(folder).intents.map(({ key }) => key)).toEqual(["link 12/docs", "link 12/blog"]);
});

test("a mostly closed journal is compacted, and an interrupted compaction is finished", async () => {
  const folder = temporaryFolder();
  const journal = new Journal(folder);
  const names = await Promise.all(
    Array.from({ length: 100 }, (_, i) => journal.begin({ ...details, key: `link 12/${i}` })),
  );
  await Promise.all(names.map((name, i) => (i === 7 ? journal.made(name, "57") : journal.close(name))));
  // As if a run were interrupted between the two steps of the compaction.
  const aside = { intent: "other", ...details, key: "link 12/aside" };
  writeFileSync(join(folder, "intents-1.jsonl"), `\n${JSON.stringify(aside)}`);
  // Another run is compacting, or was interrupted while compacting.
  writeFileSync(join(folder, "compacting"), "");
  new Journal(folder);
  expect(readdirSync(folder)).toEqual(["compacting", "intents-1.jsonl", "intents.jsonl"]);
  utimesSync(join(folder, "compacting"), 0, 0);
  new Journal(folder);
  new Journal(folder);
  expect(readdirSync(folder)).toEqual(["intents.jsonl"]);
  const { intents, closed } = readJournal(folder);
  expect(closed).toBe(0);
  expect(new Set(intents.map(({ key, id }) => `${key} ${id}`))).toEqual(
    new Set(["link 12/aside undefined", "link 12/7 57"]),
  );
});

test("several processes write and compact the journal at once without losing a note", async () => {
  const folder = temporaryFolder();
  const writer = `
    const { Journal } = require(${JSON.stringify(join(root, "dist", "account", "journal.js"))});
    const [folder, name] = process.argv.slice(1);
    (async () => {
      for (let i = 0; i < 60; i++) {
        // Each begins as a run does: by compacting what is done with.
        const journal = new Journal(folder);
        const details = { time: "", service: "s", backend: "b", urn: "u", sent: "" };
        const made = await Promise.all([0, 1, 2].map(() => journal.begin({ ...details, key: "link done" })));
        await Promise.all(made.map((each) => journal.close(each)));
        await journal.begin({ ...details, key: "link " + name + "/" + i });
      }
    })();`;
  const names = ["a", "b", "c", "d"];
  const writers = names.map((name) =>
    spawn(process.execPath, ["-e", writer, folder, name], { stdio: "inherit" }),
  );
  expect(
    await Promise.all(writers.map(async (child) => ((await once(child, "close")) as [number])[0])),
  ).toEqual([0, 0, 0, 0]);
  const keys = readJournal(folder).intents.map(({ key }) => key);
  const wanted = names.flatMap((name) => Array.from({ length: 60 }, (_, i) => `link ${name}/${i}`));
  expect(new Set(keys)).toEqual(new Set(wanted));
});

test("an unusable journal folder is one error that says what to do", async () => {
  const file = join(temporaryFolder(), "file");
  writeFileSync(file, "");
  await expect(new Journal(join(file, "journal")).begin(details)).rejects.toThrow(
    `The journal in ${join(file, "journal")} cannot be used (ENOTDIR), and without it an interrupted run ` +
      'could not be finished later. Set shortlink:journal to another folder, or to "none" to run without it.',
  );
});

test("notes of changes stay open until they are settled, also after compaction", async () => {
  const folder = temporaryFolder();
  const journal = new Journal(folder);
  const change = { time: new Date().toISOString(), service: "https://links.example", object: "link 1" };
  const first = await journal.changing({ ...change, fields: ["url"] });
  await journal.changing({ ...change, fields: ["alias"] });
  await journal.changing({ ...change, object: "link 2", fields: [] });
  const fieldsOf = (object: string, of = new Journal(folder)) =>
    of.changesOf("https://links.example", object).map(({ fields }) => fields);
  expect(fieldsOf("link 1")).toEqual([["url"], ["alias"]]);
  await journal.settle(
    journal.changesOf("https://links.example", "link 1").filter((each) => each.change === first),
  );
  expect([fieldsOf("link 1"), fieldsOf("link 2"), fieldsOf("link 1", journal)]).toEqual([
    [["alias"]],
    [[]],
    [["alias"]],
  ]);
  for (let i = 0; i < 5; i++) await journal.close(await journal.begin(details));
  // More notes are closed than open, so the first of these journals writes a new file.
  expect([fieldsOf("link 1"), fieldsOf("link 2"), readJournal(folder).closed]).toEqual([
    [["alias"]],
    [[]],
    0,
  ]);
  // After a week no state can still have a deleted object.
  const old = new Date(Date.now() - 8 * 24 * 60 * 60_000).toISOString();
  await journal.changing({ ...change, time: old, object: "link 3", fields: [] });
  expect(fieldsOf("link 3")).toEqual([]);
});

test("the journal command lists open notes as text and as JSON", async () => {
  const folder = temporaryFolder();
  const shown = (...args: string[]) => {
    const command = [join(root, "dist/cli/main.js"), "journal", folder, ...args];
    return execFileSync(process.execPath, command, { encoding: "utf8" });
  };
  expect(shown()).toBe("The journal has no open entries.\n");
  const journal = new Journal(folder);
  const time = new Date().toISOString();
  await journal.made(await journal.begin({ ...details, time }), "57");
  await journal.begin({ ...details, time, key: "link 12/blog" });
  await journal.changing({ time, service, object: "link 58", fields: ["url", "alias"] });
  await journal.changing({ time, service, object: "link 59", fields: [] });
  expect(shown().split("\n")).toEqual([
    `${time}  link 12/docs (id 57) on ${service}`,
    `  ${urn}`,
    `${time}  link 12/blog (id not known) on ${service}`,
    `  ${urn}`,
    `${time}  link 58 on ${service}: changed url, alias`,
    `${time}  link 59 on ${service}: deleted`,
    'The next "pulumi up" of these stacks finishes what their programs still name.',
    "",
  ]);
  expect(JSON.parse(shown("--format", "json"))).toHaveLength(4);
});
