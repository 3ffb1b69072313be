import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { jsonSchema } from "../../src/catalog/schema";
import { scratch } from "../helpers/catalog";

let files: ReturnType<typeof scratch>;
beforeEach(() => {
  files = scratch();
  files.write({
    "links/folder.yaml": "defaults: { domain: go.example }\n",
    "links/a.yaml":
      "domains: { go.example: { homepageUrl: https://example.com/ } }\n" +
      "links:\n  docs: { alias: docs, url: https://example.com/, redirectPassword: { secret: env:A } }\n",
    "links/b.csv": "alias,url,clicksLimit\nnews,https://example.com/news,3\n",
    "overlays/staging.yaml":
      "domainMap: { go.example: go-stg.example }\nlinks: { docs: { alias: handbook } }\n",
  });
});
afterEach(() => files.remove());

function shortlink(...args: string[]) {
  const main = join(__dirname, "../../dist/cli/main.js");
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, ...args], {
    cwd: files.folder,
    encoding: "utf8",
  });
  return { stdout: stdout.trimEnd(), stderr: stderr.trimEnd(), status };
}

test("validate exits with 0 for a valid catalog, 1 for mistakes, 2 for wrong usage", () => {
  expect(shortlink("validate")).toEqual({
    stdout: "",
    stderr: "No mistake in 2 links and 1 domain.",
    status: 0,
  });
  expect(shortlink("validate", "links/*.yaml", "--overlay", "overlays/staging.yaml").status).toBe(0);
  files.write({ "links/b.csv": "alias,url\nnews,example.com\n", "links/c.xlsx": "PK" });
  expect(shortlink("validate", "links")).toEqual({
    stdout:
      'links/b.csv:2:6 cell B2, link with the alias "news": url must be a URL with scheme and host, for example https://example.com/page: write https:// before it',
    stderr: 'links/c.xlsx is not read: save it as "CSV UTF-8", which makes a .csv file.\n1 mistake',
    status: 1,
  });
  for (const [args, message] of [
    [["validate", "nowhere"], 'shortlink: "nowhere" matches no file in'],
    [["validate", "--overlay", "nowhere.yaml"], 'shortlink: "nowhere.yaml" matches no file in'],
    [
      ["validate", "--format", "xml"],
      "argument 'xml' is invalid. Allowed choices are text, json, github, sarif.",
    ],
    [["validate", "--overlays", "x"], "unknown option '--overlays'"],
    [["show", "--format", "csv"], "Allowed choices are yaml, json, table."],
    [["schema", "links"], "Allowed choices are catalog, folder, overlay."],
  ] as const) {
    const { stderr, status } = shortlink(...args);
    expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});

test("validate reports mistakes as JSON, for GitHub and as SARIF", () => {
  files.write({ "links/b, c.csv": 'alias,url\n"x%",https://example.com/\n' });
  const message =
    'cell A2, link with the alias "x%": alias may contain only letters, digits, - and _, not "%"';
  const json = shortlink("validate", "--format", "json");
  expect(json).toMatchObject({ stderr: "", status: 1 });
  expect(JSON.parse(json.stdout)).toEqual([
    { kind: "field", file: "links/b, c.csv", line: 2, column: 1, message },
  ]);
  expect(shortlink("validate", "--format", "github")).toEqual({
    stdout:
      '::error file=links/b%2C c.csv,line=2,col=1::cell A2, link with the alias "x%25": alias may contain only letters, digits, - and _, not "%25"',
    stderr: "",
    status: 1,
  });
  const { runs, ...sarif } = JSON.parse(shortlink("validate", "--format", "sarif").stdout) as {
    runs: object[];
  };
  expect(sarif).toEqual({ $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0" });
  const region = { startLine: 2, startColumn: 1 };
  expect(runs).toMatchObject([
    {
      tool: { driver: { name: "shortlink", rules: [{ id: "field" }] } },
      results: [
        {
          ruleId: "field",
          level: "error",
          message: { text: message },
          locations: [{ physicalLocation: { artifactLocation: { uri: "links/b%2C%20c.csv" }, region } }],
        },
      ],
    },
  ]);
  files.write({ "links/b, c.csv": "alias,url\n" });
  expect(JSON.parse(shortlink("validate", "--format", "json").stdout)).toEqual([]);
});

test("show prints a valid catalog with the overlay applied, and the origin of each value", () => {
  const overlay = ["--overlay", "overlays/staging.yaml"];
  const { stdout } = shortlink("show", "links", ...overlay);
  const shown = {
    domains: { "go-stg.example": { homepageUrl: "https://example.com/" } },
    links: {
      docs: {
        alias: "handbook",
        url: "https://example.com/",
        redirectPassword: { secret: "env:A" },
        domain: "go-stg.example",
      },
      "go.example/news": {
        alias: "news",
        url: "https://example.com/news",
        clicksLimit: 3,
        domain: "go-stg.example",
      },
    },
  };
  expect(parse(stdout)).toEqual(shown);
  expect(JSON.parse(shortlink("show", ...overlay, "--format", "json").stdout)).toEqual(shown);
  files.write({ "again/a.yaml": stdout });
  expect(shortlink("show", "again").stdout).toBe(stdout);
  expect(shortlink("show", ...overlay, "--format", "table", "--origin").stdout.split("\n")).toEqual([
    "key              short link               url                       origin",
    "docs             go-stg.example/handbook  https://example.com/      links/a.yaml:3:29",
    "go.example/news  go-stg.example/news      https://example.com/news  links/b.csv:2:6",
  ]);
  const { links } = parse(shortlink("show", ...overlay, "--origin").stdout) as {
    links: Record<string, object>;
  };
  expect(links.docs).toMatchObject({
    alias: { value: "handbook", origin: "overlays/staging.yaml:2:25" },
    url: { value: "https://example.com/", origin: "links/a.yaml:3:29" },
    domain: { value: "go-stg.example", origin: "overlays/staging.yaml:1:26" },
  });
  files.write({ "links/b.csv": "alias,url\nnews,example.com\n" });
  expect(shortlink("show")).toMatchObject({
    stdout: "",
    status: 1,
    stderr: expect.stringContaining("b.csv:2:6") as string,
  });
});

test("schema prints the JSON Schema of each kind of file", () => {
  for (const kind of ["catalog", "folder", "overlay"] as const) {
    expect(JSON.parse(shortlink("schema", kind).stdout)).toEqual(jsonSchema(kind));
  }
  expect(shortlink("schema").stdout).toBe(shortlink("schema", "catalog").stdout);
});
