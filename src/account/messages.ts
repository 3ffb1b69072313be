import {
  isForeign,
  isNotFound,
  isUnauthorized,
  isUnreachable,
  RefusedError,
  ServiceError,
} from "../service/errors";

/** A complete message. `isProgram`: for a lookup of a program, which always has the current configuration. */
export function describe(error: unknown, isProgram = false): string {
  if (!(error instanceof ServiceError)) return error instanceof Error ? error.message : String(error);
  const message = error instanceof RefusedError ? error.messageWith(propertyName) : error.message;
  if (isUnauthorized(error)) {
    const late =
      !isProgram && ["GET", "DELETE"].includes(error.method)
        ? ' "pulumi refresh", "pulumi destroy" and the refresh of "pulumi up --refresh" use the configuration of the last ' +
          '"pulumi up": after a change of the key in the configuration run a plain "pulumi up" before.'
        : "";
    return `${message} Set the right one with "pulumi config set --secret shortlink:apiKey" or in SHORTLINK_API_KEY.${late}`;
  }
  if (isUnreachable(error) || isForeign(error)) {
    return `${message}. Does it run, and is shortlink:baseUrl (or SHORTLINK_BASE_URL) its address?`;
  }
  return message;
}

/** `targets.0.key` -> `targets[0].key`, `expiration_url` -> `expirationUrl`. */
function propertyName(field: string): string {
  return field
    .replace(/\.(\d+)(?=\.|$)/g, "[$1]")
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The answer to an update, or an error that says what to do where its object is not there any more. */
export async function orGone<Value>(object: string, call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(
      `${object} is gone from this account: it was deleted by an interrupted run, or not by this stack. ` +
        `Run "pulumi up --refresh" to create it again.`,
      { cause: error },
    );
  }
}

/** For calls to which "there is no such record any more" is an answer. */
export async function unlessGone<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
