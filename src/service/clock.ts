import { setTimeout } from "node:timers/promises";

/** Waits and tells time; replaced in tests, which cannot wait as long. */
export interface Clock {
  /** Milliseconds since some moment. They never decrease. */
  now: () => number;
  sleep: (milliseconds: number) => Promise<unknown>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => setTimeout(milliseconds),
};
