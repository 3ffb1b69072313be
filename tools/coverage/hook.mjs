// Loaded into every process of a run with coverage. At its end, a process writes which parts of dist it has run.
import { mkdirSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "..", "..");
const folder = join(root, ".pulumi", "coverage", "raw");
const dist = pathToFileURL(join(root, "dist", "/")).href;

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

let files = 0;
/** Writes the coverage since the last call. */
function save() {
  session.post("Profiler.takePreciseCoverage", (_error, { result }) => {
    const own = result.flatMap((script) => {
      // The script may be in a copy of the package, installed from its tarball.
      const [, file] = /\/node_modules\/pulumi-shortlink\/dist\/(.+)$/.exec(script.url) ?? [];
      const url = file === undefined ? script.url : dist + file;
      return url.startsWith(dist) ? [{ ...script, url }] : [];
    });
    if (own.length === 0) return;
    mkdirSync(folder, { recursive: true });
    const name = `coverage-${process.pid}-${Date.now()}-${++files}.json`;
    writeFileSync(join(folder, name), JSON.stringify({ result: own }));
  });
}

process.on("exit", save);
for (const signal of ["SIGINT", "SIGTERM"]) {
  const end = () => {
    save();
    // Without this listener, the process would end here.
    process.off(signal, end);
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  process.on(signal, end);
}
