import { currentProgram, type Program } from "./program";

// A link may need an alias that another link of the stack gives up in the same run. Where the engine has not planned the other
// link yet, the provider cannot see that it does; the program knows. So its resources tell the aliases of all its links.

/** The engine takes links in any order. Of more than so many only the first tells of the others, and each domain. */
const few = 100;

/** Notes a link of the program, and returns what it tells: the aliases by the names of the resources, as one text. */
export function noteWish(name: string, alias: unknown): Promise<string | undefined> | undefined {
  const program = currentProgram();
  if (!program) return undefined;
  const { wishes } = program;
  const count = program.links++;
  // Two components may each have a link of this name.
  wishes[name] = typeof alias === "string" && !Object.hasOwn(wishes, name) ? alias.trim() : null;
  if (count >= few) return undefined;
  return Promise.resolve().then(() => (count === 0 || program.links <= few ? textOf(program) : undefined));
}

/** The aliases of all links that the program names without waiting for anything, as one text. */
export function allWishes(): Promise<string> | undefined {
  const program = currentProgram();
  return program && Promise.resolve().then(() => textOf(program));
}

function textOf({ wishes }: Program): string {
  return JSON.stringify(wishes);
}
