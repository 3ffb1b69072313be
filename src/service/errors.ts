/** The call to the service that an error is about. */
export interface Call {
  /** The call in the service's words, for example `store link` or `show domain 12`. */
  operation: string;
  method: string;
  /** Path without query, for example `/api/v1/links/12`. */
  path: string;
}

/** The service's messages by the field's name on the wire (`targets.0.key`). */
export type FieldMessages = Record<string, string[]>;

/**
 * A call to the service that did not succeed. The message is complete: operation, problem, and the service's own words. It never
 * contains a key, a password, a body or a query.
 */
export class ServiceError extends Error {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** The service's messages about single fields (422); empty for other errors. */
  readonly fields: FieldMessages;

  constructor(
    call: Call,
    problem: string,
    { status, fields = {}, cause }: { status?: number; fields?: FieldMessages; cause?: unknown } = {},
  ) {
    super(`${call.operation}: ${problem}`, { cause });
    this.name = new.target.name;
    this.operation = call.operation;
    this.method = call.method;
    this.path = call.path;
    this.status = status;
    this.fields = fields;
  }
}

/** The service answered with a status other than 2xx. */
export class RefusedError extends ServiceError {
  declare readonly status: number;
  /** True if the answer is not the service's own: the address is wrong, or a proxy answers for it. */
  readonly foreign: boolean;
  /** Milliseconds that the answer asks to wait, if any. */
  readonly retryAfter: number | undefined;
  readonly #problem: string;

  constructor(
    call: Call,
    problem: string,
    details: {
      status: number;
      fields?: FieldMessages;
      foreign?: boolean;
      retryAfter?: number | undefined;
    },
  ) {
    super(
      call,
      withFields(problem, details.fields ?? {}, (name) => name),
      details,
    );
    this.foreign = details.foreign ?? false;
    this.retryAfter = details.retryAfter;
    this.#problem = problem;
  }

  /** A copy with other names for some fields. */
  rename(name: (field: string) => string): RefusedError {
    const fields = Object.fromEntries(
      Object.entries(this.fields).map(([field, texts]) => [name(field), texts] as const),
    );
    const { status, foreign } = this;
    return new RefusedError(this, this.#problem, { status, foreign, fields });
  }

  /** The message with other field names, for users who do not know those on the wire. */
  messageWith(rename: (field: string) => string): string {
    return `${this.operation}: ${withFields(this.#problem, this.fields, rename)}`;
  }
}

function withFields(problem: string, fields: FieldMessages, rename: (field: string) => string): string {
  const texts = Object.entries(fields).map(([field, messages]) => `${rename(field)}: ${messages.join(" ")}`);
  return [problem, ...(texts.length > 0 ? [texts.join(" ")] : [])].join(": ");
}

/** The service answered with success, but not with what the call asks for. */
export class AnswerError extends ServiceError {}

/** There was no answer. The service may have carried out a write that was already sent. */
export class NoAnswerError extends ServiceError {
  /** True if the request was never sent, because the client could not connect. */
  readonly unsent: boolean;

  constructor(call: Call, problem: string, { unsent, cause }: { unsent: boolean; cause: unknown }) {
    super(call, problem, { cause });
    this.unsent = unsent;
  }
}

/** The client did not send the call, because the engine that wanted it is gone. */
export class UnwantedError extends Error {}

/** The service may or may not have carried out the call: its answer is missing, unreadable, or reports a fault. */
export function isLost(error: unknown): error is ServiceError {
  return (
    error instanceof AnswerError ||
    (error instanceof NoAnswerError && !error.unsent) ||
    (error instanceof RefusedError && error.status >= 500)
  );
}

/** The service did not process the call: it was not reached, refused the key, or has a rate limit. */
export function isUnheard(error: unknown): boolean {
  return isUnreachable(error) || (error instanceof RefusedError && [401, 403, 429].includes(error.status));
}

/** The service says that the record does not exist, or belongs to another account. */
export function isNotFound(error: unknown): error is RefusedError {
  return error instanceof RefusedError && error.status === 404 && !error.foreign;
}

/** Something other than the service answers at its address. */
export function isForeign(error: unknown): error is RefusedError {
  return error instanceof RefusedError && error.foreign;
}

/** The key is missing, wrong or revoked, or the account is suspended. */
export function isUnauthorized(error: unknown): error is RefusedError {
  return error instanceof RefusedError && error.status === 401;
}

/** The client could not connect to the service. */
export function isUnreachable(error: unknown): error is NoAnswerError {
  return error instanceof NoAnswerError && error.unsent;
}
