import type { Table, ValueOf } from "./row";

/** The canonical values of the fields of a table; absent means the default. */
export type ValuesOf<Fields extends Table> = {
  -readonly [
    Name in keyof Fields as Fields[Name] extends { readonly required: true } ? Name : never
  ]: ValueOf<Fields[Name]>;
} & {
  -readonly [
    Name in keyof Fields as Fields[Name] extends { readonly required: true } ? never : Name
  ]?: ValueOf<Fields[Name]>;
};
