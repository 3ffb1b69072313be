import { z } from "zod";

// The rules of every field, taken from what the service documents and does. Each schema turns what a user would
// naturally write into one canonical form; where a value equals the service's default, that form is "absent".
// What only the service can decide (is the alias free, does the space exist) is left to it.

const required =
  (otherwise: string, missing = "is required") =>
  (issue: { input?: unknown }) =>
    issue.input === undefined ? missing : otherwise;

/** Signs that a path, a query and a fragment hold as they are. `%` has a rule of its own. */
const plain = "\\p{L}\\p{N}._~!$&'()*+,;=:@/%-";
const user = "[\\p{L}\\p{N}._%-]+";
const urlParts = new RegExp(
  `^\\s*[^:]*://(?:(?:${user}:)?${user}@)?(?:\\[[0-9A-Fa-f:.]+\\]|[\\p{L}\\p{M}\\p{N}\\p{S}._-]+)(?::\\d{1,5})?` +
    `(?:/[${plain}]*)?(?:\\?[?[\\]${plain}]*)?(?:#[?${plain}]*)?\\s*$`,
  "u",
);

/** The rule of the service's framework, without its list of schemes, which differs by version. */
const url = (longest: number) =>
  z
    .string({ error: required("must be a URL") })
    .max(longest, { error: `is longer than ${longest} characters` })
    .trim()
    .regex(/^\s*[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#]/, {
      error: "must be a URL with scheme and host, for example https://example.com/page",
      abort: true,
    })
    .regex(/^(?:[^%]|%[0-9A-Fa-f]{2})*$/, {
      error: 'holds a "%" without two hexadecimal digits after it: write "%25" for the sign itself',
    })
    .regex(urlParts, {
      error:
        'holds a character that must be percent-encoded (space, { } | " < > \\ ^ `, an emoji, another symbol or a control ' +
        "character; [ and ] outside of the query; a second #)",
    });

const id = (noun: string, missing?: string) =>
  z
    .int({ error: required(`must be the id of a ${noun}, a whole number`, missing) })
    .min(1, { error: `must be the id of a ${noun}, 1 or greater` });

/** 1 to 128 characters; never trimmed, never named in a message. */
const password = z.string({ error: "must be a text" }).max(128, { error: "is longer than 128 characters" });

const zone = /(?:z|[+-]\d\d:?\d\d)$/i;
const fraction = /\.\d+$/;
const realDate = "must be a real date and time like 2026-03-01T08:00:00";
const years = "must lie in the years 1970 to 2037";

/** Date and time in the time zone of the account, as the service reads it; one with a zone of its own becomes UTC. */
const dateTime = z
  .string({ error: "must be a Date or a text like 2026-03-01T08:00:00" })
  .trim()
  .regex(
    /^\s*\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt ](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?\s*$/,
    { error: realDate, abort: true },
  )
  .regex(/^\s*(?:19[7-9]|20[0-2]|203(?=[0-7]))/, { error: years })
  .transform((text) => {
    const own = zone.exec(text.slice(10))?.[0].toUpperCase();
    const local = text
      .slice(0, text.length - (own?.length ?? 0))
      .replace(/[t ]/, "T")
      .replace(fraction, "")
      .replace(/^([^.]*T\d\d:\d\d)$/, "$1:00");
    if (own === undefined || !isDateTime(local)) return local;
    const time = Date.parse(local + own.replace(/^(.\d\d)(\d\d)$/, "$1:$2"));
    return Number.isNaN(time) ? text : `${new Date(time).toISOString().slice(0, 19)}Z`;
  })
  .refine((text) => isDateTime(text.replace(/Z$/, "")), { abort: true, error: realDate })
  .refine((text) => text >= "1970-01-02" && text < "2038", { error: years });

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

const targetKey = z.string({ error: "must be a text" }).trim();

const target = <Key extends z.ZodType, Value extends z.ZodType>(key: Key, value: Value) =>
  z.strictObject(
    { key, value },
    {
      error: (issue) =>
        issue.code === "unrecognized_keys"
          ? "takes only key and value"
          : "must be an object with key and value",
    },
  );

const targets = <Target extends z.ZodType>(each: Target) =>
  z
    .array(each, { error: "must be a list of { key, value }" })
    .max(100, { error: "has more than 100 entries" });

const adopt = z.enum(["never", "ifEqual", "always"], { error: 'must be "never", "ifEqual" or "always"' });

const label = "[\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_-]{0,61}[\\p{L}\\p{N}_])?";
const octet = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
/** A name with a dot whose last label is in ASCII and not a number, or an IPv4 address. */
const hostName = new RegExp(
  `^\\s*(?:(?:${label}\\.)+(?!\\d+\\s*$)[A-Za-z0-9-]{1,63}|(?:${octet}\\.){3}${octet})\\s*$`,
  "u",
);

/** The rules of a domain's arguments, for values of the right type. A file and its JSON Schema know these alone. */
export const domainRules = {
  name: z
    .string({ error: required("must be a host name") })
    .max(255, { error: "is longer than 255 characters", abort: true })
    .trim()
    .toLowerCase()
    .regex(hostName, {
      error: "must be a host name with a dot and without scheme, port and path, for example go.example.com",
    }),
  homepageUrl: url(255),
  notFoundUrl: url(255),
  forceDestroy: z.boolean({ error: "must be true or false" }),
  adopt,
};

/** The rules of a link's arguments, for values of the right type. A file and its JSON Schema know these alone. */
export const linkRules = {
  url: url(2048),
  domainId: id(
    "domain",
    "is required. In a run with --target that creates the link, its domain must be a target as well or exist already",
  ),
  alias: z
    .string({ error: "must be a text" })
    .max(255, { error: "is longer than 255 characters" })
    .trim()
    .regex(/^\s*[\p{L}\p{M}\p{N}_-]+\s*$/u, { error: "may hold letters, digits, - and _ only" })
    .regex(/^(?!\s*0\s*$)/, { error: "must not be 0, which the service takes for no alias" }),
  spaceId: id("space"),
  pixelIds: z.array(id("pixel"), { error: "must be a list of pixel ids" }),
  redirectPassword: password,
  sensitiveContent: z.union([z.boolean(), z.literal([0, 1])], { error: "must be true or false" }),
  privacy: z.union([z.enum(privacies), z.literal([0, 1, 2])], {
    error: 'must be "public", "private" or "password" (0, 1 or 2)',
  }),
  password,
  activePeriodStartAt: dateTime,
  activePeriodEndAt: dateTime,
  clicksLimit: z
    .int({ error: "must be a whole number" })
    .min(0, { error: "must be 0 (no limit) or greater" })
    .max(999_999_999, { error: "must be at most 999999999" }),
  expirationUrl: url(2048),
  targetsType: z.enum(targetsTypes, { error: `must be one of ${targetsTypes.join(", ")}` }),
  targets: targets(target(targetKey.optional(), url(2048))),
  adopt,
};

/** What the service takes for "not given": null, and a text of nothing but spaces. */
const blank = (value: unknown) =>
  value === null || (typeof value === "string" && value.trim() === "") ? undefined : value;

/** An argument that must be there. */
const mandatory = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(blank, schema);

/** An argument that may be left out. */
const optional = <Schema extends z.ZodType>(schema: Schema) => z.preprocess(blank, schema.optional());

/** Programs give numbers as texts too: an id is one. */
const numeric = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^\d{1,15}$/.test(value.trim()) ? Number(value) : value),
    schema,
  );

/** An empty text is no password, as for the service. */
const secret = z.preprocess(
  (value) => (value === null || value === "" ? undefined : value),
  password.optional(),
);

/** Arguments of a domain, in canonical form. */
export const domainFields = {
  name: mandatory(domainRules.name),
  homepageUrl: optional(domainRules.homepageUrl),
  notFoundUrl: optional(domainRules.notFoundUrl),
  forceDestroy: optional(domainRules.forceDestroy.transform((value) => absentIf(!value, true as const))),
  adopt: optional(adopt),
};

/** Arguments of a link, in canonical form. */
export const linkFields = {
  url: mandatory(linkRules.url),
  domainId: mandatory(numeric(linkRules.domainId)),
  alias: optional(linkRules.alias),
  spaceId: optional(numeric(linkRules.spaceId)),
  pixelIds: optional(
    z
      .array(numeric(linkRules.pixelIds.element), { error: "must be a list of pixel ids" })
      .transform((ids) => absentIfEmpty([...new Set(ids)])),
  ),
  redirectPassword: secret,
  sensitiveContent: optional(
    z
      .preprocess(
        (value) => (value === "0" || value === "false" ? 0 : value === "1" || value === "true" ? 1 : value),
        linkRules.sensitiveContent,
      )
      .transform((value) => absentIf(!value, true as const)),
  ),
  privacy: optional(
    z
      .preprocess(
        (value) => (["0", "1", "2"].includes(value as string) ? Number(value) : value),
        linkRules.privacy,
      )
      .transform((value) => (typeof value === "number" ? privacies[value] : value))
      .transform((value) => (value === "public" ? undefined : value)),
  ),
  password: secret,
  activePeriodStartAt: optional(linkRules.activePeriodStartAt),
  activePeriodEndAt: optional(linkRules.activePeriodEndAt),
  clicksLimit: optional(numeric(linkRules.clicksLimit).transform((limit) => absentIf(limit === 0, limit))),
  expirationUrl: optional(linkRules.expirationUrl),
  targetsType: optional(linkRules.targetsType),
  targets: optional(targets(target(optional(targetKey), mandatory(url(2048)))).transform(absentIfEmpty)),
  adopt: optional(adopt),
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
