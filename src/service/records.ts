import { z } from "zod";

// Versions of the service differ in what they call things and in how they type them, and the answer to a write
// shows what was sent rather than what is stored. These schemas are the one place that knows.

const integer = z.union([z.number(), z.string().regex(/^-?\d+$/)]).transform(Number);
const id = integer.pipe(z.int().positive());
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const count = integer.nullish().transform((value) => value ?? null);
const nested = z.object({ id }).nullish();
const nestedDomain = z.object({ id, name: text }).nullish();
/** "Is it set?"; the secret itself is never returned. */
const flag = z
  .union([z.boolean(), z.number(), z.null(), z.string()])
  .optional()
  .transform((value) => value !== "0" && value !== "false" && Boolean(value));

/** An object whose empty texts count as null: some versions answer them for what is not set. */
function record<Shape extends z.ZodRawShape>(shape: Shape) {
  const nullify = (raw: unknown) =>
    typeof raw === "object" && raw !== null && Object.values(raw).includes("")
      ? Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, value === "" ? null : value]))
      : raw;
  return z.preprocess(nullify, z.object(shape));
}

/** An entry without a destination, which the service may have stored unchecked, is none. */
const target = z
  .object({ key: z.union([z.string(), z.number()]).nullish(), value: z.string() })
  .optional()
  .catch(undefined);

export const domainRecord = record({
  id,
  name: z.string(),
  url: text,
  homepage_url: text,
  index_page: text,
  not_found_url: text,
  not_found_page: text,
  created_at: text,
}).transform((raw) => ({
  id: raw.id,
  name: raw.name,
  url: raw.url,
  // The second names are those of versions before 2026.
  homepage_url: raw.homepage_url ?? raw.index_page,
  not_found_url: raw.not_found_url ?? raw.not_found_page,
  created_at: raw.created_at,
}));

export const linkRecord = record({
  id,
  alias: z.string(),
  url: z.string(),
  short_url: text,
  domain: nestedDomain,
  domain_id: count,
  space: nested,
  space_id: count,
  pixels: z.array(z.object({ id })).nullish(),
  pixel_ids: z.array(id).nullish(),
  redirect_password: flag,
  sensitive_content: z.union([z.boolean().transform(Number), integer]).nullish(),
  privacy: count,
  password: flag,
  active_period_start_at: text,
  active_period_end_at: text,
  clicks_limit: count,
  expiration_url: text,
  targets_type: text,
  targets: z
    .union([z.array(target), z.record(z.string(), target)])
    .nullish()
    .catch(null),
  clicks: count,
  clicks_count: count,
  disabled: flag,
  ends_at: text,
  expiration_clicks: count,
  created_at: text,
}).transform((raw) => ({
  id: raw.id,
  alias: raw.alias,
  url: raw.url,
  short_url: raw.short_url,
  /** Null where the answer does not tell. */
  domain_id: raw.domain?.id ?? raw.domain_id,
  /** Null where the answer does not tell. */
  domain_name: raw.domain?.name ?? null,
  space_id: raw.space?.id ?? raw.space_id,
  pixel_ids: raw.pixels?.map((pixel) => pixel.id) ?? raw.pixel_ids ?? [],
  redirect_password: raw.redirect_password,
  sensitive_content: raw.sensitive_content ?? null,
  privacy: raw.privacy,
  password: raw.password,
  active_period_start_at: raw.active_period_start_at,
  active_period_end_at: raw.active_period_end_at,
  clicks_limit: raw.clicks_limit,
  expiration_url: raw.expiration_url,
  targets_type: raw.targets_type,
  // An array, or an object keyed by index where the indices had holes.
  targets: Object.values(raw.targets ?? {}).flatMap((entry) =>
    entry ? [{ key: entry.key ?? null, value: entry.value }] : [],
  ),
  /** Null where the answer does not tell. */
  clicks: raw.clicks_count ?? raw.clicks,
  // The names of versions before 2025, in which links could be disabled.
  disabled: raw.disabled,
  ends_at: raw.ends_at,
  expiration_clicks: raw.expiration_clicks,
  created_at: raw.created_at,
}));

/** A domain as the service returns it, in the names and types of the newest version. */
export type DomainRecord = z.infer<typeof domainRecord>;

/** A link as the service returns it, in the names and types of the newest version. */
export type LinkRecord = z.infer<typeof linkRecord>;

/** What wraps a list: the service's own, or a bare array. */
export const listAnswer = z.union([
  z.object({
    data: z.array(z.unknown()),
    meta: z
      .object({ last_page: integer.nullish().catch(null) })
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
