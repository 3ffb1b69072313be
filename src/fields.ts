import { z } from "zod";

// The rules of every field, taken from what the service documents and does. Each schema turns what a user would
// naturally write into one canonical form; where a value equals the service's default, that form is "absent".
// What only the service can decide (is the alias free, does the space exist) is left to it.

const required = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : otherwise;

const number = (value: unknown) =>
  typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value;

const url = (longest: number) =>
  z
    .string({ error: required("must be a URL") })
    .trim()
    .max(longest, { error: `is longer than ${longest} characters` })
    .regex(/^[a-z][a-z0-9+.-]*:\/\/[^\s/?#]/i, {
      error: "must be a URL with scheme and host, for example https://example.com/page",
    })
    .regex(/^[^\s{}|"<>\\^`\p{Cc}\p{Extended_Pictographic}]*$/u, {
      error:
        'holds a character that must be percent-encoded (space, { } | " < > \\ ^ `, an emoji or a control character)',
    });

const id = (noun: string) =>
  z.preprocess(
    number,
    z
      .int({ error: required(`must be the id of a ${noun}, a whole number`) })
      .min(1, { error: `must be the id of a ${noun}, 1 or greater` }),
  );

/** 1 to 128 characters; never trimmed, never named in a message. */
const password = z.string({ error: "must be a text" }).max(128, { error: "is longer than 128 characters" });

/** Date and time as the service reads it: in the account's time zone, without a zone of its own. */
const dateTime = z
  .string({ error: "must be a text like 2026-03-01T08:00:00" })
  .trim()
  .refine((text) => !/[T ].*(?:z|[+-]\d\d(?::?\d\d)?)$/i.test(text), {
    abort: true,
    error:
      "must have no time zone: the service reads it in the time zone of the account; write 2026-03-01T08:00:00",
  })
  .transform((text) => text.replace(" ", "T").replace(/^([^.]*T\d\d:\d\d)$/, "$1:00"))
  .refine(isDateTime, { abort: true, error: "must be a real date and time like 2026-03-01T08:00:00" })
  .refine((text) => text >= "1970-01-02" && text < "2038-01-18", { error: "must lie between 1970 and 2038" });

function isDateTime(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text;
}

const privacies = ["public", "private", "password"] as const;

export const targetsTypes = [
  "continents",
  "countries",
  "operating_systems",
  "browsers",
  "languages",
  "devices",
  "rotations",
] as const;

const target = z.strictObject(
  {
    key: z.string({ error: "must be a text" }).trim().optional(),
    value: url(2048),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? "takes only key and value"
        : "must be an object with key and value",
  },
);

/** Arguments of a domain. */
export const domainFields = {
  name: z
    .string({ error: required("must be a host name") })
    .trim()
    .toLowerCase()
    .max(255, { error: "is longer than 255 characters" })
    .regex(/^(?:[^\s./:?#@_-](?:[^\s./:?#@_]{0,61}[^\s./:?#@_-])?\.)+[a-z0-9-]{2,63}$/u, {
      error: "must be a host name with a dot and without scheme, port and path, for example go.example.com",
    }),
  homepageUrl: url(255).optional(),
  notFoundUrl: url(255).optional(),
};

/** Arguments of a link. */
export const linkFields = {
  url: url(2048),
  domainId: id("domain"),
  alias: z
    .string({ error: "must be a text" })
    .trim()
    .max(255, { error: "is longer than 255 characters" })
    .regex(/^[\p{L}\p{M}\p{N}_-]+$/u, { error: "may hold letters, digits, - and _ only" })
    .refine((alias) => alias !== "0", { error: "must not be 0, which the service takes for no alias" })
    .optional(),
  spaceId: id("space").optional(),
  pixelIds: z
    .array(id("pixel"), { error: "must be a list of pixel ids" })
    .transform((ids) => absentIfEmpty([...new Set(ids)].sort((a, b) => a - b)))
    .optional(),
  redirectPassword: password.optional(),
  sensitiveContent: z
    .union([z.boolean(), z.literal([0, 1]), z.literal(["0", "1", "true", "false"])], {
      error: "must be true or false",
    })
    .transform((value) =>
      value === true || value === 1 || value === "1" || value === "true" ? true : undefined,
    )
    .optional(),
  privacy: z
    .preprocess(
      (value) => (/^[012]$/.test(String(value)) ? privacies[Number(value)] : value),
      z.enum(privacies, { error: 'must be "public", "private" or "password" (0, 1 or 2)' }),
    )
    .transform((value) => (value === "public" ? undefined : value))
    .optional(),
  password: password.optional(),
  activePeriodStartAt: dateTime.optional(),
  activePeriodEndAt: dateTime.optional(),
  clicksLimit: z
    .preprocess(
      number,
      z
        .int({ error: "must be a whole number" })
        .min(0, { error: "must be 0 (no limit) or greater" })
        .max(999_999_999, { error: "must be at most 999999999" }),
    )
    .transform((limit) => (limit === 0 ? undefined : limit))
    .optional(),
  expirationUrl: url(2048).optional(),
  targetsType: z.enum(targetsTypes, { error: `must be one of ${targetsTypes.join(", ")}` }).optional(),
  targets: z
    .array(target, { error: "must be a list of { key, value }" })
    .max(100, { error: "has more than 100 entries" })
    .transform(absentIfEmpty)
    .optional(),
};

/** Stands for the values of `privacy` in their order on the wire. */
export function privacyName(number: number): (typeof privacies)[number] | undefined {
  return privacies[number];
}
export function privacyNumber(name: (typeof privacies)[number]): number {
  return privacies.indexOf(name);
}

function absentIfEmpty<Item>(list: Item[]): Item[] | undefined {
  return list.length === 0 ? undefined : list;
}
