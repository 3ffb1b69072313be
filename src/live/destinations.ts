import { setTimeout } from "node:timers/promises";
import type { LinkRecord } from "../service/client";

// Checks whether the destinations of links answer.

/** Pace and patience of the requests to destinations. */
export interface Manners {
  /** Milliseconds between two requests to one host. */
  pause: number;
  /** Milliseconds to wait for an answer. */
  timeout: number;
}

/** The values that the command uses. */
export const manners: Manners = { pause: 250, timeout: 15_000 };

/** Hosts requested at the same time. */
const hostsAtOnce = 16;
/** Browsers follow as many. */
const redirects = 20;

/** All web addresses that a link may lead to. No request can reach the address of an app. */
export function destinationsOf({ url, expiration_url: expired, targets }: LinkRecord): string[] {
  const all = [url, expired, ...(targets ?? []).map(({ value }) => value)];
  return [...new Set(all.filter((each): each is string => /^https?:\/\//i.test(each ?? "")))];
}

/**
 * Checks each address once, follows redirects, and sends a host one request at a time. Returns the reason for each address that does
 * not answer with success.
 */
export async function checkDestinations(
  addresses: Iterable<string>,
  { pause, timeout }: Manners = manners,
): Promise<Map<string, string>> {
  const queues = new Map<string, string[]>();
  for (const address of new Set(addresses)) {
    const host = URL.canParse(address) ? new URL(address).host : "";
    queues.set(host, [...(queues.get(host) ?? []), address]);
  }
  const turns = new Map<string, Promise<unknown>>();
  /** Sends a request once the host has had its pause. A redirect to the host waits too. */
  const ask = async (address: string, method: string): Promise<Response> => {
    const { host } = new URL(address);
    const turn = turns.get(host) ?? Promise.resolve();
    const answer = turn.then(() =>
      fetch(address, { method, redirect: "manual", signal: AbortSignal.timeout(timeout) }),
    );
    turns.set(
      host,
      answer
        .then(
          (response) => response.body?.cancel(),
          () => undefined,
        )
        .then(() => setTimeout(pause)),
    );
    return answer;
  };
  const problems = new Map<string, string>();
  const hosts = [...queues.values()];
  const worker = async () => {
    for (let queue = hosts.shift(); queue; queue = hosts.shift())
      for (const address of queue) {
        const problem = await problemOf(address, ask);
        if (problem !== undefined) problems.set(address, problem);
      }
  };
  await Promise.all(Array.from({ length: hostsAtOnce }, worker));
  return problems;
}

type Ask = (address: string, method: string) => Promise<Response>;

async function problemOf(address: string, ask: Ask): Promise<string | undefined> {
  const passed = new Set<string>();
  let current = address;
  try {
    while (passed.size <= redirects) {
      if (passed.has(current)) return "its redirects lead in a circle";
      passed.add(current);
      // Some servers support only GET, and refuse HEAD in many ways.
      let response = await ask(current, "HEAD").catch(() => undefined);
      if (response === undefined || response.status >= 400) response = await ask(current, "GET");
      const next = response.headers.get("location");
      if (response.status >= 300 && response.status < 400 && next !== null)
        current = new URL(next, current).href;
      else return response.status < 400 ? undefined : `it answers ${response.status}${after(passed)}`;
    }
    return `it has more than ${redirects} redirects`;
  } catch (error) {
    return `${reasonOf(error)}${after(passed)}`;
  }
}

function after({ size }: Set<string>): string {
  return size < 2 ? "" : ` after ${size - 1} redirect${size === 2 ? "" : "s"}`;
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return "it does not answer in time";
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === undefined ? "it cannot be checked" : `it does not answer (${code})`;
}
