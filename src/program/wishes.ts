import { currentProgram, type Program } from "./program";

// A link may need an alias that another link of the stack gives up in the same run. The provider cannot see that before the
// engine has planned the other link, but the program knows. So its resources send the aliases of all its links.

/** Up to this number, every link sends all aliases: the engine takes links in any order. Above it, the first and each domain do. */
const few = 100;

/** Notes a link of the program, and returns the text that it sends: the aliases by the names of the resources. */
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

/** The aliases of all links that the program makes synchronously, as one text. */
export function allWishes(): Promise<string> | undefined {
  const program = currentProgram();
  return program && Promise.resolve().then(() => textOf(program));
}

function textOf({ wishes }: Program): string {
  return JSON.stringify(wishes);
}
