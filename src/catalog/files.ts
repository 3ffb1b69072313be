import { globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { extensions } from "./parse";

// Which files a catalog has.

/** The names of the file that holds for its folder. */
export const folderFiles = ["folder.yaml", "folder.yml", "folder.json"];
/** The names of the file that makes a folder a project. */
export const projectFiles = ["Pulumi.yaml", "Pulumi.yml"];

/** Thrown where the names of files lead nowhere. */
export class FilesError extends Error {}

/** True if a folder above holds a Pulumi project. */
export function hasProject(path: string): boolean {
  const above = dirname(path);
  return above !== path && (projectFiles.some((name) => isFile(join(above, name))) || hasProject(above));
}

/** The files that are meant, each once and without those of folders: in the order of the patterns, then of their names. */
export function findFiles(patterns: readonly string[], folder: string): string[] {
  const found = patterns.map((pattern) => {
    const path = resolve(folder, pattern);
    const names = isFile(path)
      ? [path]
      : statSync(path, { throwIfNoEntry: false })?.isDirectory()
        ? // Not as a pattern: its name may hold signs that mean something there.
          globSync("**/*", { cwd: path, exclude }).map((name) => join(path, name))
        : globSync(pattern, { cwd: folder, exclude }).map((name) => resolve(folder, name));
    const isEntries = (name: string) =>
      extensions.includes(extname(name).toLowerCase()) &&
      !folderFiles.includes(basename(name)) &&
      !statSync(name, { throwIfNoEntry: false })?.isDirectory();
    const files = names.filter(isEntries).sort();
    if (files.length > 0) return files;
    throw new FilesError(
      names.some(isFile)
        ? `${JSON.stringify(pattern)} matches no file that ends in ${extensions.join(", ")}`
        : `${JSON.stringify(pattern)} matches no file in ${folder}`,
    );
  });
  return [...new Set(found.flat())].map((name) => toPosix(relative(folder, name)));
}

/** The folder that a pattern names before its first sign with a meaning. */
export function namedFolder(pattern: string, folder: string): string {
  const path = resolve(folder, pattern);
  if (isFile(path)) return dirname(path);
  if (statSync(path, { throwIfNoEntry: false })) return path;
  const [plain = ""] = pattern.split(/[*?[\]{}()!]/);
  return resolve(folder, plain.slice(0, plain.lastIndexOf("/") + 1));
}

const exclude = (name: string) => basename(name) === "node_modules";

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** The content of a file. Throws a `FilesError` where it cannot be read. */
export function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new FilesError(`${path} cannot be read (${code})`, { cause: error });
  }
}

/** A path as messages show it, the same on every system. */
export function toPosix(path: string): string {
  return path.split(sep).join("/");
}
