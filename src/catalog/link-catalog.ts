import * as pulumi from "@pulumi/pulumi";
import { Domain, type DomainArgs } from "../domain";
import { Link, type LinkArgs } from "../link";
import { getDomainOutput } from "../lookups";
import { readVariable } from "../settings";
import { checkCatalog } from "./checks";
import { FilesError } from "./files";
import {
  loadCatalog,
  type Catalog,
  type DomainEntry,
  type Entry,
  type LinkEntry,
  type Sources,
  type Values,
} from "./load";
import { placeText, type Finding } from "./written";

/** Arguments of a {@link LinkCatalog}. */
export interface LinkCatalogArgs {
  /**
   * The files with the entries: names, folders and patterns like `links/**` + `/*.yaml`, relative to the program's working
   * directory, which is that of `Pulumi.yaml` (or of its `main`). YAML (`.yaml`, `.yml`), JSON and CSV.
   */
  files: string | string[];
  /** Files that change entries for this environment, of which a later one wins. Default: none. */
  overlays?: string | string[] | undefined;
}

/** A domain of a {@link LinkCatalog}. */
export interface CatalogDomain {
  /** Its id, also where the catalog does not manage it. */
  id: pulumi.Output<string>;
  /** Its name in this environment. */
  name: string;
}

/**
 * Domains and links that are kept in files. See `docs/catalog.md` for their form.
 *
 * ```ts
 * const catalog = new shortlink.LinkCatalog("links", { files: "links/**" + "/*.yaml" });
 * export const docs = catalog.links["docs"].shortUrl;
 * ```
 *
 * Each entry is a {@link Domain} or {@link Link} below this component, named by its key: `links-docs`. Where an entry stands does
 * not matter. Whatever is wrong in the files is told at once, with file, line and column, before anything is planned.
 */
export class LinkCatalog extends pulumi.ComponentResource {
  /** The links by their keys. */
  readonly links: { [key: string]: Link };
  /** The domains by their names in the catalog, those that it does not manage too. */
  readonly domains: { [name: string]: CatalogDomain };

  /**
   * @param name Unique name of the catalog in the stack; the names of its resources begin with it.
   * @param args The files.
   * @param opts Pulumi's options.
   */
  constructor(name: string, args: LinkCatalogArgs, opts?: pulumi.ComponentResourceOptions) {
    // Before anything is registered: a catalog with a mistake changes nothing.
    const { catalog, secrets } = read(name, args);
    super("shortlink:index:LinkCatalog", name, {}, opts);
    const options = ({ values }: Entry): pulumi.CustomResourceOptions => {
      const former = [values.formerly ?? []].flat() as string[];
      return {
        parent: this,
        aliases: former.map((key) => ({ name: `${name}-${key}` })),
        ...(values.protect === undefined ? {} : { protect: values.protect as boolean }),
      };
    };
    const toDomain = (domain: DomainEntry): CatalogDomain => {
      if (domain.values.existing) return { id: getDomainOutput(domain.name).id, name: domain.name };
      const args = { ...fieldsOf(domain), name: domain.name } as DomainArgs;
      return { id: new Domain(`${name}-${domain.key}`, args, options(domain)).id, name: domain.name };
    };
    const domains = new Map(catalog.domains.map((domain) => [domain.key, toDomain(domain)]));
    const toLink = (link: LinkEntry): Link => {
      const owner = link.domain === undefined ? undefined : domains.get(link.domain)?.id;
      const { domain: _domain, ...fields } = fieldsOf(link);
      const own = passwords.flatMap((field) => {
        const reference = referenceOf(link.values, field);
        return reference === undefined ? [] : [[field, secrets.get(reference)] as const];
      });
      const args = { ...fields, ...(owner ? { domainId: owner } : {}), ...Object.fromEntries(own) };
      return new Link(`${name}-${link.key}`, args as unknown as LinkArgs, options(link));
    };
    this.domains = Object.fromEntries(domains);
    this.links = Object.fromEntries(catalog.links.map((link) => [link.key, toLink(link)]));
    this.registerOutputs({
      domains: this.domains,
      links: Object.fromEntries(
        Object.entries(this.links).map(([key, { id, alias, shortUrl }]) => [key, { id, alias, shortUrl }]),
      ),
    });
  }
}

type Secret = pulumi.Output<string>;

/** The catalog and its secrets. Throws where anything is wrong with them. */
function read(name: string, { files, overlays = [] }: LinkCatalogArgs) {
  const catalog = load({ files: [files].flat(), overlays: [overlays].flat() }, name);
  const findings = checkCatalog(catalog);
  const secrets = findings.length > 0 ? new Map<string, Secret>() : readSecrets(catalog.links, findings);
  if (findings.length > 0) throw new pulumi.RunError(toText(name, findings));
  return { catalog, secrets };
}

const passwords = ["redirectPassword", "password"] as const;

/** What an entry says that is none of the resource's arguments. */
function fieldsOf({ values }: Entry): Values {
  const {
    existing: _existing,
    formerly: _formerly,
    protect: _protect,
    owner: _owner,
    note: _note,
    ...fields
  } = values;
  return fields;
}

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

/** The secrets that links refer to. Those that are missing are told of, one finding for each place. */
function readSecrets(links: readonly LinkEntry[], findings: Finding[]): Map<string, Secret> {
  const secrets = new Map<string, Secret>();
  for (const link of links) {
    for (const field of passwords) {
      const reference = referenceOf(link.values, field);
      if (reference === undefined) continue;
      const [, kind, name = ""] = /^(config|env):(.*)$/.exec(reference) ?? [];
      const variable = kind === "env" ? readVariable(name) : undefined;
      const [key = "", space] = name.split(":").reverse();
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
        const message = `link ${JSON.stringify(link.key)}: there is no secret ${reference} for ${field}: ${way}`;
        findings.push({ kind: "reference", ...link.at([field]), message });
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
