/** How many requests are allowed within a window of time. */
export interface Limit {
  /** Requests of an account within a window; 120 on real installations. */
  requests: number;
  /** Length of the window in seconds. Default: 60. Shorter ones make tests short. */
  window?: number;
  /** Requests from one address within a window, counted before the key is looked at. Default: any number. */
  perAddress?: number;
}

/** @internal A fixed window, as the service's framework counts: it begins with the first request after the last one's end. */
export class Window {
  #end = 0;
  #count = 0;

  constructor(
    readonly limit: number,
    readonly seconds: number,
  ) {}

  /** Counts a request; the headers of its answer, and whether it is one too many. */
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
