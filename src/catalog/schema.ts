import { z } from "zod";
import { domainFields } from "../domain/fields";
import type { Row, Table } from "../fields/row";
import { linkFields } from "../link/fields";
import { describeRow, fieldSchema, jsonSchemaOf } from "./field-schema";
import * as descriptions from "./descriptions";

// The shape of catalog files, for the checks and for the JSON Schema of editors. Fields have the same rules as in the resources.
// `checks.ts` has the checks that need more than one entry.

function described<Schema extends z.ZodType>(
  schema: Schema,
  [description, ...examples]: descriptions.Text,
): Schema {
  return schema.meta({ description, ...(examples.length > 0 ? { examples } : {}) });
}

/** The rules of the fields of a table, all optional; passwords are references. */
function fieldsOf<Fields extends Table>(table: Fields): { [Name in keyof Fields]: z.ZodOptional } {
  const entries = Object.entries(table).map(([name, row]) => [name, describedRow(row).optional()]);
  return Object.fromEntries(entries) as { [Name in keyof Fields]: z.ZodOptional };
}

function describedRow(row: Row): z.ZodType {
  return row.secret
    ? described(secret, [describeRow(row), { secret: row.example }])
    : described(fieldSchema(row), [describeRow(row), row.example]);
}

/** The rules as optional fields, with their descriptions. */
function optional<Rules extends Record<string, z.ZodType>>(
  shape: Rules,
  texts: Record<keyof Rules, descriptions.Text>,
): { [Name in keyof Rules]: z.ZodOptional<Rules[Name]> } {
  const entries = Object.entries(shape).map(([name, rule]) => [
    name,
    described(rule.optional(), texts[name] as descriptions.Text),
  ]);
  return Object.fromEntries(entries) as { [Name in keyof Rules]: z.ZodOptional<Rules[Name]> };
}

/** The error for a value that is no map. A map with unknown fields keeps zod's error, which names them. */
function mapError(text: string) {
  return { error: (issue: { code?: string }) => (issue.code === "unrecognized_keys" ? undefined : text) };
}
const fields = mapError("must be a map of fields");

const text = z.string({ error: "must be text" });
const flag = z.boolean({ error: "must be true or false" });
export const entryKey = text
  .max(300, { error: "is longer than 300 characters" })
  .regex(/^[^\s\p{Cc}]+$/u, { error: "must be a name without spaces" });
export const domainName = describedRow(domainFields.name) as z.ZodType<string>;

const secretName = "must name a secret: config:<name> or env:<VARIABLE>";
const secret = z.strictObject(
  {
    secret: z
      .string({ error: secretName })
      .regex(/^(?:config:(?:[\w.-]+:)?[\w.-]+|env:[A-Za-z_]\w*)$/, { error: secretName }),
  },
  {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? "may contain only secret"
        : 'must not be in a file: write { secret: config:<name> } and run "pulumi config set --secret <name>", or ' +
          "{ secret: env:<VARIABLE> }",
  },
);

/** A key that the entry had before, here or in another catalog of the program. */
const formerKey = z.union([entryKey, z.strictObject({ catalog: text.min(1), key: entryKey })]);

const linkShape = fieldsOf(linkFields);
const { name: _name, ...domainShape } = fieldsOf(domainFields);
const ownShape = optional(
  {
    key: entryKey,
    domain: z
      .string({ error: "must be the name of a domain of the catalog" })
      .min(1, { error: "must be the name of a domain of the catalog" }),
    existing: flag,
    formerly: z.union([formerKey, z.array(formerKey)], {
      error: "must be a key, { catalog, key } of another catalog, or a list of them",
    }),
    protect: flag,
    owner: text.regex(/\S/, { error: "is empty: give it a value, or remove it" }),
    note: text.regex(/\S/, { error: "is empty: give it a value, or remove it" }),
  },
  descriptions.own,
);
const { key, domain: owningDomain, existing, formerly, ...common } = ownShape;
const { url: _url, alias, ...shared } = { domain: owningDomain, ...linkShape, ...common };
const url = describedRow(linkFields.url);

/** A link, under its key. */
export const link = z.strictObject({ url, alias, ...shared, formerly }, fields);
/** A link in a list. */
export const listedLink = link.extend({ key });
/** The default fields for the links of a file or a folder. */
export const defaults = z.strictObject(shared, fields);
/** A domain, under its name. */
export const domain = z.strictObject({ ...domainShape, existing, ...common }, fields);
/** A domain in a list. */
export const listedDomain = domain.extend({ name: domainName });

/** The changes of an overlay to an entry; null removes a field. */
function changes(shape: Record<string, z.ZodType>) {
  const entries = Object.entries(shape).map(([name, rule]) => {
    const inner = rule instanceof z.ZodOptional ? (rule.unwrap() as z.ZodType) : rule;
    const { row: _row, ...texts } = rule.meta() ?? {};
    return [name, inner.nullable().optional().meta(texts)];
  });
  return z.strictObject(Object.fromEntries(entries) as Record<string, z.ZodType>, fields);
}
export const linkChanges = changes({ url, alias, ...shared });
export const domainChanges = changes({ ...domainShape, ...common });

const days = "must be a number of days, 1 or greater";

/** House rules. They apply to the entries of their file; in a folder's file, to all files in the folder and below. */
export const rules = z.strictObject(
  optional(
    {
      allowedHosts: z
        .array(
          text.regex(/^(?:\*\.)?[^\s/:*?#@]+$/, {
            error: "must be a host name like example.com, or *.example.com for all below it",
          }),
          { error: "must be a list of host names" },
        )
        .min(1, { error: "is empty: no link can comply with it" }),
      httpsOnly: flag,
      aliasPattern: text
        .refine(isPattern, { error: "must be a regular expression" })
        .meta({ format: "regex" }),
      maxLifetimeDays: z.int({ error: days }).min(1, { error: days }),
      required: z.array(z.enum(["owner", "note"], { error: "must be owner or note" }), {
        error: "must be a list of owner and note",
      }),
    },
    descriptions.rules,
  ),
  fields,
);

/** True for a valid regular expression. */
function isPattern(source: string): boolean {
  try {
    return new RegExp(`^(?:${source})$`, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** The new names of domains in an overlay. */
export const domainMap = z.record(domainName, domainName, {
  error: "must be a map of domain names, like { go.example: go-stg.example }",
});

const section = <Schema extends z.ZodType>(schema: Schema, name: keyof typeof descriptions.sections) =>
  described(schema.nullish(), descriptions.sections[name]);
const folderShape = {
  $schema: described(text.optional(), descriptions.sections.$schema),
  defaults: section(defaults, "defaults"),
  rules: section(rules, "rules"),
};
const { $schema } = folderShape;

/** The sections of each kind of file, with their content. */
export const documents = {
  /** A file with entries. */
  catalog: z
    .strictObject({
      ...folderShape,
      domains: section(z.union([z.record(domainName, domain.nullable()), z.array(listedDomain)]), "domains"),
      links: section(z.union([z.record(entryKey, link), z.array(listedLink)]), "links"),
    })
    .meta({ title: descriptions.titles.catalog }),
  /** `folder.yaml`: defaults and rules for all files in its folder and below. */
  folder: z.strictObject(folderShape).meta({ title: descriptions.titles.folder }),
  /** An overlay: the differences of one environment. */
  overlay: z
    .strictObject({
      $schema,
      domainMap: section(domainMap, "domainMap"),
      domains: section(z.record(domainName, domainChanges.nullable()), "domains"),
      links: section(z.record(entryKey, linkChanges.nullable()), "links"),
    })
    .meta({ title: descriptions.titles.overlay }),
} as const;

export type Kind = keyof typeof documents;

/** The JSON Schema of a kind of file, draft-7, which editors read. */
export function jsonSchema(kind: Kind): object {
  return z.toJSONSchema(documents[kind], {
    io: "input",
    target: "draft-7",
    // The examples show written values, but zod takes those of dates for converted values and leaves them out.
    override: ({ zodSchema, jsonSchema }) => {
      const { examples, row } = z.globalRegistry.get(zodSchema) ?? {};
      if (row) Object.assign(jsonSchema, jsonSchemaOf(row as Row));
      delete jsonSchema.row;
      if (examples) jsonSchema.examples = examples as unknown[];
    },
  });
}
