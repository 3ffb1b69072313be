import * as pulumi from "@pulumi/pulumi";
import { warnIfClear } from "./clear-secrets";
import { readVariable, timeZoneOf } from "../account/settings";
import { checkCatalog } from "../catalog/checks";
import { FilesError } from "../catalog/files";
import type { LinkEntry, Values } from "../catalog/entries";
import { loadCatalog, type Catalog, type Sources } from "../catalog/load";
import { suggest } from "../catalog/suggest";
import { domainFields } from "../domain/fields";
import { readField } from "../fields/check";
import { findingAt, placeText, type Finding } from "../catalog/written";

type Secret = pulumi.Output<string>;

/** The arguments of `LinkCatalog`. */
interface Wanted {
  files: string | string[];
  overlays?: string | string[] | undefined;
  domainMap?: { [name: string]: string } | undefined;
  maxDeletes?: number | undefined;
  allowEmpty?: boolean | undefined;
}

/** The catalog, and a function for the passwords of a link. Throws if the arguments or the files have a mistake. */
export function read(
  name: string,
  { files, overlays = [], domainMap = {}, maxDeletes, allowEmpty = false }: Wanted,
) {
  if (maxDeletes !== undefined && !(Number.isSafeInteger(maxDeletes) && maxDeletes >= 0)) {
    const problem = "maxDeletes must be a number of links, 0 or greater";
    throw new pulumi.RunError(`The LinkCatalog ${JSON.stringify(name)}: ${problem}.`);
  }
  const catalog = load({ files: [files].flat(), overlays: [overlays].flat() }, name);
  if (catalog.isWhole) rename(catalog, domainMap, name);
  const timeZone = readTimeZone();
  const findings = checkCatalog(catalog, { allowEmpty, timeZone });
  const secrets = findings.length > 0 ? new Map<string, Secret>() : readSecrets(catalog.links, findings);
  if (findings.length > 0) throw new pulumi.RunError(toText(name, findings));
  const secretsOf = ({ values }: LinkEntry) =>
    Object.fromEntries(
      passwords.flatMap((field) => {
        const reference = referenceOf(values, field);
        return reference === undefined ? [] : [[field, secrets.get(reference)]];
      }),
    );
  return { catalog, secretsOf };
}

function readTimeZone(): string | undefined {
  try {
    return timeZoneOf((key) => new pulumi.Config("shortlink").get(key.replace("shortlink:", "")));
  } catch (error) {
    throw new pulumi.RunError((error as Error).message);
  }
}

/** Renames domains as `domainMap` says. */
function rename({ domains }: Catalog, domainMap: { [name: string]: string }, catalog: string): void {
  const problems = Object.entries(domainMap).flatMap(([from, to]) => {
    const domain = domains.find(({ key }) => key === from.trim().toLowerCase());
    const { value, issues } = readField(domainFields.name, to);
    if (domain && issues.length === 0) domain.name = value as string;
    const near = suggest(
      from,
      domains.map(({ key }) => key),
    );
    return [
      ...(domain ? [] : [`domainMap: there is no domain ${JSON.stringify(from)} in the catalog${near}`]),
      ...issues.map(({ reason }) => `domainMap: the name of ${from} ${reason}`),
    ];
  });
  if (problems.length === 0) return;
  throw new pulumi.RunError([`The LinkCatalog ${JSON.stringify(catalog)}:`, ...problems].join("\n  "));
}

const passwords = ["redirectPassword", "password"] as const;

/** `config:linkPassword` or `env:LINK_PASSWORD`. */
function referenceOf(values: Values, field: (typeof passwords)[number]): string | undefined {
  return (values[field] as { secret: string } | undefined)?.secret;
}

function load(sources: Sources, name: string): Catalog {
  try {
    return loadCatalog(sources);
  } catch (error) {
    if (!(error instanceof FilesError)) throw error;
    throw new pulumi.RunError(`The files of the LinkCatalog ${JSON.stringify(name)}: ${error.message}`);
  }
}

/** The secrets that links refer to. Adds a finding for each reference to a missing secret. */
function readSecrets(links: readonly LinkEntry[], findings: Finding[]): Map<string, Secret> {
  const secrets = new Map<string, Secret>();
  for (const link of links) {
    for (const field of passwords) {
      const reference = referenceOf(link.values, field);
      if (reference === undefined) continue;
      const [, kind, name = ""] = /^(config|env):(.*)$/.exec(reference) ?? [];
      const variable = kind === "env" ? readVariable(name) : undefined;
      const [key = "", space] = name.split(":").reverse();
      if (kind === "config") warnIfClear(space ?? pulumi.getProject(), key);
      const secret =
        kind === "config"
          ? new pulumi.Config(space).getSecret(key)
          : variable === undefined
            ? undefined
            : pulumi.secret(variable);
      if (secret) secrets.set(reference, secret);
      else {
        const way =
          kind === "config" ? `run "pulumi config set --secret ${name}"` : `set the variable ${name}`;
        const reason = `there is no secret ${reference} for ${field}: ${way}`;
        const subject = `link ${JSON.stringify(link.key)}`;
        findings.push(findingAt("reference", link.at([field]), subject, reason));
      }
    }
  }
  return secrets;
}

function toText(name: string, findings: Finding[]): string {
  const count = findings.length === 1 ? "a mistake" : `${findings.length} mistakes`;
  const lines = findings.map((finding) => `  ${placeText(finding)} ${finding.message}`);
  return [`The files of the LinkCatalog ${JSON.stringify(name)} have ${count}:`, ...lines].join("\n");
}
