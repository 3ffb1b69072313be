import { Agent, EnvHttpProxyAgent, type Dispatcher } from "undici";

/** A request with everything it needs to be sent. */
export interface Request {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | null;
}

export type Headers = Record<string, string | string[] | undefined>;

/** The answer to a request, whatever its status is. */
export interface Answer {
  status: number;
  /** By names in lower case. */
  headers: Headers;
  text: string;
}

/** The most requests in flight: four already use up the service's rate limit. */
export const parallelCalls = 4;

// One pool per process: all resources, and in a program all clients, share its connections. Callers limit the parallel calls
// themselves: a wait in the pool's queue would use up the deadline of a call. HTTP/2 would exceed the limit.
const options = { connections: parallelCalls, allowH2: false, maxResponseSize: 32 * 1024 * 1024 };
const agent = new Agent(options);
/** The same through the proxy that the environment names; made on first use. */
let proxyAgent: EnvHttpProxyAgent | undefined;

const utf8 = new TextDecoder();
let sending = 0;

/** True while a request waits for its answer. */
export function isSending(): boolean {
  return sending > 0;
}

/**
 * Sends a request and gathers its answer. It follows no redirects and sends nothing twice.
 *
 * A stack sends thousands of small requests from a process that has just begun. undici's `request` makes a stream of each answer and
 * a signal for each deadline. Its `dispatch` needs neither and is faster.
 *
 * @param isProxied Uses the proxy that HTTPS_PROXY or HTTP_PROXY names, unless NO_PROXY excludes the host.
 * @param deadline Milliseconds for the whole, the connection included; after it the error is a `TimeoutError`.
 * @throws The error of undici or of the system, if there is no complete answer.
 */
export async function exchange(request: Request, deadline: number, isProxied = false): Promise<Answer> {
  sending++;
  try {
    return await dispatch(
      isProxied ? (proxyAgent ??= new EnvHttpProxyAgent(options)) : agent,
      request,
      deadline,
    );
  } finally {
    sending--;
  }
}

function dispatch(
  agent: Dispatcher,
  { url, method, headers, body }: Request,
  deadline: number,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let abort: ((reason: Error) => void) | undefined;
    let late: Error | undefined;
    const timer = setTimeout(() => {
      late = new DOMException("too late", "TimeoutError");
      abort?.(late);
      reject(late);
    }, deadline);
    const answer = { status: 0, headers: {} };
    const chunks: Buffer[] = [];
    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart(controller) {
          // If the deadline passed while undici connected, nothing is sent.
          if (late) controller.abort(late);
          else abort = (reason) => controller.abort(reason);
        },
        // An interim answer (1xx) may come first; the last one is the answer.
        onResponseStart(_controller, status, headers) {
          Object.assign(answer, { status, headers });
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          clearTimeout(timer);
          resolve({ ...answer, text: utf8.decode(Buffer.concat(chunks)) });
        },
        onResponseError(_controller, error) {
          clearTimeout(timer);
          reject(error);
        },
      },
    );
  });
}
