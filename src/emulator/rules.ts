import type { Field, Form } from "./form";
import { hashPassword, type DomainRow, type LinkRow, type NewLink, type Store, type Target } from "./store";

/** Messages by field name (dotted for nested fields), as in the body of a 422. */
export type Problems = Record<string, string[]>;

export const targetsTypes = [
  "continents",
  "countries",
  "operating_systems",
  "browsers",
  "languages",
  "devices",
  "rotations",
] as const;

const targetKeys: Record<string, (key: string) => boolean> = {
  continents: oneOf("AF AN AS EU NA OC SA".split(" ")),
  countries: (key) => /^[A-Z]{2}$/.test(key),
  operating_systems: oneOf(["iOS", "Android", "Windows", "OS X", "Linux", "Ubuntu", "Chrome OS"]),
  browsers: oneOf([
    ...["Chrome", "Chromium", "Firefox", "Firefox Mobile", "Edge", "Internet Explorer"],
    ...["Mobile Internet Explorer", "Vivaldi", "Brave", "Safari", "Opera", "Opera Mini", "Opera Mobile"],
    ...["Opera Touch", "Yandex Browser", "UC Browser", "Samsung Internet", "QQ Browser"],
    ...["BlackBerry Browser", "Maxtho"],
  ]),
  languages: (key) => /^[a-z]{2}$/.test(key),
  // The document shows these capitalised; real deployments accept lower case only.
  devices: oneOf(["desktop", "mobile", "tablet", "watch", "television"]),
};

function oneOf(keys: string[]): (key: string) => boolean {
  const set = new Set(keys);
  return (key) => set.has(key);
}

// A part of the service's list of about 300 schemes: the ones that a test or a demo may want.
const schemes: ReadonlySet<string> = new Set(
  "http https ftp ftps sftp ssh git svn irc ircs ldap ldaps rtsp rtmp ws wss xmpp vnc smb nfs".split(" "),
);
// The rule of the service's framework: an address may hold letters and digits of any script, but symbols and marks only in the host.
const urlPattern =
  /^([a-z][a-z0-9+.-]*):\/\/(?:(?:(?:[\p{L}\p{N}_.-]|%[0-9a-f]{2})+:)?(?:[\p{L}\p{N}_.-]|%[0-9a-f]{2})+@)?(?:\[[0-9a-f:.]+\]|[\p{L}\p{M}\p{N}\p{S}_.-]+)(?::\d{1,5})?(?:\/(?:[\p{L}\p{N}\-._~!$&'()*+,;=:@/]|%[0-9a-f]{2})*)?(?:\?(?:[\p{L}\p{N}\-._~!$&'()*+,;=:@/?[\]]|%[0-9a-f]{2})*)?(?:#(?:[\p{L}\p{N}\-._~!$&'()*+,;=:@/?]|%[0-9a-f]{2})*)?$/iu;

function urlProblem(value: Field, label: string, longest: number): string | undefined {
  if (typeof value !== "string") return `The ${label} must be a string.`;
  if (value.length > longest) return `The ${label} may not be greater than ${longest} characters.`;
  const scheme = urlPattern.exec(value)?.[1]?.toLowerCase();
  return scheme === undefined || !schemes.has(scheme) ? `The ${label} must be a valid URL.` : undefined;
}

export interface Checked<Row> {
  problems: Problems;
  values: Partial<Row>;
  /** The database's refusal of values that pass validation. The database checks last, and the answer is 500. */
  refusedByDatabase?: string;
}

export function checkDomain(form: Form, store: Store, host: string, creating: boolean): Checked<DomainRow> {
  const problems: Problems = {};
  const values: Partial<DomainRow> = {};
  if (creating) {
    if ("user_id" in form) problems.user_id = ["The user id field is prohibited."];
    const name = typeof form.name === "string" ? form.name.toLowerCase().replace(/https?:\/\//g, "") : "";
    if (name === "") problems.name = ["The name field is required."];
    else if (!isDomainName(name) && name !== host.replace(/:\d+$/, ""))
      problems.name = ["Invalid domain name."];
    else if (store.findDomain(name)) problems.name = ["The name has already been taken."];
    values.name = name;
  }
  for (const field of ["homepage_url", "not_found_url"] as const) {
    const value = form[field];
    if (value === undefined) continue;
    const label = field.replaceAll("_", " ");
    const problem = value === null ? undefined : urlProblem(value, label, 255);
    if (problem !== undefined) problems[field] = [problem];
    else if (value !== null && URL.parse(value as string)?.host === host) {
      problems[field] = [`The ${label} may not point to this installation.`];
    } else values[field] = value as string | null;
  }
  return { problems, values };
}

function isDomainName(name: string): boolean {
  if (name.length > 255) return false;
  if (/^(?:\d{1,3}\.){3}\d{1,3}$/.test(name)) return name.split(".").every((part) => Number(part) < 256);
  return /^(?:[\p{L}\p{N}_](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}_])?\.)+(?!\d+$)[a-z0-9-]{1,63}$/u.test(name);
}

/** A value that passes validation but that a column of the database refuses: the service answers 500. */
export class DatabaseError extends Error {}

/** The rules of a link on create, on the domain `domainId`. */
export function checkNewLink(
  form: Form,
  store: Store,
  domainId: number,
  flavour: RulesFlavour,
): Checked<LinkRow> {
  return checkLink(form, store, true, { domain_id: domainId }, flavour);
}

/** The part of a flavour that changes the rules. */
export interface RulesFlavour {
  lenientPixels?: boolean;
}

/** The rules of a link on update. The service checks them before the look-up, so the row may be missing. */
export function checkLinkUpdate(
  form: Form,
  store: Store,
  current: LinkRow | undefined,
  flavour: RulesFlavour,
): Checked<LinkRow> {
  return checkLink(form, store, false, current ?? { domain_id: 0 }, flavour);
}

function checkLink(
  form: Form,
  store: Store,
  creating: boolean,
  current: Pick<LinkRow, "domain_id"> & Partial<LinkRow>,
  { lenientPixels = false }: RulesFlavour,
): Checked<LinkRow> {
  const problems: Problems = {};
  const values: Partial<LinkRow> = {};
  const database: string[] = [];
  const fail = (field: string, text: string) => (problems[field] ??= []).push(text);
  const given = (field: string) => form[field] !== undefined;

  if (given("url") || creating) {
    const value = form.url ?? null;
    const problem = value === null ? "The url field is required." : urlProblem(value, "url", 2048);
    if (problem !== undefined) fail("url", problem);
    else values.url = value as string;
  }
  if (given("expiration_url")) {
    const value = form.expiration_url ?? null;
    const problem = value === null ? undefined : urlProblem(value, "expiration url", 2048);
    if (problem !== undefined) fail("expiration_url", problem);
    else values.expiration_url = value as string | null;
  }
  // This version treats an empty alias and "0" as none, so an update does not change the alias.
  const alias = form.alias;
  if (alias !== undefined && alias !== null && alias !== "0") {
    const taken = typeof alias === "string" ? store.findLink(current.domain_id, alias) : undefined;
    if (typeof alias !== "string") fail("alias", "The alias must be a string.");
    else if (alias.length > 255) fail("alias", "The alias may not be greater than 255 characters.");
    else if (!/^[\p{L}\p{M}\p{N}_-]+$/u.test(alias)) {
      fail("alias", "The alias may only contain letters, numbers, dashes and underscores.");
    } else if (taken && taken !== current) fail("alias", "The alias has already been taken.");
    else values.alias = alias;
  }
  for (const field of ["redirect_password", "password"] as const) {
    if (!given(field)) continue;
    const value = form[field] ?? null;
    if (value === null && field === "password" && form.privacy === "2") {
      fail(field, "The password field is required.");
    } else if (value !== null && (typeof value !== "string" || value.length > 128)) {
      fail(field, `The ${field.replace("_", " ")} may not be greater than 128 characters.`);
    } else values[field] = value === null ? null : hashPassword(value);
  }
  if (given("sensitive_content")) {
    const value = form.sensitive_content ?? null;
    if (value !== null && value !== "0" && value !== "1") {
      fail("sensitive_content", "The sensitive content field must be true or false.");
    } else values.sensitive_content = value === null ? null : Number(value);
  }
  if (given("privacy")) {
    const value = form.privacy ?? null;
    if (value === null) database.push("Column 'privacy' cannot be null");
    else if (typeof value !== "string" || !/^[012]$/.test(value))
      fail("privacy", "The selected privacy is invalid.");
    else values.privacy = Number(value);
  }
  if (given("clicks_limit")) {
    const value = form.clicks_limit ?? null;
    if (value !== null && (typeof value !== "string" || !/^(?:0|[1-9]\d{0,8})$/.test(value))) {
      fail("clicks_limit", "The clicks limit must be an integer between 0 and 999999999.");
    } else values.clicks_limit = value === null ? null : Number(value);
  }
  if (given("space_id")) {
    const value = form.space_id ?? null;
    if (value !== null && !store.spaces.has(toId(value)))
      fail("space_id", "The selected space id is invalid.");
    else values.space_id = value === null ? null : toId(value);
  }
  if (given("pixel_ids")) {
    const check = lenientPixels ? checkPixelsLeniently : checkPixels;
    check(form.pixel_ids ?? null, store, values, fail, database, creating);
  }
  checkActivePeriod(form, values, fail, database, creating);
  checkTargets(form, values, fail, current);
  return { problems, values, ...(database[0] === undefined ? {} : { refusedByDatabase: database[0] }) };
}

function toId(value: Field): number {
  return typeof value === "string" && /^[1-9]\d{0,14}$/.test(value) ? Number(value) : NaN;
}

function checkPixels(
  value: Field,
  store: Store,
  values: Partial<LinkRow>,
  fail: (field: string, text: string) => void,
  database: string[],
  creating: boolean,
): void {
  // On create the service refuses an empty scalar only after it has written the row (see endpoints.ts).
  if (creating && value === null) return;
  if (!Array.isArray(value)) {
    database.push("pixel_ids is not an array");
    return;
  }
  const ids = value.filter((item) => item !== null).map(toId);
  const known = ids.every((id) => store.pixels.has(id)) && new Set(ids).size === ids.length;
  if (known) values.pixel_ids = ids;
  else fail("pixel_ids", "The selected pixel ids are invalid.");
}

/** The pixel rules of versions of 2025. */
const checkPixelsLeniently: typeof checkPixels = (value, store, values, fail, database, creating) => {
  if (typeof value === "string") {
    fail("pixel_ids", "The pixel ids must be an array.");
    return;
  }
  const ids = Array.isArray(value) ? [...new Set(value.map(toId))].filter((id) => store.pixels.has(id)) : [];
  checkPixels(ids.length > 0 ? ids.map(String) : value, store, values, fail, database, creating);
};

function checkActivePeriod(
  form: Form,
  values: Partial<LinkRow>,
  fail: (field: string, text: string) => void,
  database: string[],
  creating: boolean,
): void {
  const fields = ["active_period_start_at", "active_period_end_at"] as const;
  const [start, end] = fields.map((field) => form[field]);
  for (const [field, value, other] of [
    [fields[0], start, end],
    [fields[1], end, start],
  ] as const) {
    const label = field.replaceAll("_", " ");
    if (value !== undefined && value !== null && !isDateTime(value)) {
      fail(field, `The ${label} does not match the format Y-m-d\\TH:i:s.`);
    } else if ((value ?? null) === null && (other ?? null) !== null && (creating || value === null)) {
      fail(field, `The ${label} field is required when the other end of the active period is present.`);
    } else if (value !== undefined) values[field] = value as string | null;
  }
  if (
    typeof start === "string" &&
    typeof end === "string" &&
    isDateTime(start) &&
    isDateTime(end) &&
    start >= end
  ) {
    fail(fields[1], "The active period end at must be a date after active period start at.");
  }
  for (const value of [start, end]) {
    if (typeof value === "string" && isDateTime(value) && !(value >= "1970" && value < "2038-01-19")) {
      database.push("Incorrect datetime value");
    }
  }
}

/** A real date and time of the form `Y-m-dTH:i:s`, without zone and fraction. */
export function isDateTime(value: Field): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value)) return false;
  const time = Date.parse(`${value}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === value;
}

function checkTargets(
  form: Form,
  values: Partial<LinkRow>,
  fail: (field: string, text: string) => void,
  current: Partial<LinkRow>,
): void {
  const type = form.targets_type;
  if (type !== undefined) {
    if (type !== null && !targetsTypes.some((known) => known === type)) {
      fail("targets_type", "The selected targets type is invalid.");
    } else values.targets_type = type as string | null;
  }
  const targets = form.targets;
  if (targets === undefined) return;
  if (targets === null) {
    values.targets = [];
    return;
  }
  if (typeof targets === "string") {
    fail("targets", "The targets must be an array.");
    return;
  }
  const entries = Object.entries(targets);
  if (entries.length > 100) fail("targets", "The targets may not have more than 100 items.");
  const kept: Target[] = [];
  for (const [index, entry] of entries) {
    if (typeof entry === "string") {
      fail(`targets.${index}`, "The target must be an array.");
      continue;
    }
    const { key = null, value = null } = (entry ?? {}) as Form;
    // The service checks entries only if their type comes with them. Without it, the service stores them unchanged.
    if (typeof type === "string") {
      const isKey = targetKeys[type];
      if (isKey && value !== null && (typeof key !== "string" || !isKey(key))) {
        fail(
          `targets.${index}.key`,
          key === null ? "The key field is required." : "The selected key is invalid.",
        );
      }
      if (value === null && key !== null) fail(`targets.${index}.value`, "The value field is required.");
      const problem = value === null ? undefined : urlProblem(value, "value", 2048);
      if (problem !== undefined) fail(`targets.${index}.value`, problem);
    }
    if (typeof value === "string") {
      kept.push(
        (type ?? current.targets_type) === "rotations" ? { value } : { key: key as string | null, value },
      );
    }
  }
  values.targets = kept;
}

/** A link with this version's defaults, overridden by the values that were sent. */
export function newLink(values: Partial<LinkRow>, domainId: number, alias: string): NewLink {
  return {
    url: "",
    title: null,
    space_id: null,
    pixel_ids: [],
    redirect_password: null,
    sensitive_content: 0,
    privacy: 0,
    password: null,
    active_period_start_at: null,
    active_period_end_at: null,
    clicks_limit: 0,
    expiration_url: null,
    targets_type: null,
    targets: null,
    last_rotation: null,
    clicks: 0,
    ...values,
    domain_id: domainId,
    alias,
  };
}
