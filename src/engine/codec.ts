import type { Told } from "../account/account";
import type { About, Inputs, Memory, Saved } from "../account/saved";
import type { CatalogNews, Keys } from "../catalog/guard";
import { isUnknown } from "../fields/problem";

// How a resource looks on the engine's wire, and in states: arguments and outputs flat in one object, and beside them what only this
// package reads, under names that begin with "__", which plans do not show. Every key but the program's own words is part of
// states since release 0.1.0.

/** Properties as the engine has them. */
export type Flat = Record<string, unknown>;

const aboutKeys = {
  urn: "__urn",
  secrets: "__secrets",
  derivedAlias: "__alias",
  keptAlias: "__keptAlias",
  importKey: "__import",
} satisfies Record<keyof About, string>;

const memoryKeys = {
  origin: "__origin",
  echo: "__echo",
  doubtful: "__doubtful",
  revision: "__revision",
  adoption: "__adoption",
  former: "__former",
} satisfies Record<keyof Memory, string>;

/** What a program sends as one text beside the arguments; the simulated engine of the tests sends each part by itself. */
interface Private {
  __preview?: boolean;
  /** Address of the engine's monitor, name of the stack, and how many resources the program has made so far. */
  __state?: string;
  __entry?: string;
  __wishes?: string;
}

/** A resource of a program. */
export interface News {
  inputs: Inputs;
  isPreview: boolean;
  told: Told;
  /**
   * The mark of a secret output: the provider gives it back with its inputs, since the engine marks an output for which an input of the
   * same name was one.
   */
  mark: Flat;
}

/** Reads what a program gives. @param output The output that may repeat a secret argument. */
export function decodeNews(flat: Flat, output: string): News {
  const { __private = "{}", [output]: mark, ...rest } = flat;
  const all = { ...rest, ...(JSON.parse(__private as string) as Flat) };
  const { __preview, __state = "", __entry, __wishes } = all as Private;
  const [address, stack, resources] = __state.split(" ");
  const { args, about } = decodeInputs(all, []);
  // Not known in the preview whether it is a secret, as its value is not.
  const isArgument = output in flat && mark !== null && !isUnknown(mark);
  return {
    inputs: { args: isArgument ? { [output]: mark, ...args } : args, about },
    isPreview: __preview === true,
    told: {
      stateSource: address === "" ? undefined : `${address} ${stack}`,
      resources: Number(resources ?? 0),
      wishes: __wishes,
      entry: __entry,
    },
    mark: mark === null ? { [output]: null } : {},
  };
}

/** Reads the inputs of a state, or of a plan; what is computed is no argument. */
export function decodeInputs(flat: Flat, outputs: readonly string[]): Inputs {
  const args: Flat = {};
  for (const name of Object.keys(flat))
    if (!name.startsWith("__") && !outputs.includes(name)) args[name] = flat[name];
  return { args, about: picked(flat, aboutKeys) };
}

/** Reads a resource as the state has it. */
export function decodeSaved(flat: Flat, outputs: readonly string[]): Saved {
  const computed: Flat = {};
  for (const name of outputs) if (name in flat) computed[name] = flat[name];
  return {
    inputs: decodeInputs(flat, outputs),
    outputs: computed,
    memory: picked(flat, memoryKeys),
    readId: flat.__id as string | undefined,
  };
}

export function encodeInputs({ args, about }: Inputs): Flat {
  const flat: Flat = {};
  put(flat, args);
  put(flat, about, aboutKeys);
  return flat;
}

export function encodeSaved({ inputs, outputs, memory, readId }: Saved): Flat {
  const flat = encodeInputs(inputs);
  put(flat, outputs);
  put(flat, memory, memoryKeys);
  if (memory.echo && Object.keys(memory.echo).length === 0) delete flat[memoryKeys.echo];
  if (readId !== undefined) flat.__id = readId;
  return flat;
}

/** The text of the provider, which the engine looks for in each answer. */
export function providerOf({ __provider }: Flat): Flat {
  return __provider === undefined ? {} : { __provider };
}

/** A catalog, and what its program says of this run. */
export function decodeCatalog({ links, marks, __formerly, __moved, __maxDeletes }: Flat): CatalogNews {
  return {
    links: (links ?? {}) as Keys,
    marks: marks as Keys | undefined,
    formerly: (__formerly ?? {}) as CatalogNews["formerly"],
    moved: (__moved ?? []) as string[],
    maxDeletes: __maxDeletes as number | undefined,
  };
}

function picked(flat: Flat, keys: Record<string, string>): Flat {
  const part: Flat = {};
  for (const name in keys) {
    const key = keys[name] ?? name;
    if (key in flat) part[name] = flat[key];
  }
  return part;
}

/** Adds what a part says, under other keys if there are. */
function put(flat: Flat, part: object, keys: Record<string, string> = {}): void {
  for (const [name, value] of Object.entries(part) as [string, unknown][])
    if (value !== undefined) flat[keys[name] ?? name] = value;
}
