import * as pulumi from "@pulumi/pulumi";

// A link may need an alias that another link of the stack gives up in the same run. Where the engine has not planned the other
// link yet, the provider cannot see that it does; the program knows. So its resources tell the aliases of all its links.

/** The aliases that links of a program name, by the names of the resources; null where one names none that is known. */
export type Wishes = Record<string, string | null>;

/** By the stack's own resource: a process may run several programs, one after the other. */
const programs = new WeakMap<object, Wishes>();
const counts = new WeakMap<Wishes, number>();
/** The engine takes links in any order. Of more than so many only the first tells of the others, and each domain. */
const few = 100;

/** Notes a link of the program, and returns what it tells: `Wishes` as one text. */
export function noteWish(name: string, alias: unknown): Promise<string | undefined> | undefined {
  const wishes = wishesOfProgram();
  if (!wishes) return undefined;
  const count = counts.get(wishes) ?? 0;
  counts.set(wishes, count + 1);
  // Two components may each have a link of this name.
  wishes[name] = typeof alias === "string" && !Object.hasOwn(wishes, name) ? alias.trim() : null;
  if (count >= few) return undefined;
  return Promise.resolve().then(() =>
    count === 0 || (counts.get(wishes) ?? 0) <= few ? JSON.stringify(wishes) : undefined,
  );
}

/** The aliases of all links that the program names without waiting for anything, as one text. */
export function allWishes(): Promise<string> | undefined {
  const wishes = wishesOfProgram();
  return wishes && Promise.resolve().then(() => JSON.stringify(wishes));
}

function wishesOfProgram(): Wishes | undefined {
  const stack = pulumi.runtime.getStackResource();
  if (!stack) return undefined;
  const wishes = programs.get(stack) ?? {};
  programs.set(stack, wishes);
  return wishes;
}
