import { nameOf } from "../live/preview";

// Shows the progress of a run of the engine.

/** An event of the engine, as far as it matters here. */
export interface EngineEvent {
  resOutputsEvent?: { metadata: StepEvent };
  diagnosticEvent?: { urn?: string; message: string; severity: string; ephemeral?: boolean };
  summaryEvent?: { durationSeconds: number };
}
interface StepEvent {
  op: string;
  urn: string;
}

/** Milliseconds between two lines if the output is not a terminal. */
const pause = 5000;

/** The output of the lines. */
export interface Screen {
  isTerminal: boolean;
  write: (text: string) => void;
  now: () => number;
}

/** The expected work of a run. */
interface Expected {
  /** Steps of the engine by URN: two for a replacement. */
  steps: ReadonlyMap<string, number>;
  /** Milliseconds that it waits for the rate limit, as far as known. */
  wait: number;
  /** Requests that the account may send in a window; undefined if the service reports no limit. */
  limit?: number | undefined;
  /** True if only errors and warnings are wanted. */
  isQuiet?: boolean;
}

/** Shows the progress of a run: on a terminal in one line that it overwrites, elsewhere in a line every few seconds. */
export class Progress {
  readonly #left: Map<string, number>;
  readonly #begin: number;
  readonly #total: number;
  #last: number;
  #hasErrors = false;

  constructor(
    private readonly expected: Expected,
    private readonly screen: Screen,
  ) {
    this.#left = new Map(expected.steps);
    this.#total = this.#left.size;
    this.#begin = this.#last = screen.now();
  }

  /** True if the run made all expected changes and reported no error. */
  get isComplete(): boolean {
    return this.#left.size === 0 && !this.#hasErrors;
  }

  /** Processes an event, and prints its message for the user. */
  hear({ resOutputsEvent, diagnosticEvent }: EngineEvent): void {
    if (diagnosticEvent) this.#say(diagnosticEvent);
    const { op, urn } = resOutputsEvent?.metadata ?? { op: "same", urn: "" };
    const left = this.#left.get(urn);
    // The engine reports a replacement as "replace" too, beside its two parts.
    if (left === undefined || op === "same" || op === "replace") return;
    if (left > 1) this.#left.set(urn, left - 1);
    else this.#left.delete(urn);
    this.tick();
  }

  /** Shows the line, if it is time. */
  tick(): void {
    if (this.expected.isQuiet) return;
    const now = this.screen.now();
    if (this.screen.isTerminal) return this.screen.write(`\r${this.#line()}\u001b[K`);
    if (now - this.#last < pause) return;
    this.#last = now;
    this.screen.write(`${this.#line()}\n`);
  }

  /** Clears the line, so that others can follow. */
  end(): void {
    if (this.screen.isTerminal) this.screen.write("\r\u001b[K");
  }

  #line(): string {
    const left = this.#left.size;
    const done = this.#total - left;
    const elapsed = this.screen.now() - this.#begin;
    // Estimated from the pace so far, but the wait for the rate limit may still come.
    const byPace = done === 0 ? 0 : (elapsed / done) * left;
    const seconds = Math.ceil(Math.max(byPace, this.expected.wait - elapsed, 0) / 1000);
    const time = seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
    const { limit } = this.expected;
    const end = left === 0 ? "" : `, about ${time} to go${limit === undefined ? "" : ` (limit ${limit})`}`;
    return `${done} of ${this.#total} done, ${left} left${end}`;
  }

  #say({ urn, message, severity, ephemeral }: NonNullable<EngineEvent["diagnosticEvent"]>): void {
    // Ephemeral messages are about waits for the rate limit, which the line shows.
    if (severity === "debug" || ephemeral) return;
    this.#hasErrors ||= severity === "error";
    const text = message.replace(/<\{%.*?%\}>/g, "").trim();
    if (text === "") return;
    this.end();
    this.screen.write(`${urn === undefined ? "" : `${nameOf(urn)}: `}${text}\n`);
  }
}
