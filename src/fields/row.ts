/**
 * A field of a resource, as data for checks, comparisons, requests, answers and documentation. Programs load the tables
 * too, so the tables import nothing.
 */
export interface Row {
  /** Kind of its value; `kinds.ts` defines each kind. */
  kind: KindName;
  /** Name on the wire. Absent for a field that the service does not know. */
  wire?: string;
  /** Name on the wire in older versions of the service. */
  olderWire?: string;
  /** The field that requests must write together with it. */
  with?: string;
  required?: true;
  /** Message if it is missing. Default: "is required". */
  missing?: string;
  /** A change replaces the object: the service does not accept the field on update. */
  replaces?: true;
  /** Never shown, and never returned by the service. */
  secret?: true;
  /** The largest number, or the most characters or entries. */
  max?: number;
  /** Kind of object that the id names, for messages. */
  of?: string;
  /** The allowed words. A `choice` has their numbers on the wire, and the first is the default. */
  words?: readonly string[];
  /** Description in one or two sentences, for editors and tables. */
  doc: string;
  /** Its default, as text; absent for none. */
  default?: string;
  /** Used when the object is created; a later change has no effect. */
  creation?: true;
  /** The object keeps its value if the program no longer names one. */
  kept?: true;
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

/** Property of the visitor that selects a target. */
export type TargetsType =
  "continents" | "countries" | "operating_systems" | "browsers" | "languages" | "devices" | "rotations";

/** A destination for some of the visitors, in canonical form. */
export interface Target {
  /** Visitors by the `targetsType`; absent for rotations. */
  key?: string;
  /** Destination URL. */
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
