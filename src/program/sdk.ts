import { createRequire } from "node:module";
import { dirname, isAbsolute, sep } from "node:path";
import { showsPromises } from "../account/settings";

// What the SDK does for each resource and a program with many links pays for, or is shown the wrong thing by.

/**
 * Ends the SDK's recording of a stack for each of its promises, some thirty for a resource. It shows them only where
 * PULUMI_DEBUG_PROMISE_LEAKS is set, and a program with many links spends a quarter of its time on them.
 */
export function recordNoPromises(): void {
  if (showsPromises()) return;
  try {
    const debuggable = createRequire(__filename)("@pulumi/pulumi/runtime/debuggable") as Debuggable;
    const { debuggablePromise } = debuggable;
    debuggable.debuggablePromise = (promise, context) => {
      const { stackTraceLimit } = Error;
      Error.stackTraceLimit = 0;
      try {
        return debuggablePromise(promise, context);
      } finally {
        Error.stackTraceLimit = stackTraceLimit;
      }
    };
  } catch {
    // Another version of the SDK is slower then, and nothing else.
  }
}
interface Debuggable {
  debuggablePromise: (promise: Promise<unknown>, context: unknown) => Promise<unknown>;
}

/**
 * Until the function that it returns is called, the place of a resource is in the program's own code: without the frames of
 * Node.js, of the SDK and of this package. The engine shows the first frame and keeps all of them in the state.
 */
export function showPlaceOfProgram(): () => void {
  // ts-node for example sets one, which finds the lines of the source.
  const before = (Error as { prepareStackTrace?: Prepare }).prepareStackTrace;
  Error.prepareStackTrace = (error, frames) => {
    // The SDK leaves out the first five, down to the constructor of a resource class.
    const kept = frames.filter((frame, i) => i < 5 || isOfProgram(frame.getFileName()));
    return before
      ? before(error, kept)
      : [String(error), ...kept.map((frame) => `    at ${frame as unknown as string}`)].join("\n");
  };
  return () => {
    (Error as { prepareStackTrace?: Prepare | undefined }).prepareStackTrace = before;
  };
}
type Prepare = (this: void, error: Error, frames: NodeJS.CallSite[]) => unknown;

/** Files of this package, and of the SDK. */
const packages = [dirname(__dirname), dirname(require.resolve("@pulumi/pulumi"))].map(
  (folder) => folder + sep,
);

function isOfProgram(file: string | null | undefined): boolean {
  // Modules of ECMAScript have URLs; those of Node.js itself begin with "node:".
  const isFile = file?.startsWith("file://") || isAbsolute(file ?? "");
  return isFile && !packages.some((folder) => file?.startsWith(folder));
}

/** True if the program has registered a transform that the engine calls for its resources. */
export function hasTransforms(): boolean {
  try {
    const { getStore } = createRequire(__filename)("@pulumi/pulumi/runtime/state") as {
      getStore: () => { callbacks?: unknown };
    };
    return getStore().callbacks !== undefined;
  } catch {
    // Another version of the SDK may have them.
    return true;
  }
}
