import { toZone } from "./dates";
import { kinds, type Others } from "./kinds";
import type { Row, Table } from "./row";

// Functions over tables: the form of their fields in programs, in answers of the service and in requests.

/** Values of some fields by their names, in canonical form; absent means the service's default. */
export type Values = { readonly [name: string]: unknown };

/** The rows of a table, and the names of fields by their properties. */
interface Lists {
  rows: readonly (readonly [string, Row])[];
  managed: readonly string[];
  secret: readonly string[];
  visible: readonly string[];
  compared: readonly string[];
  replacing: readonly string[];
  kept: readonly string[];
}

/** A cache: tables are constants, and each object needs their lists several times. */
const known = new WeakMap<Table, Lists>();

function listsOf(table: Table): Lists {
  const lists = known.get(table) ?? makeLists(table);
  known.set(table, lists);
  return lists;
}

function makeLists(table: Table): Lists {
  const rows = Object.entries(table);
  const namesOf = (isWanted: (row: Row) => boolean) =>
    rows.filter(([, row]) => isWanted(row)).map(([name]) => name);
  return {
    rows,
    managed: namesOf(({ wire }) => wire !== undefined),
    secret: namesOf(({ secret }) => secret === true),
    visible: namesOf(({ wire, secret }) => wire !== undefined && !secret),
    compared: namesOf(({ creation }) => !creation),
    replacing: namesOf(({ replaces }) => replaces === true),
    kept: namesOf(({ kept }) => kept === true),
  };
}

/** The fields that the service has, in the order of the table. */
export function managedOf(table: Table): readonly string[] {
  return listsOf(table).managed;
}

/** Write-only fields: the service returns only whether they are set. */
export function secretsOf(table: Table): readonly string[] {
  return listsOf(table).secret;
}

/** The fields that the service returns. */
export function visibleOf(table: Table): readonly string[] {
  return listsOf(table).visible;
}

/** The fields for which a change has an effect. */
export function comparedOf(table: Table): readonly string[] {
  return listsOf(table).compared;
}

/** The fields for which a change replaces the object. */
export function replacingOf(table: Table): readonly string[] {
  return listsOf(table).replacing;
}

/** The fields that the service or the provider chooses if the program names none. */
export function keptOf(table: Table): readonly string[] {
  return listsOf(table).kept;
}

/** The value of each row that has one. */
function mapped(table: Table, toValue: (row: Row, name: string) => unknown): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, row] of listsOf(table).rows) {
    const value = toValue(row, name);
    if (value !== undefined && value !== null) values[name] = value;
  }
  return values;
}

/** Placeholder for a password that the service has but never returns. */
const someSecret = "(set outside of this program)";

/** The managed fields as the service answers them, in canonical form. */
export function observe(table: Table, record: Values, inputs: Values = {}): Values {
  const values = mapped(table, (row, name) => {
    if (row.wire === undefined) return undefined;
    const answer = record[row.wire] ?? null;
    if (row.secret) return answer ? someSecret : undefined;
    // A field that replaces the object cannot change on the service, so an answer without it changes nothing.
    if (answer === null) return row.replaces ? inputs[name] : undefined;
    const { observe: toValue, isDefault } = kinds[row.kind];
    const value = toValue ? toValue(answer, row) : answer;
    return isDefault?.(value, row) ? undefined : value;
  });
  return comparable(table, values);
}

/** The managed fields as `observe` returns them if the service has exactly the inputs. */
export function wishOf(table: Table, inputs: Values): Values {
  const wish = mapped(table, ({ secret }, name) =>
    secret && inputs[name] !== undefined ? someSecret : inputs[name],
  );
  return comparable(table, wish);
}

/** The same values with sorted lists, if their order has no meaning to the service. */
export function comparable(table: Table, values: Values): Values {
  let ordered: Record<string, unknown> | undefined;
  for (const [name, { kind }] of listsOf(table).rows) {
    const { order } = kinds[kind];
    if (order && Array.isArray(values[name])) (ordered ??= { ...values })[name] = order(values[name], values);
  }
  return ordered ?? values;
}

/** An answer with its lists in the order of the program; items that the program lacks come last. */
export function inOrderOf(table: Table, inputs: Values, answer: Others): Record<string, unknown> {
  const ordered = { ...answer };
  for (const [name, { kind }] of Object.entries(table)) {
    const { placeIn } = kinds[kind];
    const [list, own] = [answer[name], inputs[name] ?? []];
    if (!placeIn || !Array.isArray(list) || !Array.isArray(own)) continue;
    const place = (item: unknown) => {
      const index = placeIn(item, own, answer);
      return index === -1 ? Infinity : index;
    };
    ordered[name] = [...(list as unknown[])].sort((a, b) =>
      place(a) === place(b) ? 0 : place(a) - place(b),
    );
  }
  return ordered;
}

/** An answer with its UTC dates in the time zone of the account, if that is known. */
export function inZone(table: Table, answer: Values, timeZone: string | undefined): Record<string, unknown> {
  if (timeZone === undefined) return answer;
  const local = mapped(table, ({ kind }, name) =>
    kind === "dateTime" && answer[name] !== undefined
      ? toZone(`${answer[name] as string}Z`, timeZone)
      : undefined,
  );
  return { ...answer, ...local };
}

/** The values of a form that writes the given fields, by their names on the wire. It clears absent ones. */
export function toForm(table: Table, inputs: Values, names: readonly string[]): Record<string, unknown> {
  const isWritten = (name: string) => names.includes(name) || names.includes(table[name]?.with ?? "");
  const entries = managedOf(table)
    .filter(isWritten)
    .map((name) => {
      const { kind, wire = "", ...row } = table[name] as Row;
      const value = inputs[name];
      const { form } = kinds[kind];
      return [wire, form ? form(value, { kind, wire, ...row }) : (value ?? null)];
    });
  return Object.fromEntries(entries) as Record<string, unknown>;
}
