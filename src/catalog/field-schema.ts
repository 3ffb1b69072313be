import { z } from "zod";
import { readField } from "../fields/check";
import type { Row } from "../fields/row";
import { aliasPatterns, hostName, urlPatterns } from "../fields/texts";
import { datePatterns } from "../fields/dates";
import { withReceived } from "./received";

// Converts the rows of the tables of fields to zod and JSON Schema.

/** The description of a row with its limit, its default and the effect of a change. */
export function describeRow({
  doc,
  max,
  kind,
  required,
  default: standard,
  replaces,
  secret,
  words = [],
}: Row): string {
  const isText = ["url", "hostName", "alias", "text"].includes(kind);
  const limit =
    max === undefined
      ? []
      : [`At most ${max}${isText ? " characters" : kind === "targets" ? " entries" : ""}.`];
  const choices = kind === "choice" ? [`One of ${words.map((word, n) => `${word} (${n})`).join(", ")}.`] : [];
  const otherwise = required ? [] : [`Default: ${standard ?? "none"}.`];
  const reference = secret ? ["In files only as a reference to a secret."] : [];
  const change = replaces ? ["A change replaces the resource."] : [];
  return [doc, ...choices, ...limit, ...otherwise, ...reference, ...change].join(" ");
}

/** The rule of a row, for values in files. */
export function fieldSchema(row: Row): z.ZodType {
  return z
    .unknown()
    .superRefine((value, context) => {
      for (const { path, reason, name } of readField(row, value).issues)
        context.addIssue({
          ...{ code: "custom", path: [...path], params: { name } },
          message: withReceived(row, partOf(value, path), reason),
        });
    })
    .meta({ row });
}

function partOf(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((whole, part) => (whole as Record<PropertyKey, unknown> | undefined)?.[part], value);
}

/** The JSON Schema of a row. */
export function jsonSchemaOf(row: Row): object {
  const { kind, max, words = [], wire } = row;
  const text = (patterns: readonly RegExp[]) => ({
    type: "string",
    ...(max === undefined ? {} : { maxLength: max }),
    ...(patterns.length === 1
      ? { pattern: patterns[0]?.source }
      : { allOf: patterns.map(({ source }) => ({ pattern: source })) }),
  });
  const whole = (minimum: number, maximum = Number.MAX_SAFE_INTEGER) => ({
    type: "integer",
    minimum,
    maximum,
  });
  switch (kind) {
    case "text":
      return { type: "string", ...(max === undefined ? {} : { maxLength: max }) };
    case "url":
      return text(urlPatterns);
    case "hostName":
      return text([hostName]);
    case "alias":
      return text(aliasPatterns);
    case "dateTime":
      return text(datePatterns);
    case "id":
      return whole(1);
    case "ids":
      return { type: "array", items: whole(1) };
    case "count":
      return whole(0, max);
    case "flag":
      return wire === undefined
        ? { type: "boolean" }
        : { anyOf: [{ type: "boolean" }, { type: "number", enum: [0, 1] }] };
    case "choice":
      return {
        anyOf: [
          { type: "string", enum: words },
          { type: "number", enum: words.map((_, number) => number) },
        ],
      };
    case "word":
      return { type: "string", enum: words };
    case "targets": {
      const value = jsonSchemaOf({ ...row, kind: "url", max: 2048 });
      const properties = { key: { type: "string" }, value };
      const items = { type: "object", properties, required: ["value"], additionalProperties: false };
      return { type: "array", maxItems: max, items };
    }
  }
}
