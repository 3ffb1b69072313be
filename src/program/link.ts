import * as pulumi from "@pulumi/pulumi";
import type { Adopt } from "../resource/adopt";
import type { TargetsType } from "../fields/row";
import { deriveAlias } from "../link/alias";
import { linkFields } from "../link/fields";
import type { ArgsOf, Same } from "./args";
import { lazyOutputs } from "./lazy-outputs";
import type { OutputsOf } from "./outputs";
import { lazyNames, readArgs, registration, typeToken, withRecordId } from "./registration";
import { showPlaceOfProgram } from "./sdk";
import { noteWish } from "./wishes";

/** Visibility of the statistics of a link. */
export type Privacy = "public" | "private" | "password";

/** A destination for some of the visitors of a {@link Link}. */
export interface TargetArgs {
  /**
   * Visitors, by the link's `targetsType`; case does not matter, and each key may appear only once:
   *
   * - `continents`: `AF`, `AN`, `AS`, `EU`, `NA`, `OC`, `SA`
   * - `countries`: ISO 3166-1 alpha-2 codes in capitals, for example `DE`
   * - `operating_systems`: `iOS`, `Android`, `Windows`, `OS X`, `Linux`, `Ubuntu`, `Chrome OS`
   * - `browsers`: names like `Chrome`, `Firefox`, `Safari`, `Edge`, `Samsung Internet`
   * - `languages`: ISO 639-1 codes in small letters, for example `de`
   * - `devices`: `desktop`, `mobile`, `tablet`, `watch`, `television`
   * - `rotations`: no key, the visitors take turns
   */
  key?: pulumi.Input<string | undefined>;
  /** Destination of these visitors: an absolute URL of at most 2048 characters. */
  value: pulumi.Input<string>;
}

/** Arguments of a {@link Link}. */
export interface LinkArgs {
  /**
   * Destination: an absolute URL with scheme and host, at most 2048 characters, percent-encoded where necessary.
   * Schemes other than http and https need a plan with deep links. Updates in place.
   */
  url: pulumi.Input<string>;
  /**
   * Id of the domain of the link: `domain.id`, or the number of an existing domain.
   * **A change replaces the link**: the service does not move a link to another domain.
   */
  domainId: pulumi.Input<pulumi.ID | number>;
  /**
   * Part after the slash: letters of any script, digits, `-` and `_`, at most 255. Unique on its domain, where
   * the service ignores case and accents. Default: eight letters and digits derived from project, stack, parents
   * and resource name; they stay the same while the link exists. Updates in place (the old short link stops
   * working); removing it keeps the current alias.
   */
  alias?: pulumi.Input<string | undefined>;
  /** Id of the space that groups the link. Default: none. Updates in place; removing it clears it. */
  spaceId?: pulumi.Input<number | string | undefined>;
  /** Ids of tracking pixels, in any order. Default: none. Updates in place; removing it detaches all. */
  pixelIds?: pulumi.Input<pulumi.Input<number | string>[] | undefined>;
  /**
   * Password that visitors must give before the redirect, at most 128 characters. A secret: encrypted in
   * the state, never shown, never read back. Default: none; an empty text means none too. Updates in place;
   * removing it clears it.
   */
  redirectPassword?: pulumi.Input<string | undefined>;
  /** Asks visitors for consent before they see the destination. Default: false. Updates in place. */
  sensitiveContent?: pulumi.Input<boolean | 0 | 1 | undefined>;
  /**
   * Visibility of the statistics: `"public"` (0), `"private"` (1) or `"password"` (2, with the `password`).
   * Default: `"public"`. Updates in place.
   */
  privacy?: pulumi.Input<Privacy | 0 | 1 | 2 | undefined>;
  /**
   * Password of the statistics, at most 128 characters; used only while `privacy` is `"password"`. A
   * secret: encrypted in the state, never shown, never read back. Default: none; an empty text means none too.
   * Updates in place; removing it clears it.
   */
  password?: pulumi.Input<string | undefined>;
  /**
   * Start of the period in which the link works: `2026-03-01T08:00:00`, in the time zone of the account. A `Date`, or a
   * text with a zone (`2026-03-01T08:00:00+01:00`), needs the setting `shortlink:timeZone`. Needs `activePeriodEndAt`.
   * Before and after the period visitors get `expirationUrl`. Whole seconds of the years 1970 to 2037. Default: always.
   * Updates in place; removing both clears the period.
   */
  activePeriodStartAt?: pulumi.Input<string | Date | undefined>;
  /** End of the period in which the link works; as `activePeriodStartAt`, and later. */
  activePeriodEndAt?: pulumi.Input<string | Date | undefined>;
  /**
   * Number of clicks after which the link expires, at most 999999999. Default: 0, no limit. Updates in place;
   * removing it lifts the limit.
   */
  clicksLimit?: pulumi.Input<number | undefined>;
  /**
   * Destination for visitors of an expired link: an absolute URL of at most 2048 characters. Default: none, a
   * page. Updates in place; removing it clears it.
   */
  expirationUrl?: pulumi.Input<string | undefined>;
  /** Property of the visitor that selects a target. Default: none. Updates in place; removing it clears it. */
  targetsType?: pulumi.Input<TargetsType | undefined>;
  /**
   * Other destinations for some of the visitors, at most 100; needs `targetsType`. All other visitors get `url`.
   * The order matters for `rotations` only. Default: none. Updates in place; removing it clears them.
   */
  targets?: pulumi.Input<pulumi.Input<TargetArgs>[] | undefined>;
  /**
   * Adoption of an existing link with this alias on the domain: `"never"` refuses it, `"ifEqual"` adopts the link
   * unless it differs from the program, `"always"` adopts and changes it. Default: the setting `shortlink:adopt`,
   * or `"never"`. Used for creation only.
   */
  adopt?: pulumi.Input<Adopt | undefined>;
}

/**
 * A short link.
 *
 * ```ts
 * const docs = new shortlink.Link("docs", {
 *   domainId: go.id,
 *   alias: "docs",
 *   url: "https://www.pulumi.com/docs/",
 * });
 * export const docsUrl = docs.shortUrl;
 * ```
 *
 * The option `import` takes the id of an existing link, or its domain and alias: `go.example.com/docs`.
 *
 * The link requests an output without an argument from the engine when the program reads it. It is a secret if the link has one.
 */
export class Link extends pulumi.CustomResource {
  /** The whole short link as the service returns it, for example `https://go.example.com/docs`; a secret if `alias` is one. */
  declare readonly shortUrl: pulumi.Output<string>;

  /**
   * @param name Unique name of the resource in the stack.
   * @param args The link.
   * @param opts Pulumi's options.
   */
  constructor(name: string, args: LinkArgs, opts?: pulumi.CustomResourceOptions) {
    const isNamed = typeof args.alias === "string" && args.alias.trim() !== "";
    const { inputs, options } = registration({
      ...{ type: "Link", table: linkFields, name, args, opts },
      output: { name: "shortUrl", repeats: "alias" },
      beside: (urn) => ({
        wishes: noteWish(name, args.alias),
        derivedAlias: isNamed ? undefined : urn.then(deriveAlias),
      }),
    });
    const restore = showPlaceOfProgram();
    try {
      super(typeToken("Link"), name, inputs, options);
    } finally {
      restore();
    }
  }

  /**
   * Reads a link that this stack does not manage, without its passwords. Fails if there is none.
   *
   * @param name Unique name of the resource in the stack.
   * @param id The link's id, or its domain and alias: `go.example.com/docs`.
   * @param opts Pulumi's options.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Link {
    return withRecordId(new Link(name, readArgs<LinkArgs>(), { ...opts, id }));
  }
}

/** The outputs that repeat the arguments; the SDK sets them. */
export interface Link extends OutputsOf<LinkArgs, typeof linkFields> {}

lazyOutputs(Link, lazyNames(linkFields));

// The compiler refuses any difference between the arguments and the table.
true satisfies Same<LinkArgs, ArgsOf<typeof linkFields>>;
