import { createRequire } from "node:module";
import { dirname, isAbsolute, sep } from "node:path";
import { showsPromises } from "../account/settings";

// Changes to the SDK's work for each resource, where it is slow with many links or shows the wrong place.

/**
 * Stops the SDK from recording a stack trace for each of its promises. It shows them only if PULUMI_DEBUG_PROMISE_LEAKS
 * is set, and they slow down a program with many links.
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
    // With another version of the SDK the program is only slower.
  }
}
interface Debuggable {
  debuggablePromise: (promise: Promise<unknown>, context: unknown) => Promise<unknown>;
}

/**
 * Removes the frames of Node.js, the SDK and this package from the place of a resource. The returned function undoes this.
 * The engine shows the first frame, which must be the program's code, and keeps all of them in the state.
 */
export function showPlaceOfProgram(): () => void {
  // ts-node, for example, sets one that finds the lines of the source.
  const before = (Error as { prepareStackTrace?: Prepare }).prepareStackTrace;
  Error.prepareStackTrace = (error, frames) => {
    // The SDK skips the first five, down to the constructor of a resource class.
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

/** Folders of this package and of the SDK. */
const packages = [dirname(__dirname), dirname(require.resolve("@pulumi/pulumi"))].map(
  (folder) => folder + sep,
);

function isOfProgram(file: string | null | undefined): boolean {
  // ECMAScript modules have URLs; modules of Node.js begin with "node:".
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
