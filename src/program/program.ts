import * as pulumi from "@pulumi/pulumi";

/** What is wrong with the resources that a program makes in one go. */
export interface Mistakes {
  texts: string[];
  /** Fulfilled when all of them are made and none has a mistake; rejected with one error for all mistakes. */
  checked: Promise<void>;
}

/** What the resources of one program know of each other. */
export interface Program {
  /** How many domains and links it has made. */
  made: number;
  /** How many of them have told the provider where the state of the stack is. */
  told: number;
  /** True while it makes resources in one go. */
  isMaking: boolean;
  /** Until then the engine cannot be asked for the state. */
  opened?: Promise<void>;
  /** The aliases that its links name, by the names of the resources; null where one names none that is known. */
  wishes: Record<string, string | null>;
  links: number;
  /** Settings of which a warning was given. */
  warned: Set<string>;
  mistakes?: Mistakes;
}

/** By the stack's own resource: a process may run several programs, one after the other. */
const programs = new WeakMap<object, Program>();

/** The program that is running; undefined where it runs without an engine, as in unit tests. */
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
