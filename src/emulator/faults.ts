import type { ServerResponse } from "node:http";

/** A failure of some calls to `/api/v1`. */
export interface Fault {
  /** Only calls with this HTTP method. Default: all. */
  method?: string;
  /** Only calls whose path and query contain this text, for example `/links`. Default: all. */
  path?: string;
  /** Only the n-th of these calls, counted from 1. Default: all. */
  nth?: number;
  /** Share of these calls, from 0 to 1; the emulator's `seed` selects them. Default: 1. */
  rate?: number;
  /**
   * Moment of the failure. `"before"`: the emulator does nothing. `"after"`: it carries out the call, and the answer is lost.
   * `"half"`: it stops the deletion of a domain when half of the links are gone. Default: `"before"`.
   */
  when?: "before" | "after" | "half";
  /**
   * Answer to the client. `"reset"`: a broken connection. `"hang"`: no answer until the emulator is closed. `"cut"`: half of the
   * answer. `"html"`: a page with status 200. A number: the page of a proxy with this status.
   */
  answer: "reset" | "hang" | "cut" | "html" | 403 | 429 | 500 | 502 | 503 | 504;
}

/** @internal Selects the fault of each call; the same for the same seed and calls. */
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

/** @internal Answers as the fault says. `body` is the complete answer, which the client does not get. */
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
