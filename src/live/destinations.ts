import { setTimeout } from "node:timers/promises";
import type { LinkRecord } from "../service/client";

// Whether the destinations of links answer.

/** How gently destinations are asked. */
export interface Manners {
  /** Milliseconds between two requests to one host. */
  pause: number;
  /** Milliseconds that a host has to answer. */
  timeout: number;
}

/** Those of the command. */
export const manners: Manners = { pause: 250, timeout: 15_000 };

/** Hosts that are asked at the same time. */
const hostsAtOnce = 16;
/** As many as browsers follow. */
const redirects = 20;

/** All addresses that visitors of a link may get to, without those of apps, which no request can reach. */
export function destinationsOf({ url, expiration_url: expired, targets }: LinkRecord): string[] {
  const all = [url, expired, ...(targets ?? []).map(({ value }) => value)];
  return [...new Set(all.filter((each): each is string => /^https?:\/\//i.test(each ?? "")))];
}

/**
 * Asks each address once, one after the other on each host. Returns why those that do not answer with success do not; redirects are
 * followed.
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
  /** Asks once the host has had its pause, also where another address leads there. */
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
      if (passed.has(current)) return "its redirects go round in a circle";
      passed.add(current);
      // Some know GET only, and say so in many ways.
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
  return code === undefined ? "it cannot be asked" : `it does not answer (${code})`;
}
