import { request, type IncomingHttpHeaders } from "node:http";
import { test as base } from "vitest";
import { Client } from "../../src/service/client";
import { createEmulator, type Emulator } from "../../src/emulator/server";

/** `test` with a new emulator and a client for it. */
export const test = base.extend<{ emulator: Emulator; client: Client }>({
  emulator: async ({}, use) => {
    const emulator = await createEmulator();
    await use(emulator);
    await emulator.close();
  },
  client: async ({ emulator }, use) => {
    await use(new Client({ baseUrl: emulator.url, apiKey: emulator.apiKey }));
  },
});

/** Sends a request as any HTTP client would, by default with the emulator's key and a JSON `Accept`. */
export async function send(
  emulator: Emulator,
  method: string,
  path: string,
  { form, headers = {} }: { form?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: Headers; body: unknown; text: string }> {
  const response = await fetch(`${emulator.url}/api/v1${path}`, {
    method,
    headers: {
      accept: "application/json",
      authorization: `Bearer ${emulator.apiKey}`,
      ...(form === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      ...headers,
    },
    redirect: "manual",
    ...(form === undefined ? {} : { body: form }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  };
}

/** The links without the fields that always differ between a copy and its original. */
export async function bareLinks(emulator: Emulator): Promise<unknown[]> {
  const { body } = await send(emulator, "GET", "/links?per_page=100&sort_by=alias&sort=asc");
  const volatile = /^(?:id|domain_id|clicks|created_at|updated_at|last_rotation|user_id|pivot)$/;
  const bare = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(bare)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value).flatMap(([name, each]) =>
              volatile.test(name) ? [] : [[name, bare(each)]],
            ),
          )
        : value;
  const all = (body as { data: { targets: object; targets_type: string | null }[] }).data;
  // The order of targets matters only for rotations.
  const ordered = all.map((link) => {
    if (link.targets_type === "rotations" || link.targets === null) return link;
    const targets = Object.values(link.targets) as { key: string }[];
    return { ...link, targets: targets.sort((one, other) => (one.key < other.key ? -1 : 1)) };
  });
  return ordered.map(bare);
}

/** Opens a short link as a browser would, but connects to the emulator whatever the link's host is. */
export function visit(
  emulator: Pick<Emulator, "url">,
  shortUrl: string,
  { headers = {}, form }: { headers?: Record<string, string>; form?: string } = {},
): Promise<{ status: number; location: string | undefined; headers: IncomingHttpHeaders; text: string }> {
  const { host, pathname, search } = new URL(shortUrl);
  return new Promise((resolve, reject) => {
    const method = form === undefined ? "GET" : "POST";
    const call = request(
      `${emulator.url}${pathname}${search}`,
      { method, headers: { host, ...headers } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.once("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            location: response.headers.location,
            headers: response.headers,
            text,
          }),
        );
      },
    );
    call.once("error", reject).end(form);
  });
}
