import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/checks";
import { loadCatalog } from "../../src/catalog/load";
import { placeText } from "../../src/catalog/written";

// One file or folder per mistake. Files in `overlays` are overlays. broken.txt has the expected messages, line by line.
const folder = join(__dirname, "broken");
const cases = readdirSync(folder);
const expected = readFileSync(join(__dirname, "broken.txt"), "utf8").trimEnd().split("\n");

/** The messages for a case, each after the name of the case. */
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

test("broken.txt has messages for at least 150 broken catalogs, and for nothing else", () => {
  expect(cases.length).toBeGreaterThanOrEqual(150);
  const told = new Set(expected.map((line) => /^[^:/]+/.exec(line)?.[0]));
  expect([...told].sort()).toEqual([...cases].sort());
});

test.each(cases)("%s", (name) => {
  expect(findingsOf(name)).toEqual(
    expected.filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name}/`)),
  );
});
