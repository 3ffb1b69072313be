import { describe, expect, test } from "vitest";
import { checkFields, readField } from "../../src/fields/check";
import type { Table } from "../../src/fields/row";
import { comparable, inOrderOf, inZone, observe, secretsOf, toForm, wishOf } from "../../src/fields/table";
import { linkFields } from "../../src/link/fields";

// Functions over a table of fields, tested with the table of links.

const target = (key: string, n: number) => ({ key, value: `https://example.com/${n}` });

describe("a response in the order of the program", () => {
  const ordered = (inputs: object, answer: object) =>
    inOrderOf(linkFields, inputs as Record<string, unknown>, answer as Record<string, unknown>);

  test("has the ids of the program first, then the others in their order", () => {
    expect(ordered({ pixelIds: [3, 1, 2] }, { pixelIds: [1, 2, 3] })).toEqual({ pixelIds: [3, 1, 2] });
    expect(ordered({ pixelIds: [9, 3] }, { pixelIds: [5, 3, 4] })).toEqual({ pixelIds: [3, 5, 4] });
    expect(ordered({}, { pixelIds: [2, 1] })).toEqual({ pixelIds: [2, 1] });
    expect(ordered({ pixelIds: "unknown" }, { pixelIds: [2, 1] })).toEqual({ pixelIds: [2, 1] });
  });

  test("orders targets by key, even if destinations differ", () => {
    const [de, at, us] = [target("DE", 1), target("AT", 2), target("US", 3)];
    const inputs = { targetsType: "countries", targets: [us, de] };
    const answer = { targetsType: "countries", targets: [at, { ...de, value: "x" }, us], url: "y" };
    expect(ordered(inputs, answer)).toEqual({ ...answer, targets: [us, { ...de, value: "x" }, at] });
  });

  test("keeps the order of rotations", () => {
    const turns = [{ value: "https://example.com/1" }, { value: "https://example.com/2" }];
    const answer = { targetsType: "rotations", targets: turns };
    expect(ordered({ targetsType: "rotations", targets: turns.toReversed() }, answer)).toEqual(answer);
  });
});

test("dates are converted to the time zone of the account if it is known", () => {
  const answer = { activePeriodStartAt: "2026-03-01T08:00:00", alias: "docs" };
  expect(inZone(linkFields, answer, undefined)).toBe(answer);
  expect(inZone(linkFields, answer, "Europe/Berlin")).toEqual({
    activePeriodStartAt: "2026-03-01T09:00:00",
    alias: "docs",
  });
});

test("unordered lists are sorted for comparison without changing the values", () => {
  const values = {
    pixelIds: [10, 9, 1],
    targetsType: "countries",
    targets: [target("US", 1), target("DE", 2)],
  };
  expect(comparable(linkFields, values)).toEqual({
    ...values,
    pixelIds: [1, 9, 10],
    targets: [target("DE", 2), target("US", 1)],
  });
  expect(values.pixelIds).toEqual([10, 9, 1]);
  const plain = { alias: "docs" };
  expect(comparable(linkFields, plain)).toBe(plain);
});

test("a password is observed as set, without its value", () => {
  expect(secretsOf(linkFields)).toEqual(["redirectPassword", "password"]);
  const set = observe(linkFields, { url: "https://example.com/", password: true, redirect_password: false });
  expect(set).toEqual({ url: "https://example.com/", password: expect.stringMatching(/\S/) as string });
  expect(wishOf(linkFields, { url: "https://example.com/", password: "open sesame" })).toEqual(set);
});

test("a response without a domain keeps the known domain, and defaults count as absent", () => {
  const record = {
    url: "https://example.com/",
    privacy: 0,
    clicks_limit: 0,
    sensitive_content: 0,
    pixel_ids: [],
  };
  expect(observe(linkFields, record, { domainId: 3, spaceId: 4 })).toEqual({
    url: "https://example.com/",
    domainId: 3,
  });
  expect(observe(linkFields, { ...record, pixel_ids: [10, 9], clicks_limit: 5 })).toEqual({
    url: "https://example.com/",
    pixelIds: [9, 10],
    clicksLimit: 5,
  });
});

test("a form clears removed fields and always writes both ends of a period", () => {
  const formOf = (inputs: object, ...names: string[]) =>
    toForm(linkFields, inputs as Record<string, unknown>, names);
  expect(formOf({}, "spaceId", "pixelIds", "sensitiveContent", "privacy", "alias")).toEqual({
    space_id: null,
    alias: undefined,
    pixel_ids: [],
    sensitive_content: false,
    privacy: 0,
  });
  const period = { activePeriodStartAt: "2026-03-01T08:00:00", activePeriodEndAt: "2026-04-01T08:00:00" };
  for (const name of Object.keys(period))
    expect(formOf(period, name)).toEqual({
      active_period_start_at: period.activePeriodStartAt,
      active_period_end_at: period.activePeriodEndAt,
    });
});

describe("values of a program", () => {
  const link = { url: "https://example.com/", domainId: 1 };
  const read = (fields: object) => {
    const { fields: canonical, problems } = checkFields(linkFields, { ...link, ...fields });
    const { url: _url, domainId: _domainId, ...others } = canonical;
    return problems.length > 0 ? problems.map(({ property, reason }) => `${property} ${reason}`) : others;
  };

  test.each<[object, object]>([
    [{ spaceId: " 12 " }, { spaceId: 12 }],
    [{ pixelIds: ["2", 1, 2] }, { pixelIds: [2, 1] }],
    [{ sensitiveContent: "0" }, {}],
    [{ sensitiveContent: "false" }, {}],
    [{ sensitiveContent: "1" }, { sensitiveContent: true }],
    [{ sensitiveContent: "true" }, { sensitiveContent: true }],
    [{ sensitiveContent: 0 }, {}],
    [{ sensitiveContent: 1 }, { sensitiveContent: true }],
    [{ privacy: "1" }, { privacy: "private" }],
    [{ privacy: 2 }, { privacy: "password" }],
    [{ clicksLimit: 999_999_999 }, { clicksLimit: 999_999_999 }],
    [{ clicksLimit: "0" }, {}],
  ])("%j is accepted", (given, canonical) => expect(read(given)).toEqual(canonical));

  test.each<[object, string]>([
    [{ spaceId: "12a" }, "spaceId must be the id of a space, a whole number"],
    [{ spaceId: "a12" }, "spaceId must be the id of a space, a whole number"],
    [{ spaceId: 0 }, "spaceId must be the id of a space, 1 or greater"],
    [{ pixelIds: 3 }, "pixelIds must be a list of pixel ids"],
    [{ sensitiveContent: "yes" }, "sensitiveContent must be true or false"],
    [{ sensitiveContent: 2 }, "sensitiveContent must be true or false"],
    [{ clicksLimit: 1_000_000_000 }, "clicksLimit must be at most 999999999"],
    [{ clicksLimit: -1 }, "clicksLimit must be 0 (no limit) or greater"],
    [{ privacy: "3" }, 'privacy must be "public", "private" or "password" (0, 1 or 2)'],
    [{ privacy: "12" }, 'privacy must be "public", "private" or "password" (0, 1 or 2)'],
  ])("%j is refused", (given, reason) => expect(read(given)).toEqual([reason]));

  test("a flag that the service does not have accepts neither numbers nor texts", () => {
    const table: Table = { force: { kind: "flag", doc: "", example: true } };
    expect(checkFields(table, { force: 1 }).problems).toEqual([
      { property: "force", reason: "must be true or false" },
    ]);
    expect(checkFields(table, { force: "true" }).problems).toHaveLength(1);
    expect(checkFields(table, { force: true }).fields).toEqual({ force: true });
  });
});

describe("a date and time", () => {
  const read = (value: unknown) => {
    const { value: canonical, issues } = readField(linkFields.activePeriodStartAt, value);
    return issues.length > 0 ? issues.map(({ reason }) => reason) : canonical;
  };

  test.each([
    [" 2026-03-01T08:00:00 ", "2026-03-01T08:00:00"],
    ["2026-03-01t08:00", "2026-03-01T08:00:00"],
    ["2026-03-01 08:00:00.5", "2026-03-01T08:00:00"],
    ["2026-03-01T08:00:00z", "2026-03-01T08:00:00Z"],
    ["2026-03-01T08:00Z", "2026-03-01T08:00:00Z"],
    ["2026-03-01T08:00:00+0530", "2026-03-01T02:30:00Z"],
    ["2026-03-01T08:00:00-05:00", "2026-03-01T13:00:00Z"],
    ["2026-03-01T08:00-1145", "2026-03-01T19:45:00Z"],
    ["1970-01-02T00:00:00", "1970-01-02T00:00:00"],
    ["2037-12-31T23:59:59", "2037-12-31T23:59:59"],
  ])("%s is accepted", (text, canonical) => expect(read(text)).toBe(canonical));

  const unreal = "must be a real date and time like 2026-03-01T08:00:00";
  const far = "must be in the years 1970 to 2037";
  test.each([
    ["2026-02-30T08:00:00", unreal],
    ["2026-03-01", unreal],
    ["x 2026-03-01T08:00:00", unreal],
    ["12026-03-01T08:00:00", unreal],
    ["2026-03-01T08:00:00+05:3", unreal],
    ["2026-03-01T08:00:00 Europe/Berlin", unreal],
    ["", unreal],
    ["1970-01-01T23:59:59", far],
    ["1969-12-31T08:00:00", far],
    ["2038-01-01T00:00:00", far],
    ["2037-12-31T23:30:00-01:00", far],
  ])("%s is refused", (text, reason) => expect(read(text)).toEqual([reason]));
});

describe("targets", () => {
  const link = { url: "https://example.com/", domainId: 1 };
  const read = (targetsType: string, targets: unknown) => {
    const { fields, problems } = checkFields(linkFields, { ...link, targetsType, targets });
    return problems.length > 0
      ? problems.map(({ property, reason }) => `${property} ${reason}`)
      : fields.targets;
  };
  const url = "https://example.com/1";

  test("treat blank keys as missing and allow 100 entries", () => {
    expect(read("rotations", [{ key: " ", value: url }])).toEqual([{ value: url }]);
    expect(read("rotations", [{ key: null, value: url }])).toEqual([{ value: url }]);
    const all = (count: number) => Array.from({ length: count }, () => ({ value: url }));
    expect(read("rotations", all(100))).toHaveLength(100);
    expect(read("rotations", all(101))).toEqual(["targets has more than 100 entries"]);
  });

  test("are validated one by one, with their positions", () => {
    expect(read("countries", [null, { key: "DE", value: " " }, { key: "AT", value: url }])).toEqual([
      "targets[0] must be an object with key and value",
      "targets[1].value is required",
    ]);
    const long = `https://example.com/${"x".repeat(2048)}`;
    expect(read("countries", [{ key: "DE", value: long }])).toEqual([
      "targets[0].value is longer than 2048 characters",
    ]);
  });

  test("are sorted by key for comparison, entries without a key first", () => {
    const sorted = (keys: (string | undefined)[]) =>
      comparable(linkFields, {
        targetsType: "countries",
        targets: keys.map((key) => (key === undefined ? { value: url } : { key, value: url })),
      }).targets;
    const wanted = [undefined, "AT", "DE", "FR", "US"].map((key) =>
      key === undefined ? { value: url } : { key, value: url },
    );
    expect(sorted(["US", "DE", undefined, "AT", "FR"])).toEqual(wanted);
    expect(sorted(["FR", undefined, "AT", "US", "DE"])).toEqual(wanted);
  });
});
