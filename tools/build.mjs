// Empties dist and compiles src into it, so that no file of an earlier build remains.
import { execFileSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./environment.mjs";

rmSync(join(root, "dist"), { recursive: true, force: true });
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
try {
  execFileSync(process.execPath, [compiler, "-p", root], { stdio: "inherit" });
  chmodSync(join(root, "dist", "cli", "main.js"), 0o755);
} catch {
  process.exitCode = 1;
}
