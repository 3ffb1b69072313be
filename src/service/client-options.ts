import type { Clock } from "./clock";
import type { Progress } from "./pacer";
import type { Trace } from "./trace";

/** Where the service is and who asks. */
export interface Connection {
  /** Address without a trailing slash and without `/api/v1`, for example `https://links.example`. */
  baseUrl: string;
  apiKey: string;
  /** The variable of the environment that names a proxy for this address; whether NO_PROXY excepts it is looked up for each request. */
  proxy?: string | undefined;
}

/** Longest time in milliseconds that a whole call may take. */
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
  /** Is told of each wait that takes longer than a few seconds. */
  tell?: (text: string) => void;
  /** How far the run has come after so many requests, for the message about a wait. */
  progress?: (sent: number) => Progress | undefined;
  /** Is told of each attempt, and at the end of the run what all of them took. */
  trace?: Trace | undefined;
  /** Throws once no more requests may be sent. */
  assertWanted?: () => void;
  /** Default: the system's clock. */
  clock?: Clock;
  /** Length in milliseconds of the time within which an account has its limit of requests. Default: a minute. */
  window?: number;
}
