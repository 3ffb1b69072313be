import { z } from "zod";
import { domainFields } from "../domain/fields";
import type { KindName, Row, Table } from "../fields/row";
import { linkFields } from "../link/fields";

// Versions of the service differ in names and types. The answer to a write shows the sent values, not the stored ones. Only these
// schemas know that.

const integer = z.union([z.number(), z.string().regex(/^-?\d+$/)]).transform(Number);
const id = integer.pipe(z.int().positive());
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const count = integer.nullish().transform((value) => value ?? null);
const nested = z.object({ id }).nullish();
const nestedDomain = z.object({ id, name: text }).nullish();
/** True if a secret is set; the service never returns the secret itself. */
const flag = z
  .union([z.boolean(), z.number(), z.null(), z.string()])
  .optional()
  .transform((value) => value !== "0" && value !== "false" && Boolean(value));

/** An object whose empty texts count as null: some versions return them for unset values. */
function record<Shape extends z.ZodRawShape>(shape: Shape) {
  const nullify = (raw: unknown) =>
    typeof raw === "object" && raw !== null && Object.values(raw).includes("")
      ? Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, value === "" ? null : value]))
      : raw;
  return z.preprocess(nullify, z.object(shape));
}

/** Drops an entry without a destination, which the service may have stored unchecked. */
const target = z
  .object({ key: z.union([z.string(), z.number()]).nullish(), value: z.string() })
  .optional()
  .catch(undefined);

/** The schema of each kind of field in answers. */
const answers = {
  text,
  url: text,
  hostName: text,
  alias: text,
  word: text,
  dateTime: text,
  id: count,
  count,
  choice: count,
  ids: z.array(id).nullish(),
  flag,
  targets: z
    .union([z.array(target), z.record(z.string(), target)])
    .nullish()
    .catch(null)
    // An array, or an object keyed by index if the indices had holes.
    .transform((raw) =>
      Object.values(raw ?? {}).flatMap((entry) =>
        entry ? [{ key: entry.key ?? null, value: entry.value }] : [],
      ),
    ),
} satisfies Record<KindName, z.ZodType>;

/** The value that the service returns for a field. */
type AnswerOf<Each extends Row> = Each extends { readonly secret: true }
  ? boolean
  : Each["kind"] extends "ids"
    ? number[]
    : z.output<(typeof answers)[Each["kind"]]>;

/** The fields of a table as the service returns them, by their names on the wire. */
type AnswersOf<Fields extends Table> = {
  [
    Name in keyof Fields as Fields[Name] extends { readonly wire: infer Wire extends string } ? Wire : never
  ]: AnswerOf<Fields[Name]>;
};

/** How to read the field of a row in an answer. */
interface Reading {
  wire: string;
  olderWire: string;
  /** The name under which a version returns records instead of ids: `space` for `space_id`, `pixels` for `pixel_ids`. */
  nested: string | undefined;
  schema: z.ZodType;
  /** The value of an absent field. */
  empty: unknown;
}

function readingOf({ wire = "", olderWire = "", kind, secret }: Row): Reading {
  const nested =
    kind === "id" ? wire.replace(/_id$/, "") : kind === "ids" ? wire.replace(/_ids$/, "s") : undefined;
  const schema = secret ? flag : answers[kind];
  return { wire, olderWire, nested, schema, empty: kind === "ids" ? [] : null };
}

/**
 * Reads the fields of a table in an answer.
 *
 * @param more The shape of a record's other properties.
 * @param older The shape of older names for them, which `toTold` reads.
 */
function schemaOf<
  Fields extends Table,
  More extends z.ZodRawShape,
  Older extends z.ZodRawShape,
  Told extends object,
>(fields: Fields, more: More, older: Older, toTold: (raw: z.output<z.ZodObject<More & Older>>) => Told) {
  const rows = Object.values(fields).filter(({ wire }) => wire !== undefined);
  const readings = rows.map(readingOf);
  const shape: Record<string, z.ZodType> = {};
  for (const { wire, olderWire, nested: inner, schema, empty } of readings) {
    shape[wire] = schema;
    if (olderWire !== "") shape[olderWire] = schema;
    if (inner !== undefined) shape[inner] = empty === null ? nested : z.array(z.object({ id })).nullish();
  }
  const names = Object.keys(more);
  return record({ ...shape, ...more, ...older }).transform((raw: Record<string, unknown>) => {
    const answer: Record<string, unknown> = {};
    for (const name of names) answer[name] = raw[name];
    for (const { wire, olderWire, nested: inner, empty } of readings) {
      const told = inner === undefined ? undefined : (raw[inner] as { id: number } | { id: number }[] | null);
      const ids = Array.isArray(told) ? told.map((item) => item.id) : told?.id;
      answer[wire] = ids ?? raw[wire] ?? raw[olderWire] ?? empty;
    }
    Object.assign(answer, toTold(raw as z.output<z.ZodObject<More & Older>>));
    return answer as AnswersOf<Fields> & Omit<z.output<z.ZodObject<More>>, keyof Told> & Told;
  });
}

export const domainRecord = schemaOf(
  domainFields,
  { id, name: z.string(), url: text, created_at: text },
  {},
  () => ({}),
);

export const linkRecord = schemaOf(
  linkFields,
  {
    id,
    alias: z.string(),
    url: z.string(),
    short_url: text,
    clicks: count,
    // The names of versions before 2025, in which links could be disabled.
    disabled: flag,
    ends_at: text,
    expiration_clicks: count,
    created_at: text,
  },
  { domain: nestedDomain, clicks_count: count },
  ({ domain, clicks, clicks_count }) => ({
    /** Null if the answer lacks it. */
    domain_name: domain?.name ?? null,
    /** Null if the answer lacks it. */
    clicks: clicks_count ?? clicks,
  }),
);

/** A domain as the service returns it, in the names and types of the newest version. */
export type DomainRecord = z.infer<typeof domainRecord>;

/** A link as the service returns it, in the names and types of the newest version. */
export type LinkRecord = z.infer<typeof linkRecord>;

/** A list as the service wraps it, or as a bare array. */
export const listAnswer = z.union([
  z.object({
    data: z.array(z.unknown()),
    meta: z
      .object({ last_page: integer.nullish().catch(null), total: integer.nullish().catch(null) })
      .nullish()
      .catch(null),
  }),
  z.array(z.unknown()).transform((records) => ({ data: records, meta: null })),
]);

/** The answer to a deletion, which is not wrapped. */
export const deleteAnswer = z.object({ id, deleted: z.literal(true) });

/** A single record comes in `data`, or bare. */
export function unwrap(body: unknown): unknown {
  return typeof body === "object" && body !== null && "data" in body ? body.data : body;
}
