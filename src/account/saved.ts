import type { Provenance } from "./ownership";

/** Data that a resource has beside its arguments, and that stays with them. */
export interface About {
  /** The URN of the resource; absent in states of 0.1.0. */
  urn?: string | undefined;
  /** Names of the arguments that the program marks as secrets. */
  secrets?: string[] | undefined;
  /** The derived alias of a link for which the program names none. */
  derivedAlias?: string | undefined;
  /** The alias that such a link had before somebody else changed it. */
  keptAlias?: string | undefined;
  /** The object to import, as the option `import` names it. */
  importKey?: string | undefined;
}

/** The inputs of a resource: arguments in canonical form, as `check` made them. */
export interface Inputs<Args = Record<string, unknown>> {
  args: Args;
  about: About;
}

/**
 * The service's answer to our last write, only for fields that it spells differently (dates of another time zone, for example). Null
 * means absent. Drift is "the echo changed", not "the answer differs from the input".
 */
export type Echo = Record<string, unknown>;

/** Data in the state of a resource beside its inputs and outputs. */
export interface Memory extends Provenance {
  /** Address of the object's service; absent in states of early releases. */
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
  /** Values that the service sets and that are no arguments. */
  outputs: Record<string, unknown>;
  memory: Memory;
  /** The id, if the program only reads the object, which then does not belong to this stack. */
  readId?: string | undefined;
}
