import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { PlanNote } from "../account/account";
import { planNotesFile } from "../account/settings";
import { engineAddress } from "./orphan";

// The used parts of these libraries, which the SDK installs.
interface Grpc {
  credentials: { createInsecure(): unknown };
}
interface Log {
  log(request: unknown, callback: (error: Error | null) => void): void;
}
interface Engine {
  EngineClient: new (address: string, credentials: unknown) => Log;
}
interface Messages {
  LogSeverity: { INFO: number };
  LogRequest: new () => {
    setSeverity(severity: number): void;
    setMessage(text: string): void;
    setEphemeral(isEphemeral: boolean): void;
  };
}

let engine: Log | undefined;

/**
 * Shows the user a message that matters only now. The engine repeats a provider's output at the end, under "Diagnostics", but not an
 * ephemeral message of its log.
 */
export function tellNow(text: string): void {
  try {
    if (engineAddress === undefined) throw new Error("no engine");
    const sdk = createRequire(require.resolve("@pulumi/pulumi"));
    const { credentials } = sdk("@grpc/grpc-js") as Grpc;
    const { EngineClient } = sdk("@pulumi/pulumi/proto/engine_grpc_pb") as Engine;
    const { LogRequest, LogSeverity } = sdk("@pulumi/pulumi/proto/engine_pb") as Messages;
    const request = new LogRequest();
    request.setSeverity(LogSeverity.INFO);
    request.setMessage(text);
    request.setEphemeral(true);
    engine ??= new EngineClient(engineAddress, credentials.createInsecure());
    engine.log(request, (error) => {
      if (error) say(text);
    });
  } catch {
    // Another version of the engine may start its providers in another way.
    say(text);
  }
}

/** Shows the user a message as it happens. The engine shows a provider's output under the stack. */
export function say(text: string): void {
  // eslint-disable-next-line no-console -- the way to the user
  console.log(text);
}

/** Keeps a note for `pulumi-shortlink plan`, if that started the engine. */
export function noteForPlan(note: PlanNote): void {
  const file = planNotesFile();
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(note)}\n`);
}
