import { toZone } from "../fields/dates";
import { isUnknown, type Problem } from "../fields/problem";
import { canonicalTargets } from "../fields/targets";
import type { linkFields } from "./fields";
import type { ValuesOf } from "../fields/values";

const period = ["activePeriodStartAt", "activePeriodEndAt"] as const;

/**
 * Checks rules over several fields of a link. Brings fields that depend on others or on the settings to canonical form. A field that
 * is not known yet, or was refused by itself, breaks no rule.
 *
 * @param fields This function may change them.
 * @param refused The problems of single fields.
 * @param timeZone The time zone of the account, if the settings name it.
 */
export function together(
  fields: Record<string, unknown>,
  refused: readonly Problem[],
  timeZone: string | undefined,
): Problem[] {
  const values = fields as Partial<ValuesOf<typeof linkFields>>;
  const names = new Set(refused.map(({ property }) => /^\w+/.exec(property)?.[0]));
  const problems: Problem[] = [];
  const lacks = (field: keyof typeof values) => values[field] === undefined && !names.has(field);
  for (const [given, other] of [period, [...period].reverse()] as (typeof period)[]) {
    const text = values[given];
    if (text !== undefined && lacks(other)) {
      problems.push({ property: other, reason: `is required together with ${given}` });
    }
    if (text?.endsWith("Z") !== true) continue;
    if (timeZone !== undefined) values[given] = toZone(text, timeZone);
    else {
      const reason =
        "has a time zone, but the service uses the time zone of the account: write the date without one, like " +
        '2026-03-01T08:00:00, or set the zone of the account with "pulumi config set shortlink:timeZone Europe/Berlin" ' +
        "(--time-zone Europe/Berlin for validate and show)";
      problems.push({ property: given, reason });
    }
  }
  const { activePeriodStartAt: start, activePeriodEndAt: end, targetsType, targets } = values;
  const areComparable = start !== undefined && end !== undefined && start.endsWith("Z") === end.endsWith("Z");
  if (areComparable && !isUnknown([start, end]) && start >= end) {
    problems.push({ property: "activePeriodEndAt", reason: "must be later than activePeriodStartAt" });
  }
  if (targets !== undefined && lacks("targetsType")) {
    problems.push({ property: "targetsType", reason: "is required together with targets" });
  }
  if (targetsType !== undefined && targets !== undefined && !isUnknown([targetsType, targets])) {
    const canonical = canonicalTargets(targetsType, targets);
    values.targets = canonical.targets;
    problems.push(...canonical.problems);
  }
  return problems;
}
