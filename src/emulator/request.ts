import type { IncomingMessage } from "node:http";
import { Refusal } from "./answers";
import type { Flavour } from "./flavour";
import { parseForm, type Form } from "./form";

// Reads a request as the service does.

/** The whole body of a request; undefined if it ends too early. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Only the first acceptable type counts; a browser's request marked as XHR counts as JSON too. */
export function isJsonWanted({ headers }: IncomingMessage): boolean {
  const first = (headers.accept ?? "").split(",")[0] ?? "";
  return (
    /[/+]json/.test(first) || (headers["x-requested-with"] === "XMLHttpRequest" && first.trim() === "*/*")
  );
}

/** Query and body, and the error in them. It is not thrown yet, because the service reports a wrong key first. */
export function readForms(
  request: IncomingMessage,
  url: URL,
  body: string,
  flavour: Flavour,
): [Form, Form, Error | undefined] {
  let query: Form = {};
  try {
    query = parseForm(url.search.slice(1));
    return [query, formOf(request, body, flavour), undefined];
  } catch (error) {
    return [query, {}, error as Error];
  }
}

function formOf(request: IncomingMessage, body: string, { ignoresOtherBodies }: Flavour): Form {
  if (body === "") return {};
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type === "application/x-www-form-urlencoded") return parseForm(body);
  if (ignoresOtherBodies) return {};
  const message = `The emulator takes application/x-www-form-urlencoded bodies only, not ${type ?? "one without a type"}.`;
  throw new Refusal(415, { message, status: 415 }, {}, true);
}

export function methodOf(request: IncomingMessage, form: Form): string {
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "GET");
  const override = form._method ?? request.headers["x-http-method-override"];
  return method === "POST" && typeof override === "string" ? override.toUpperCase() : method;
}

/** A key in the query or the body overrides the header, as on the service. */
export function keyOf(request: IncomingMessage, query: Form, form: Form): unknown {
  const [scheme, credentials = ""] = (request.headers.authorization ?? "").split(" ");
  const basic = () => Buffer.from(credentials, "base64").toString().split(":")[1];
  const header = scheme === "Bearer" ? credentials : scheme === "Basic" ? basic() : undefined;
  return query.api_token ?? form.api_token ?? header;
}
