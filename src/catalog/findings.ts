import type { z } from "zod";
import { pathText } from "../fields/problem";
import { suggest } from "./suggest";
import { findingAt, placeText, type Finding, type FindingKind, type Place, type Written } from "./written";

/** What is wrong with the files of a catalog, as it is found. */
export class Findings {
  readonly all: Finding[] = [];
  /** False if some entries could not be read: a missing entry may be one of them. */
  isWhole = true;
  /** Where unknown fields stand that were told of. */
  readonly #unknownFields = new Set<string>();

  note(kind: FindingKind, place: Place, subject: string | undefined, reason: string): void {
    this.all.push(findingAt(kind, place, subject, reason));
  }

  /** Notes what keeps entries from being read. */
  noteUnreadable(place: Place, reason: string): void {
    this.note("field", place, undefined, reason);
    this.isWhole = false;
  }

  /** Notes what is wrong with the name of an entry. */
  isKey(rule: z.ZodType, name: string, entry: Written, subject: string): boolean {
    const { error } = rule.safeParse(entry.key);
    for (const { message } of error?.issues ?? [])
      this.note("field", entry.at(), subject, `${name} ${message}`);
    return error === undefined;
  }

  /** Notes what is wrong with the fields of a thing. */
  isSound(rule: z.ZodType, { value, at }: Written, subject: string): boolean {
    const { error } = rule.safeParse(value);
    for (const issue of error?.issues ?? []) {
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
          isEmpty && other === undefined ? "is empty: give it a value, or leave it out" : issue.message;
        const place = other === undefined ? at(issue.path) : at([...issue.path, other], true);
        this.note("field", place, subject, `${pathText(String(field), rest)} ${reason}`);
      }
    }
    return error === undefined;
  }

  /** Of a thing as a whole is said what it must be: `link "docs" must be a map of fields`. */
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
      this.note("field", place, subject, `unknown field ${JSON.stringify(name)}${hint}`);
    }
  }
}

/** What to say of fields that are known, but not there. */
const misplaced: { readonly [place: string]: string } = {
  "link key": ": the key is the name before the colon",
  "domain name": ": the name of a domain is that before the colon",
  "defaults url": ": each link has its own",
  "defaults alias": ": each link has its own",
  "defaults key": ": each link has its own",
  "defaults formerly": ": each link has its own",
  "link formerly": ": write it with the entry, in the catalog itself",
};
