/** What became of an attempt that did not succeed. */
export type Failure =
  /** No connection was made; `isLasting` where the next one cannot succeed either: an unknown host, a certificate. */
  | { kind: "unsent"; isLasting: boolean }
  /** It was sent, and no readable answer came: it may or may not have been carried out. */
  | { kind: "lost" }
  /** The service, or something in front of it, refused it; `retryAfter` in milliseconds where it said so. */
  | { kind: "status"; status: number; retryAfter: number | undefined };

export type Decision =
  | { action: "wait"; milliseconds: number }
  /** Look what became of it before anything is sent again. */
  | { action: "reconcile" }
  | { action: "give up" };

const second = 1000;
/** Attempts of a call whose answer is lost, or that a fault on the way refuses. */
const attempts = 4;
/** No new attempt is made so long after the first. */
const patience = 120 * second;
/** The limit of requests is waited for longer: it always passes, though other clients may use up a window or two. */
const limitPatience = 600 * second;

/**
 * What to do after a failed attempt. A POST is never repeated once it may have been carried out; the other calls say how
 * things are to be and may be.
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
  // Full jitter: those who failed together do not come back together.
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
 * How long an answer asks to wait, in milliseconds. The service's own clock counts, so a wrong one here does no harm.
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
