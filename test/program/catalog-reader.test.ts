import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, test } from "vitest";
import { read } from "../../src/program/catalog-reader";
import { scratch } from "../helpers/catalog";

// Mistakes of the program that the files of a catalog cannot show. `test/engine/catalog.test.ts` has the others.

const files = scratch();
const folder = process.cwd();
afterEach(() => {
  process.chdir(folder);
  delete process.env.SHORTLINK_TIME_ZONE;
});
afterAll(files.remove);

test("wrong arguments, missing files and a wrong time zone are errors that name the cause", () => {
  files.write({
    "links/all.yaml":
      "domains: { go.example: {} }\nlinks: { docs: { domain: go.example, alias: docs, url: https://example.com/ } }\n",
  });
  mkdirSync(join(files.folder, "empty"));
  process.chdir(files.folder);
  expect(read("ours", { files: "links" }).catalog.links).toHaveLength(1);
  for (const maxDeletes of [-1, 0.5, NaN])
    expect(() => read("ours", { files: "links", maxDeletes })).toThrow(
      /^The LinkCatalog "ours": maxDeletes must be a number of links, 0 or greater\.$/,
    );
  for (const name of ["empty", "nowhere", "links/*.csv"])
    expect(() => read("ours", { files: name })).toThrow(
      `The files of the LinkCatalog "ours": "${name}" matches no file in `,
    );
  expect(() => read("ours", { files: "links", domainMap: { "gone.example": "new.example" } })).toThrow(
    'domainMap: there is no domain "gone.example" in the catalog',
  );
  expect(() => read("ours", { files: "links", domainMap: { "go.example": "https://new.example" } })).toThrow(
    "domainMap: the name of go.example must be a host name",
  );
  process.env.SHORTLINK_TIME_ZONE = "Mars";
  expect(() => read("ours", { files: "links" })).toThrow(
    "shortlink:timeZone must be the name of a time zone, like Europe/Berlin.",
  );
});
