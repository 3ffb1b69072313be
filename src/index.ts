import "./node-version";

export type { Adopt } from "./resource/adopt";
export { LinkCatalog } from "./program/link-catalog";
export type { CatalogDomain, LinkCatalogArgs } from "./program/link-catalog";
export { Domain } from "./program/domain";
export type { DomainArgs } from "./program/domain";
export { Link } from "./program/link";
export type { LinkArgs, Privacy, TargetArgs } from "./program/link";
export { getDomain, getDomainOutput, getDomains, getDomainsOutput } from "./program/lookups";
export { getLink, getLinkOutput, getLinks, getLinksOutput } from "./program/lookups";
export type { DomainResult, GetDomainsArgs, GetLinksArgs, LinkResult } from "./program/results";
export type { Target, TargetsType } from "./fields/row";
