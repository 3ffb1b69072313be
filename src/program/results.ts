import type { domainFields } from "../domain/fields";
import type { linkFields } from "../link/fields";
import type { ResultOf } from "./outputs";

/** A domain as {@link getDomain} and {@link getDomains} return it, without unset fields. */
export interface DomainResult extends ResultOf<typeof domainFields> {
  /** Id of the domain, for the `domainId` of a link. */
  id: string;
  /** Address, for example `https://go.example.com`. */
  url: string;
}

/**
 * A link as {@link getLink} and {@link getLinks} return it, without fields that have the service's default. Dates are in UTC,
 * regardless of the account's time zone.
 */
export interface LinkResult extends ResultOf<typeof linkFields> {
  id: string;
  /** The whole short link, for example `https://go.example.com/docs`. */
  shortUrl: string;
  /** True if visitors must give a password; the service never returns the password itself. */
  hasRedirectPassword: boolean;
  /** True if the statistics have a password; the service never returns the password itself. */
  hasPassword: boolean;
}

/** Filter of {@link getDomains}. Default: all domains of the account. */
export interface GetDomainsArgs {
  /** Part of the name. Case does not matter; `%` matches any text and `_` any character. */
  search?: string;
}

/** Filter of {@link getLinks}. Default: all links of the account. */
export interface GetLinksArgs {
  /** Part of the field named by `searchBy`. Case does not matter; `%` and `_` are wildcards. */
  search?: string;
  /** Field to search. Default: `"title"`, the title of the destination's page; a link to an unreadable page has none. */
  searchBy?: "title" | "alias" | "url";
  /**
   * Status of the links. `"active"`: links that lead to their destination now. `"expired"`: links with no clicks left, or with an
   * active period in the past. `"disabled"`: disabled links; versions since 2025 cannot disable one. A link before its period is
   * neither active nor expired. Default: `"all"`. The provider reads all links that match the other arguments and filters them: the
   * service's filter misses some, and returns all for a status that its version does not know.
   */
  status?: "all" | "active" | "expired" | "disabled";
  /** Id of a space; 0 finds links without one. */
  spaceId?: number | string;
  /** Id of a domain. */
  domainId?: number | string;
  /** Id of a pixel. */
  pixelId?: number | string;
}
