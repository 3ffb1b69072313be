/** A rate limit: requests per window of time. */
export interface Limit {
  /** Requests of an account per window; 120 on real installations. */
  requests: number;
  /** Length of the window in seconds; a short one makes tests fast. Default: 60. */
  window?: number;
  /** Requests from one address per window, counted before the key is checked. Default: unlimited. */
  perAddress?: number;
}

/** @internal A fixed window, as in the service's framework. It begins with the first request after the end of the last one. */
export class Window {
  #end = 0;
  #count = 0;

  constructor(
    readonly limit: number,
    readonly seconds: number,
  ) {}

  /** Counts a request. Returns the headers of its answer, and whether it exceeds the limit. */
  count(now = Date.now()): { headers: Record<string, string>; isOver: boolean } {
    if (now >= this.#end) [this.#end, this.#count] = [now + this.seconds * 1000, 0];
    const isOver = this.#count >= this.limit;
    if (!isOver) this.#count++;
    const headers: Record<string, string> = {
      "X-RateLimit-Limit": String(this.limit),
      "X-RateLimit-Remaining": String(this.limit - this.#count),
    };
    if (isOver) {
      headers["Retry-After"] = String(Math.max(1, Math.ceil((this.#end - now) / 1000)));
      headers["X-RateLimit-Reset"] = String(Math.ceil(this.#end / 1000));
    }
    return { headers, isOver };
  }
}
