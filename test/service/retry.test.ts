import { describe, expect, test } from "vitest";
import { decide, retryAfter, type Failure } from "../../src/service/retry";

const lost: Failure = { kind: "lost" };
const unsent: Failure = { kind: "unsent", isLasting: false };
const lasting: Failure = { kind: "unsent", isLasting: true };
const status = (code: number, after?: number): Failure => ({
  kind: "status",
  status: code,
  retryAfter: after,
});
const s = 1000;

// With random = 1 every backoff has its maximum.
test.each<[string, Failure, number, number, number | "reconcile" | "give up"]>([
  // Nothing was sent, so a retry of any call is safe.
  ["POST", unsent, 1, 0, 500],
  ["GET", unsent, 2, 0, 1000],
  ["GET", unsent, 3, 0, 2000],
  ["GET", unsent, 4, 0, "give up"],
  ["GET", lasting, 1, 0, "give up"],
  ["POST", lasting, 1, 0, "give up"],
  // Lost response.
  ["GET", lost, 1, 0, 500],
  ["PATCH", lost, 2, 0, 1000],
  ["DELETE", lost, 3, 0, 2000],
  ["DELETE", lost, 4, 0, "give up"],
  ["GET", lost, 3, 119 * s, "give up"],
  ["GET", lost, 3, 118 * s, 2000],
  ["POST", lost, 1, 0, "reconcile"],
  ["POST", lost, 9, 0, "reconcile"],
  // A gateway error, or a fault of the service.
  ["GET", status(500), 1, 0, 500],
  ["GET", status(502), 1, 0, 500],
  ["PATCH", status(503), 1, 0, 500],
  ["PATCH", status(503, 20 * s), 1, 0, 20 * s],
  ["GET", status(503, 121 * s), 1, 0, "give up"],
  ["GET", status(504), 4, 0, "give up"],
  ["POST", status(500), 1, 0, "reconcile"],
  ["POST", status(502), 1, 0, "reconcile"],
  ["POST", status(504), 1, 0, "reconcile"],
  // Rate limit: nothing was done, whatever the method, and the wait has an end.
  ["GET", status(429), 1, 0, 6 * s],
  ["POST", status(429, 30 * s), 1, 0, 31 * s],
  ["GET", status(429, 60 * s), 9, 500 * s, 61 * s],
  ["GET", status(429, 60 * s), 10, 540 * s, "give up"],
  // Final answers of the service.
  ["GET", status(301), 1, 0, "give up"],
  ["GET", status(401), 1, 0, "give up"],
  ["GET", status(403), 1, 0, "give up"],
  ["POST", status(404), 1, 0, "give up"],
  ["DELETE", status(404), 1, 0, "give up"],
  ["POST", status(422), 1, 0, "give up"],
])("%s after %j, attempt %i, %i ms: %s", (method, failure, attempt, elapsed, expected) => {
  const decision = decide(method, failure, attempt, elapsed, 1);
  expect(decision.action === "wait" ? decision.milliseconds : decision.action).toBe(expected);
});

test("a backoff is random between zero and its maximum", () => {
  expect(decide("GET", lost, 2, 0, 0)).toEqual({ action: "wait", milliseconds: 0 });
  expect(decide("GET", lost, 2, 0, 0.25)).toEqual({ action: "wait", milliseconds: 250 });
});

describe("the wait that a response requests", () => {
  const now = Date.parse("2026-03-01T08:00:00Z");
  const date = "Sun, 01 Mar 2026 12:00:00 GMT";
  test.each<[Record<string, string>, number | undefined]>([
    [{}, undefined],
    [{ "retry-after": "30" }, 30 * s],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Sun, 01 Mar 2026 08:00:10 GMT" }, 10 * s],
    // The clock of the service is four hours ahead, and its own time counts.
    [{ "retry-after": "Sun, 01 Mar 2026 12:00:10 GMT", date }, 10 * s],
    [{ "x-ratelimit-reset": String(Date.parse(date) / s + 42), date }, 42 * s],
    [{ "retry-after": "5", "x-ratelimit-reset": String(Date.parse(date) / s + 42), date }, 5 * s],
    [{ "x-ratelimit-reset": "1" }, 0],
    [{ "retry-after": "soon" }, undefined],
  ])("%j", (headers, expected) => {
    expect(retryAfter(headers, now)).toBe(expected);
  });
});
