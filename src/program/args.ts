import type * as pulumi from "@pulumi/pulumi";
import type { Row, Table, ValueOf } from "../fields/row";

// The types of arguments, derived from the tables of fields.

/** The type that a program may write for a field. */
type ArgumentOf<Each extends Row> = Each["kind"] extends "id"
  ? number | string
  : Each["kind"] extends "ids"
    ? pulumi.Input<number | string>[]
    : Each["kind"] extends "flag"
      ? Each extends { readonly wire: string }
        ? boolean | 0 | 1
        : boolean
      : Each["kind"] extends "choice"
        ? Each extends { readonly words: readonly (infer Word)[] }
          ? Word | 0 | 1 | 2
          : never
        : Each["kind"] extends "dateTime"
          ? string | Date
          : Each["kind"] extends "targets"
            ? pulumi.Input<{ key?: pulumi.Input<string | undefined>; value: pulumi.Input<string> }>[]
            : ValueOf<Each>;

/** The arguments of a resource, derived from its table. */
export type ArgsOf<Fields extends Table> = {
  [Name in keyof Fields as Fields[Name] extends { readonly required: true } ? Name : never]: pulumi.Input<
    ArgumentOf<Fields[Name]>
  >;
} & {
  [Name in keyof Fields as Fields[Name] extends { readonly required: true } ? never : Name]?: pulumi.Input<
    ArgumentOf<Fields[Name]> | undefined
  >;
};

/** `true` if two types are the same, else `never`. */
export type Same<One, Other> = [Flat<One>] extends [Flat<Other>]
  ? [Flat<Other>] extends [Flat<One>]
    ? keyof One extends keyof Other
      ? keyof Other extends keyof One
        ? true
        : never
      : never
    : never
  : never;
type Flat<Type> = { [Name in keyof Type]: Type[Name] };
