// The content of a catalog's file, with its places.

/** Lines and columns count from 1. */
export interface Place {
  file: string;
  line: number;
  column: number;
  /** The cell of a table as spreadsheets name it, like `B2`. */
  cell?: string;
}

/** Finds the place of an offset in a text. */
export function placesIn(file: string, text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = -1; (at = text.indexOf("\n", at + 1)) >= 0;) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { file, line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Kind of mistake. */
export type FindingKind =
  "syntax" | "field" | "reference" | "duplicate" | "circle" | "rule" | "overlay" | "files";

/** A mistake in a file. */
export interface Finding extends Place {
  kind: FindingKind;
  /** The thing with the mistake, like `link "docs"`; undefined for a file as a whole. */
  subject: string | undefined;
  /** The mistake. */
  reason: string;
  /** Cell, subject and reason. */
  message: string;
}

export function findingAt(
  kind: FindingKind,
  { file, line, column, cell }: Place,
  subject: string | undefined,
  reason: string,
): Finding {
  const about = [cell && `cell ${cell}`, subject].filter(Boolean).join(", ");
  const message = about === "" ? reason : `${about}: ${reason}`;
  return { kind, file, line, column, ...(cell && { cell }), subject, reason, message };
}

/** A part of a file. */
export interface Written {
  /** Undefined for an item of a list. */
  key: string | undefined;
  value: unknown;
  /** The place of the part or of something in it; with `isKey`, of its name. A missing part has the place of its parent. */
  at: (path?: readonly PropertyKey[], isKey?: boolean) => Place;
}

/** The top of a file. Entries keep their order; those of maps have keys, those of lists have none. */
export interface Parsed {
  file: string;
  /** The sections by their names. */
  sections: Map<string, Written>;
  /** The entries of a section that is a map, or with `orList` a list; undefined if it is neither. */
  entriesOf: (section: string, orList: boolean) => Written[] | undefined;
  findings: Finding[];
}

export const domainRequired = "domain is required: the name of a domain of the catalog, here or in defaults";

/** `file:line:column`, as compilers write it. */
export function placeText({ file, line, column }: Place): string {
  return `${file}:${line}:${column}`;
}

/** A former key of an entry: of its catalog, or of another one of the program. */
export type FormerKey = string | { catalog: string; key: string };

/** The former keys of an entry. */
export function formerKeys({ formerly = [] }: { formerly?: unknown }): FormerKey[] {
  return [formerly as FormerKey | FormerKey[]].flat();
}
