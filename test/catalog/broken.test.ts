import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/checks";
import { loadCatalog } from "../../src/catalog/load";
import { placeText } from "../../src/catalog/written";

// A file or a folder for each mistake; files in `overlays` are overlays. What each is told is in broken.txt, line by line.
const folder = join(__dirname, "broken");
const cases = readdirSync(folder);
const expected = readFileSync(join(__dirname, "broken.txt"), "utf8").trimEnd().split("\n");

/** What is said of a case, with its name before each line. */
function findingsOf(name: string): string[] {
  const isFolder = statSync(join(folder, name)).isDirectory();
  const own = join(folder, name);
  const hasOverlays = existsSync(join(own, "overlays"));
  const findings = checkCatalog(
    loadCatalog({
      folder: isFolder ? own : folder,
      files: [hasOverlays ? "a.yaml" : isFolder ? "." : name],
      overlays: hasOverlays ? readdirSync(join(own, "overlays")).map((each) => `overlays/${each}`) : [],
    }),
  );
  const prefix = isFolder ? `${name}/` : "";
  return findings.map((finding) => `${prefix}${placeText(finding)} ${finding.message}`);
}

test("there are broken catalogs of every kind, and a line for nothing else", () => {
  expect(cases.length).toBeGreaterThanOrEqual(150);
  const told = new Set(expected.map((line) => /^[^:/]+/.exec(line)?.[0]));
  expect([...told].sort()).toEqual([...cases].sort());
});

test.each(cases)("%s", (name) => {
  expect(findingsOf(name)).toEqual(
    expected.filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name}/`)),
  );
});
