import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/environment.mjs";

/** The paths of all pages of the repository that people read. */
export const pages = globSync(["*.md", "docs/**/*.md", "examples/*/README.md", "tools/**/*.md"], {
  cwd: root,
})
  .map((name) => name.replaceAll("\\", "/"))
  .sort();

export const readPage = (page: string): string => readFileSync(join(root, page), "utf8");

/** A fenced block of a page. */
export interface Fence {
  /** The word after the fence, such as `sh` or `yaml`. */
  language: string;
  /** The name of the block's file, from the line before it or from a comment in its first line. */
  file: string | undefined;
  text: string;
}

export function fencesOf(page: string): Fence[] {
  const blocks = readPage(page).matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w*)\n([^]*?)^```$/gm);
  return [...blocks].map(([, named, language = "", text = ""]) => {
    const file = named ?? /^# (\S+\.yaml)\n/.exec(text)?.[1];
    return { language, file, text };
  });
}

/** The files of a page by their names. */
export const filesOf = (page: string): Record<string, string> =>
  Object.fromEntries(fencesOf(page).flatMap(({ file, text }) => (file === undefined ? [] : [[file, text]])));
