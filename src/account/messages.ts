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
  const late =
    !isProgram && ["GET", "DELETE"].includes(error.method)
      ? ' A refresh and "pulumi destroy" use the configuration of the last "pulumi up": after you change it, run ' +
        '"pulumi up --refresh=false" first.'
      : "";
  if (isUnauthorized(error)) {
    return `${message} Set the right one with "pulumi config set --secret shortlink:apiKey" or in SHORTLINK_API_KEY.${late}`;
  }
  if (isUnreachable(error) || isForeign(error)) {
    return `${message}. Check that it runs, and that shortlink:baseUrl (or SHORTLINK_BASE_URL) is its address.${late}`;
  }
  return message;
}

/** `targets.0.key` -> `targets[0].key`, `expiration_url` -> `expirationUrl`. */
function propertyName(field: string): string {
  return field
    .replace(/\.(\d+)(?=\.|$)/g, "[$1]")
    .replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the answer to an update. If the object is gone, throws an error that says what to do. */
export async function orGone<Value>(object: string, call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(
      `${object} is gone from this account: an interrupted run deleted it, or something outside of this stack. ` +
        `Run "pulumi up --refresh" to create it again.`,
      { cause: error },
    );
  }
}

/** Returns undefined if the service says that the record does not exist. */
export async function unlessGone<Value>(call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
