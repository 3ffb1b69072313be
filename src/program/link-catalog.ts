import * as pulumi from "@pulumi/pulumi";
import { Domain, type DomainArgs } from "./domain";
import { asEntry, catalogInputs, typeToken, type OfCatalog } from "./registration";
import { Link, type LinkArgs } from "./link";
import { getDomainOutput } from "./lookups";
import { keysOf } from "../catalog/record";
import type { DomainEntry, Entry, LinkEntry, Values } from "../catalog/entries";
import type { Catalog } from "../catalog/load";
import { formerKeys, placeText, type FormerKey } from "../catalog/written";

/** Loaded when it is needed: a program without a catalog does not wait for its libraries. */
const reader = () => require("./catalog-reader") as typeof import("./catalog-reader");

const token = "shortlink:index:LinkCatalog";

/** Arguments of a {@link LinkCatalog}. */
export interface LinkCatalogArgs {
  /**
   * The files with the entries: names, folders and patterns like `links/**` + `/*.yaml`, relative to the program's working
   * directory, which is that of `Pulumi.yaml` (or of its `main`). YAML (`.yaml`, `.yml`), JSON and CSV.
   */
  files: string | string[];
  /** Files that change entries for this environment, of which a later one wins. Default: none. */
  overlays?: string | string[] | undefined;
  /**
   * The names that domains have in this environment, by their names in the catalog: from the stack's configuration for example, where
   * each pull request has an environment. It wins over the `domainMap` of overlays. Default: none.
   */
  domainMap?: { [name: string]: string } | undefined;
  /**
   * How many links a run may delete or replace. More are refused before anything is planned, since a file that was emptied or
   * cut looks like links that were removed on purpose. Default: a fifth of the links, of each domain and in all, counted
   * from ten links on. The setting `shortlink:allowDeletes` allows more for a run.
   */
  maxDeletes?: number | undefined;
  /** Accepts a catalog without links. Default: false, an empty catalog is an error. */
  allowEmpty?: boolean | undefined;
}

/** A domain of a {@link LinkCatalog}. */
export interface CatalogDomain {
  /** Its id, also where the catalog does not manage it. */
  id: pulumi.Output<string>;
  /** Its name in this environment. */
  name: string;
}

/** What the catalog held the last time, for its provider to compare. */
class CatalogHistory extends pulumi.CustomResource {
  constructor(name: string, inputs: Parameters<typeof catalogInputs>[0], opts: pulumi.CustomResourceOptions) {
    super(typeToken("Catalog"), name, catalogInputs(inputs), opts);
  }
}

/**
 * Domains and links that are kept in files. See `docs/catalog.md` for their form.
 *
 * ```ts
 * const catalog = new shortlink.LinkCatalog("links", { files: "links/**" + "/*.yaml" });
 * export const docs = catalog.links["docs"].shortUrl;
 * ```
 *
 * Each entry is a {@link Domain} or {@link Link} below this component, named by its key: `links-docs`. The file
 * and order of entries do not matter. All mistakes in the files are one error, with file, line and column, before anything is planned.
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
    // By then a program that makes its catalogs in one go has made them all.
    const moved = new Promise<string[]>((resolve) => {
      setImmediate(() => resolve(siblings.moved.get(name) ?? []));
    });
    const history = new CatalogHistory(name, { ...keysOf(catalog, args), moved }, { parent: this });
    // Nothing is registered before that was checked. A promise, since an output would make all links depend on it.
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
    // The links are resources in the state already, and ten thousand of them no small output.
    this.registerOutputs({ domains: this.domains });
  }
}

/** What the catalogs of a program know of each other, by their common parent: a process may run several programs. */
interface Siblings {
  /** The catalog of each resource, by type and name. */
  owners: Map<string, string>;
  /** The keys that other catalogs have taken over, by the names of the catalogs that had them. */
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

/** Catalogs `a` with the key `b-c` and `a-b` with the key `c` would make two resources of one name. */
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

/** Notes which keys of other catalogs the links had before: those catalogs do not lose them. */
function noteMoved({ moved }: Siblings, links: readonly LinkEntry[]): void {
  for (const former of links.flatMap(({ values }) => formerKeys(values))) {
    if (typeof former === "string") continue;
    moved.set(former.catalog, [...(moved.get(former.catalog) ?? []), former.key]);
  }
}

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
