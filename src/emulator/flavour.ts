import type { Form } from "./form";
import type { Problems } from "./rules";
import type { LinkRow } from "./store";

/**
 * In what the emulator differs from the newest known version of the service: what older versions, other settings
 * of an installation and other plans of an account make of it. Everything is off unless named.
 */
export interface Flavour {
  /** Domains answer `index_page` and `not_found_page`, as before 2026, and counters have their other name. */
  oldNames?: boolean;
  /** Every integer of a record is a text, not only those that a write has just taken from the form. */
  integersAsText?: boolean;
  /** `targets` are an object keyed by index instead of an array. */
  targetsAsObject?: boolean;
  /** What is not set is an empty text instead of null. */
  emptyAsText?: boolean;
  /** A store answers null for what the database fills in (versions of 2025). */
  defaultsAsNull?: boolean;
  /** Date-times are `2026-03-01 08:00:00`, as in very old versions. */
  spacedDates?: boolean;
  /** `password` and `redirect_password` are always false: the server's encryption key is broken. */
  passwordsHidden?: boolean;
  /** Records name domain, space and pixels by id instead of nesting them, as in versions of 2022 and 2023. */
  flatIds?: boolean;
  /** Time zone in which active periods are read, for example `Europe/Berlin`. Default: `UTC`. */
  timeZone?: string;
  /** A plan without features: every gated field that is not empty is answered 422, `privacy=0` too. */
  basicPlan?: boolean;
  /** A 422 has the framework's default form: a text in `message` and the fields in `errors`. */
  frameworkErrors?: boolean;
  /** The plan of the account has no API: every call with the right key is answered 403. */
  noApi?: boolean;
  /** Domains take `index_page` and `not_found_page`, as before 2026, and ignore the documented names without a word. */
  oldForms?: boolean;
  /**
   * Versions of 2025: unknown pixels are dropped without a word as long as one is the account's, duplicates pass, and
   * `pixel_ids=7` is answered 422 instead of 500.
   */
  lenientPixels?: boolean;
  /** Names of domains whose DNS records do not point to the server yet: storing them is answered 422. */
  unresolved?: string[];
  /** A store gives the link a title, as if the page was read; every update that contains `url` loses it (2025). */
  titles?: boolean;
  /** Two stores of one alias or name at a time both succeed: the service looks first and writes later. */
  racyStores?: boolean;
  /** The page links of lists say `http:` and name an inner host, as behind a proxy. */
  innerHost?: boolean;
  /** `meta.per_page` is a text, as on older frameworks. */
  metaAsText?: boolean;
  /** Lists leave out so many links, though each can be shown. */
  hiddenLinks?: number;
  /** The web server answers every call with 301 to https. */
  httpsOnly?: boolean;
  /** A body other than a urlencoded form is ignored and the call answered with success, instead of 415. */
  ignoresOtherBodies?: boolean;
  /**
   * A domain that the installation shares with every account (its id is 1, it is not listed and cannot be shown), and
   * aliases that the link of another account has on it (their ids are 1 and following, and cannot be shown).
   */
  shared?: { domain: string; taken: string[] };
}

type Record = { [name: string]: unknown };

/** @internal A domain record as this flavour answers it. */
export function flavourDomain(record: Record, flavour: Flavour): Record {
  const { homepage_url, not_found_url, ...rest } = record;
  const named = flavour.oldNames
    ? { ...rest, index_page: homepage_url, not_found_page: not_found_url }
    : record;
  return flavourValues(named, flavour);
}

/** @internal A link record as this flavour answers it; `stored` says that it is the answer to a store with that form. */
export function flavourLink(record: Record, flavour: Flavour, stored?: Form): Record {
  const result = { ...record };
  if (flavour.oldNames) {
    result.clicks_count = result.clicks;
    delete result.clicks;
  }
  if (flavour.targetsAsObject && Array.isArray(result.targets))
    result.targets = { ...(result.targets as object[]) };
  if (flavour.passwordsHidden) result.password = result.redirect_password = false;
  if (flavour.defaultsAsNull && stored) {
    for (const name of ["privacy", "sensitive_content", "clicks_limit"])
      if (!(name in stored)) result[name] = null;
  }
  if (flavour.flatIds) {
    const { domain, space, pixels } = result as {
      domain: Record | null;
      space: Record | null;
      pixels: Record[];
    };
    result.domain_id = domain?.id ?? null;
    result.space_id = space?.id ?? null;
    result.pixel_ids = pixels.map(({ id }) => id);
    for (const name of ["domain", "space", "pixels"]) delete result[name];
  }
  return flavourValues(result, flavour);
}

function flavourValues(record: Record, flavour: Flavour): Record {
  const value = (name: string, given: unknown): unknown => {
    if (flavour.integersAsText && typeof given === "number") return String(given);
    if (flavour.emptyAsText && given === null && !["domain", "space", "targets", "privacy"].includes(name))
      return "";
    if (flavour.spacedDates && typeof given === "string" && name.endsWith("_at")) {
      return given.slice(0, 19).replace("T", " ");
    }
    return given;
  };
  return Object.fromEntries(Object.entries(record).map(([name, given]) => [name, value(name, given)]));
}

/** @internal The columns of an active period, which is sent in the account's time zone, as they are stored: in UTC. */
export function toStored(values: Partial<LinkRow>, { timeZone = "UTC" }: Flavour): Partial<LinkRow> {
  const stored = { ...values };
  for (const name of ["active_period_start_at", "active_period_end_at"] as const) {
    const local = stored[name];
    if (local) stored[name] = toUtc(local, timeZone);
  }
  return stored;
}

function toUtc(local: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-US", {
    ...({ timeZone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric" } as const),
    ...({ hour: "numeric", minute: "numeric", second: "numeric" } as const),
  });
  const offsetAt = (time: number) => {
    const part = Object.fromEntries(
      format.formatToParts(time).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - time;
  };
  const wall = Date.parse(`${local}Z`);
  // The offset is that of the moment itself, which is off by one offset from the first guess.
  return new Date(wall - offsetAt(wall - offsetAt(wall))).toISOString().slice(0, 19);
}

/** @internal What a plan without features answers to a form: a feature counts as used where its field is not empty. */
export function gatedFields(form: Form, { basicPlan = false }: Flavour): Problems {
  if (!basicPlan) return {};
  const gated = [
    ...[
      "alias",
      "redirect_password",
      "space_id",
      "pixel_ids",
      "privacy",
      "password",
      "active_period_start_at",
    ],
    ...["active_period_end_at", "clicks_limit", "expiration_url", "targets_type"],
  ];
  const isUsed = (name: string) => form[name] !== undefined && form[name] !== null;
  const text = "You don't have access to this feature.";
  return Object.fromEntries(gated.filter(isUsed).map((name) => [name, [text]]));
}

/** @internal The body of a 422. */
export function invalidBody(problems: Problems, { frameworkErrors = false }: Flavour): Record {
  if (!frameworkErrors) return { message: problems, status: 422 };
  const [first = "", ...others] = Object.values(problems).flat();
  const more = others.length > 0 ? ` (and ${others.length} more error${others.length > 1 ? "s" : ""})` : "";
  return { message: first + more, errors: problems };
}
