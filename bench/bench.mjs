// `npm run bench`: compares this provider in one run with
//   plain    a dynamic provider as in Pulumi's documentation,
//   nothing  resources whose provider does nothing: the floor of the engine,
//   requests a bare loop of requests: the floor of the network.
// Prints tables. A full run, or one with --write, also writes them into docs/performance.md and bench/results.json. There they replace
// the results of the same links and scenarios.
//
//   npm run bench -- [--links 100,1000] [--scenarios off,on,latency,limit] [--write]
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { createEmulator } from "pulumi-shortlink/emulator";
import { root } from "../tools/environment.mjs";
import { engineSubject, loop } from "./subjects.mjs";

/** @typedef {import("./subjects.mjs").Operation} Operation */
/** @typedef {import("./subjects.mjs").Outcome} Outcome */
/** @typedef {{ links: number, scenario: string, subject: string, operation: Operation }} Cell */
/** @typedef {Cell & Outcome & { seconds: number, requests: number, refused: number }} Row */

/**
 * The behaviour of the service, and whether the engine saves its state after each step.
 *
 * @type {Record<string, { text: string, latency?: number, limit?: { requests: number, window: number }, checkpoints?: boolean, rounds?: number }>}
 */
const scenarios = {
  off: { text: "checkpoints off", rounds: 5 },
  on: { text: "checkpoints on (the engine's default)", checkpoints: true },
  latency: { text: "checkpoints off, each answer 20 ms late", latency: 20 },
  limit: {
    text: "checkpoints off, 120 requests in 2 s (for the usual 120 in a minute)",
    limit: { requests: 120, window: 2 },
  },
};
/** @type {Operation[]} */
const operations = [
  "create",
  "no-op",
  "refresh",
  "refresh, one by one",
  "update one",
  "update all",
  "destroy, one by one",
  "destroy",
];
/** The floors of two operations: one request per link and nothing else. */
const floors = { refresh: "refresh, one by one", destroy: "destroy, one by one" };
/** How often to repeat an operation that changes nothing. The median counts. */
const times = { "no-op": 3, refresh: 5 };

const { values } = parseArgs({
  options: { links: { type: "string" }, scenarios: { type: "string" }, write: { type: "boolean" } },
});
const counts = (values.links ?? "100,1000").split(",").map(Number);
const chosen = (values.scenarios ?? Object.keys(scenarios).join(",")).split(",");

/** @type {Row[]} */
const rows = [];
for (const links of counts) {
  for (const name of chosen) {
    const scenario = scenarios[name];
    if (!scenario)
      throw new Error(`There is no scenario ${name}, only ${Object.keys(scenarios).join(", ")}.`);
    const { latency = 0, limit, checkpoints = false, rounds = 1 } = scenario;
    const subjects = [
      // The engine's floor sends nothing, so it needs no slow or limited service.
      ...(latency || limit ? [] : ["nothing"]),
      "shortlink",
      "plain",
      ...(checkpoints ? [] : ["requests"]),
    ];
    const runs = [];
    for (const subject of subjects) {
      const emulator = await createEmulator({ latency, ...(limit ? { limit } : {}) });
      const run =
        subject === "requests"
          ? await loop(emulator, links)
          : await engineSubject(subject, emulator, links, { checkpoints, window: limit?.window });
      // Its operations that go one by one need existing links.
      if (subject === "nothing") await (await loop(emulator, links)).carryOut("create");
      runs.push({ subject, emulator, run });
    }
    try {
      for (const operation of operations) {
        if (operation.endsWith("one by one")) continue;
        const floor = /** @type {Record<string, Operation>} */ (floors)[operation];
        await inTurn(runs, floor ? [floor, operation] : [operation], { links, scenario: name });
      }
      // Single measurements vary, so these operations are repeated.
      for (let round = 1; round < rounds; round++) {
        const programs = runs.filter(({ subject }) => subject !== "requests");
        for (const operation of /** @type {const} */ (["create", "destroy"]))
          await inTurn(programs, [operation], { links, scenario: name });
      }
    } finally {
      for (const { run, emulator } of runs) {
        await run.end();
        await emulator.close();
      }
    }
  }
}

/**
 * Lets the subjects take turns, because the machine's speed varies over time.
 *
 * @param {{ subject: string, emulator: import("./subjects.mjs").Emulator, run: import("./subjects.mjs").Subject }[]} runs
 * @param {Operation[]} together operations that are compared with one another
 * @param {Pick<Cell, "links" | "scenario">} place
 */
async function inTurn(runs, together, place) {
  for (let i = 0; i < (times[/** @type {"no-op"} */ (together.at(-1))] ?? 1); i++) {
    for (const operation of together) {
      for (const { subject, emulator, run } of runs) {
        if (!run.operations.includes(operation)) continue;
        const row = {
          ...place,
          subject,
          operation,
          ...(await measure(emulator, () => run.carryOut(operation))),
        };
        rows.push(row);
        const { links, scenario, seconds, requests, refused, failed } = row;
        console.log(
          `${links} links, ${scenario}, ${subject}, ${operation}: ${seconds.toFixed(1)} s, ${requests} requests` +
            `${refused > 0 ? `, ${refused} of them refused` : ""}${failed ? ", FAILED" : ""}`,
        );
      }
    }
  }
}

/**
 * @param {import("./subjects.mjs").Emulator} emulator
 * @param {() => Promise<Outcome>} carryOut
 */
async function measure(emulator, carryOut) {
  const before = emulator.requests.length;
  const started = performance.now();
  const outcome = await carryOut();
  const seconds = (performance.now() - started) / 1000;
  const sent = emulator.requests.slice(before);
  const refused = sent.filter(({ status }) => status === 429).length;
  return { seconds, requests: sent.length, refused, ...outcome };
}

const results = join(root, "bench", "results.json");
const isWritten = values.write || (!values.links && !values.scenarios);
if (isWritten) {
  /** @type {{ rows: Row[] }} */
  const { rows: earlier } = JSON.parse(readFileSync(results, "utf8"));
  rows.push(...earlier.filter((row) => !(counts.includes(row.links) && chosen.includes(row.scenario))));
}

/**
 * The measurement, or the median of several.
 *
 * @param {number} links
 * @param {string} scenario
 * @param {string} subject
 * @param {Operation} operation
 */
const find = (links, scenario, subject, operation) => {
  const all = rows.filter(
    (row) =>
      row.links === links &&
      row.scenario === scenario &&
      row.subject === subject &&
      row.operation === operation,
  );
  return all.sort((one, other) => one.seconds - other.seconds)[Math.floor(all.length / 2)];
};

/**
 * @typedef {object} Promised the highest ratio of `what` between two measurements of 1,000 links in a scenario
 * @property {string} scenario
 * @property {Operation} operation the operation of this package
 * @property {string} against the other subject
 * @property {Operation} [by] the other subject's operation, if it differs
 * @property {"seconds" | "requests"} what
 * @property {number} most
 */
/** @type {Promised[]} */
const promises = [
  ...["off", "on"].flatMap((scenario) => {
    const place = { scenario, against: "nothing", what: /** @type {const} */ ("seconds") };
    /** @type {Promised[]} */
    const floor = [
      { ...place, operation: "create", most: 1.25 },
      { ...place, operation: "update all", most: 1.25 },
      { ...place, operation: "destroy", most: 1.25 },
      // A refresh that reads nothing is always faster, so this floor reads each link.
      { ...place, operation: "refresh", by: "refresh, one by one", most: 1 },
      { ...place, operation: "no-op", most: 1.1 },
    ];
    return floor;
  }),
  { scenario: "latency", operation: "refresh", against: "plain", what: "seconds", most: 0.6 },
  { scenario: "latency", operation: "refresh", against: "plain", what: "requests", most: 0.02 },
];
const ratios = promises.flatMap(({ scenario, operation, against, by = operation, what, most }) => {
  const ours = find(1000, scenario, "shortlink", operation);
  const other = find(1000, scenario, against, by);
  if (!ours || !other) return [];
  const ratio = ours[what] / other[what];
  const place = { scenario, operation, what, against: by === operation ? against : `${against}: ${by}` };
  return [{ ...place, ratio: Number(ratio.toFixed(3)), most, kept: ratio <= most }];
});

const tables = [...new Set(rows.map(({ links }) => links))]
  .sort((one, other) => one - other)
  .flatMap((links) =>
    Object.keys(scenarios)
      .filter((name) => rows.some((row) => row.links === links && row.scenario === name))
      .map((name) => table(links, name)),
  );
const text = `${tables.join("\n\n")}

Promised for 1,000 links:

| scenario | operation | what | against | ratio | at most |
| --- | --- | --- | --- | ---: | ---: |
${ratios.map((each) => `| ${each.scenario} | ${each.operation} | ${each.what} | ${each.against} | ${each.kept ? each.ratio : `**${each.ratio}**`} | ${each.most} |`).join("\n")}
`;

/**
 * @param {number} links
 * @param {string} name
 */
function table(links, name) {
  const subjects = [
    ...new Set(rows.filter((row) => row.links === links && row.scenario === name).map((row) => row.subject)),
  ];
  const cell = (/** @type {string} */ subject, /** @type {Operation} */ operation) => {
    const row = find(links, name, subject, operation);
    if (!row) return "";
    const refused = row.refused > 0 ? `, ${row.refused} × 429` : "";
    return `${row.failed ? "failed, " : ""}${row.seconds.toFixed(1)} s, ${row.requests}${refused}`;
  };
  const most = (/** @type {string} */ subject, /** @type {"memory" | "stateBytes"} */ what) => {
    const all = operations.flatMap((operation) => find(links, name, subject, operation)?.[what] ?? []);
    return all.length === 0 ? "" : String(Math.round(Math.max(...all) / (what === "memory" ? 1e6 : 1e3)));
  };
  return `**${links} links (${name}: ${scenarios[name]?.text})**, seconds and requests:

| | ${subjects.join(" | ")} |
| --- |${subjects.map(() => " ---: |").join("")}
${operations
  .filter((operation) => subjects.some((subject) => find(links, name, subject, operation)))
  .map((operation) => `| ${operation} | ${subjects.map((subject) => cell(subject, operation)).join(" | ")} |`)
  .join("\n")}
| state, kB | ${subjects.map((subject) => most(subject, "stateBytes")).join(" | ")} |
| memory at its peak, MB | ${subjects.map((subject) => most(subject, "memory")).join(" | ")} |`;
}

console.log(`\n${text}`);
if (isWritten) {
  const machine = `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GB, Node.js ${process.version}`;
  const json = await format(JSON.stringify({ machine, rows, ratios }), { parser: "json", printWidth: 110 });
  writeFileSync(results, json);
  const page = join(root, "docs", "performance.md");
  const [before = "", after = ""] = readFileSync(page, "utf8").split(
    /<!-- begin of the results -->[^]*<!-- end of the results -->/,
  );
  const part = `<!-- begin of the results -->\n\nMeasured on ${machine}.\n\n${text}\n<!-- end of the results -->`;
  writeFileSync(page, await format(before + part + after, { parser: "markdown", printWidth: 110 }));
}
if (ratios.some(({ kept }) => !kept)) process.exitCode = 1;
