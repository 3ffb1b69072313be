import { connect } from "node:net";
import { isSending } from "../service/http";

// An engine that is killed leaves its provider process running, with all the calls that wait for the account's limit. It would use up the
// limit of the next run and change what nobody notes any more. A shell stands between the two processes, so the
// parent's id tells nothing on most systems; the engine's own server, whose address the process is started with, does.

/** The address of the engine's own server; undefined where this process was not started by an engine, or in another way. */
export const engineAddress = /^(?:127\.0\.0\.1|localhost):\d+$/.exec(process.argv[2] ?? "")?.[0];
/** Milliseconds between two looks. */
const interval = 500;
let isGone = false;

/** True once the engine that started this process has ended. */
export function isOrphaned(): boolean {
  return isGone;
}

/** Ends this process soon after its engine, once what is on its way is answered and noted. */
export function endWithEngine(): void {
  // Another version of the engine may start its providers in another way.
  if (engineAddress === undefined) return;
  const [host, port] = engineAddress.split(":");
  let wasIdle = false;
  const look = () => {
    if (isGone) {
      if (wasIdle && !isSending()) process.exit(1);
      wasIdle = !isSending();
      return;
    }
    const socket = connect({ host, port: Number(port) });
    socket.unref();
    socket.once("connect", () => socket.destroy());
    socket.once("error", (error: NodeJS.ErrnoException) => (isGone = error.code === "ECONNREFUSED"));
  };
  // It must not keep the process alive: the engine ends its providers itself.
  setInterval(look, interval).unref();
}
