import type { ServerResponse } from "node:http";

/** What goes wrong with some of the calls to `/api/v1`. */
export interface Fault {
  /** Only calls of this method. Default: all. */
  method?: string;
  /** Only calls whose path and query hold this text, for example `/links`. Default: all. */
  path?: string;
  /** Only the n-th of these calls, counted from 1. Default: all. */
  nth?: number;
  /** Share of these calls, from 0 to 1, drawn by the seed of the emulator. Default: 1. */
  rate?: number;
  /**
   * `"before"`: nothing is done; `"after"`: the call is carried out and its answer is lost; `"half"`: the deletion of a domain
   * stops when half of its links are gone. Default: `"before"`.
   */
  when?: "before" | "after" | "half";
  /**
   * What the client gets: a connection that is `"reset"`; no answer at all (`"hang"`, until the emulator is closed); half of the
   * answer (`"cut"`); a page with status 200 (`"html"`); or the page of a proxy with this status.
   */
  answer: "reset" | "hang" | "cut" | "html" | 403 | 429 | 500 | 502 | 503 | 504;
}

/** @internal Decides which call meets which fault; the same for the same seed and calls. */
export class Faults {
  readonly #counts = new Map<Fault, number>();
  #state: number;

  constructor(
    /** May be changed while the emulator runs. */
    readonly list: Fault[],
    seed: number,
  ) {
    this.#state = seed;
  }

  of(method: string, path: string): Fault | undefined {
    return this.list.find((fault) => {
      if (fault.method !== undefined && fault.method !== method) return false;
      if (fault.path !== undefined && !path.includes(fault.path)) return false;
      const count = (this.#counts.get(fault) ?? 0) + 1;
      this.#counts.set(fault, count);
      return (fault.nth ?? count) === count && (fault.rate === undefined || this.#random() < fault.rate);
    });
  }

  /** Mulberry32: small, and good enough to draw faults. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
}

/** @internal Answers as the fault says; `body` is the whole answer that the client does not get. */
export function answerFault({ answer }: Fault, response: ServerResponse, body: string): void {
  const page = (status: number) => {
    response.writeHead(status, { "Content-Type": "text/html; charset=UTF-8" });
    response.end(`<html><body><h1>${status}</h1></body></html>`);
  };
  if (typeof answer === "number") page(answer);
  else if (answer === "html") page(200);
  else if (answer === "reset") response.socket?.resetAndDestroy();
  else if (answer === "cut") {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
    response.write(body.slice(0, body.length / 2), () => response.socket?.destroy());
  }
}
