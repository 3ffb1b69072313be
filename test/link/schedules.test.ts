import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { createEmulator, type Emulator, type Fault } from "../../src/emulator/server";
import { readJournal } from "../../src/account/journal-files";
import { seed } from "../helpers/arbitraries";
import { send } from "../helpers/emulator";
import { newRun, quickClock } from "../helpers/run";

// Random programs, one after the other. The service loses responses and the engine is killed, both at random. In the end
// the service must match the last program exactly.

const schedules = Number(process.env.SCHEDULES ?? 150);

interface Args {
  domainId: number;
  alias?: string;
  url: string;
}
type Program = Record<string, Args>;
interface Resource {
  id: string;
  outs: Record<string, unknown>;
  /** The last update ended with an error that let the engine save its properties. */
  isIncomplete?: true;
}
interface State {
  resources: Map<string, Resource>;
  /** Replaced or removed objects that are still to be deleted. */
  condemned: Resource[];
}

/** One `pulumi up` in a new process. */
interface Up {
  program: Program;
  faults: Fault[];
  /** The engine is killed after this many steps. */
  killedAfter: number | undefined;
  /** True if the engine saves its state after each step. */
  checkpoints: boolean;
}

const url = fc.constantFrom("https://example.com/1", "https://example.com/2");
/** Two permanent links pass on their aliases. Two others come and go, move, and may have no alias. */
const moving = fc.record({ domainId: fc.constant(1), alias: fc.constantFrom("a", "b", "c"), url });
const passing = (...aliases: string[]) =>
  fc.record(
    { domainId: fc.constantFrom(1, 1, 2), alias: fc.constantFrom(...aliases), url },
    { requiredKeys: ["domainId", "url"] },
  );
const program: fc.Arbitrary<Program> = fc.record(
  { one: moving, two: moving, three: passing("d", "e"), four: passing("f", "g") },
  { requiredKeys: ["one", "two"], noNullPrototype: true },
);
/** False if two links share an alias. */
const isPossible = (links: Program) => {
  const named = Object.values(links).flatMap(({ domainId, alias }) =>
    alias === undefined ? [] : [`${domainId}/${alias}`],
  );
  return new Set(named).size === named.length;
};
const fault: fc.Arbitrary<Fault> = fc
  .record(
    {
      method: fc.constantFrom("GET", "POST", "PATCH", "DELETE"),
      nth: fc.integer({ min: 1, max: 4 }),
      rate: fc.constantFrom(0.3, 0.6),
      when: fc.constantFrom("before", "after"),
      answer: fc.constantFrom<Fault["answer"]>("reset", "cut", "html", 429, 500, 502, 503, 504),
    },
    { requiredKeys: ["answer", "when"] },
  )
  // A permanent 429 would make the client wait for ten minutes. A refused request is never carried out.
  .map((each) => (each.answer === 429 ? { ...each, nth: each.nth ?? 1, when: "before" } : each));
const up: fc.Arbitrary<Up> = fc.record({
  program: program.filter(isPossible),
  faults: fc.array(fault, { maxLength: 3 }),
  killedAfter: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 2 }),
  checkpoints: fc.boolean(),
});

/** Simulates the engine's `up` as providers see it: checks and diffs one after the other, writes in parallel. */
async function carryOut(
  { program: wanted, killedAfter, checkpoints }: Up,
  saved: State,
  settings: Record<string, string>,
  { refresh = false } = {},
): Promise<{ errors: string[]; isKilled: boolean }> {
  // Real waits would be too slow for so many schedules.
  const { link } = newRun(settings, quickClock);
  const state = copyOf(saved);
  let steps = 0;
  let isKilled = killedAfter === 0;
  const step = (change: () => void) => {
    if (isKilled) return;
    change();
    isKilled = ++steps === killedAfter;
    if (isKilled && checkpoints) Object.assign(saved, copyOf(state));
  };
  if (refresh) {
    const reads = [...state.resources].map(async ([name, { id, outs }]) => {
      const { props } = await link.read(id, outs);
      if (props === undefined) state.resources.delete(name);
      else state.resources.set(name, { id, outs: props });
    });
    const errors = await failuresOf(reads);
    // The engine stops here, and the next run must refresh again.
    if (errors.length > 0) return { errors, isKilled: true };
  }
  const deleteCondemned = () =>
    failuresOf(
      state.condemned.map(async (resource) => {
        await link.delete(resource.id, resource.outs);
        step(() => (state.condemned = state.condemned.filter((each) => each !== resource)));
      }),
    );
  // Deletions that an earlier run left come first.
  const left = await deleteCondemned();
  if (left.length > 0 || isKilled) return { errors: left, isKilled: true };
  const writes: Promise<void>[] = [];
  for (const [name, args] of Object.entries(wanted)) {
    const old = state.resources.get(name);
    const urn = `urn:pulumi:test::schedules::pulumi-nodejs:dynamic/shortlink:Link::${name}`;
    const derived = args.alias === undefined ? { __alias: `derived-${name}` } : {};
    const news = { __provider: "text", __urn: urn, ...derived, ...args };
    const { inputs, failures } = await link.check(old?.outs ?? {}, news);
    expect(failures).toEqual([]);
    const create = async (wish: Record<string, unknown>, replaced: Resource[]) => {
      const { id, outs } = await link.create(wish);
      step(() => {
        state.resources.set(name, { id, outs });
        state.condemned.push(...replaced);
      });
    };
    if (!old) {
      writes.push(create(inputs, []));
      continue;
    }
    const { changes, replaces = [] } = await link.diff(old.id, old.outs, inputs);
    if (replaces.length > 0) {
      // The engine checks a replacement again, without the old inputs.
      writes.push(create((await link.check({}, news)).inputs, [old]));
    } else if (changes !== false || old.isIncomplete) {
      const update = async () => {
        try {
          const { outs } = await link.update(old.id, old.outs, inputs);
          step(() => state.resources.set(name, { id: old.id, outs }));
        } catch (error) {
          const { properties } = error as { properties?: Record<string, unknown> };
          if (properties)
            step(() => state.resources.set(name, { id: old.id, outs: properties, isIncomplete: true }));
          throw error;
        }
      };
      writes.push(update());
    }
  }
  const errors = await failuresOf(writes);
  if (errors.length === 0 && !isKilled) {
    for (const [name, resource] of [...state.resources]) {
      if (name in wanted) continue;
      state.resources.delete(name);
      state.condemned.push(resource);
    }
    errors.push(...(await deleteCondemned()));
  }
  if (!isKilled) Object.assign(saved, state);
  return { errors, isKilled };
}

const copyOf = ({ resources, condemned }: State): State => ({
  resources: new Map(resources),
  condemned: [...condemned],
});

async function failuresOf(calls: Promise<void>[]): Promise<string[]> {
  const results = await Promise.allSettled(calls);
  return results.flatMap((each) => (each.status === "rejected" ? [(each.reason as Error).message] : []));
}

async function links(emulator: Emulator) {
  const { body } = await send(emulator, "GET", "/links?per_page=100&sort_by=id&sort=asc");
  return (body as { data: { id: number; short_url: string; url: string }[] }).data;
}

/** Regression tests. In the first, an update with a lost response leaves its alias in doubt, and another link needs that alias. */
const known: [Up[], number][] = [
  [
    [
      {
        program: {
          one: { domainId: 1, alias: "b", url: "https://example.com/1" },
          two: { domainId: 1, alias: "a", url: "https://example.com/1" },
        },
        faults: [],
        killedAfter: undefined,
        checkpoints: false,
      },
      {
        program: {
          one: { domainId: 1, alias: "c", url: "https://example.com/1" },
          two: { domainId: 1, alias: "b", url: "https://example.com/1" },
        },
        faults: [{ when: "after", answer: "reset" }],
        killedAfter: undefined,
        checkpoints: false,
      },
      {
        program: {
          one: { domainId: 1, alias: "b", url: "https://example.com/1" },
          two: { domainId: 1, alias: "c", url: "https://example.com/1" },
        },
        faults: [],
        killedAfter: 0,
        checkpoints: false,
      },
    ],
    0,
  ],
];

test(`${schedules} schedules of faults and kills end with the links of the last program`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(up, { minLength: 1, maxLength: 3 }), fc.nat(), async (ups, random) => {
      const folder = mkdtempSync(join(tmpdir(), "shortlink-schedules-"));
      const emulator = await createEmulator({ seed: random });
      try {
        for (const name of ["one.example", "two.example"])
          await send(emulator, "POST", "/domains", { form: `name=${name}` });
        const settings = {
          "shortlink:baseUrl": emulator.url,
          "shortlink:apiKey": emulator.apiKey,
          "shortlink:journal": folder,
        };
        const state: State = { resources: new Map(), condemned: [] };
        const last = { ...(ups.at(-1) as Up), killedAfter: undefined, faults: [] };
        let killed: Program[] = [];
        for (const each of [...ups, last]) {
          emulator.faults.push(...each.faults);
          // As documented: only a refresh sees the work of killed runs, unless the program stayed the same.
          const refresh = killed.some((before) => !isDeepStrictEqual(before, each.program));
          const outcome = await carryOut(each, state, settings, { refresh });
          emulator.faults.length = 0;
          killed = outcome.isKilled ? [...killed, each.program] : [];
          if (each === last) expect(outcome).toEqual({ errors: [], isKilled: false });
        }
        const made = await links(emulator);
        expect(state.condemned).toEqual([]);
        // The journal names each link that a killed run made and that no resource of the last program has.
        const ids = [...state.resources.values()].map(({ id }) => id);
        const orphans = made.filter(({ id }) => !ids.includes(String(id)));
        const { intents } = readJournal(folder);
        expect(made.length - orphans.length).toBe(ids.length);
        for (const { id, short_url: short } of orphans) {
          const { host, pathname } = new URL(short);
          const key = `link ${host === "one.example" ? 1 : 2}${pathname}`;
          expect(intents.some((each) => each.id === String(id) || each.key === key)).toBe(true);
        }
        expect([...state.resources.keys()].sort()).toEqual(Object.keys(last.program).sort());
        for (const [name, { domainId, alias, url }] of Object.entries(last.program)) {
          const id = Number(state.resources.get(name)?.id);
          const host = domainId === 1 ? "one.example" : "two.example";
          const short = alias === undefined ? expect.any(String) : `http://${host}/${alias}`;
          expect(made.find((each) => each.id === id)).toMatchObject({ url, short_url: short as string });
        }
        // The next plan shows nothing.
        const sent = emulator.requests.length;
        expect(await carryOut(last, state, settings)).toEqual({ errors: [], isKilled: false });
        expect(emulator.requests.length).toBe(sent);
      } finally {
        await emulator.close();
        rmSync(folder, { recursive: true, maxRetries: 10 });
      }
    }),
    { examples: known, numRuns: schedules, seed, endOnFailure: process.env.CI !== undefined },
  );
}, 3_600_000);
