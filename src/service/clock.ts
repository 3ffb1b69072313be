import { setTimeout } from "node:timers/promises";

/** What waits and tells time, for tests that cannot wait as long. */
export interface Clock {
  /** Milliseconds since some moment; they never run backwards. */
  now: () => number;
  sleep: (milliseconds: number) => Promise<unknown>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => setTimeout(milliseconds),
};
