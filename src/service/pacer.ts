import type { Headers } from "./http";
import { retryAfter } from "./retry";

/** The part of an answer that is about the rate limit. */
interface Answer {
  status: number;
  headers: Headers;
}

/** The known progress of a run. */
export interface Progress {
  done: number;
  left: number;
  /** The counted things, for example "resources". */
  what: string;
  /** Estimated requests for the rest. */
  requests: number;
}

/** A request that waits for its turn. */
interface Waiting {
  go: () => void;
  /** True once the rate limit, and not only other requests, has delayed it. */
  isLimited: boolean;
}

/**
 * Paces the requests of one account: limits how many run at a time, and respects the rate limit. The headers of each answer show how
 * many requests are left, so other users of the same key count too. Without such headers it delays nothing.
 *
 * The headers do not say when a window ends. A window begins with the first request after the last one. So it is over when its length
 * has passed since the first answer in it.
 */
export class Pacer {
  #left = Infinity;
  #limit = Infinity;
  #end = 0;
  /** True until the first answer of a window. */
  #isFresh = true;
  #inFlight = 0;
  readonly #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sent = 0;

  /**
   * @param parallel The most requests at a time.
   * @param window Length of a window in milliseconds.
   * @param tell Receives a message about each wait of more than a few seconds.
   * @param progress The run's progress after `sent` requests, for the message.
   */
  constructor(
    readonly parallel: number,
    readonly window = 60_000,
    readonly tell: (text: string) => void = () => undefined,
    readonly progress: (sent: number) => Progress | undefined = () => undefined,
  ) {}

  /** Requests that the account may send in a window, from the last answer; Infinity if unknown. */
  get limit(): number {
    return this.#limit;
  }

  /** Milliseconds that `requests` wait for the rate limit, from the start of a window. */
  waitFor(requests: number): number {
    return Math.max(0, Math.ceil(requests / this.#limit) - 1) * this.window;
  }

  /** Sends a request when it is its turn. `isLimited` says whether the rate limit delayed it. */
  async run<Sent extends Answer>(send: (isLimited: boolean) => Promise<Sent>): Promise<Sent> {
    const waiting: Waiting = { go: () => undefined, isLimited: false };
    await new Promise<void>((resolve) => {
      waiting.go = resolve;
      this.#waiting.push(waiting);
      this.#next();
    });
    try {
      const answer = await send(waiting.isLimited);
      this.#learn(answer);
      return answer;
    } finally {
      this.#inFlight--;
      this.#next();
    }
  }

  #next(): void {
    while (this.#waiting.length > 0 && this.#inFlight < this.parallel) {
      // The last answer may not count the requests in flight yet.
      if (this.#left - this.#inFlight <= 0) {
        const milliseconds = this.#end - Date.now();
        if (milliseconds > 0) return this.#wake(milliseconds);
        // Answers of the old window would count for the new one.
        if (this.#inFlight > 0) return;
        [this.#left, this.#isFresh] = [this.#limit, true];
      }
      this.#inFlight++;
      this.#sent++;
      this.#waiting.shift()?.go();
    }
  }

  #wake(milliseconds: number): void {
    for (const each of this.#waiting) each.isLimited = true;
    if (this.#timer) return;
    if (milliseconds > 3000) this.tell(this.#describeWait(milliseconds));
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#next();
    }, milliseconds);
  }

  #describeWait(milliseconds: number): string {
    const wait = `The account has used its ${this.#limit} requests; the run continues in ${duration(milliseconds)}`;
    const progress = this.progress(this.#sent);
    if (!progress)
      return `${wait}. ${this.#sent} requests are done; only the engine knows how many are left.`;
    const { done, left, what, requests } = progress;
    const rest = duration(milliseconds + this.waitFor(requests));
    return `${wait}. ${done} of ${done + left} ${what} are done; the rest takes about ${rest}.`;
  }

  #learn({ status, headers }: Answer): void {
    const [limit, left] = ["limit", "remaining"].map((name) => Number(headers[`x-ratelimit-${name}`]));
    if (limit === undefined || left === undefined || !(limit > 0) || !(left >= 0)) return;
    this.#limit = limit;
    if (status === 429) {
      this.#left = 0;
      this.#end = Date.now() + (retryAfter(headers) ?? this.window);
      // Answers come in any order, but only a new window leaves more than that explains.
    } else if (this.#isFresh || left > this.#left + this.parallel) {
      this.#left = left;
      this.#end = Date.now() + this.window;
      this.#isFresh = false;
    } else this.#left = Math.min(this.#left, left);
  }
}

/** A duration for users: `58 s`, `7 min`, `1.5 h`. */
function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
