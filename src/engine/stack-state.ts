import { createRequire } from "node:module";
import type { StackState } from "../account/account";
import { decodeSaved } from "./codec";

// The engine tells a provider nothing of the stack's state beyond the one resource that a call is about. A program may ask for all
// of it, as a stack reference does. So the program sends the address and the stack's name with its resources, and the
// provider asks in its place, in the few cases in which it needs to know: reading a big state takes seconds.

/** The state of the stack; undefined where it cannot be had. @param source Address of the engine's monitor, and name of the stack. */
export async function readState(source: string): Promise<StackState | undefined> {
  try {
    return await ask(source);
  } catch {
    // The callers go on without: they only act on what they know.
    return undefined;
  }
}

// As much of these libraries as is used here; the SDK brings them along, in versions that fit each other.
interface Grpc {
  credentials: { createInsecure(): unknown };
}
interface Request {
  setTok(token: string): void;
  setArgs(args: unknown): void;
}
interface Answer {
  getReturn(): { toJavaScript(): Record<string, unknown> } | undefined;
}
interface Monitor {
  ResourceMonitorClient: new (
    address: string,
    credentials: unknown,
    options: object,
  ) => {
    invoke(
      request: Request,
      options: object,
      callback: (error: Error | null, answer: Answer) => void,
    ): unknown;
    close(): void;
  };
}
interface Messages {
  ResourceInvokeRequest: new () => Request;
}
interface Structs {
  Struct: { fromJavaScript(value: object): unknown };
}

/** Milliseconds to wait for an answer. */
const patience = 30_000;

async function ask(source: string): Promise<StackState> {
  const [address = "", stack] = source.split(" ");
  const sdk = createRequire(require.resolve("@pulumi/pulumi"));
  const { credentials } = sdk("@grpc/grpc-js") as Grpc;
  const { ResourceMonitorClient } = sdk("@pulumi/pulumi/proto/resource_grpc_pb") as Monitor;
  const { ResourceInvokeRequest } = sdk("@pulumi/pulumi/proto/resource_pb") as Messages;
  const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb") as Structs;
  const client = new ResourceMonitorClient(address, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
  });
  try {
    const request = new ResourceInvokeRequest();
    request.setTok("pulumi:pulumi:readStackResourceOutputs");
    request.setArgs(Struct.fromJavaScript({ stackName: stack }));
    const answer = await new Promise<Record<string, unknown>>((resolve, reject) => {
      const deadline = { deadline: Date.now() + patience };
      client.invoke(request, deadline, (error, response) =>
        error ? reject(error) : resolve(response.getReturn()?.toJavaScript() ?? {}),
      );
    });
    const resources = plain(answer.outputs) as Record<string, { outputs?: Record<string, unknown> }>;
    return new Map(
      Object.entries(resources).flatMap(([urn, { outputs = {} }]) => {
        const output = computed[/shortlink:(\w+)::/.exec(urn)?.[1] ?? ""];
        if (output === undefined) return [];
        const saved = decodeSaved(outputs, [output]);
        // What the stack only reads is not its own.
        return saved.readId === undefined ? [[urn, saved] as const] : [];
      }),
    );
  } finally {
    client.close();
  }
}

/** The outputs that are no arguments. */
const computed: Record<string, string | undefined> = { Domain: "url", Link: "shortUrl" };

const secretKey = "4dabf18193072939515e22adb298388d";

/** A value without the wrapping of secrets. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (secretKey in value) return plain((value as { value?: unknown }).value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
