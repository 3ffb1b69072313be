import type { Form } from "./form";
import type { DomainRow, LinkRow, Store } from "./store";

/** A domain as in answers. `origin` is the installation's own; the domain with its host has it as URL. */
export function domainRecord(row: DomainRow, origin: string): Record<string, unknown> {
  return {
    id: row.id,
    name: row.name,
    url: domainUrl(row, origin),
    homepage_url: row.homepage_url,
    not_found_url: row.not_found_url,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

/**
 * A link as in answers. After a write the service does not read the row again: integers from the form come back as the strings that
 * were `sent`, and after a create the counters are null.
 */
export function linkRecord(
  row: LinkRow,
  store: Store,
  origin: string,
  sent: Form = {},
): Record<string, unknown> {
  const domain = store.domains.get(row.domain_id);
  const integer = (field: "sensitive_content" | "privacy" | "clicks_limit") =>
    typeof sent[field] === "string" ? sent[field] : row[field];
  const period = (value: string | null) => (value === null ? null : `${value}.000000Z`);
  return {
    id: row.id,
    alias: row.alias,
    url: row.url,
    short_url: `${domain ? domainUrl(domain, origin) : origin}/${row.alias}`,
    title: row.title,
    targets_type: row.targets_type,
    targets: row.targets,
    last_rotation: row.last_rotation,
    sensitive_content: integer("sensitive_content"),
    privacy: integer("privacy"),
    password: row.password !== null,
    redirect_password: row.redirect_password !== null,
    active_period_start_at: period(row.active_period_start_at),
    active_period_end_at: period(row.active_period_end_at),
    clicks_limit: integer("clicks_limit"),
    expiration_url: row.expiration_url,
    clicks: row.clicks,
    space: row.space_id === null ? null : (store.spaces.get(row.space_id) ?? null),
    domain: domain ?? null,
    pixels: [...store.pixels.values()]
      .filter((pixel) => row.pixel_ids.includes(pixel.id))
      .map((pixel) => ({ ...pixel, pivot: { link_id: row.id, pixel_id: pixel.id } })),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

function domainUrl(row: DomainRow, origin: string): string {
  return new URL(origin).host === row.name ? origin : `http://${row.name}`;
}
