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
   * Host name under which short links live, for example `go.example.com`; its DNS record must point to the
   * service. Kept in lower case. At most 255 characters, with a dot, without scheme, port and path; unique
   * over all accounts of the service. **A change replaces the domain**: the service takes no name on update.
   */
  name: pulumi.Input<string>;
  /**
   * Where visitors of the bare domain are sent: an absolute URL of at most 255 characters, not on the host of
   * the service. Default: none. Updates in place; removing it clears it.
   */
  homepageUrl?: pulumi.Input<string | undefined>;
  /**
   * Where visitors of unknown short links are sent: an absolute URL of at most 255 characters, not on the host
   * of the service. Default: none, they get a page with status 404. Updates in place; removing it clears it.
   */
  notFoundUrl?: pulumi.Input<string | undefined>;
  /**
   * Lets the deletion of the domain delete the links that are still on it and that Pulumi does not delete itself.
   * Default: false, such a deletion is refused. Kept in the state only; a change sends nothing.
   */
  forceDestroy?: pulumi.Input<boolean | undefined>;
  /**
   * What to do when the account has a domain of this name already: `"never"` refuses, `"ifEqual"` takes it over
   * unless it differs from the program, `"always"` takes it over and changes it. Default: the setting
   * `shortlink:adopt`, else `"never"`. Has a meaning for creation only.
   */
  adopt?: pulumi.Input<Adopt | undefined>;
}

/**
 * A domain of the short-link service: the host name under which short links live.
 *
 * ```ts
 * const go = new shortlink.Domain("go", {
 *   name: "go.example.com",
 *   homepageUrl: "https://example.com/",
 * });
 * ```
 *
 * Its `id` is the number that {@link LinkArgs.domainId} takes. The service deletes the links of a domain with it,
 * so a deletion is refused while there are links that Pulumi does not delete itself; see
 * {@link DomainArgs.forceDestroy}. The option `import` takes over an existing domain by id or name.
 */
export class Domain extends pulumi.CustomResource {
  /** Address of the domain as the service gives it, for example `https://go.example.com`; a secret if `name` is one. */
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
   * Reads a domain that this stack does not manage; it fails where there is none.
   *
   * @param name Unique name of the resource in the stack.
   * @param id The domain's id, or its name.
   * @param opts Pulumi's options.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Domain {
    return withRecordId(new Domain(name, readArgs<DomainArgs>(), { ...opts, id }));
  }
}

/** The outputs that repeat the arguments, which the SDK sets. */
export interface Domain extends OutputsOf<DomainArgs, typeof domainFields> {}

lazyOutputs(Domain, lazyNames(domainFields));

// The arguments are those of the table: the compiler refuses any difference.
true satisfies Same<DomainArgs, ArgsOf<typeof domainFields>>;
