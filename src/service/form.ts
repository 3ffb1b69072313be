/** A value of a form field. `null` clears the field; an empty array empties the list. */
export type FormValue = string | number | boolean | null | FormValue[] | { [key: string]: FormValue };

/** Fields by their names on the wire; undefined ones are left out. */
export type FormFields = Record<string, FormValue | undefined>;

/**
 * Encodes a form body: brackets for nested fields, 1 and 0 for booleans (the service refuses the words),
 * nothing after the equals sign for null, `field[]=` for an empty array (the service answers 500 to `field=`).
 */
export async function encodeForm(fields: FormFields): Promise<string> {
  // The first write loads it, so a run that only reads starts faster.
  const { stringify } = await import("qs");
  const wire = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toWire(value)]));
  return stringify(wire, { arrayFormat: "indices", format: "RFC1738", allowEmptyArrays: false });
}

/** Encodes query parameters; undefined ones are left out. */
export function encodeQuery(parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
}

function toWire(value: FormValue | undefined): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value === null) return "";
  if (Array.isArray(value)) return value.length === 0 ? { "": "" } : value.map(toWire);
  if (typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toWire(item)]));
  }
  return value;
}
