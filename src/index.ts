import "./node-version";

export type { Adopt } from "./adopt";
export { LinkCatalog } from "./catalog/link-catalog";
export type { CatalogDomain, LinkCatalogArgs } from "./catalog/link-catalog";
export { Domain } from "./domain";
export type { DomainArgs } from "./domain";
export { Link } from "./link";
export type { LinkArgs, Privacy, TargetArgs } from "./link";
export { getDomain, getDomainOutput, getDomains, getDomainsOutput } from "./lookups";
export { getLink, getLinkOutput, getLinks, getLinksOutput } from "./lookups";
export type { DomainResult, GetDomainsArgs, GetLinksArgs, LinkResult } from "./lookups";
export type { Target, TargetsType } from "./targets";
