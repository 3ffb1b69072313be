import type { Adopt } from "./adopt";
import { absentIf, privacyName, privacyNumber, toZone } from "./fields";
import type { Secrets } from "./redact";
import { managed, period, secret, type Field } from "./link-names";
import type { LinkRecord } from "./service/client";
import type { FormFields } from "./service/form";
import { orderTargets, type Target, type TargetsType } from "./targets";

// How the fields of a link look in the program, in the answers of the service and in the forms that it takes.

/** A change of these replaces the link. */
export const replacing: readonly Field[] = ["domainId"];
/** The fields that the service tells. */
export const visible = managed.filter((field) => !secret.some((each) => each === field));
/** The service wants these two together, as it does the ends of a period. */
const targeting = ["targetsType", "targets"] as const;

/** Canonical arguments, as `check` makes them. */
export interface LinkInputs extends Secrets {
  __provider: string;
  /** URN of the resource; states of 0.1.0 have none. */
  __urn?: string;
  /** The alias derived for a link for which the program names none. */
  __alias?: string;
  /** The alias that such a link had before somebody else changed it. */
  __keptAlias?: string;
  url: string;
  domainId: number;
  /** Absent where the program names none and the service is to choose. */
  alias?: string;
  spaceId?: number;
  pixelIds?: number[];
  redirectPassword?: string;
  sensitiveContent?: true;
  privacy?: "private" | "password";
  password?: string;
  activePeriodStartAt?: string;
  activePeriodEndAt?: string;
  clicksLimit?: number;
  expirationUrl?: string;
  targetsType?: TargetsType;
  targets?: Target[];
  adopt?: Adopt;
  /** The value of the option `import`. */
  __import?: string;
}

/** In the place of a password that the service has but never tells. */
const someSecret = "(set outside of this program)";

/** The managed fields as the service answers them, in canonical form. */
export function observe(record: LinkRecord, inputs: { domainId?: number }): Record<Field, unknown> {
  const { targets_type: targetsType } = record;
  const targets = record.targets.map(({ key, value }) =>
    key === null ? { value } : { key: String(key), value },
  );
  return {
    url: record.url,
    // A link cannot leave its domain, so an answer that does not name the domain tells nothing.
    domainId: record.domain_id ?? inputs.domainId,
    alias: record.alias,
    spaceId: record.space_id,
    pixelIds: absentIf(
      record.pixel_ids.length === 0,
      [...record.pixel_ids].sort((a, b) => a - b),
    ),
    redirectPassword: absentIf(!record.redirect_password, someSecret),
    sensitiveContent: absentIf(!record.sensitive_content, true),
    privacy: absentIf(!record.privacy, privacyName(record.privacy ?? 0)),
    password: absentIf(!record.password, someSecret),
    activePeriodStartAt: absentIf(!record.active_period_start_at, dateTime(record.active_period_start_at)),
    activePeriodEndAt: absentIf(!record.active_period_end_at, dateTime(record.active_period_end_at)),
    clicksLimit: absentIf(!record.clicks_limit, record.clicks_limit),
    expirationUrl: record.expiration_url,
    targetsType,
    targets: absentIf(targets.length === 0, orderTargets(targetsType, targets)),
  };
}

/** The managed fields as `observe` shows them when the service holds exactly the inputs. */
export function wishOf(inputs: LinkInputs): Partial<Record<Field, unknown>> {
  const hidden = (password: string | undefined) => absentIf(password === undefined, someSecret);
  return canonical({
    ...inputs,
    redirectPassword: hidden(inputs.redirectPassword),
    password: hidden(inputs.password),
  });
}

/** The same values with lists in an order of their own, where that of the program has no meaning to the service. */
export function canonical<Fields extends Partial<Record<Field, unknown>>>(values: Fields): Fields {
  const { pixelIds, targetsType, targets } = values as { [Name in Field]?: LinkInputs[Name] };
  return {
    ...values,
    ...(Array.isArray(pixelIds) ? { pixelIds: [...pixelIds].sort((a, b) => a - b) } : {}),
    ...(Array.isArray(targets) ? { targets: orderTargets(targetsType, targets) } : {}),
  };
}

/** An answer with its lists in the order of the program, as far as that has the same pixels and keys. */
export function inOrderOf(inputs: LinkInputs, answer: Record<Field, unknown>): Record<Field, unknown> {
  const { pixelIds, targetsType, targets } = answer as { [Name in Field]?: LinkInputs[Name] };
  const arrange = <Item>(list: Item[], has: (item: Item) => number) => {
    const place = (item: Item) => (has(item) === -1 ? Infinity : has(item));
    return [...list].sort((a, b) => (place(a) === place(b) ? 0 : place(a) - place(b)));
  };
  const targetAt = ({ key }: Target) => inputs.targets?.findIndex((each) => each.key === key) ?? -1;
  return {
    ...answer,
    ...(pixelIds ? { pixelIds: arrange(pixelIds, (id) => inputs.pixelIds?.indexOf(id) ?? -1) } : {}),
    ...(targets && targetsType !== "rotations" ? { targets: arrange(targets, targetAt) } : {}),
  };
}

/** The same with the active period, which the service answers in UTC, in the time zone of the account if that is known. */
export function inZone(answer: Record<Field, unknown>, timeZone: string | undefined): Record<Field, unknown> {
  if (timeZone === undefined) return answer;
  const local = period.flatMap((field) =>
    answer[field] === undefined ? [] : [[field, toZone(`${answer[field] as string}Z`, timeZone)] as const],
  );
  return { ...answer, ...Object.fromEntries(local) };
}

/** `2026-03-01T08:00:00.000000Z` and `2026-03-01 08:00:00` become `2026-03-01T08:00:00`. */
function dateTime(text: string | null): string | undefined {
  return text?.slice(0, 19).replace(" ", "T");
}

/** The form that writes the given fields; absent ones are cleared or set to the service's default. */
export function toForm(inputs: LinkInputs, fields: readonly Field[]): FormFields {
  const form: Record<Field, FormFields> = {
    url: { url: inputs.url },
    domainId: { domain_id: inputs.domainId },
    alias: { alias: inputs.alias },
    spaceId: { space_id: inputs.spaceId ?? null },
    pixelIds: { pixel_ids: inputs.pixelIds ?? [] },
    redirectPassword: { redirect_password: inputs.redirectPassword ?? null },
    sensitiveContent: { sensitive_content: inputs.sensitiveContent ?? false },
    privacy: { privacy: privacyNumber(inputs.privacy ?? "public") },
    password: { password: inputs.password ?? null },
    activePeriodStartAt: { active_period_start_at: inputs.activePeriodStartAt ?? null },
    activePeriodEndAt: { active_period_end_at: inputs.activePeriodEndAt ?? null },
    clicksLimit: { clicks_limit: inputs.clicksLimit ?? null },
    expirationUrl: { expiration_url: inputs.expirationUrl ?? null },
    targetsType: { targets_type: inputs.targetsType ?? null },
    targets: { targets: inputs.targets?.map((target) => ({ ...target })) ?? null },
  };
  // Versions of the service check the two ends of a period, and targets and their type, only when both come.
  const groups: (readonly Field[])[] = [period, targeting];
  const together = groups.filter((group) => group.some((field) => fields.includes(field)));
  const written = managed.filter((field) => fields.includes(field) || together.flat().includes(field));
  return Object.assign({}, ...written.map((field) => form[field])) as FormFields;
}
