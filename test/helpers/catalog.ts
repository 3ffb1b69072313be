import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A folder for the files of a catalog. */
export function scratch() {
  const folder = mkdtempSync(join(tmpdir(), "shortlink-catalog-"));
  return {
    folder,
    write(files: Record<string, string | Uint8Array>) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
