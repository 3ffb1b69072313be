import type { Form } from "./form";
import type { Problems } from "./rules";
import type { LinkRow } from "./store";

/**
 * Differences from the newest known version of the service, as in older versions, other installations or accounts with other plans.
 * Default: all off.
 */
export interface Flavour {
  /** Records of domains have `index_page` and `not_found_page`, as before 2026. Links have `clicks_count` instead of `clicks`. */
  oldNames?: boolean;
  /** Every integer of a record is a string, not only the integers from the form of a write. */
  integersAsText?: boolean;
  /** `targets` is an object keyed by index instead of an array. */
  targetsAsObject?: boolean;
  /** Unset fields are empty strings instead of null. */
  emptyAsText?: boolean;
  /** The answer to a create has null for values that the database fills in, as in versions of 2025. */
  defaultsAsNull?: boolean;
  /** Date-times look like `2026-03-01 08:00:00`, as in very old versions. */
  spacedDates?: boolean;
  /** `password` and `redirect_password` are always false, as with a broken encryption key on the server. */
  passwordsHidden?: boolean;
  /** Records name domain, space and pixels by id instead of nesting them, as in versions of 2022 and 2023. */
  flatIds?: boolean;
  /** Time zone of the active periods in forms, for example `Europe/Berlin`. Default: `UTC`. */
  timeZone?: string;
  /** A plan without features: every gated field that is not empty gets a 422, even `privacy=0`. */
  basicPlan?: boolean;
  /** A 422 has the framework's default form: a string in `message` and the fields in `errors`. */
  frameworkErrors?: boolean;
  /** The plan of the account has no API: every call with the right key gets a 403. */
  noApi?: boolean;
  /** Forms of domains accept `index_page` and `not_found_page`, as before 2026, and silently ignore the documented names. */
  oldForms?: boolean;
  /**
   * Pixels as in versions of 2025: the emulator silently drops unknown pixels if at least one is the account's. It accepts duplicates
   * and answers `pixel_ids=7` with 422 instead of 500.
   */
  lenientPixels?: boolean;
  /** Names of domains whose DNS records do not point to the server yet. Creating such a domain gets a 422. */
  unresolved?: string[];
  /** A create gives the link a title, as if the service had read the page. An update with `url` removes it, as in 2025. */
  titles?: boolean;
  /** Two simultaneous creates with one alias or name both succeed, because the service checks first and writes later. */
  racyStores?: boolean;
  /** The page links of lists have `http:` and an internal host, as behind a proxy. */
  innerHost?: boolean;
  /** `meta.per_page` is a string, as on older frameworks. */
  metaAsText?: boolean;
  /** Number of links that lists leave out, the oldest first. Each can still be shown. Default: 0. */
  hiddenLinks?: number;
  /** The web server redirects every call to https with 301. */
  httpsOnly?: boolean;
  /** The emulator ignores a body that is not a urlencoded form and answers with success, instead of 415. */
  ignoresOtherBodies?: boolean;
  /**
   * A domain that the installation shares with every account, and the aliases (`taken`) of another account's links on it. The domain
   * has the id 1, the links have the ids 1 and following. Lists omit them, and they cannot be shown.
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

/** @internal A link record as this flavour answers it. `stored` is the form of the create that it answers. */
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

/** @internal Converts the columns of an active period from the account's time zone to UTC, as the service stores them. */
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
  // The offset must be the one at the moment itself; the first guess is wrong by one offset.
  return new Date(wall - offsetAt(wall - offsetAt(wall))).toISOString().slice(0, 19);
}

/** @internal The problems of a form on a plan without features. A field that is not empty uses its feature. */
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
