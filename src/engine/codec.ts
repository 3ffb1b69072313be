import type { Told } from "../account/account";
import type { About, Inputs, Memory, Saved } from "../account/saved";
import type { CatalogNews, Keys } from "../catalog/guard";
import { isUnknown } from "../fields/problem";

// Encodes a resource for the engine and for states: arguments and outputs flat in one object. Names that begin with "__" are for this
// package only; plans do not show them. States have contained every key since release 0.1.0, except those that only a program sends.

/** Properties in the engine's form. */
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

/** Data that a program sends as one text beside the arguments. The simulated engine of the tests sends each part separately. */
interface Private {
  __preview?: boolean;
  /** Address of the engine's monitor, name of the stack, and number of resources that the program has made so far. */
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
   * The mark of a secret output, which the provider returns with its inputs. The engine marks an output as secret if the input of the
   * same name was secret.
   */
  mark: Flat;
}

/** Decodes a resource from a program. @param output The output that may repeat a secret argument. */
export function decodeNews(flat: Flat, output: string): News {
  const { __private = "{}", [output]: mark, ...rest } = flat;
  const all = { ...rest, ...(JSON.parse(__private as string) as Flat) };
  const { __preview, __state = "", __entry, __wishes } = all as Private;
  const [address, stack, resources] = __state.split(" ");
  const { args, about } = decodeInputs(all, []);
  // In a preview the mark may be unknown, because the value is unknown.
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

/** Decodes the inputs of a state or a plan. @param outputs Computed properties, which are no arguments. */
export function decodeInputs(flat: Flat, outputs: readonly string[]): Inputs {
  const args: Flat = {};
  for (const name of Object.keys(flat))
    if (!name.startsWith("__") && !outputs.includes(name)) args[name] = flat[name];
  return { args, about: picked(flat, aboutKeys) };
}

/** Decodes a resource from the state. */
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

/** The text of the provider. The engine expects it in each answer. */
export function providerOf({ __provider }: Flat): Flat {
  return __provider === undefined ? {} : { __provider };
}

/** Decodes a catalog, and its program's data about this run. */
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

/** Adds the properties of a part, renamed by `keys`. */
function put(flat: Flat, part: object, keys: Record<string, string> = {}): void {
  for (const [name, value] of Object.entries(part) as [string, unknown][])
    if (value !== undefined) flat[keys[name] ?? name] = value;
}
