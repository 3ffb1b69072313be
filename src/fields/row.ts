/**
 * A field of a resource, as data: what checks it, compares it, reads and writes it on the wire, and explains it. A program
 * reads the tables too, so that they import nothing.
 */
export interface Row {
  /** What kind of value it has; `kinds.ts` says what each means. */
  kind: KindName;
  /** Name on the wire. Without one the service knows nothing of the field. */
  wire?: string;
  /** Name on the wire in older versions of the service. */
  olderWire?: string;
  /** The field that the service wants written together with it. */
  with?: string;
  required?: true;
  /** What is said where it is missing. Default: "is required". */
  missing?: string;
  /** A change of it replaces the object: the service does not take it on update. */
  replaces?: true;
  /** Never shown, and never told by the service. */
  secret?: true;
  /** The largest number, or the most characters or entries. */
  max?: number;
  /** What it is the id of. */
  of?: string;
  /** The words that it may be. A `choice` has their numbers on the wire, and the first is the default. */
  words?: readonly string[];
  /** What it does, in one or two sentences for editors and tables. */
  doc: string;
  /** What holds without it. Default: nothing. */
  default?: string;
  /** It counts when the object is created; a later change does nothing. */
  creation?: true;
  /** The object keeps its value where the program names none any more. */
  kept?: true;
  /** A value to show. */
  example: unknown;
}

export type KindName =
  | "text"
  | "url"
  | "hostName"
  | "alias"
  | "id"
  | "ids"
  | "flag"
  | "count"
  | "choice"
  | "word"
  | "dateTime"
  | "targets";

/** The fields of a resource by their names. */
export type Table = { readonly [name: string]: Row };

/** What `targets` tell visitors apart by. */
export type TargetsType =
  "continents" | "countries" | "operating_systems" | "browsers" | "languages" | "devices" | "rotations";

/** A destination for some of the visitors, in canonical form. */
export interface Target {
  /** Which visitors; none for rotations. */
  key?: string;
  /** Where they go. */
  value: string;
}

/** The canonical value of a field. */
export type ValueOf<Each> = Each extends { readonly kind: "id" | "count" }
  ? number
  : Each extends { readonly kind: "ids" }
    ? number[]
    : Each extends { readonly kind: "flag" }
      ? true
      : Each extends { readonly kind: "targets" }
        ? Target[]
        : Each extends {
              readonly kind: "choice";
              readonly default: infer Default;
              readonly words: readonly (infer Word)[];
            }
          ? Exclude<Word, Default>
          : Each extends { readonly words: readonly (infer Word)[] }
            ? Word
            : string;
