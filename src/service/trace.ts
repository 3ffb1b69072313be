/** An attempt of a call, as a trace shows it: no query, header or body, which may hold secrets. */
export interface Attempt {
  method: string;
  /** Without a query. */
  path: string;
  /** The status of the answer, or the error's code or name. */
  outcome: string;
  /** Milliseconds from the request to the answer. */
  took: number;
  /** Milliseconds before the request. */
  waited: number;
  /** True if it waited for the rate limit, and not only for other requests. */
  isLimited: boolean;
}

/** Prints each attempt of a run, and sums them up. */
export class Trace {
  readonly #print: (text: string) => void;
  readonly #now: () => number;
  readonly #begin: number;
  #attempts = 0;
  #retries = 0;
  /** Milliseconds in which at least one request waited for the limit, and the end of the counted time. */
  #limited = 0;
  #limitedUntil = 0;

  constructor(print: (text: string) => void, now: () => number) {
    this.#print = print;
    this.#now = now;
    this.#begin = now();
  }

  attempt({ method, path, outcome, took, waited, isLimited }: Attempt): void {
    this.#attempts++;
    const end = this.#now();
    const [from, to] = [end - took - waited, end - took];
    // Simultaneous waits count once.
    if (isLimited) this.#limited += Math.max(0, to - Math.max(from, this.#limitedUntil));
    if (isLimited) this.#limitedUntil = Math.max(this.#limitedUntil, to);
    const reason = isLimited ? "for the limit of the account" : "for other requests";
    const wait = Math.round(waited) > 0 ? ` after ${inSeconds(waited)} ${reason}` : "";
    this.#line(`${method} ${path}: ${outcome} in ${inSeconds(took)}${wait}`);
  }

  retry({ method, path }: Pick<Attempt, "method" | "path">, milliseconds: number, attempt: number): void {
    this.#retries++;
    this.#line(`${method} ${path}: attempt ${attempt} follows in ${inSeconds(milliseconds)}`);
  }

  /** Summary of all attempts; undefined if there were none. */
  summary(): string | undefined {
    if (this.#attempts === 0) return undefined;
    const count = `${this.#attempts} ${this.#attempts === 1 ? "request" : "requests"}`;
    const limited = this.#limited > 0 ? `, ${inSeconds(this.#limited)} of it waiting for the limit` : "";
    const repeated = this.#retries > 0 ? `; ${this.#retries} repeated` : "";
    return `shortlink: ${count} in ${inSeconds(this.#now() - this.#begin)}${limited}${repeated}`;
  }

  #line(text: string): void {
    this.#print(`shortlink: ${inSeconds(this.#now() - this.#begin)} ${text}`);
  }
}

function inSeconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(3)} s`;
}
