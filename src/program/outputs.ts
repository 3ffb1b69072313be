import type * as pulumi from "@pulumi/pulumi";
import type { ValueOf } from "../fields/row";

/** Arguments that are outputs too; `adopt` is not, because it matters for creation only. */
type Told<Args> = Pick<Args, Exclude<keyof Args, "adopt">>;

/** The outputs that repeat the arguments of a resource, in canonical form; undefined for the service's default. */
export type OutputsOf<Args, Fields extends { [Name in keyof Args]-?: unknown }> = {
  readonly [Name in keyof Told<Args>]-?: pulumi.Output<
    Fields[Name] extends { readonly required: true } | { readonly kept: true }
      ? ValueOf<Fields[Name]>
      : ValueOf<Fields[Name]> | undefined
  >;
};

/** The fields that the service returns. */
type ToldIn<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends { readonly secret: true }
    ? never
    : Fields[Name] extends { readonly wire: string }
      ? Name
      : never;
}[keyof Fields];
/** The fields that the service returns for every object. */
type CertainIn<Fields> = {
  [Name in ToldIn<Fields>]: Fields[Name] extends { readonly required: true } | { readonly kept: true }
    ? Name
    : never;
}[ToldIn<Fields>];
type ValuesIn<Fields> = { [Name in keyof Fields]: ValueOf<Fields[Name]> };

/** The fields of an object as a lookup finds it; the service's defaults are left out. */
export type ResultOf<Fields> = Pick<ValuesIn<Fields>, CertainIn<Fields>> &
  Partial<Pick<ValuesIn<Fields>, Exclude<ToldIn<Fields>, CertainIn<Fields>>>>;
