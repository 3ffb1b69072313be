import { expect, test } from "vitest";
import { checkFields } from "../../src/fields/check";
import type { Row } from "../../src/fields/row";
import { toForm } from "../../src/fields/table";

// The effect of a row on its field, for rows that no resource has yet.

const campaign: Row = { kind: "text", wire: "campaign", max: 40, doc: "", example: "spring" };
const secret: Row = { ...campaign, wire: "secret", secret: true };
const table = { campaign, secret };

test.each<[object, object]>([
  [
    { campaign: " spring ", secret: " spring " },
    { campaign: "spring", secret: " spring " },
  ],
  [{ campaign: " ", secret: " " }, { secret: " " }],
  [{ campaign: "", secret: "" }, {}],
  [{ campaign: null, secret: null }, {}],
])("texts are trimmed, passwords are not: %j", (given, fields) => {
  const checked = checkFields(table, given as Record<string, unknown>);
  expect(checked).toEqual({ fields, problems: [] });
  expect(toForm(table, checked.fields, ["campaign", "secret"])).toEqual({
    campaign: null,
    secret: null,
    ...fields,
  });
});

test("each invalid text is reported under its name", () => {
  expect(checkFields(table, { campaign: 1, secret: "x".repeat(41) })).toEqual({
    fields: {},
    problems: [
      { property: "campaign", reason: "must be text" },
      { property: "secret", reason: "is longer than 40 characters" },
    ],
  });
});
