import { createRequire } from "node:module";
import type { StackState } from "../account/account";
import { decodeSaved } from "./codec";

// A call of the engine shows a provider only one resource of the state. A program may ask for the whole state, as a stack reference
// does. So the program sends the address and the stack's name with its resources, and the provider asks in its place. It asks only
// if it must, because a big state takes seconds to read.

/** The state of the stack; undefined if it cannot be read. @param source Address of the engine's monitor, and name of the stack. */
export async function readState(source: string): Promise<StackState | undefined> {
  try {
    return await ask(source);
  } catch {
    // The callers continue without it, and act only on what they know.
    return undefined;
  }
}

// The used parts of these libraries. The SDK installs them in matching versions.
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
        // The stack does not manage a resource that it only reads.
        return saved.readId === undefined ? [[urn, saved] as const] : [];
      }),
    );
  } finally {
    client.close();
  }
}

/** The computed output of each type. */
const computed: Record<string, string | undefined> = { Domain: "url", Link: "shortUrl" };

const secretKey = "4dabf18193072939515e22adb298388d";

/** A value with its secrets unwrapped. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (secretKey in value) return plain((value as { value?: unknown }).value);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
