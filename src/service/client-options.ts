import type { Clock } from "./clock";
import type { Progress } from "./pacer";
import type { Trace } from "./trace";

/** Address and credentials of the service. */
export interface Connection {
  /** Address without a trailing slash and without `/api/v1`, for example `https://links.example`. */
  baseUrl: string;
  apiKey: string;
  /** The environment variable that names a proxy for this address. Each request checks NO_PROXY itself. */
  proxy?: string | undefined;
}

/** Longest time in milliseconds for one attempt of a call. */
export interface Deadlines {
  read: number;
  /** The service fetches the destination's page inside the call (5 s as a rule). */
  write: number;
  /** Creating a domain waits for DNS; deleting one deletes its links one by one. */
  domain: number;
}

export const defaultDeadlines: Deadlines = { read: 30_000, write: 60_000, domain: 120_000 };

export interface ClientOptions {
  deadlines?: Deadlines;
  /** Receives a message about each wait that takes longer than a few seconds. */
  tell?: (text: string) => void;
  /** The run's progress after `sent` requests, for the message about a wait. */
  progress?: (sent: number) => Progress | undefined;
  /** Prints each attempt, and a summary at the end of the run. */
  trace?: Trace | undefined;
  /** Throws once no more requests may be sent. */
  assertWanted?: () => void;
  /** Default: the system's clock. */
  clock?: Clock;
  /** Length of the rate limit's window in milliseconds. Default: a minute. */
  window?: number;
}
