import { isUnknown, type Problem } from "./check-fields";
import { toZone } from "./fields";
import type { LinkInputs } from "./link-fields";
import { period, type Field, type Period } from "./link-names";
import { canonicalTargets } from "./targets";

/**
 * The rules over several fields of a link, and the canonical form of what depends on others and on the settings. A field that
 * is not known yet, or was refused by itself, breaks none.
 *
 * @param settings.timeZone The time zone of the account, where the settings name it.
 */
export function together(
  fields: Partial<LinkInputs>,
  refused: ReadonlySet<string>,
  { timeZone }: { timeZone?: string | undefined },
): Problem[] {
  const problems: Problem[] = [];
  const lacks = (field: Field) => fields[field] === undefined && !refused.has(field);
  for (const [given, other] of [period, [...period].reverse()] as [Period, Period][]) {
    const text = fields[given];
    if (text !== undefined && lacks(other)) {
      problems.push({ property: other, reason: `is required together with ${given}` });
    }
    if (text?.endsWith("Z") !== true) continue;
    if (timeZone !== undefined) fields[given] = toZone(text, timeZone);
    else {
      const reason =
        "has a time zone, but the service reads it in that of the account: write it without one, like " +
        '2026-03-01T08:00:00, or say which the account has, as in "pulumi config set shortlink:timeZone Europe/Berlin" ' +
        "(--time-zone Europe/Berlin for validate and show)";
      problems.push({ property: given, reason });
    }
  }
  const { activePeriodStartAt: start, activePeriodEndAt: end, targetsType, targets } = fields;
  const areComparable = start !== undefined && end !== undefined && start.endsWith("Z") === end.endsWith("Z");
  if (areComparable && !isUnknown([start, end]) && start >= end) {
    problems.push({ property: "activePeriodEndAt", reason: "must be later than activePeriodStartAt" });
  }
  if (targets !== undefined && lacks("targetsType")) {
    problems.push({ property: "targetsType", reason: "is required together with targets" });
  }
  if (targetsType !== undefined && targets !== undefined && !isUnknown([targetsType, targets])) {
    const canonical = canonicalTargets(targetsType, targets);
    fields.targets = canonical.targets;
    problems.push(...canonical.problems);
  }
  return problems;
}
