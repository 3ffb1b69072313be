import type { Command } from "commander";
import { styleText } from "node:util";
import type { Paint } from "../live/page";

/** Options of every command. */
interface Common {
  color?: boolean;
  quiet?: boolean;
}

/** Adds the options of every command. */
export function withCommonOptions(program: Command): Command {
  return program
    .option("--color", "color the output (default: on a terminal, unless NO_COLOR is set)")
    .option("--no-color", "do not color the output")
    .option("-q, --quiet", "print results and errors only");
}

/** True if only results and errors are wanted. */
export function isQuiet(command: Command): boolean {
  return command.optsWithGlobals<Common>().quiet === true;
}

const colors = { bad: "red", warn: "yellow", good: "green" } as const;

/** Colours texts for the standard output. */
export function painter(command: Command): Paint {
  const { color } = command.optsWithGlobals<Common>();
  if (color === false) return (_tone, text) => text;
  return (tone, text) =>
    styleText(colors[tone], text, { stream: process.stdout, validateStream: color !== true });
}
