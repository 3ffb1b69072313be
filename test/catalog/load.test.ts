import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/checks";
import { FilesError } from "../../src/catalog/files";
import { loadCatalog } from "../../src/catalog/load";
import { placeText } from "../../src/catalog/written";
import { scratch } from "../helpers/catalog";

// Valid catalogs, and the precedence of several places.

let files: ReturnType<typeof scratch>;
beforeEach(() => {
  files = scratch();
});
afterEach(() => files.remove());

const url = "https://example.com/";

function load(patterns: string[], { overlays = [] as string[], folder = "." } = {}) {
  const catalog = loadCatalog({ folder: join(files.folder, folder), files: patterns, overlays });
  expect(checkCatalog(catalog)).toEqual([]);
  return Object.fromEntries(catalog.links.map(({ key, values }) => [key, values]));
}

test("precedence, highest first: last overlay, link, file, folder, parent folder", () => {
  files.write({
    "links/folder.yaml": "defaults: { domainId: 1, privacy: private, owner: folder, clicksLimit: 1 }\n",
    "links/below/folder.json": '{ "defaults": { "owner": "below", "clicksLimit": 2 } }',
    "links/below/a.yaml": `defaults: { clicksLimit: 3, note: file }\nlinks:\n  own: { alias: a, url: ${url}, note: own, privacy: 0 }\n  rest: { alias: b, url: ${url} }\n`,
    "one.yaml": "links: { own: { note: first, owner: null } }\n",
    "two.yaml": "links: { own: { note: second } }\n",
  });
  expect(load(["links"], { overlays: ["one.yaml", "two.yaml"] })).toEqual({
    own: { alias: "a", url, domainId: 1, privacy: 0, clicksLimit: 3, note: "second" },
    rest: { alias: "b", url, domainId: 1, privacy: "private", owner: "below", clicksLimit: 3, note: "file" },
  });
});

test("domain and domainId override each other across all layers", () => {
  files.write({
    "a.yaml": `domains: { go.example: , to.example: { existing: true } }\ndefaults: { domain: go.example }\nlinks:\n  id: { domainId: 2, alias: a, url: ${url} }\n  name: { alias: b, url: ${url} }\n`,
    "o.yaml": "links: { id: { domain: to.example }, name: { domainId: 3 } }\n",
  });
  expect(load(["a.yaml"])).toMatchObject({ id: { domainId: 2 }, name: { domain: "go.example" } });
  const changed = load(["a.yaml"], { overlays: ["o.yaml"] });
  expect(changed.id).toEqual({ domain: "to.example", alias: "a", url });
  expect(changed.name).toEqual({ domainId: 3, alias: "b", url });
});

test("folder.yaml applies from the project folder downward, in any working directory", () => {
  files.write({
    "folder.yaml": "defaults: { note: above }\n",
    "project/Pulumi.yaml": "name: x\n",
    "project/folder.yaml": "defaults: { domainId: 1 }\n",
    "project/links/folder.yml": "defaults: { owner: links }\n",
    "project/links/sub/a.yaml": `links: [{ alias: a, url: ${url} }]\n`,
    "elsewhere/x.txt": "",
  });
  const expected = { "1/a": { alias: "a", url, domainId: 1, owner: "links" } };
  const absolute = join(files.folder, "project/links");
  for (const [folder, pattern] of [
    ["project", "links"],
    [".", "project/links"],
    ["project/links", "."],
    ["project/links/sub", "a.yaml"],
    ["elsewhere", "../project/links/**/*.yaml"],
    ["elsewhere", absolute],
  ] as const) {
    expect(load([pattern], { folder }), `${folder} ${pattern}`).toEqual(expected);
  }
  // Without a project, the search for folder.yaml ends at the working directory.
  files.write({
    "plain/links/a.yaml": `links: [{ alias: b, domainId: 1, url: ${url} }]\n`,
    "plain/folder.yaml": "defaults: { owner: plain }\n",
  });
  expect(load(["links"], { folder: "plain" })).toMatchObject({ "1/b": { owner: "plain" } });
  // In other folders it ends at the named folder.
  files.write({
    "plain/links/folder.yaml": "defaults: { note: named }\n",
    "plain/links/below/c.yaml": `links: [{ alias: c, domainId: 1, url: ${url} }]\n`,
  });
  for (const pattern of ["../plain/links", join(files.folder, "plain/links"), "../plain/links/**/*.yaml"]) {
    const links = load([pattern], { folder: "elsewhere" });
    expect(links["1/c"]).toEqual({ alias: "c", url, domainId: 1, note: "named" });
  }
});

test("paths may contain brackets and capitals, and folders are not read as files", () => {
  files.write({
    "w[1]/links/A.YAML": `links: { a: { domainId: 1, alias: a, url: ${url} } }\n`,
    "w[1]/links/b.Csv": `key,domainId,alias,url\nb,1,b,${url}\n`,
    "w[1]/links/README.md": "no entries",
    "w[1]/links/node_modules/x/c.yaml": "wrong: 1\n",
  });
  mkdirSync(join(files.folder, "w[1]/links/folder.yaml.d.yaml"));
  for (const pattern of ["w[1]/links", "w[1]", join(files.folder, "w[1]")]) {
    expect(Object.keys(load([pattern]))).toEqual(["a", "b"]);
  }
  expect(Object.keys(load(["w[1]/links/A.YAML"]))).toEqual(["a"]);
  symlinkSync("nowhere", join(files.folder, "broken.yaml"));
  expect(() => load(["broken.yaml", "."])).toThrow(FilesError);
});

test("unusual but valid spellings of a catalog are accepted", () => {
  files.write({
    "a.yaml":
      `\ufeffbase: &base { url: ${url} }\n`.replace(/base: .*\n/, "") +
      `rules: { allowedHosts: [münchen.de, "*.Example.com"], httpsOnly: true }\r\ndomains: { 10.0.0.1: , bücher.example: }\r\nlinks:\r\n  404: { domain: BÜCHER.example, alias: 日本, url: "HTTPS://münchen.de/" }\r\n  x: &x { domain: 10.0.0.1, alias: x, url: https://www.example.com/ }\r\n  y: { <<: *x, alias: y }\r\n  constructor: { domainId: 1, alias: c, url: https://a.example.com/ }\r\n`,
    "b.csv":
      "key\tdomainId\talias\turl\ttargetsType\ttargets.1\ttargets.2\tsensitiveContent\n\t\t\t\t\t\t\t\nr\t1\tr\thttps://example.com/\trotations\thttps://example.com/1\thttps://example.com/2\tTRUE\n;\t\t\t\t\t\t\t\n".replace(
        /;.*\n$/,
        "",
      ),
    "c.csv": "key,alias,url\n",
    // Empty columns and rows, as spreadsheets leave them behind.
    "g.csv": `key;domainId;;alias;url;;\ns;1;;s;${url};;\nt;1;;t;${url};;;;\n;;;;;;\n`,
    "d.yaml": "# nothing yet\n",
    "e.json": "{}",
    "f.yaml": "links:\ndomains:\ndefaults:\nrules:\n",
  });
  expect(load(["*.{yaml,csv,json}"])).toMatchObject({
    404: { alias: "日本" },
    y: { alias: "y", url: "https://www.example.com/" },
    constructor: { alias: "c" },
    s: { domainId: 1, alias: "s" },
    t: { domainId: 1, alias: "t" },
    r: {
      targets: [{ value: "https://example.com/1" }, { value: "https://example.com/2" }],
      sensitiveContent: true,
    },
  });
});

test("large catalogs with chains of links and repeated mistakes are checked within the timeout", () => {
  const count = 60_000;
  const names = Array.from({ length: count }, (_, i) => `a${i},http://go.example/a${i + 1}`);
  files.write({
    "links/folder.yaml": "defaults: { domain: go.example }\n",
    "links/a.yaml": "domains: { go.example: }\n",
    "links/b.csv": `alias,url\n${names.join("\n")}`,
    "links/sub/folder.yaml":
      "defaults: { domain: go.example, expirationUrl: http://example.com/ }\nrules: { httpsOnly: true }\n",
    "links/sub/c.csv": `alias,url\n${names.map((each) => `b${each.slice(0, -1)}`).join("\n")}`,
  });
  const broken = Array.from({ length: count / 4 }, (_, i) => [`d${i}`, { url: i }]);
  files.write({ "wrong.json": JSON.stringify({ links: Object.fromEntries(broken) }) });
  const findings = checkCatalog(loadCatalog({ folder: files.folder, files: ["links"] }));
  expect(checkCatalog(loadCatalog({ folder: files.folder, files: ["wrong.json"] }))).toHaveLength(count / 4);
  expect(findings.some(({ message }) => message.endsWith(`(and so for ${count - 1} more)`))).toBe(true);
});

test("an unreadable section causes only one mistake", () => {
  for (const domains of ["domain: { go.example: }", "domains: go.example"]) {
    files.write({ "a.yaml": `${domains}\nlinks: { a: { domain: go.example, alias: a, url: ${url} } }\n` });
    expect(checkCatalog(loadCatalog({ folder: files.folder, files: ["a.yaml"] }))).toHaveLength(1);
  }
});

test("a mistake in a folder's defaults is reported only once", () => {
  files.write({
    "links/folder.yaml": 'defaults: { domain: go.example, spaceId: "3" }\n',
    "links/a.yaml": `domains: { go.example: }\nlinks: [{ alias: a, url: ${url} }, { key: c, alias: c, url: ${url} }]\n`,
    "o.yaml": "links: { go.example/a: { owner: x } }\n",
  });
  const findings = checkCatalog(
    loadCatalog({ folder: files.folder, files: ["links"], overlays: ["o.yaml"] }),
  );
  expect(findings.map((finding) => placeText(finding))).toEqual(["links/folder.yaml:1:42"]);
});
