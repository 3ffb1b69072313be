import fc from "fast-check";
import type { Emulator, Fault } from "../../src/emulator/server";
import { send, visit } from "./emulator";
import type { Options, Program } from "./simulated-engine";

// Stories: a program of links and domains, and the changes and accidents of some days.

type Change =
  | { do: "swap" | "rename" | "adopt renamed"; link: number; with: number }
  | { do: "rotate" | "back" | "nothing" }
  | { do: "edit"; link: number; args: Record<string, unknown> }
  | { do: "move"; link: number; domain: number }
  | { do: "options"; link: number; options: Options }
  | { do: "remove" | "add"; link: number }
  | { do: "rename domain"; domain: number; name: number };

export interface Day {
  change: Change;
  faults: Fault[];
  killedAfter: number | undefined;
  /** If the engine is killed, the provider is killed too, after this many requests. */
  cutAfter: number | undefined;
  checkpoints: boolean;
  parallel: number;
  accident?: { do: "taint" | "state delete" | "replace" | "import"; link: number } | undefined;
}
export interface Story {
  links: { domain: number; alias: boolean; args: Record<string, unknown> }[];
  days: Day[];
}

const any = fc.nat({ max: 20 });
const url = fc.integer({ min: 1, max: 3 }).map((n) => `https://example.com/${n}`);
const args = fc.record(
  {
    url,
    pixelIds: fc.constantFrom([3, 1], [2]),
    privacy: fc.constantFrom("private", "password"),
    clicksLimit: fc.constantFrom(1000, 2000),
    redirectPassword: fc.constantFrom("one", "two"),
    targets: fc.constant([
      { key: "US", value: "https://example.com/us" },
      { key: "DE", value: "https://example.com/de" },
    ]),
  },
  { requiredKeys: ["url"], noNullPrototype: true },
);
const options: fc.Arbitrary<Options> = fc.constantFrom<Options[]>(
  {},
  { protect: true },
  { replaceOnChanges: ["url"] },
  { replaceOnChanges: ["url"], deleteBeforeReplace: false },
  { deleteBeforeReplace: true },
  { retainOnDelete: true },
  { ignoreChanges: ["url"] },
  { ignoreChanges: ["targets[0].value"] },
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("swap" as const), link: any, with: any }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rotate" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("back" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("nothing" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("edit" as const), link: any, args }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("move" as const), link: any, domain: any }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("options" as const), link: any, options }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "add" as const), link: any }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom("rename" as const, "adopt renamed" as const),
      link: any,
      with: any,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("rename domain" as const), domain: any, name: any }),
  },
);
const fault: fc.Arbitrary<Fault> = fc
  .record(
    {
      method: fc.constantFrom("GET", "POST", "PATCH", "DELETE"),
      nth: fc.integer({ min: 1, max: 6 }),
      rate: fc.constantFrom(0.3, 0.6, 1),
      when: fc.constantFrom("before", "after"),
      answer: fc.constantFrom<Fault["answer"]>("reset", "cut", "html", 403, 403, 403, 500, 502, 503, 504),
    },
    { requiredKeys: ["answer", "when"] },
  )
  .map((each) => (each.answer === 403 ? { ...each, when: "before" } : each));
const day: fc.Arbitrary<Day> = fc.record({
  change,
  faults: fc.array(fault, { maxLength: 2 }),
  killedAfter: fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined, freq: 3 }),
  cutAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined, freq: 2 }),
  checkpoints: fc.boolean(),
  parallel: fc.constantFrom(1, 2, 8),
  accident: fc.option(
    fc.record({
      do: fc.constantFrom<("taint" | "replace" | "state delete" | "import")[]>(
        "taint",
        "replace",
        "state delete",
        "import",
      ),
      link: any,
    }),
    { nil: undefined, freq: 2 },
  ),
});
export const story: fc.Arbitrary<Story> = fc.record({
  links: fc.array(fc.record({ domain: any, alias: fc.boolean(), args }), { minLength: 5, maxLength: 15 }),
  days: fc.array(day, { minLength: 1, maxLength: 4 }),
});

/** Derives a day's program from the programs of the days before. */
export function apply(change: Change, programs: Program[]): Program {
  const program = structuredClone(programs.at(-1) as Program);
  const names = Object.keys(program).filter((name) => program[name]?.type === "Link");
  const domains = Object.keys(program).filter((name) => program[name]?.type === "Domain");
  const at = (n: number) => names[n % names.length] as string;
  const of = (name: string) => program[name] as Program[string];
  const rename = (old: string, name: string): Program =>
    Object.fromEntries(Object.entries(program).map(([each, value]) => [each === old ? name : each, value]));
  switch (change.do) {
    case "swap": {
      const [one, other] = [of(at(change.link)).args, of(at(change.with)).args];
      if (one.alias === undefined || other.alias === undefined || one.domainId !== other.domainId)
        return program;
      [one.alias, other.alias] = [other.alias, one.alias];
      return program;
    }
    case "rotate": {
      const named = names.map((name) => of(name).args).filter(({ alias }) => alias !== undefined);
      const group = named.filter(({ domainId }) => domainId === named[0]?.domainId);
      const aliases = group.map(({ alias }) => alias);
      group.forEach((args, i) => (args.alias = aliases[(i + 1) % aliases.length]));
      return program;
    }
    case "back":
      return structuredClone(programs.at(-2) ?? program);
    case "nothing":
      return program;
    case "edit": {
      const { domainId, alias } = of(at(change.link)).args;
      of(at(change.link)).args = { ...change.args, domainId, ...(alias === undefined ? {} : { alias }) };
      if (change.args.targets) of(at(change.link)).args.targetsType = "countries";
      return program;
    }
    case "move":
      of(at(change.link)).args.domainId = `@${domains[change.domain % domains.length]}`;
      return program;
    case "options":
      of(at(change.link)).options = change.options;
      return program;
    case "remove":
      if (names.length > 2) delete program[at(change.link)];
      return program;
    case "add": {
      const name = `new-${programs.length}`;
      return { ...program, [name]: { type: "Link", args: { ...of(at(change.link)).args, alias: name } } };
    }
    case "rename":
    case "adopt renamed": {
      const old = at(change.link);
      const name = `${old}-${programs.length}`;
      const { args, options = {} } = of(old);
      const aliases = [old, ...(options.aliases ?? [])];
      program[old] =
        change.do === "rename"
          ? { type: "Link", args, options: { ...options, aliases } }
          : { type: "Link", args: { ...args, adopt: "ifEqual" }, options: { ...options, protect: false } };
      return rename(old, name);
    }
    case "rename domain": {
      const domain = of(domains[change.domain % domains.length] as string);
      domain.args.name = `name-${change.domain % domains.length}-${change.name % 3}.example`;
      return program;
    }
  }
}

/** False if two links share an alias, or two domains a name. */
export function isPossible(program: Program): boolean {
  const keys = Object.values(program).flatMap(({ type, args }) =>
    type === "Domain" ? [args.name] : args.alias === undefined ? [] : [`${args.domainId}/${args.alias}`],
  );
  return new Set(keys).size === keys.length;
}

export interface LinkRecord {
  id: number;
  alias: string;
  url: string;
  short_url: string;
}

export async function records(emulator: Emulator): Promise<LinkRecord[]> {
  const { body } = await send(emulator, "GET", "/links?per_page=100&sort_by=id&sort=asc");
  return (body as { data: LinkRecord[] }).data;
}

/** A resource in the state of a stack. */
interface Entry {
  type: string;
  name: string;
  id: string;
}

/** Differences between the service and the program. Ignores links that the program does not name. */
export async function differences(emulator: Emulator, program: Program, live: Entry[]): Promise<string[]> {
  const made = await records(emulator);
  const found: string[] = [];
  for (const [name, { type, args, options }] of Object.entries(program)) {
    if (type !== "Link") continue;
    const names = [name, ...(options?.aliases ?? [])];
    const entry = live.find((each) => each.type === type && names.includes(each.name));
    const record = made.find(({ id }) => String(id) === entry?.id);
    const host = program[String(args.domainId).slice(1)]?.args.name;
    if (!record) found.push(`${name} is missing`);
    else if (args.url !== record.url && !options?.ignoreChanges?.includes("url"))
      found.push(`${name} leads to ${record.url}`);
    else if (new URL(record.short_url).host !== host) found.push(`${name} is at ${record.short_url}`);
    else if (args.alias !== undefined && args.alias !== record.alias)
      found.push(`${name} has alias ${record.alias} and not ${args.alias}`);
    else if ((await visit(emulator, record.short_url)).status === 404)
      found.push(`${name} is dead at ${record.short_url}`);
  }
  return found;
}

/** The program of the first day. */
export function firstProgram({ links }: Story): Program {
  const first: Program = {};
  for (const n of [0, 1, 2]) first[`domain-${n}`] = { type: "Domain", args: { name: `name-${n}-0.example` } };
  links.forEach(({ domain, alias, args }, i) => {
    const more = { domainId: `@domain-${domain % 3}`, ...(alias ? { alias: `alias-${i}` } : {}) };
    const targetsType = args.targets ? { targetsType: "countries" } : {};
    first[`link-${i}`] = { type: "Link", args: { ...args, ...more, ...targetsType } };
  });
  return first;
}
