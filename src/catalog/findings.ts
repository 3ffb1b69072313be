import type { z } from "zod";
import { pathText } from "../fields/problem";
import { suggest } from "./suggest";
import { findingAt, placeText, type Finding, type FindingKind, type Place, type Written } from "./written";

/** Collects the mistakes in the files of a catalog. */
export class Findings {
  readonly all: Finding[] = [];
  /** False if some entries could not be read: a missing entry may be one of them. */
  isWhole = true;
  /** The places of unknown fields that were reported. */
  readonly #unknownFields = new Set<string>();

  note(kind: FindingKind, place: Place, subject: string | undefined, reason: string): void {
    this.all.push(findingAt(kind, place, subject, reason));
  }

  /** Notes a mistake that makes entries unreadable. */
  noteUnreadable(place: Place, reason: string): void {
    this.note("field", place, undefined, reason);
    this.isWhole = false;
  }

  /** Notes the mistakes in the name of an entry. True for none. */
  isKey(rule: z.ZodType, name: string, entry: Written, subject: string): boolean {
    const { error } = rule.safeParse(entry.key);
    for (const { message } of error?.issues ?? [])
      this.note("field", entry.at(), subject, `${name} ${message}`);
    return error === undefined;
  }

  /** Notes the mistakes in the fields of a thing. True for none. */
  isSound(rule: z.ZodType, { value, at }: Written, subject: string): boolean {
    const { error } = rule.safeParse(value);
    // A misspelled name explains why another field seems to be missing.
    const rank = ({ code }: { code?: string | undefined }) => (code === "unrecognized_keys" ? 0 : 1);
    for (const issue of error?.issues.toSorted((a, b) => rank(a) - rank(b)) ?? []) {
      const names =
        issue.code === "unrecognized_keys"
          ? issue.keys
          : [(issue as { params?: { name?: string } }).params?.name].filter((name) => name !== undefined);
      const [other] = names;
      const [field, ...rest] = issue.path;
      if (field === undefined && other !== undefined) this.#noteUnknown(rule, names, at, subject);
      else if (field === undefined) this.#noteWhole(at([]), subject, issue.message);
      else {
        const isEmpty =
          rest.length === 0 && ["", null].includes((value as Record<PropertyKey, string>)[field] as string);
        const reason =
          isEmpty && other === undefined ? "is empty: give it a value, or remove it" : issue.message;
        const place = other === undefined ? at(issue.path) : at([...issue.path, other], true);
        this.note("field", place, subject, `${pathText(String(field), rest)} ${reason}`);
      }
    }
    return error === undefined;
  }

  /** Notes a mistake of a thing as a whole: `link "docs" must be a map of fields`. */
  #noteWhole(place: Place, subject: string, reason: string): void {
    this.note("field", place, undefined, `${subject} ${reason}`);
  }

  #noteUnknown(rule: z.ZodType, names: readonly string[], at: Written["at"], subject: string): void {
    const known = Object.keys((rule as z.ZodObject).shape);
    for (const name of names) {
      // A column has the same place for many entries.
      const place = at([name], true);
      if (this.#unknownFields.has(placeText(place))) continue;
      this.#unknownFields.add(placeText(place));
      const hint = misplaced[`${subject.split(" ")[0]} ${name}`] ?? suggest(name, known);
      const owner = place.cell === undefined ? subject : undefined;
      this.note("field", place, owner, `unknown field ${JSON.stringify(name)}${hint}`);
    }
  }
}

/** Hints for known fields in the wrong place. */
const misplaced: { readonly [place: string]: string } = {
  "link key": ": the key is the name before the colon",
  "domain name": ": the name before the colon is the domain",
  "defaults url": ": each link has its own",
  "defaults alias": ": each link has its own",
  "defaults key": ": each link has its own",
  "defaults formerly": ": each link has its own",
  "link formerly": ": write it with the entry, in the catalog itself",
};
