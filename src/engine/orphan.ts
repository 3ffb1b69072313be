import { connect } from "node:net";
import { isSending } from "../service/http";

// A killed engine leaves its provider process running, with all calls that wait for the rate limit. They would use up the limit of the
// next run, and no state would record their changes. A shell runs between the two processes, so the parent's id shows nothing on most
// systems. The engine's own server shows it; this process gets the server's address as an argument.

/** The address of the engine's own server; undefined if no engine started this process, or in another way. */
export const engineAddress = /^(?:127\.0\.0\.1|localhost):\d+$/.exec(process.argv[2] ?? "")?.[0];
/** Milliseconds between two checks. */
const interval = 500;
let isGone = false;

/** True once the engine that started this process has ended. */
export function isOrphaned(): boolean {
  return isGone;
}

/** Ends this process soon after its engine, once sent requests are answered and noted. */
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
  // The timer must not keep the process alive: the engine ends its providers itself.
  setInterval(look, interval).unref();
}
