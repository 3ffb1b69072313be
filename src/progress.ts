import type { Progress } from "./service/pacer";

// What a run knows of its own length, for those who wait for the account's limit. A program tells how many resources it has; a
// refresh learns from the lists of links how many pages there are; a destroy is told of one deletion at a time.

let total = 0;
let running = 0;
/** A resource that is replaced is checked twice. */
const seen = new Set<string>();

/** Notes how many domains and links the program has made so far. */
export function noteProgram(resources: number): void {
  total = Math.max(total, resources);
}

/** Notes that the engine has come to a resource of the program. */
export function noteSeen(urn: string | undefined): void {
  if (urn !== undefined) seen.add(urn);
}

/** Counts a call of the engine as work that is not done yet. */
export async function whileRunning<Value>(call: () => Promise<Value>): Promise<Value> {
  running++;
  try {
    return await call();
  } finally {
    running--;
  }
}

/**
 * How far the program's resources have come; undefined where there is no program.
 *
 * @param sent Requests so far, which tell how many the resources that the engine has not come to yet will take.
 */
export function progressOfProgram(sent: number): Progress | undefined {
  const left = total - seen.size;
  if (seen.size === 0 || left < 0) return undefined;
  const requests = Math.ceil((left * (sent + running)) / seen.size) + running;
  return { done: seen.size - running, left: left + running, what: "resources", requests };
}
