/** How an attempt failed. */
export type Failure =
  /** The client could not connect; `isLasting` if a retry cannot succeed either: an unknown host, a certificate. */
  | { kind: "unsent"; isLasting: boolean }
  /** The response was lost or unreadable: the service may or may not have carried the call out. */
  | { kind: "lost" }
  /** The service, or something in front of it, refused it; `retryAfter` in milliseconds if it said so. */
  | { kind: "status"; status: number; retryAfter: number | undefined };

export type Decision =
  | { action: "wait"; milliseconds: number }
  /** The caller looks for the object before it retries. */
  | { action: "reconcile" }
  | { action: "give up" };

const second = 1000;
/** The most attempts of a call after connection errors, lost responses or server errors. */
const attempts = 4;
/** Milliseconds after the first attempt in which a retry may start. */
const patience = 120 * second;
/** Longer for the rate limit: it always passes, though other clients may use up a window or two. */
const limitPatience = 600 * second;

/**
 * Decides what to do after a failed attempt. The client never retries a POST that may have been carried out. The other calls are
 * idempotent.
 *
 * @param method GET, POST, PATCH or DELETE.
 * @param attempt The number of the attempt that failed, from 1.
 * @param elapsed Milliseconds since the first attempt began.
 * @param random From 0 to 1.
 */
export function decide(
  method: string,
  failure: Failure,
  attempt: number,
  elapsed: number,
  random: number,
): Decision {
  const wait = (milliseconds: number, longest: number): Decision =>
    elapsed + milliseconds > longest ? { action: "give up" } : { action: "wait", milliseconds };
  // Full jitter, so that calls that failed together do not retry together.
  const backoff = random * Math.min(8 * second, (second / 4) * 2 ** attempt);
  if (failure.kind === "status" && failure.status === 429) {
    return wait((failure.retryAfter ?? 5 * second) + random * second, limitPatience);
  }
  if (failure.kind === "unsent") {
    return failure.isLasting || attempt >= attempts ? { action: "give up" } : wait(backoff, patience);
  }
  if (failure.kind === "status" && failure.status < 500) return { action: "give up" };
  if (method === "POST") return { action: "reconcile" };
  const retryAfter = failure.kind === "status" ? (failure.retryAfter ?? 0) : 0;
  return attempt >= attempts ? { action: "give up" } : wait(Math.max(backoff, retryAfter), patience);
}

/**
 * Milliseconds that an answer asks to wait. Uses the service's clock, so a wrong one here does no harm.
 *
 * @param headers `retry-after` (seconds or a date), `x-ratelimit-reset` (seconds of the epoch) and `date`.
 */
export function retryAfter(
  headers: Record<string, string | string[] | undefined>,
  now = Date.now(),
): number | undefined {
  const text = (name: string) => (typeof headers[name] === "string" ? headers[name] : "");
  const there = Date.parse(text("date")) || now;
  const [after, reset] = [text("retry-after"), text("x-ratelimit-reset")];
  if (/^\d+$/.test(after)) return Number(after) * second;
  const moment = Date.parse(after) || (/^\d+$/.test(reset) ? Number(reset) * second : NaN);
  return Number.isNaN(moment) ? undefined : Math.max(0, moment - there);
}
