import { readState, type StackState, type StateSource } from "./engine-state";
import { tellNow } from "./engine-log";
import { isOrphaned } from "./orphan";
import { isPlaced } from "./ownership";
import { noteProgram, progressOfProgram, whileRunning } from "./progress";
import { redactor, type Secrets } from "./redact";
import { Client } from "./service/client";
import {
  isForeign,
  isNotFound,
  isUnauthorized,
  isUnreachable,
  RefusedError,
  ServiceError,
  UnwantedError,
} from "./service/errors";
import { LinkReads } from "./service/listing";
import { resolveSettings, SettingsError, type ReadConfig, type Settings } from "./settings";

// The engine runs one provider process for both resource classes, so what they share lives in this module.
let readConfig: ReadConfig = () => undefined;
/** They are needed several times for each resource and stay the same for a whole run. */
let resolved: Settings | SettingsError | undefined;
let shared: { baseUrl: string; apiKey: string; client: Client; reads: LinkReads } | undefined;

/**
 * Keeps the stack's configuration for later. It must not do more: the engine does not wait for it before the
 * first reads of a refresh, and an error here would reach one resource only.
 */
export function configure(request: { config: { get(key: string): string | undefined } }): Promise<void> {
  readConfig = (key) => request.config.get(key);
  resolved = undefined;
  return Promise.resolve();
}

let stateSource: StateSource | undefined;
let state: Promise<StackState> | undefined;

/** Notes where the state of the stack can be asked for: only a program knows, so not in a refresh or a destroy. */
export function noteStateSource(source: StateSource | undefined): void {
  if (source === undefined) return;
  const [address, stack, resources] = source.split(" ");
  stateSource ??= `${address} ${stack}`;
  noteProgram(Number(resources));
}

/** The state that the stack had when this was first asked for; empty where it cannot be had. */
export function stackState(): Promise<StackState> {
  // A resource that tells where to ask may come later.
  if (stateSource === undefined) return Promise.resolve<StackState>(new Map());
  return (state ??= readState(stateSource));
}

/** What the stack's state has of a resource that the stack manages; what it only reads is not its own. */
export async function savedOutputs(urn: string | undefined): Promise<Record<string, unknown> | undefined> {
  const outputs = urn === undefined ? undefined : (await stackState()).get(urn);
  return outputs && "__id" in outputs ? undefined : outputs;
}

/** Is the resource in the state already, or was it a moment ago? The engine replaces some without a word to the provider. */
export async function isInState(urn: string | undefined): Promise<boolean> {
  return urn !== undefined && (isPlaced(urn) || (await savedOutputs(urn)) !== undefined);
}

/** What is missing or wrong in the settings, for `check` to report before anything is planned. */
export function settingsProblems(): string[] {
  const settings = trySettings();
  return settings instanceof SettingsError ? settings.problems : [];
}

/** The settings, unless something is missing or wrong in them. */
export function knownSettings(): Settings | undefined {
  const settings = trySettings();
  return settings instanceof SettingsError ? undefined : settings;
}

function trySettings(): Settings | SettingsError {
  try {
    resolved ??= resolveSettings(readConfig);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    resolved = error;
  }
  return resolved;
}

function settingsOrThrow(): Settings {
  const settings = trySettings();
  if (settings instanceof SettingsError) throw settings;
  return settings;
}

/** What a state remembers of where it was made; older states do not. */
export interface Origin {
  __origin?: string;
}

/**
 * Runs a call to the service. Whatever goes wrong comes out as an error that the engine can show: the message
 * stands alone, names properties as the program does, says what to do, and holds no value that the program marks as a
 * secret. A `state` that was made on another service is refused before anything is sent.
 */
export async function withClient<Value>(
  state: Origin & Secrets,
  call: (client: Client, settings: Settings) => Promise<Value>,
): Promise<Value> {
  try {
    const settings = settingsOrThrow();
    assertOrigin(state, settings);
    return await whileRunning(() => call(clientOf(settings), settings));
  } catch (error) {
    const redact = redactor(state);
    if (!(error instanceof IncompleteError)) throw new ProviderError(error, redact);
    throw new IncompleteError(error.id, error.properties, error.reasons.map(redact));
  }
}

/**
 * Thrown where the object exists but is not what the program says. The engine saves the state, shows the reasons, and
 * calls `update` in the next run.
 */
export class IncompleteError extends Error {
  constructor(
    readonly id: string,
    readonly properties: object,
    readonly reasons: string[],
  ) {
    super(reasons.join(" "));
  }
}

/** For fields that the service did not keep. */
export function notKept(id: number, state: object, fields: readonly string[]): IncompleteError {
  const reasons = fields.map(
    (field) =>
      `${field}: the service answered with success but did not keep the value, or not all of it. This version of ` +
      `it may not know the field, or the account may not use it: remove ${field} from the program.`,
  );
  return new IncompleteError(String(id), state, reasons);
}

/** The answer to an update, or an error that says what to do where its object is not there any more. */
export async function orGone<Value>(type: string, id: string, call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new Error(
      `${type} ${id} is gone from this account: it was deleted by an interrupted run, or not by this stack. ` +
        `Run "pulumi up --refresh" to create it again.`,
      { cause: error },
    );
  }
}

/** What a state tells of an update of which nobody knows whether it was carried out. */
export interface Doubt {
  __doubtful?: string[];
}

/**
 * True where a refresh can leave the inputs to the engine, which has them: that saves a fifth of its time. After an
 * update in doubt the engine holds those of that update, and would find nothing to write.
 */
export function isSettled(state: Doubt, drifted: readonly string[]): boolean {
  return drifted.length === 0 && state.__doubtful === undefined;
}

/** Throws where a state was made on another service than the settings name, for a plan to fail offline. */
export function refuseOtherService(state: Origin): void {
  try {
    assertOrigin(state, settingsOrThrow());
  } catch (error) {
    throw new ProviderError(error);
  }
}

function assertOrigin({ __origin: made }: Origin, { baseUrl, movedFrom }: Settings): void {
  if (made === undefined || made === baseUrl || made === movedFrom) return;
  throw new Error(
    `This resource was made on the service at ${made}, but shortlink:baseUrl is ${baseUrl}, where its id names another ` +
      `object. Set the old address again, or, if the service has moved, run "pulumi config set shortlink:movedFrom ${made}", ` +
      `"pulumi up" and "pulumi refresh".`,
  );
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

function clientOf({ baseUrl, apiKey, limitWindow: window, acceptGone }: Settings): Client {
  if (shared?.baseUrl !== baseUrl || shared.apiKey !== apiKey) {
    const progress = (sent: number) => shared?.reads.progress() ?? progressOfProgram(sent);
    const client = new Client({ baseUrl, apiKey }, { tell: tellNow, window, assertWanted, progress });
    shared = { baseUrl, apiKey, client, reads: new LinkReads(client, { acceptGone }) };
  }
  return shared.client;
}

function assertWanted(): void {
  if (isOrphaned()) throw new UnwantedError("the engine is gone");
}

/** What reads many links with few requests. */
export function readsOf(client: Client): LinkReads {
  return shared?.client === client ? shared.reads : new LinkReads(client);
}

/**
 * An error for the engine. It shows the message under the resource; where read and delete fail it prints the
 * error and its stack under the stack as well, where one short line is enough.
 */
class ProviderError extends Error {
  constructor(cause: unknown, redact: (text: string) => string = (text) => text) {
    super(redact(describe(cause)), { cause });
    this.stack = redact(`${cause instanceof ServiceError ? cause.operation : "the call"} failed`);
  }

  override toString(): string {
    return "pulumi-shortlink";
  }
}

/** A message that stands alone; `isProgram` says that a program asks, which always has the configuration of now. */
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
