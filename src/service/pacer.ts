import type { Headers } from "./http";
import { retryAfter } from "./retry";

/** An answer as far as it tells of the limit of requests. */
interface Answer {
  status: number;
  headers: Headers;
}

/** How far a run has come, as far as it knows. */
export interface Progress {
  done: number;
  left: number;
  /** What is counted, for example "resources". */
  what: string;
  /** Requests that what is left will take, as an estimate. */
  requests: number;
}

/** A request that waits for its turn. */
interface Waiting {
  go: () => void;
  /** True once the limit, and not only other requests, has held it back. */
  isLimited: boolean;
}

/**
 * The requests of one account: at most so many at a time, and no more than the account may send within a window of time.
 * It learns from the headers of each answer how many are left, so that others who use the same key are counted too. Without
 * such headers it holds nothing back.
 *
 * The headers do not say when a window ends. It begins with the first request after the last one, so it is over when
 * its length has passed since the first answer in it.
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
   * @param parallel Requests at a time, at most.
   * @param window Length of a window in milliseconds.
   * @param tell Is told of each wait of more than a few seconds.
   * @param progress How far the run has come after so many requests, for the message.
   */
  constructor(
    readonly parallel: number,
    readonly window = 60_000,
    readonly tell: (text: string) => void = () => undefined,
    readonly progress: (sent: number) => Progress | undefined = () => undefined,
  ) {}

  /** Requests that the account may send in a window, as the last answer told; Infinity where none did. */
  get limit(): number {
    return this.#limit;
  }

  /** Milliseconds that so many requests wait for the limit, from the begin of a window on. */
  waitFor(requests: number): number {
    return Math.max(0, Math.ceil(requests / this.#limit) - 1) * this.window;
  }

  /** Sends a request when it is its turn. `send` hears whether the limit has held it back. */
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
      // What is on its way may not be counted yet in what the last answer said is left.
      if (this.#left - this.#inFlight <= 0) {
        const milliseconds = this.#end - Date.now();
        if (milliseconds > 0) return this.#wake(milliseconds);
        // Answers of the old window would be taken for some of the new one.
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
    const wait = `The account has had its ${this.#limit} requests; the run goes on in ${duration(milliseconds)}`;
    const progress = this.progress(this.#sent);
    if (!progress)
      return `${wait}. ${this.#sent} requests are done; only the engine knows how many are left.`;
    const { done, left, what, requests } = progress;
    const rest = duration(milliseconds + this.waitFor(requests));
    return `${wait}. ${done} of ${done + left} ${what} are done; the others take about ${rest}.`;
  }

  #learn({ status, headers }: Answer): void {
    const [limit, left] = ["limit", "remaining"].map((name) => Number(headers[`x-ratelimit-${name}`]));
    if (limit === undefined || left === undefined || !(limit > 0) || !(left >= 0)) return;
    this.#limit = limit;
    if (status === 429) {
      this.#left = 0;
      this.#end = Date.now() + (retryAfter(headers) ?? this.window);
      // Answers come in any order, but a new window leaves more than that explains.
    } else if (this.#isFresh || left > this.#left + this.parallel) {
      this.#left = left;
      this.#end = Date.now() + this.window;
      this.#isFresh = false;
    } else this.#left = Math.min(this.#left, left);
  }
}

/** A time as people say it: `58 s`, `7 min`, `1.5 h`. */
function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
