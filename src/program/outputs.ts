import type * as pulumi from "@pulumi/pulumi";
import type { ValueOf } from "../fields/row";

/** Arguments that are outputs too; how an object is created is none. */
type Told<Args> = Pick<Args, Exclude<keyof Args, "adopt">>;

/** The outputs that repeat the arguments of a resource, in canonical form; undefined for the service's default. */
export type OutputsOf<Args, Fields extends { [Name in keyof Args]-?: unknown }> = {
  readonly [Name in keyof Told<Args>]-?: pulumi.Output<
    Fields[Name] extends { readonly required: true } | { readonly kept: true }
      ? ValueOf<Fields[Name]>
      : ValueOf<Fields[Name]> | undefined
  >;
};
