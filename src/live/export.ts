import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Account } from "../account/account";
import { hostOf } from "../account/find";
import { checkCatalog } from "../catalog/checks";
import type { Values } from "../catalog/entries";
import { FilesError } from "../catalog/files";
import { loadCatalog } from "../catalog/load";
import type { Finding } from "../catalog/written";
import type { Table } from "../fields/row";
import { checkFields } from "../fields/check";
import { comparable, secretsOf } from "../fields/table";
import { domainFields } from "../domain/fields";
import { linkFields } from "../link/fields";
import { toEntries, type NewCatalog, type NewEntry } from "./entries";
import { layOut, type Split } from "./layout";
import { render, type Format } from "./render";
import type { Survey } from "./survey";

export interface ExportOptions {
  /** The folder to write. It must be empty or missing. */
  folder: string;
  format: Format;
  split: Split;
  /** Skips objects that a catalog cannot describe, instead of failing. */
  skipInvalid: boolean;
  /** True for the address (domain/alias) of a link to export. Default: all links and domains. */
  isWanted?: ((address: string) => boolean) | undefined;
}

/** The result of an export. */
export interface Exported {
  files: string[];
  links: number;
  domains: number;
  /** Names of secrets that the files refer to. */
  secrets: string[];
  /** The reason for each skipped object. */
  skipped: string[];
}

/** The message for links with active periods in an account without a known time zone. */
export function needsTimeZone(links: number): string {
  return (
    `Links have active periods (${links}), and catalogs have them in the time zone of the account: give that with ` +
    `--time-zone or SHORTLINK_TIME_ZONE, or set shortlink:timeZone of the stack, like Europe/Berlin.`
  );
}

/** Thrown if links of the account break rules of catalogs. The message lists them. */
export class InvalidLinksError extends Error {}

/**
 * Writes all domains and links of an account as a catalog. It reads the files back and checks them first, and writes all or nothing.
 *
 * @param list Lists the account.
 */
export async function exportAccount(
  account: Account,
  list: () => Promise<Survey>,
  options: ExportOptions,
): Promise<Exported> {
  assertEmpty(options.folder);
  const { timeZone } = account.knownSettings ?? {};
  const found = toEntries(account, partOf(await list(), options.isWanted));
  const isDated = found.links.filter(({ record }) => record.active_period_end_at !== null);
  if (timeZone === undefined && isDated.length > 0) throw new Error(needsTimeZone(isDated.length));
  let catalog = found;
  let skipped: Finding[] = [];
  // Beside the target, so that one rename puts it in place.
  const parent = dirname(resolve(options.folder));
  mkdirSync(parent, { recursive: true });
  const draft = mkdtempSync(join(parent, `.${basename(resolve(options.folder))}-`));
  try {
    let files = write(draft, catalog, options);
    let findings = check(draft, catalog, timeZone);
    if (findings.length > 0 && options.skipInvalid) {
      skipped = findings;
      catalog = withoutThose(catalog, findings);
      rmSync(draft, { recursive: true });
      mkdirSync(draft);
      files = write(draft, catalog, options);
      findings = check(draft, catalog, timeZone);
    }
    if (findings.length > 0) throw invalid(findings);
    put(draft, options.folder);
    const secrets = catalog.links.flatMap(({ values }) =>
      secretsOf(linkFields).flatMap(
        (field) => (values[field] as { secret: string } | undefined)?.secret ?? [],
      ),
    );
    return {
      files,
      links: catalog.links.length,
      domains: catalog.domains.length,
      secrets: secrets.map((each) => each.replace("config:", "")),
      skipped: skipped.map(({ message }) => message),
    };
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** The wanted links, and their domains. */
function partOf({ domains, links }: Survey, isWanted: ExportOptions["isWanted"]): Survey {
  if (!isWanted) return { domains, links };
  const wanted = links.filter((link) => isWanted(`${hostOf(link)}/${link.alias}`));
  const owners = new Set(wanted.map(({ domain_id: domain }) => domain));
  return { domains: domains.filter(({ id }) => owners.has(id)), links: wanted };
}

function assertEmpty(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  throw new FilesError(`${folder} is not empty: name a folder that does not exist yet`);
}

function write(draft: string, catalog: NewCatalog, { format, split }: ExportOptions): string[] {
  const files = render(layOut(catalog, split), format);
  for (const [name, text] of files) {
    mkdirSync(dirname(join(draft, name)), { recursive: true });
    writeFileSync(join(draft, name), text);
  }
  return [...files.keys()];
}

function put(draft: string, folder: string): void {
  if (existsSync(folder)) rmdirSync(folder);
  renameSync(draft, folder);
}

/** Reads a written catalog back. Returns its mistakes, and throws if its values differ from the account's. */
function check(draft: string, wanted: NewCatalog, timeZone: string | undefined): Finding[] {
  if (wanted.links.length + wanted.domains.length === 0) return [];
  const written = loadCatalog({ files: [draft], folder: dirname(draft) });
  const findings = checkCatalog(written, { allowEmpty: true, timeZone });
  if (findings.length > 0) return findings;
  assertSame("domain", domainFields, wanted.domains, written.domains);
  assertSame("link", linkFields, wanted.links, written.links);
  return [];
}

function assertSame(noun: string, table: Table, wanted: NewEntry[], written: NewEntry[]): void {
  const read = new Map(written.map(({ key, values }) => [key, canonical(table, values)]));
  const wrong = wanted.find(({ key, values }) => !isDeepStrictEqual(read.get(key), canonical(table, values)));
  if (!wrong && wanted.length === written.length) return;
  throw new Error(
    `The ${noun} ${JSON.stringify(wrong?.key)} would differ when it is read from the files. Nothing was written; ` +
      `please report it.`,
  );
}

/** Values to compare: fields of the service in canonical form, the others unchanged. */
function canonical(table: Table, values: Values): Values {
  const isChecked = ([name]: [string, unknown]) => name in table && !table[name]?.secret;
  const entries = Object.entries(values);
  const { fields } = checkFields(table, Object.fromEntries(entries.filter(isChecked)));
  return {
    ...Object.fromEntries(entries.filter((entry) => !isChecked(entry))),
    ...comparable(table, fields),
  };
}

function withoutThose({ domains, links }: NewCatalog, findings: Finding[]): NewCatalog {
  const subjects = new Set(findings.map(({ subject }) => subject));
  const isSound = (noun: string) => (entry: NewEntry) =>
    !subjects.has(`${noun} ${JSON.stringify(entry.key)}`);
  return { domains: domains.filter(isSound("domain")), links: links.filter(isSound("link")) };
}

function invalid(findings: Finding[]): Error {
  const lines = findings.slice(0, 20).map(({ message }) => `  ${message}`);
  const more = findings.length > 20 ? [`  and ${findings.length - 20} more`] : [];
  return new InvalidLinksError(
    [
      `A catalog cannot describe some of the account. Nothing was written. Correct it on the service, or skip it with --skip-invalid:`,
      ...lines,
      ...more,
    ].join("\n"),
  );
}
