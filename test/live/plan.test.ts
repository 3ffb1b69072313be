import { expect, test } from "vitest";
import { toPlan } from "../../src/live/plan";
import type { Preview, PreviewStep } from "../../src/live/preview";
import { reportPlan } from "../../src/live/plan-report";

// Plans in the format of `pulumi preview --json`. `test/engine/plan.test.ts` checks that format with the engine.

const stack = "urn:pulumi:dev::links";
const kind = "pulumi-nodejs:dynamic/shortlink";
const domain = `${stack}::${kind}:Domain::go`;
const domains = new Map([[1, "go.example"]]);
const plan = (preview: Preview, notes: Parameters<typeof toPlan>[1]["notes"] = []) =>
  toPlan(preview, { notes, domains });

interface Values {
  [name: string]: unknown;
  alias: string;
}
function link(op: string, name: string, old?: Values, news?: Values, more: object = {}): PreviewStep {
  const state = (values: Values) => ({
    id: "7",
    inputs: { __provider: "text", domainId: 1, url: `https://example.com/${name}`, ...values },
    outputs: { shortUrl: `http://go.example/${values.alias}` },
    propertyDependencies: { domainId: [domain] },
  });
  return {
    op,
    urn: `${stack}::shortlink:index:LinkCatalog$${kind}:Link::${name}`,
    ...(old ? { oldState: { ...state(old), ...more } } : {}),
    ...(news ? { newState: state(news) } : {}),
    ...more,
  };
}

test.each<[string, PreviewStep, string, number]>([
  [
    "a taint",
    link("replace", "a", { alias: "a" }, { alias: "a" }),
    "it is tainted, or --replace asks for it",
    5,
  ],
  [
    "an option",
    link(
      "replace",
      "a",
      { alias: "a", url: "https://x.example/" },
      { alias: "a" },
      { replaceReasons: ["url"] },
    ),
    "the option replaceOnChanges names url",
    2,
  ],
  [
    "another domain",
    link("replace", "a", { alias: "a" }, { alias: "a", domainId: 2 }, { replaceReasons: ["domainId"] }),
    "the service does not take domain_id in an update",
    2,
  ],
  [
    "a link that Pulumi leaves alone",
    link("delete", "a", { alias: "a" }, undefined, { retainOnDelete: true }),
    "the program no longer has it; it stays on the service (retainOnDelete)",
    0,
  ],
  [
    "a secret destination",
    link("update", "a", { alias: "a", url: "[secret]" }, { alias: "a", url: "[secret]" }),
    "a secret value, or one that an interrupted run left in doubt",
    1,
  ],
])("the plan gives the reason and the number of requests for %s", (_what, step, reason, requests) => {
  const { changes, ...found } = plan({ steps: [step] });
  expect(changes).toMatchObject([{ reason, address: "go.example/a" }]);
  expect(found.requests).toBe(requests);
});

test("the reason of a deletion names forceDestroy, and a replaced domain gives its links new addresses", () => {
  const state = (name: string, more: object = {}) => ({ id: "1", inputs: { name, ...more } });
  const deleted = { op: "delete", urn: domain, oldState: state("go.example", { forceDestroy: true }) };
  expect(plan({ steps: [deleted] })).toMatchObject({
    changes: [
      { type: "domain", address: "go.example", reason: expect.stringContaining("(forceDestroy)") as string },
    ],
    requests: 2,
    lost: [],
  });
  const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
  const steps = [
    {
      op: "replace",
      urn: domain,
      oldState: state("go.example"),
      newState: state("new.example"),
      replaceReasons: ["name"],
    },
    link("replace", "a", { alias: "a" }, { alias: "a", domainId: unknown }, { replaceReasons: ["domainId"] }),
  ];
  expect(plan({ steps })).toMatchObject({
    changes: [
      { address: "go.example", newAddress: "new.example" },
      { address: "go.example/a", newAddress: "new.example/a", fields: [{ old: 1, new: "(not known yet)" }] },
    ],
    lost: [{ address: "go.example/a", why: "other domain", newAddress: "new.example/a" }],
    requests: 5,
  });
});

test("an address with the same destination is not lost; an alias freed by the plan is no conflict", () => {
  const same = "https://example.com/same";
  const steps = [
    link("delete", "old", { alias: "a", url: same }),
    link("create", "new", undefined, { alias: "a", url: same }),
    link("update", "b", { alias: "b" }, { alias: "c" }),
    link("create", "d", undefined, { alias: "b" }),
  ];
  const urn = steps[3]?.urn ?? "";
  const existing = { object: "link 7" as const, differing: ["url"], isAdopted: false };
  const { lost, changes } = plan({ steps }, [{ urn, existing }]);
  expect(lost).toMatchObject([{ address: "go.example/b", leadsTo: "https://example.com/d" }]);
  expect(changes.map(({ action }) => action)).toEqual(["delete", "update", "create", "create"]);
});

test("the report shows errors of the program and counts changes of other resources", () => {
  const diagnostics = [
    { severity: "error", message: "<{%reset%}>links/a.yaml:3:5 url is required<{%reset%}>\n" },
    { severity: "info", message: "by the way" },
  ];
  const steps = [{ op: "create", urn: `${stack}::aws:s3/bucket:Bucket::logs` }];
  const found = plan({ steps, diagnostics, changeSummary: { same: 4 } });
  expect(found).toMatchObject({
    errors: ["links/a.yaml:3:5 url is required"],
    others: [expect.anything()],
    unchanged: 4,
  });
  expect(reportPlan(found, "text")).toBe(
    "Pulumi cannot plan this program.\n\n" +
      "Errors (1):\n  links/a.yaml:3:5 url is required\n\nIt sends no request.",
  );
});

test.each([
  ["deletions", 2000, 0],
  ["deletions and edits", 1000, 1000],
  ["edits and creations", 10, 5000],
])(
  "a comment with thousands of %s stays under the size limit and lists all deletions",
  (_what, deleted, edited) => {
    const steps = [
      ...Array.from({ length: deleted }, (_, i) => link("delete", `gone-${i}`, { alias: `some-link-${i}` })),
      ...Array.from({ length: edited }, (_, i) =>
        i % 2 === 0
          ? link(
              "update",
              `edit-${i}`,
              { alias: `e-${i}` },
              { alias: `e-${i}`, url: "https://example.com/`new`|x" },
            )
          : link("create", `new-${i}`, undefined, { alias: `n-${i}` }),
      ),
    ];
    const found = plan({ steps });
    const text = reportPlan({ ...found, limit: 60, wait: 0 }, "markdown");
    expect(text.length).toBeLessThan(65_536);
    const missing = Array.from({ length: deleted }, (_, i) => i).filter(
      (i) => !text.includes(`some-link-${i}\``),
    );
    expect(missing.length).toBe(0);
    expect(found.requests).toBe(deleted + edited);
    if (edited === 0) return;
    expect(text.includes('`` "https://example.com/`new`|x" ``')).toBe(true);
    expect(text.slice(-60)).toMatch(/and \d+ more, which `pulumi-shortlink plan` shows$/);
  },
);

test("a comment over the size limit names the command that shows the rest", () => {
  const steps = Array.from({ length: 10_000 }, (_, i) =>
    link("delete", `gone-${i}`, { alias: `some-link-${i}` }),
  );
  const text = reportPlan(plan({ steps }), "markdown");
  expect(text.length).toBeLessThan(65_536);
  expect(text.slice(-80)).toMatch(
    /`\n\nA comment cannot hold all of it: `pulumi-shortlink plan` shows the rest\.$/,
  );
});

test("GitHub annotations point to the entries, with warnings for lost short links", () => {
  const place = "links/a,b.yaml:12:3";
  const steps = [
    link("update", "a", { alias: "a" }, { alias: "b" }),
    link("update", "c", { alias: "c" }, { alias: "c", clicksLimit: 5, url: "https://example.com/100%" }),
    link("delete", "d", { alias: "d" }),
  ];
  const notes = steps.slice(0, 2).map(({ urn }) => ({ urn, entry: place }));
  const lines = reportPlan(plan({ steps }, notes), "github").split("\n");
  const at = "file=links/a%2Cb.yaml,line=12,col=3::";
  expect(lines).toEqual([
    expect.stringMatching(/^::warning::Deleted: go.example\/d to https:/),
    expect.stringContaining(`::warning ${at}Changed: go.example/a: becomes go.example/b`),
    expect.stringContaining(
      `::notice ${at}Changed: go.example/c: url "https://example.com/c" becomes "https://example.com/100%25"`,
    ),
  ]);
});

test("refresh steps in a plan do not count as other links", () => {
  const steps = [
    link("refresh", "a", { alias: "a" }, { alias: "a" }),
    link("refresh", "b", { alias: "b" }, { alias: "b" }),
    link("update", "a", { alias: "a" }, { alias: "a2" }),
    link("delete", "b", { alias: "b" }),
  ];
  const { lost, others, changes } = plan({ steps });
  expect(lost.map(({ address, why }) => [address, why])).toEqual([
    ["go.example/b", "deleted"],
    ["go.example/a", "other alias"],
  ]);
  expect([others, changes.length]).toEqual([[], 2]);
});
