// Samples processor time and memory of a command's processes by kind, ten times a second. Linux only.
import { readdirSync, readFileSync } from "node:fs";

/** @typedef {"engine" | "language host" | "program" | "provider"} Kind */
/** @typedef {{ seconds: number, megabytes: number }} Use */
/** @typedef {{ byKind: Record<Kind, Use>, megabytes: number }} Uses */

/** Clock ticks in a second, as in /proc. */
const ticks = 100;

/**
 * Watches a process and all its descendants.
 *
 * @param {number} root
 * @returns {{ end: () => Uses }}
 */
export function watchProcesses(root) {
  /** @type {Map<number, { kind: Kind, seconds: number, bytes: number }>} */
  const seen = new Map();
  let peak = 0;
  const look = () => {
    const all = processes();
    let sum = 0;
    for (const pid of below(root, all)) {
      const { seconds, bytes } = all.get(pid) ?? { seconds: 0, bytes: 0 };
      const known = seen.get(pid);
      const kind = known?.kind ?? kindOf(pid);
      sum += bytes;
      if (kind) seen.set(pid, { kind, seconds, bytes: Math.max(bytes, known?.bytes ?? 0) });
    }
    peak = Math.max(peak, sum);
  };
  const timer = setInterval(look, 100);
  return {
    end: () => {
      clearInterval(timer);
      const use = (/** @type {Kind} */ kind) => {
        const some = [...seen.values()].filter((each) => each.kind === kind);
        return {
          seconds: some.reduce((sum, { seconds }) => sum + seconds, 0),
          megabytes: Math.max(0, ...some.map(({ bytes }) => bytes)) / 1e6,
        };
      };
      return {
        byKind: {
          engine: use("engine"),
          "language host": use("language host"),
          program: use("program"),
          provider: use("provider"),
        },
        megabytes: peak / 1e6,
      };
    },
  };
}

function processes() {
  /** @type {Map<number, { parent: number, seconds: number, bytes: number }>} */
  const all = new Map();
  for (const name of readdirSync("/proc").filter((each) => /^\d+$/.test(each))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, "utf8");
      // The program's name, in parentheses, may contain any character.
      const fields = text
        .slice(text.lastIndexOf(")") + 2)
        .split(" ")
        .map(Number);
      const [parent = 0, user = 0, system = 0, pages = 0] = [1, 11, 12, 21].map((i) => fields[i]);
      all.set(Number(name), { parent, seconds: (user + system) / ticks, bytes: pages * 4096 });
    } catch {
      // The process has ended.
    }
  }
  return all;
}

/**
 * @param {number} root
 * @param {Map<number, { parent: number }>} all
 */
function below(root, all) {
  const found = new Set([root]);
  for (let count = 0; count < found.size;) {
    count = found.size;
    for (const [pid, { parent }] of all) if (found.has(parent)) found.add(pid);
  }
  return found;
}

/**
 * @param {number} pid
 * @returns {Kind | undefined}
 */
function kindOf(pid) {
  try {
    const [program = "", ...rest] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    const line = rest.join(" ");
    if (program.endsWith("node")) {
      if (line.includes("dynamic-provider")) return "provider";
      return line.includes("cmd/run") ? "program" : undefined;
    }
    if (program.includes("pulumi-language-nodejs")) return "language host";
    return program.endsWith("pulumi") ? "engine" : undefined;
  } catch {
    return undefined;
  }
}
