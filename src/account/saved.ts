import type { Provenance } from "./ownership";

/** What came with the arguments of a resource, and stays with them. */
export interface About {
  /** Who is being made; states of 0.1.0 do not say. */
  urn?: string | undefined;
  /** Names of the arguments that the program marks as secrets. */
  secrets?: string[] | undefined;
  /** The alias that was derived for a link for which the program names none. */
  derivedAlias?: string | undefined;
  /** The alias that such a link had before somebody else changed it. */
  keptAlias?: string | undefined;
  /** The object to take over, as the option `import` names it. */
  importKey?: string | undefined;
}

/** The inputs of a resource: arguments in canonical form, as `check` made them. */
export interface Inputs<Args = Record<string, unknown>> {
  args: Args;
  about: About;
}

/**
 * What the service answered after our last write, for those fields only that it spells in another way than we
 * did (dates of another time zone, for example); null means absent. Drift is "the echo changed", not "the
 * answer differs from the input".
 */
export type Echo = Record<string, unknown>;

/** What the state of a resource remembers beside its inputs and outputs. */
export interface Memory extends Provenance {
  /** Address of the service on which the object was made; states of early releases do not say. */
  origin?: string | undefined;
  echo?: Echo | undefined;
  /** Fields of an update that may or may not have happened. */
  doubtful?: string[] | undefined;
  /** Name of the journal's note of the last change. */
  revision?: string | undefined;
}

/** A resource as the state has it. */
export interface Saved<Args = Record<string, unknown>> {
  inputs: Inputs<Args>;
  /** What the service makes and no argument says. */
  outputs: Record<string, unknown>;
  memory: Memory;
  /** The id, where the program only reads the object: then nothing of it is this stack's. */
  readId?: string | undefined;
}
