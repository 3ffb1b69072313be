import * as pulumi from "@pulumi/pulumi";
import type { Adopt } from "../resource/adopt";
import { domainFields } from "../domain/fields";
import type { ArgsOf, Same } from "./args";
import { lazyOutputs } from "./lazy-outputs";
import type { OutputsOf } from "./outputs";
import { lazyNames, readArgs, registration, typeToken, withRecordId } from "./registration";
import { showPlaceOfProgram } from "./sdk";
import { allWishes } from "./wishes";

/** Arguments of a {@link Domain}. */
export interface DomainArgs {
  /**
   * Host name of the short links, for example `go.example.com`. Its DNS record must point to the service. At
   * most 255 characters, with a dot, without scheme, port and path; kept in lower case. Unique over all accounts
   * of the service. **A change replaces the domain**: the service accepts no name on update.
   */
  name: pulumi.Input<string>;
  /**
   * Destination for visitors of the domain itself: an absolute URL of at most 255 characters, not on the host of
   * the service. Default: none. Updates in place; removing it clears it.
   */
  homepageUrl?: pulumi.Input<string | undefined>;
  /**
   * Destination for visitors of unknown short links: an absolute URL of at most 255 characters, not on the host
   * of the service. Default: none, a page with status 404. Updates in place; removing it clears it.
   */
  notFoundUrl?: pulumi.Input<string | undefined>;
  /**
   * Lets Pulumi delete the domain together with links on it that Pulumi does not delete itself.
   * Default: false, the provider refuses such a deletion. Kept in the state only; a change sends nothing.
   */
  forceDestroy?: pulumi.Input<boolean | undefined>;
  /**
   * Adoption of an existing domain with this name: `"never"` refuses it, `"ifEqual"` adopts the domain unless it
   * differs from the program, `"always"` adopts and changes it. Default: the setting `shortlink:adopt`, or
   * `"never"`. Used for creation only.
   */
  adopt?: pulumi.Input<Adopt | undefined>;
}

/**
 * A domain of the short-link service: the host name of short links.
 *
 * ```ts
 * const go = new shortlink.Domain("go", {
 *   name: "go.example.com",
 *   homepageUrl: "https://example.com/",
 * });
 * ```
 *
 * {@link LinkArgs.domainId} takes its `id`. The service deletes a domain together with its links. So the provider
 * refuses a deletion while the domain has links that Pulumi does not delete itself; see
 * {@link DomainArgs.forceDestroy}. The option `import` takes the id or name of an existing domain.
 */
export class Domain extends pulumi.CustomResource {
  /** Address of the domain as the service returns it, for example `https://go.example.com`; a secret if `name` is one. */
  declare readonly url: pulumi.Output<string>;

  /**
   * @param name Unique name of the resource in the stack.
   * @param args The domain.
   * @param opts Pulumi's options.
   */
  constructor(name: string, args: DomainArgs, opts?: pulumi.CustomResourceOptions) {
    const { inputs, options } = registration({
      ...{ type: "Domain", table: domainFields, name, args, opts },
      output: { name: "url", repeats: "name" },
      beside: () => ({ wishes: allWishes() }),
    });
    const restore = showPlaceOfProgram();
    try {
      super(typeToken("Domain"), name, inputs, options);
    } finally {
      restore();
    }
  }

  /**
   * Reads a domain that this stack does not manage. Fails if there is none.
   *
   * @param name Unique name of the resource in the stack.
   * @param id The domain's id, or its name.
   * @param opts Pulumi's options.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Domain {
    return withRecordId(new Domain(name, readArgs<DomainArgs>(), { ...opts, id }));
  }
}

/** The outputs that repeat the arguments; the SDK sets them. */
export interface Domain extends OutputsOf<DomainArgs, typeof domainFields> {}

lazyOutputs(Domain, lazyNames(domainFields));

// The compiler refuses any difference between the arguments and the table.
true satisfies Same<DomainArgs, ArgsOf<typeof domainFields>>;
