import { observedDate, readDateTime } from "./dates";
import type { Tell } from "./problem";
import type { KindName, Row, Target } from "./row";
import { loosenTargets, observedTargets, orderTargets, readTargets } from "./targets";
import { listed, readAlias, readHostName, readText, readUrl, readWord } from "./texts";

// The rules of each kind of field, for programs, files, forms and answers. A value that equals the service's default is absent in
// canonical form. Only the service can decide the rest: whether an alias is free, or whether a space exists.

/** The values of the other fields, for the few kinds that depend on one. */
export type Others = { readonly [name: string]: unknown };

export interface Kind {
  /** Converts spellings that only programs may use, for example numbers as texts. */
  loosen?: (value: unknown, row: Row) => unknown;
  /** Checks a value of a program or a file, and returns it as the service spells it. */
  read: (value: unknown, row: Row, tell: Tell) => unknown;
  /** True for the service's default. */
  isDefault?: (value: unknown, row: Row) => boolean;
  /** The canonical value of a record's field that is not null. */
  observe?: (answer: unknown, row: Row) => unknown;
  /** The value in a form; `value` is undefined to clear the field. Default: the value, or null. */
  form?: (value: unknown, row: Row) => unknown;
  /** The list in a fixed order, for comparisons, if its order has no meaning to the service. */
  order?: (value: unknown, others: Others) => unknown;
  /** The index of an item of an answer in the program's list, -1 for none. */
  placeIn?: (item: unknown, list: unknown[], others: Others) => number;
}

/** Undefined for the values that mean "not given" to the service: null and blank texts. */
const blank = (value: unknown) =>
  value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;

/** Programs may give numbers as texts, because the id of a resource is a text. */
const numeric = (value: unknown) =>
  typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : blank(value);

const readId = (value: unknown, { of = "" }: Row, tell: Tell) => {
  if (!Number.isSafeInteger(value)) tell(`must be the id of a ${of}, a whole number`);
  else if ((value as number) < 1) tell(`must be the id of a ${of}, 1 or greater`);
  return value;
};
const isEmpty = (list: unknown) => (list as unknown[]).length === 0;
const byNumber = (a: number, b: number) => a - b;

export const kinds: { readonly [Name in KindName]: Kind } = {
  text: {
    // As for the service, an empty text is no password, but spaces are one.
    loosen: (value, { secret }) => (secret && value !== null && value !== "" ? value : blank(value)),
    read: readText,
  },
  url: { read: readUrl },
  hostName: { read: readHostName },
  // A link keeps its alias: without a new one the form has none.
  alias: { read: readAlias, form: (value) => value },
  id: { loosen: numeric, read: readId },
  ids: {
    loosen: (value) => (Array.isArray(value) ? value.map(numeric) : blank(value)),
    read: (value, row, tell) => {
      if (!Array.isArray(value)) {
        tell(`must be a list of ${row.of} ids`);
        return value;
      }
      value.forEach((id, index) => readId(id, row, (reason) => tell(reason, [index])));
      return [...new Set<unknown>(value)];
    },
    isDefault: isEmpty,
    observe: (ids) => [...(ids as number[])].sort(byNumber),
    form: (ids) => ids ?? [],
    order: (ids) => [...(ids as number[])].sort(byNumber),
    placeIn: (id, ids) => ids.indexOf(id),
  },
  flag: {
    loosen: (value, { wire }) =>
      wire === undefined
        ? blank(value)
        : value === "0" || value === "false"
          ? 0
          : value === "1" || value === "true"
            ? 1
            : blank(value),
    // The service writes its flags as 0 and 1.
    read: (value, { wire }, tell) => {
      const isNumber = wire !== undefined && (value === 0 || value === 1);
      if (typeof value !== "boolean" && !isNumber) tell("must be true or false");
      return Boolean(value);
    },
    isDefault: (value) => value === false,
    observe: Boolean,
    form: (value) => value ?? false,
  },
  count: {
    loosen: numeric,
    read: (value, { max = Infinity }, tell) => {
      if (!Number.isSafeInteger(value)) tell("must be a whole number");
      else if ((value as number) < 0) tell("must be 0 (no limit) or greater");
      else if ((value as number) > max) tell(`must be at most ${max}`);
      return value;
    },
    isDefault: (value) => value === 0,
  },
  choice: {
    loosen: (value, { words = [] }) =>
      typeof value === "string" && /^\d$/.test(value) && words[Number(value)] ? Number(value) : blank(value),
    read: (value, { words = [] }, tell) => {
      const word = typeof value === "number" ? words[value] : words.find((each) => each === value);
      if (word === undefined) tell(`must be ${listed(words)} (${numbersOf(words)})`);
      return word;
    },
    isDefault: (word, { words = [] }) => word === words[0],
    observe: (number, { words = [] }) => words[number as number],
    form: (word, { words = [] }) => words.indexOf((word ?? words[0]) as string),
  },
  word: { read: readWord },
  dateTime: { read: readDateTime, observe: (text) => observedDate(text as string) },
  targets: {
    loosen: (value) => loosenTargets(blank(value)),
    read: readTargets,
    isDefault: isEmpty,
    observe: (targets) => observedTargets(targets as Parameters<typeof observedTargets>[0]),
    form: (targets) => (targets as Target[] | undefined)?.map((target) => ({ ...target })) ?? null,
    order: (targets, { targetsType }) => orderTargets(targetsType as string | undefined, targets as Target[]),
    // Rotations have no keys, and their order matters.
    placeIn: (target, targets, { targetsType }) =>
      targetsType === "rotations"
        ? -1
        : targets.findIndex((each) => (each as Target).key === (target as Target).key),
  },
};

/** `0, 1 or 2` */
function numbersOf(words: readonly string[]): string {
  const numbers = words.map((_, index) => index);
  return `${numbers.slice(0, -1).join(", ")} or ${numbers.at(-1)}`;
}

/** A value of a program, ready for the check; undefined if it counts as left out. */
export function loosened(value: unknown, row: Row): unknown {
  return (kinds[row.kind].loosen ?? blank)(value, row);
}
