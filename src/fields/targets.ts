import type { Problem, Tell } from "./problem";
import type { Row, Target, TargetsType } from "./row";
import { readUrl } from "./texts";

// Destinations for some of the visitors. The type of all targets decides which keys are valid.

/** The rule for the URL of a target; the row of the list limits the list. */
const longestUrl: Row = { kind: "url", max: 2048, doc: "", example: "" };

/** Reads each target by itself. `canonicalTargets` checks the keys, which depend on the type. */
export function readTargets(value: unknown, { max = Infinity }: Row, tell: Tell): unknown {
  if (!Array.isArray(value)) {
    tell("must be a list of { key, value }");
    return value;
  }
  if (value.length > max) tell(`has more than ${max} entries`);
  return value.map((each: unknown, index) => {
    if (typeof each !== "object" || each === null || Array.isArray(each)) {
      tell("must be an object with key and value", [index]);
      return each;
    }
    const { key, value: url, ...others } = each as Partial<Target>;
    const [other] = Object.keys(others);
    if (other !== undefined) tell("takes only key and value", [index], other);
    if (key !== undefined && typeof key !== "string") tell("must be text", [index, "key"]);
    const tellUrl: Tell = (reason) => tell(reason, [index, "value"]);
    if (url === undefined) tellUrl("is required");
    const read = url === undefined ? url : readUrl(url, longestUrl, tellUrl);
    return { ...(key === undefined ? {} : { key: String(key).trim() }), value: read };
  });
}

/** Null and blank texts count as left out in programs. */
export function loosenTargets(value: unknown): unknown {
  const isGiven = ([, part]: [string, unknown]) =>
    part !== null && !(typeof part === "string" && part.trim() === "");
  const loosen = (each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).filter(isGiven))
      : each;
  return Array.isArray(value) ? value.map(loosen) : value;
}

/** Targets of an answer, in canonical form. */
export function observedTargets(targets: { key: string | number | null; value: string }[]): Target[] {
  return targets.map(({ key, value }) => (key === null ? { value } : { key: String(key), value }));
}

const listed: { [Type in TargetsType]?: readonly string[] } = {
  continents: ["AF", "AN", "AS", "EU", "NA", "OC", "SA"],
  operating_systems: ["iOS", "Android", "Windows", "OS X", "Linux", "Ubuntu", "Chrome OS"],
  browsers: [
    ...["Chrome", "Chromium", "Firefox", "Firefox Mobile", "Edge", "Internet Explorer"],
    ...["Mobile Internet Explorer", "Vivaldi", "Brave", "Safari", "Opera", "Opera Mini", "Opera Mobile"],
    ...["Opera Touch", "Yandex Browser", "UC Browser", "Samsung Internet", "QQ Browser"],
    // Sic: the service misspells the name of this browser.
    ...["BlackBerry Browser", "Maxtho"],
  ],
  // The service's document shows them capitalised; the service accepts only small letters.
  devices: ["desktop", "mobile", "tablet", "watch", "television"],
};

/**
 * Targets in the spelling that the service accepts. They keep the order of the program, because the engine finds ignored
 * targets by index. Rotations have no keys. Invalid keys stay unchanged and are reported.
 */
export function canonicalTargets(
  type: TargetsType,
  targets: Target[],
): { targets: Target[]; problems: Problem[] } {
  if (type === "rotations") return { targets: orderTargets(type, targets), problems: [] };
  const problems: Problem[] = [];
  const seen = new Map<string, number>();
  const spelled = targets.map(({ key = "", value }, index) => {
    const property = `targets[${index}].key`;
    const spelling = spellKey(type, key);
    const earlier = seen.get(spelling ?? key);
    if (key === "") problems.push({ property, reason: "is required" });
    else if (spelling === undefined) problems.push({ property, reason: expectation(type) });
    else if (earlier !== undefined) {
      problems.push({
        property,
        reason: `repeats targets[${earlier}].key: remove one of them, because the service would use only the last`,
      });
    }
    seen.set(spelling ?? key, index);
    return { key: spelling ?? key, value };
  });
  return { targets: spelled, problems };
}

/** Targets sorted by their keys, for comparisons. Rotations keep their order, because it matters. */
export function orderTargets(type: string | null | undefined, targets: Target[]): Target[] {
  if (type === "rotations") return targets.map(({ value }) => ({ value }));
  const key = (target: Target) => target.key ?? "";
  return [...targets].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

function spellKey(type: TargetsType, key: string): string | undefined {
  if (type === "countries") return /^[a-z]{2}$/i.test(key) ? key.toUpperCase() : undefined;
  if (type === "languages") return /^[a-z]{2}$/i.test(key) ? key.toLowerCase() : undefined;
  const small = key.toLowerCase() === "maxthon" ? "maxtho" : key.toLowerCase();
  return listed[type]?.find((known) => known.toLowerCase() === small);
}

function expectation(type: TargetsType): string {
  if (type === "countries") return "must be an ISO 3166-1 alpha-2 code, for example DE";
  if (type === "languages") return "must be an ISO 639-1 code, for example de";
  return `must be one of ${listed[type]?.join(", ")}`;
}
