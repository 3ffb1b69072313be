import { z } from "zod";

// The rules of every field, taken from what the service documents and does. Each schema turns what a user would
// naturally write into one canonical form; where a value equals the service's default, that form is "absent".
// What only the service can decide (is the alias free, does the space exist) is left to it.

const required = (otherwise: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : otherwise;

/** What the service takes for "not given": null, and a text of nothing but spaces. */
const blank = (value: unknown) =>
  value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;

/** An argument that must be there. */
const mandatory = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(blank, schema);

/** An argument that may be left out. */
const optional = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(blank, schema.optional());

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
    .regex(/^[^\s{}|"<>\\^`\p{Cc}\p{Emoji_Presentation}]*$/u, {
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

/** 1 to 128 characters; never trimmed, never named in a message. An empty one is none, as for the service. */
const password = z.preprocess(
  (value) => (value === null || value === "" ? undefined : value),
  z.string({ error: "must be a text" }).max(128, { error: "is longer than 128 characters" }).optional(),
);

const zone = /(?:z|[+-]\d\d:?\d\d)$/i;
const fraction = /\.\d+$/;

/** Date and time in the time zone of the account, as the service reads it; one with a zone of its own becomes UTC. */
const dateTime = z
  .string({ error: "must be a Date or a text like 2026-03-01T08:00:00" })
  .trim()
  .transform((text) => {
    const own = /[T ]/i.test(text) ? zone.exec(text.slice(10))?.[0].toUpperCase() : undefined;
    const local = text
      .slice(0, text.length - (own?.length ?? 0))
      .replace(/^([^T ]*)[T ]/i, "$1T")
      .replace(fraction, "")
      .replace(/^([^.]*T\d\d:\d\d)$/, "$1:00");
    if (own === undefined || !isDateTime(local)) return local;
    const time = Date.parse(local + own.replace(/^(.\d\d)(\d\d)$/, "$1:$2"));
    return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 19)}Z`;
  })
  .refine((text) => isDateTime(text.replace(/Z$/, "")), {
    abort: true,
    error: "must be a real date and time like 2026-03-01T08:00:00",
  })
  .refine((text) => text >= "1970-01-02" && text < "2038", { error: "must lie in the years 1970 to 2037" });

function isDateTime(text: string): boolean {
  const time = Date.parse(`${text}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text;
}

/** A moment like `2026-03-01T07:00:00Z` as the clocks of a time zone show it: `2026-03-01T08:00:00`. */
export function toZone(moment: string, timeZone: string): string {
  // Swedes write dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  return format.format(new Date(moment)).replace(" ", "T");
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
    key: optional(z.string({ error: "must be a text" }).trim()),
    value: mandatory(url(2048)),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? "takes only key and value"
        : "must be an object with key and value",
  },
);

const adopt = optional(
  z.enum(["never", "ifEqual", "always"], { error: 'must be "never", "ifEqual" or "always"' }),
);

/** A name with a dot whose last label is in ASCII and not a number, or an IPv4 address. */
function isHostName(text: string): boolean {
  const labels = /^(?:[^\s./:?#@_-](?:[^\s./:?#@_]{0,61}[^\s./:?#@_-])?\.)+(?!\d+$)[a-z0-9-]{1,63}$/u;
  return labels.test(text) || z.ipv4().safeParse(text).success;
}

/** Arguments of a domain. */
export const domainFields = {
  name: mandatory(
    z
      .string({ error: required("must be a host name") })
      .trim()
      .toLowerCase()
      .max(255, { error: "is longer than 255 characters", abort: true })
      .refine(isHostName, {
        error: "must be a host name with a dot and without scheme, port and path, for example go.example.com",
      }),
  ),
  homepageUrl: optional(url(255)),
  notFoundUrl: optional(url(255)),
  forceDestroy: optional(
    z.boolean({ error: "must be true or false" }).transform((value) => absentIf(!value, true as const)),
  ),
  adopt,
};

/** Arguments of a link. */
export const linkFields = {
  url: mandatory(url(2048)),
  domainId: mandatory(id("domain")),
  alias: optional(
    z
      .string({ error: "must be a text" })
      .trim()
      .max(255, { error: "is longer than 255 characters" })
      .regex(/^[\p{L}\p{M}\p{N}_-]+$/u, { error: "may hold letters, digits, - and _ only" })
      .refine((alias) => alias !== "0", { error: "must not be 0, which the service takes for no alias" }),
  ),
  spaceId: optional(id("space")),
  pixelIds: optional(
    z
      .array(id("pixel"), { error: "must be a list of pixel ids" })
      .transform((ids) => absentIfEmpty([...new Set(ids)].sort((a, b) => a - b))),
  ),
  redirectPassword: password,
  sensitiveContent: optional(
    z
      .union([z.boolean(), z.literal([0, 1]), z.literal(["0", "1", "true", "false"])], {
        error: "must be true or false",
      })
      .transform((value) => absentIf(![true, 1, "1", "true"].includes(value), true as const)),
  ),
  privacy: optional(
    z
      .preprocess(
        (value) => (["0", "1", "2", 0, 1, 2].includes(value as number) ? privacies[Number(value)] : value),
        z.enum(privacies, { error: 'must be "public", "private" or "password" (0, 1 or 2)' }),
      )
      .transform((value) => (value === "public" ? undefined : value)),
  ),
  password,
  activePeriodStartAt: optional(dateTime),
  activePeriodEndAt: optional(dateTime),
  clicksLimit: optional(
    z
      .preprocess(
        number,
        z
          .int({ error: "must be a whole number" })
          .min(0, { error: "must be 0 (no limit) or greater" })
          .max(999_999_999, { error: "must be at most 999999999" }),
      )
      .transform((limit) => absentIf(limit === 0, limit)),
  ),
  expirationUrl: optional(url(2048)),
  targetsType: optional(z.enum(targetsTypes, { error: `must be one of ${targetsTypes.join(", ")}` })),
  targets: optional(
    z
      .array(target, { error: "must be a list of { key, value }" })
      .max(100, { error: "has more than 100 entries" })
      .transform(absentIfEmpty),
  ),
  adopt,
};

/** Stands for the values of `privacy` in their order on the wire. */
export function privacyName(number: number): (typeof privacies)[number] | undefined {
  return privacies[number];
}
export function privacyNumber(name: (typeof privacies)[number]): number {
  return privacies.indexOf(name);
}

export function absentIf<Value>(absent: boolean, value: Value): Value | undefined {
  return absent ? undefined : value;
}

function absentIfEmpty<Item>(list: Item[]): Item[] | undefined {
  return list.length === 0 ? undefined : list;
}
