import type { domainFields } from "../domain/fields";
import type { linkFields } from "../link/fields";
import type { ResultOf } from "./outputs";

/** A domain as {@link getDomain} and {@link getDomains} find it. Unset fields are left out. */
export interface DomainResult extends ResultOf<typeof domainFields> {
  /** Its id, for the `domainId` of a link. */
  id: string;
  /** Address, for example `https://go.example.com`. */
  url: string;
}

/**
 * A link as {@link getLink} and {@link getLinks} find it. Fields that have the service's default are left out. Dates are in UTC,
 * whatever the time zone of the account is.
 */
export interface LinkResult extends ResultOf<typeof linkFields> {
  id: string;
  /** The whole short link, for example `https://go.example.com/docs`. */
  shortUrl: string;
  /** Whether visitors are asked for a password; the service never returns the password itself. */
  hasRedirectPassword: boolean;
  /** Whether a password of the statistics is set; the service never returns the password itself. */
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
