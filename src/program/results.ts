import type { Target, TargetsType } from "../fields/row";

/** A domain as {@link getDomain} and {@link getDomains} find it. */
export interface DomainResult {
  /** Its id, for the `domainId` of a link. */
  id: string;
  name: string;
  /** Address, for example `https://go.example.com`. */
  url: string;
  homepageUrl?: string;
  notFoundUrl?: string;
}

/** A link as {@link getLink} and {@link getLinks} find it. What equals the service's default is left out. */
export interface LinkResult {
  id: string;
  url: string;
  domainId: number;
  alias: string;
  /** The whole short link, for example `https://go.example.com/docs`. */
  shortUrl: string;
  spaceId?: number;
  pixelIds?: number[];
  sensitiveContent?: true;
  privacy?: "private" | "password";
  /** In UTC, whatever the time zone of the account is. */
  activePeriodStartAt?: string;
  /** In UTC, whatever the time zone of the account is. */
  activePeriodEndAt?: string;
  clicksLimit?: number;
  expirationUrl?: string;
  targetsType?: TargetsType;
  targets?: Target[];
  /** Whether visitors are asked for a password; the password itself is never told. */
  hasRedirectPassword: boolean;
  /** Whether a password of the statistics is set; the password itself is never told. */
  hasPassword: boolean;
}

/** Which domains {@link getDomains} finds. Default: all of the account. */
export interface GetDomainsArgs {
  /** A part of the name. Case makes no difference; `%` and `_` stand for any text and any character. */
  search?: string;
}

/** Which links {@link getLinks} finds. Default: all of the account. */
export interface GetLinksArgs {
  /** A part of the field named by `searchBy`. Case makes no difference; `%` and `_` are wildcards. */
  search?: string;
  /** Default: `"title"`, the title of the destination's page; links whose page could not be read have none. */
  searchBy?: "title" | "alias" | "url";
  /**
   * `"active"`: links that lead to their destination now; `"expired"`: links whose active period is over or whose clicks are used
   * up; `"disabled"`: links that were disabled, which versions since 2025 cannot do. A link whose period has not begun is none of
   * them. The provider reads all links that the other arguments match and filters them, because the service's own filter misses some and
   * gives all for a status that its version does not know. Default: `"all"`.
   */
  status?: "all" | "active" | "expired" | "disabled";
  /** Id of a space; 0 finds links without one. */
  spaceId?: number | string;
  /** Id of a domain. */
  domainId?: number | string;
  /** Id of a pixel. */
  pixelId?: number | string;
}
