import { globSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve, sep } from "node:path";
import { extensions } from "./parse";

// Finds the files of a catalog.

/** The names of the file with the defaults and rules of its folder. */
export const folderFiles = ["folder.yaml", "folder.yml", "folder.json"];
/** The names of the file that makes a folder a project. */
export const projectFiles = ["Pulumi.yaml", "Pulumi.yml"];

/** Thrown if names match no file, or a file cannot be read. */
export class FilesError extends Error {}

/** True if a folder above holds a Pulumi project. */
export function hasProject(path: string): boolean {
  const above = dirname(path);
  return above !== path && (projectFiles.some((name) => isFile(join(above, name))) || hasProject(above));
}

/** The files that the patterns match, each once and without folder files: in the order of patterns, then of names. */
export function findFiles(patterns: readonly string[], folder: string): string[] {
  const found = patterns.map((pattern) => {
    const names = matchesOf(pattern, folder);
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

/** The spreadsheets that the patterns match. Nothing reads them. */
export function findSpreadsheets(patterns: readonly string[], folder: string): string[] {
  const names = patterns.flatMap((pattern) => matchesOf(pattern, folder));
  const found = names.filter((name) => /\.(?:xlsx?|xlsm|ods|numbers)$/i.test(name)).sort();
  return [...new Set(found)].map((name) => toPosix(relative(folder, name)));
}

function matchesOf(pattern: string, folder: string): string[] {
  const path = resolve(folder, pattern);
  if (isFile(path)) return [path];
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  // A folder is no pattern: its name may contain wildcards.
  const [glob, cwd] = isFolder ? ["**/*", path] : [pattern, folder];
  return globSync(glob, { cwd, exclude }).map((name) => resolve(cwd, name));
}

/** The folder that a pattern names before its first wildcard. */
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

/** The content of a file. Throws a `FilesError` if it cannot be read. */
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
