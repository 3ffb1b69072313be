// The emulator's answers.

export interface Result {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
}

/** An answer that ends the handling of a request early. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: Record<string, unknown>,
    readonly headers: Record<string, string> = {},
    /** Some refusals are JSON whatever the client accepts. */
    readonly alwaysJson = false,
  ) {
    super(`refused with ${status}`);
  }
}

export const notFound = () => new Refusal(404, { message: "Resource not found.", status: 404 }, {}, true);

export function json(
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): Result {
  const text = JSON.stringify(body)
    .replaceAll("/", "\\/")
    .replace(
      /[\u007f-\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return { status, type: "application/json", body: text, headers };
}

export function html(
  status: number,
  title: string,
  body: string,
  headers: Record<string, string> = {},
): Result {
  const page = `<!DOCTYPE html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;
  return { status, type: "text/html; charset=UTF-8", body: page, headers };
}
