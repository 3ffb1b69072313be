import * as pulumi from "@pulumi/pulumi";
import { Domain, type DomainArgs } from "./domain";
import { asEntry, catalogInputs, typeToken, type OfCatalog } from "./registration";
import { Link, type LinkArgs } from "./link";
import { getDomainOutput } from "./lookups";
import { keysOf } from "../catalog/record";
import type { DomainEntry, Entry, LinkEntry, Values } from "../catalog/entries";
import type { Catalog } from "../catalog/load";
import { formerKeys, placeText, type FormerKey } from "../catalog/written";

/** Loaded on demand: a program without a catalog does not wait for its libraries. */
const reader = () => require("./catalog-reader") as typeof import("./catalog-reader");

const token = "shortlink:index:LinkCatalog";

/** Arguments of a {@link LinkCatalog}. */
export interface LinkCatalogArgs {
  /**
   * Files with the entries: names, folders and patterns like `links/**` + `/*.yaml`. YAML (`.yaml`, `.yml`), JSON and CSV.
   * Relative to the program's working directory, the folder of `Pulumi.yaml` (or of its `main`).
   */
  files: string | string[];
  /** Files that change entries for this environment; later files take precedence. Default: none. */
  overlays?: string | string[] | undefined;
  /**
   * Names of domains in this environment, by their names in the catalog. Read them from the stack's configuration, for example if
   * each pull request has an environment. Takes precedence over the `domainMap` of overlays. Default: none.
   */
  domainMap?: { [name: string]: string } | undefined;
  /**
   * Largest number of links that a run may delete or replace; new aliases and exchanged destinations count too. The provider
   * refuses more before it plans any link, because an emptied or truncated file looks like intended removals. Default: a fifth of
   * the links, of each domain and in all, from ten links on. The setting `shortlink:allowDeletes` allows more for a run.
   */
  maxDeletes?: number | undefined;
  /** Accepts a catalog without links. Default: false, an empty catalog is an error. */
  allowEmpty?: boolean | undefined;
}

/** A domain of a {@link LinkCatalog}. */
export interface CatalogDomain {
  /** Its id, even if the catalog does not manage it. */
  id: pulumi.Output<string>;
  /** Its name in this environment. */
  name: string;
}

/** The record of a catalog in the state, which the provider compares with the next run. */
class CatalogHistory extends pulumi.CustomResource {
  constructor(name: string, inputs: Parameters<typeof catalogInputs>[0], opts: pulumi.CustomResourceOptions) {
    super(typeToken("Catalog"), name, catalogInputs(inputs), opts);
  }
}

/**
 * Domains and links from files. See `docs/catalog.md` for the format.
 *
 * ```ts
 * const catalog = new shortlink.LinkCatalog("links", { files: "links" });
 * export const docs = catalog.links["docs"].shortUrl;
 * ```
 *
 * Each entry becomes a {@link Domain} or {@link Link} below this component, named by its key: `links-docs`. The file
 * and order of entries do not matter. Before anything is planned, one error lists all mistakes with file, line and column.
 */
export class LinkCatalog extends pulumi.ComponentResource {
  /** The links by their keys. */
  readonly links: { [key: string]: Link };
  /** The domains by their names in the catalog, even those that it does not manage. */
  readonly domains: { [name: string]: CatalogDomain };

  /**
   * @param name Unique name of the catalog in the stack; the names of its resources begin with it.
   * @param args The files.
   * @param opts Pulumi's options.
   */
  constructor(name: string, args: LinkCatalogArgs, opts?: pulumi.ComponentResourceOptions) {
    // Read before anything is registered: a catalog with a mistake changes nothing.
    const { catalog, secretsOf } = reader().read(name, args);
    const siblings = siblingsOf(opts?.parent);
    assertUnique(siblings, name, catalog);
    noteMoved(siblings, catalog.links);
    super(token, name, {}, opts);
    const toAlias = (former: FormerKey): pulumi.Alias =>
      typeof former === "string"
        ? { name: `${name}-${former}` }
        : {
            name: `${former.catalog}-${former.key}`,
            parent: pulumi.createUrn(former.catalog, token, opts?.parent),
          };
    const options = (entry: Entry): pulumi.CustomResourceOptions => {
      const { protect } = entry.values as { protect?: boolean };
      const aliases = formerKeys(entry.values).map(toAlias);
      return { parent: this, aliases, ...(protect === undefined ? {} : { protect }) };
    };
    // By then a program that makes its catalogs synchronously has made them all.
    const moved = new Promise<string[]>((resolve) => {
      setImmediate(() => resolve(siblings.moved.get(name) ?? []));
    });
    const history = new CatalogHistory(name, { ...keysOf(catalog, args), moved }, { parent: this });
    // Domains and links wait for the check of the record. A promise, because an output would make them depend on it.
    const after = new Promise<void>((resolve) => {
      history.urn.apply(() => resolve());
    });
    const toDomain = (domain: DomainEntry): CatalogDomain => {
      if (domain.values.existing) return { id: getDomainOutput(domain.name).id, name: domain.name };
      const own: OfCatalog = { after, entry: placeText(domain.at()) };
      const args = asEntry<DomainArgs>({ ...fieldsOf(domain), name: domain.name }, own);
      return { id: new Domain(`${name}-${domain.key}`, args, options(domain)).id, name: domain.name };
    };
    const domains = new Map(catalog.domains.map((domain) => [domain.key, toDomain(domain)]));
    const toLink = (link: LinkEntry): Link => {
      const owner = link.domain === undefined ? undefined : domains.get(link.domain)?.id;
      const { domain: _domain, ...fields } = fieldsOf(link);
      const own: OfCatalog = { after, entry: placeText(link.at()) };
      const args = { ...fields, ...(owner ? { domainId: owner } : {}), ...secretsOf(link) };
      return new Link(`${name}-${link.key}`, asEntry<LinkArgs>(args, own), options(link));
    };
    this.domains = Object.fromEntries(domains);
    this.links = Object.fromEntries(catalog.links.map((link) => [link.key, toLink(link)]));
    // The state already has the links as resources, and many links would make a big output.
    this.registerOutputs({ domains: this.domains });
  }
}

/** Data that the catalogs of a program share. Kept by their common parent, because a process may run several programs. */
interface Siblings {
  /** The catalog of each resource, by type and name. */
  owners: Map<string, string>;
  /** The keys that moved to other catalogs, by the names of the catalogs that had them. */
  moved: Map<string, string[]>;
}
const families = new WeakMap<object, Siblings>();

function siblingsOf(parent: pulumi.Resource | undefined): Siblings {
  const family = parent ?? pulumi.runtime.getStackResource();
  const known = family && families.get(family);
  const siblings = known ?? { owners: new Map<string, string>(), moved: new Map<string, string[]>() };
  if (family) families.set(family, siblings);
  return siblings;
}

/** Catalog `a` with the key `b-c` and catalog `a-b` with the key `c` would make two resources of one name. */
function assertUnique({ owners }: Siblings, name: string, { domains, links }: Catalog): void {
  const resources = [
    ...domains.filter(({ values }) => values.existing !== true).map(({ key }) => ["Domain", key] as const),
    ...links.map(({ key }) => ["Link", key] as const),
  ];
  for (const [type, key] of resources) {
    const resource = `${name}-${key}`;
    const other = owners.get(`${type} ${resource}`);
    owners.set(`${type} ${resource}`, name);
    if (other === undefined || other === name) continue;
    throw new pulumi.RunError(
      `The LinkCatalogs ${JSON.stringify(other)} and ${JSON.stringify(name)} both have an entry that makes a resource named ` +
        `${JSON.stringify(resource)}: give one of the entries another key.`,
    );
  }
}

/** Notes which keys the links had in other catalogs, so that those do not count as deleted there. */
function noteMoved({ moved }: Siblings, links: readonly LinkEntry[]): void {
  for (const former of links.flatMap(({ values }) => formerKeys(values))) {
    if (typeof former === "string") continue;
    moved.set(former.catalog, [...(moved.get(former.catalog) ?? []), former.key]);
  }
}

/** The fields of an entry without those that only the catalog uses. */
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
