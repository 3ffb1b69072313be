import * as pulumi from "@pulumi/pulumi";

/** The mistakes in the resources that a program makes synchronously. */
export interface Mistakes {
  texts: string[];
  /** Fulfilled when the program has made all of them without a mistake; rejected with one error for all mistakes. */
  checked: Promise<void>;
}

/** Data that the resources of one program share. */
export interface Program {
  /** Number of domains and links made so far. */
  made: number;
  /** Number of those that sent the provider the address of the stack's state. */
  told: number;
  /** True while the program makes resources synchronously. */
  isMaking: boolean;
  /** Fulfilled once the engine can answer questions about the state. */
  opened?: Promise<void>;
  /** The aliases of its links, by the names of the resources; null for an alias that is absent or unknown. */
  wishes: Record<string, string | null>;
  links: number;
  /** Settings with a warning so far. */
  warned: Set<string>;
  mistakes?: Mistakes;
}

/** By the root resource of the stack: a process may run several programs, one after the other. */
const programs = new WeakMap<object, Program>();

/** The running program; undefined without an engine, as in unit tests. */
export function currentProgram(): Program | undefined {
  const stack = pulumi.runtime.getStackResource();
  if (!stack) return undefined;
  const program = programs.get(stack) ?? {
    made: 0,
    told: 0,
    isMaking: false,
    wishes: {},
    links: 0,
    warned: new Set(),
  };
  programs.set(stack, program);
  return program;
}
