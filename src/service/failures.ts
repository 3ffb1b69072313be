import { AnswerError, NoAnswerError, RefusedError, type Call, type FieldMessages } from "./errors";
import type { Answer } from "./http";
import { retryAfter, type Failure } from "./retry";

// Turns a failed call into an error, and an error into the input of the retry policy.

/** An error as the retry policy sees it; undefined if it is not the error of a call. */
export function failureOf(error: unknown): Failure | undefined {
  if (error instanceof RefusedError) {
    return { kind: "status", status: error.status, retryAfter: error.retryAfter };
  }
  if (error instanceof NoAnswerError && error.unsent) {
    const { code = "" } = error.cause as NodeJS.ErrnoException;
    return { kind: "unsent", isLasting: !passingCodes.has(code) };
  }
  return error instanceof NoAnswerError || error instanceof AnswerError ? { kind: "lost" } : undefined;
}

/** Connection errors that may pass in a moment. The client does not wait for a service that does not run at all. */
const passingCodes: ReadonlySet<string> = new Set([
  "EAI_AGAIN",
  "ENETDOWN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const unsentCodes: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ENETUNREACH", "EHOSTUNREACH", "EHOSTDOWN", "ENETDOWN"],
  ...["UND_ERR_CONNECT_TIMEOUT", "ERR_SSL_WRONG_VERSION_NUMBER", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "CERT_HAS_EXPIRED"],
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
]);

/** The error of a call without a complete answer. */
export function noAnswer(
  call: Call,
  error: unknown,
  { baseUrl, proxy, deadline }: { baseUrl: string; proxy?: string | undefined; deadline: number },
): NoAnswerError {
  const { name, code, message, syscall } = error as NodeJS.ErrnoException;
  // A proxy that refuses to connect has forwarded nothing.
  const [, proxyStatus] = /^Proxy response \((\d+)\)/.exec(message) ?? [];
  const unsent =
    proxyStatus !== undefined || (code !== undefined && (unsentCodes.has(code) || syscall === "connect"));
  const via = proxy === undefined ? "" : ` through the proxy that ${proxy} names`;
  const reason = proxyStatus === undefined ? code : `the proxy answered ${proxyStatus}`;
  const what = unsent
    ? `cannot reach the service at ${baseUrl}${via} (${reason})`
    : name === "TimeoutError"
      ? `no answer from the service at ${baseUrl} within ${deadline / 1000} s`
      : `the connection to the service at ${baseUrl} broke (${code ?? message})`;
  const doubt = unsent || call.method === "GET" ? "" : "; it is not known whether it was carried out";
  return new NoAnswerError(call, what + doubt, { unsent, cause: error });
}

/** The error of a call that the service answered without success. It leaves out texts that contain a secret. */
export function refused(
  call: Call,
  { status, text, headers }: Answer,
  baseUrl: string,
  secrets: unknown[],
): RefusedError {
  if (status < 400) {
    const { location } = headers;
    const target = typeof location === "string" ? URL.parse(location, baseUrl) : undefined;
    const where = target ? ` to ${target.origin}${target.pathname}` : "";
    const problem = `the service at ${baseUrl} redirects${where} (${status}), and redirects are not followed`;
    return new RefusedError(call, problem, { status });
  }
  const answer = said(text, secrets);
  if (status === 404 && !/^(?:Resource not found|No query results for model)/.test(answer?.message ?? "")) {
    const problem = `there is no short-link service at ${baseUrl}, something else answered (404)`;
    return new RefusedError(call, problem, { status, foreign: true });
  }
  const { message, fields } = answer ?? { message: "", fields: {} };
  const problem =
    status === 401
      ? `the service at ${baseUrl} refused the API key (401)`
      : `the service refused it (${status})`;
  const details = { status, fields, retryAfter: retryAfter(headers) };
  return new RefusedError(call, message === "" ? problem : `${problem}: ${message}`, details);
}

/**
 * Parses an error body: `message` is a text or an object of texts by field; other versions put the fields into `errors`. Undefined if
 * something other than the service answered: a proxy, or another web server.
 */
function said(text: string, secrets: unknown[]): { message: string; fields: FieldMessages } | undefined {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(body) || !("message" in body || "error" in body)) return undefined;
  const { message, errors, error } = body;
  const clean = (each: unknown) => redact(String(each), secrets).slice(0, 500);
  const fields = Object.entries({ ...flatten(errors), ...flatten(message) });
  const summary = [message, error].find((each) => typeof each === "string") ?? "";
  return {
    // Next to the messages of the fields, this text only repeats the first.
    message: fields.length === 0 ? clean(summary) : "",
    fields: Object.fromEntries(fields.map(([name, texts]) => [name, texts.map(clean)])),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Field messages by their dotted names, however deep they are nested. */
function flatten(value: unknown, prefix = ""): Record<string, unknown[]> {
  if (!isObject(value)) return {};
  return Object.assign(
    {},
    ...Object.entries(value).map(([name, inner]) =>
      isObject(inner) ? flatten(inner, `${prefix}${name}.`) : { [prefix + name]: [inner].flat() },
    ),
  ) as Record<string, unknown[]>;
}

/** Withholds a text that contains a secret, because its rest would hint at the secret. */
function redact(text: string, secrets: unknown[]): string {
  const spellings = secrets
    .filter((secret): secret is string => typeof secret === "string" && secret !== "")
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      escapeHtml(secret),
      JSON.stringify(secret).slice(1, -1),
    ]);
  return spellings.some((secret) => text.includes(secret)) ? "(withheld: it contains a secret)" : text;
}

function escapeHtml(text: string): string {
  const names: Record<string, string> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "#039" };
  return text.replace(/[&<>"']/g, (character) => `&${names[character]};`);
}
