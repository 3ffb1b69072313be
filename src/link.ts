import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { assertAdoptable, conflict, isRefusedFor } from "./adopt";
import type { Adopt } from "./adopt";
import { checkInputs, isUnknown, toFailures, type Problem } from "./check";
import { changedFields, driftedFields, echoOf, isSame, replaceFields, type Echo } from "./drift";
import { dynamicInputs, typeToken, withImport, withRecordId } from "./dynamic";
import { linkFields } from "./fields";
import { findAlias, findLink } from "./find";
import { managed, observe, period, replacing, secret, toForm, wishOf } from "./link-fields";
import type { Field, LinkInputs } from "./link-fields";
import type { Client, LinkRecord } from "./service/client";
import { isNotFound, type RefusedError } from "./service/errors";
import { configure, refuseOtherService, unlessGone, withClient, type Origin } from "./session";
import type { Settings } from "./settings";
import { canonicalTargets } from "./targets";
import type { Target, TargetsType } from "./targets";

/** Who sees the statistics of a link. */
export type Privacy = "public" | "private" | "password";

/** A destination for some of the visitors of a {@link Link}. */
export interface TargetArgs {
  /**
   * Which visitors; capitals and small letters make no difference, and no key may stand twice:
   *
   * - `continents`: `AF`, `AN`, `AS`, `EU`, `NA`, `OC`, `SA`
   * - `countries`: ISO 3166-1 alpha-2 codes in capitals, for example `DE`
   * - `operating_systems`: `iOS`, `Android`, `Windows`, `OS X`, `Linux`, `Ubuntu`, `Chrome OS`
   * - `browsers`: names like `Chrome`, `Firefox`, `Safari`, `Edge`, `Samsung Internet`
   * - `languages`: ISO 639-1 codes in small letters, for example `de`
   * - `devices`: `desktop`, `mobile`, `tablet`, `watch`, `television`
   * - `rotations`: leave it out, the visitors take turns
   */
  key?: pulumi.Input<string | undefined>;
  /** Where these visitors go: an absolute URL of at most 2048 characters. */
  value: pulumi.Input<string>;
}

/** Arguments of a {@link Link}. */
export interface LinkArgs {
  /**
   * Destination: an absolute URL with scheme and host, at most 2048 characters, percent-encoded where it must be.
   * Schemes other than http and https need a plan with deep links. Updates in place.
   */
  url: pulumi.Input<string>;
  /**
   * The domain under which the link lives: `domain.id`, or the number of a domain that exists already.
   * **A change replaces the link**: the service does not move a link to another domain.
   */
  domainId: pulumi.Input<pulumi.ID | number>;
  /**
   * The part after the slash: letters of any script, digits, `-` and `_`, at most 255. Unique on its domain, where
   * the service ignores case and accents. Default: eight letters and digits derived from project, stack, parents
   * and resource name, which stay the same for as long as the link exists. Updates in place (the old short link stops
   * working); removing it keeps the alias that the link has.
   */
  alias?: pulumi.Input<string | undefined>;
  /** Id of the space that groups the link. Default: none. Updates in place; removing it clears it. */
  spaceId?: pulumi.Input<number | string | undefined>;
  /** Ids of tracking pixels, in any order. Default: none. Updates in place; removing it detaches all. */
  pixelIds?: pulumi.Input<pulumi.Input<number | string>[] | undefined>;
  /**
   * Password that visitors must give before they are redirected, at most 128 characters. A secret: encrypted in
   * the state, never shown, never read back. Default: none, which an empty text means too. Updates in place;
   * removing it clears it.
   */
  redirectPassword?: pulumi.Input<string | undefined>;
  /** Asks visitors for consent before they see the destination. Default: false. Updates in place. */
  sensitiveContent?: pulumi.Input<boolean | 0 | 1 | undefined>;
  /**
   * Who sees the statistics: `"public"` (0), `"private"` (1) or `"password"` (2, whoever knows `password`).
   * Default: `"public"`. Updates in place.
   */
  privacy?: pulumi.Input<Privacy | 0 | 1 | 2 | undefined>;
  /**
   * Password of the statistics, at most 128 characters; it has an effect only while `privacy` is `"password"`. A
   * secret: encrypted in the state, never shown, never read back. Default: none, which an empty text means too.
   * Updates in place; removing it clears it.
   */
  password?: pulumi.Input<string | undefined>;
  /**
   * From when on the link works: `2026-03-01T08:00:00`, in the time zone of the account. Needs
   * `activePeriodEndAt`. Before and after the period visitors get `expirationUrl`. Years 1970 to 2037. Default:
   * always. Updates in place; removing both clears the period.
   */
  activePeriodStartAt?: pulumi.Input<string | undefined>;
  /** Until when the link works; as `activePeriodStartAt`, and later than it. */
  activePeriodEndAt?: pulumi.Input<string | undefined>;
  /**
   * After how many clicks the link expires, at most 999999999. Default: 0, no limit. Updates in place; removing
   * it lifts the limit.
   */
  clicksLimit?: pulumi.Input<number | undefined>;
  /**
   * Where visitors of an expired link go: an absolute URL of at most 2048 characters. Default: none, they get a
   * page. Updates in place; removing it clears it.
   */
  expirationUrl?: pulumi.Input<string | undefined>;
  /** What `targets` tell visitors apart by. Default: none. Updates in place; removing it clears it. */
  targetsType?: pulumi.Input<TargetsType | undefined>;
  /**
   * Other destinations for some of the visitors, at most 100; needs `targetsType`. Everybody else goes to `url`.
   * The order has a meaning for `rotations` only. Default: none. Updates in place; removing it clears them.
   */
  targets?: pulumi.Input<pulumi.Input<TargetArgs>[] | undefined>;
  /**
   * What to do when the account has a link of this alias on the domain already: `"never"` refuses, `"ifEqual"` takes
   * it over unless it differs from the program, `"always"` takes it over and changes it. Default: the setting
   * `shortlink:adopt`, else `"never"`. Has a meaning for creation only.
   */
  adopt?: pulumi.Input<Adopt | undefined>;
}

/** @internal What the state keeps of a link. */
export interface LinkState extends LinkInputs, Origin {
  shortUrl: string;
  __echo?: Echo;
}

function toState(record: LinkRecord, inputs: LinkInputs, echo: Echo, { baseUrl }: Settings): LinkState {
  const state: LinkState = { ...inputs, shortUrl: record.short_url ?? "", __origin: baseUrl };
  if (Object.keys(echo).length > 0) state.__echo = echo;
  return state;
}

function toInputs({ shortUrl: _shortUrl, __echo, __origin, ...inputs }: LinkState): LinkInputs {
  return inputs;
}

/** Rules over several fields. A field that is not known yet, or was refused by itself, breaks none. */
function rules(fields: Partial<LinkInputs>, refused: ReadonlySet<string>): Problem[] {
  const problems: Problem[] = [];
  const lacks = (field: Field) => fields[field] === undefined && !refused.has(field);
  const { activePeriodStartAt: start, activePeriodEndAt: end, targets } = fields;
  for (const [given, other] of [period, [...period].reverse()] as [Field, Field][]) {
    if (fields[given] !== undefined && lacks(other)) {
      problems.push({ property: other, reason: `is required together with ${given}` });
    }
  }
  if (start !== undefined && end !== undefined && !isUnknown([start, end]) && start >= end) {
    problems.push({ property: "activePeriodEndAt", reason: "must be later than activePeriodStartAt" });
  }
  if (targets !== undefined && lacks("targetsType")) {
    problems.push({ property: "targetsType", reason: "is required together with targets" });
  }
  return problems;
}

/**
 * The alias of links that name none, by the one that was derived for them. A replacement checks its inputs a second
 * time and without the old ones; a printed alias must be the same there, so the first check leaves it here.
 */
const keptAliases = new Map<string, string>();

/** @internal The life cycle of links, as the engine calls it. */
export class LinkProvider implements pulumi.dynamic.ResourceProvider {
  configure = configure;

  check(olds: Partial<LinkInputs>, news: Record<string, unknown>): Promise<pulumi.dynamic.CheckResult> {
    const { inputs, failures } = checkInputs(linkFields, news, (fields, refused) =>
      rules(fields as Partial<LinkInputs>, refused),
    );
    const { targetsType, targets } = inputs as Partial<LinkInputs>;
    if (targetsType && targets && !isUnknown([targetsType, targets])) {
      const canonical = canonicalTargets(targetsType, targets);
      inputs.targets = canonical.targets;
      failures.push(...toFailures(canonical.problems));
    }
    // An alias is never given up: once in the state it stays until the program names another.
    const derived = (news.__alias as string | undefined) ?? "";
    if (olds.alias !== undefined && derived !== "") keptAliases.set(derived, olds.alias);
    const alias = inputs.alias ?? keptAliases.get(derived) ?? derived;
    return Promise.resolve({ inputs: alias === "" ? inputs : { ...inputs, alias }, failures });
  }

  diff(_id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.DiffResult> {
    refuseOtherService(olds);
    const changed = changedFields(managed, olds, news);
    // Left undefined, `changes` makes the engine compare the inputs itself and show each property in the plan.
    return Promise.resolve(
      changed.length === 0
        ? { changes: false }
        : {
            replaces: replacing.filter((field) => changed.includes(field)),
            // Two links cannot share an alias, should anything else ask for a replacement.
            deleteBeforeReplace: isSame([olds.domainId, olds.alias], [news.domainId, news.alias]),
          },
    );
  }

  create(inputs: LinkInputs): Promise<pulumi.dynamic.CreateResult<LinkState>> {
    return withClient({}, async (client, settings) => {
      const { record, fields } = await make(client, inputs, inputs.adopt ?? settings.adopt);
      const echo = echoOf(fields, wishOf(inputs), observe(record, inputs));
      return { id: String(record.id), outs: toState(record, inputs, echo, settings) };
    });
  }

  read(id: string, state: LinkState): Promise<pulumi.dynamic.ReadResult> {
    return withClient(state, async (client, settings) => {
      // Of `Link.get` there is no output yet, of a refresh there always is.
      if ((state.shortUrl as string | undefined) === undefined) return get(client, id, state, settings);
      const record = await unlessGone(client.showLink(Number(id)));
      // An empty answer drops the resource from the state.
      if (!record) return {};
      const old = toInputs(state);
      const answer = observe(record, old);
      const drifted = driftedFields(managed, wishOf(old), answer, state.__echo);
      const inputs = replaceFields(old, drifted, answer);
      const echo = echoOf(drifted, wishOf(inputs), answer, state.__echo);
      return { id, props: toState(record, inputs, echo, settings), inputs };
    });
  }

  update(id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.UpdateResult<LinkState>> {
    return withClient(olds, async (client, settings) => {
      const changed = changedFields(managed, olds, news);
      const record = await write(client, Number(id), news, changed);
      const echo = echoOf(changed, wishOf(news), observe(record, news), olds.__echo);
      return { outs: toState(record, news, echo, settings) };
    });
  }

  delete(id: string, state: LinkState): Promise<void> {
    return withClient(state, async (client) => {
      await unlessGone(client.deleteLink(Number(id)));
    });
  }
}

/** Writes the given fields of a link that exists. */
async function write(client: Client, id: number, inputs: LinkInputs, fields: Field[]): Promise<LinkRecord> {
  // The service does not clear the password in a request that sets the privacy to "password".
  const apart = inputs.privacy === "password" && inputs.password === undefined && fields.includes("privacy");
  if (!apart || !fields.includes("password")) return client.updateLink(id, toForm(inputs, fields));
  await client.updateLink(id, toForm(inputs, ["password"]));
  const rest = fields.filter((field) => field !== "password");
  return client.updateLink(id, toForm(inputs, rest));
}

/** Stores, imports or adopts a link, and says which fields the record answers for. */
async function make(
  client: Client,
  inputs: LinkInputs,
  adopt: Adopt,
): Promise<{ record: LinkRecord; fields: readonly Field[] }> {
  const takeOver = async (found: LinkRecord, mode: Adopt) => {
    const differing = changedFields(managed, wishOf(inputs), observe(found, inputs));
    // A link cannot be moved, so no mode helps where one of another domain was named by its id.
    assertAdoptable(`link ${found.id}`, differing, differing.includes("domainId") ? "never" : mode);
    // Whether a password is the right one cannot be seen.
    const fields = managed.filter(
      (field) =>
        differing.includes(field) || (secret.some((each) => each === field) && inputs[field] !== undefined),
    );
    const record = fields.length > 0 ? await write(client, found.id, inputs, fields) : found;
    return { record, fields: managed };
  };
  if (inputs.__import !== undefined) {
    const found = await findLink(client, inputs.__import);
    if (!found)
      throw new Error(`There is no link ${JSON.stringify(inputs.__import)} to import in this account.`);
    return takeOver(found, adopt);
  }
  const given = managed.filter((field) => inputs[field] !== undefined);
  try {
    return { record: await client.storeLink(toForm(inputs, given)), fields: given };
  } catch (error) {
    if (isNotFound(error))
      throw new Error(`${error.message} Is there a domain ${inputs.domainId} in this account?`);
    const found = isRefusedFor(error, "alias")
      ? await findAlias(client, inputs.domainId, inputs.alias)
      : undefined;
    if (!found) throw error;
    if (adopt === "never") throw conflict(error as RefusedError, "the link", found.id);
    return takeOver(found, adopt);
  }
}

/** A link that exists, by id or by domain and alias, with everything that the service tells of it. */
async function get(
  client: Client,
  key: string,
  { __provider }: LinkInputs,
  settings: Settings,
): Promise<pulumi.dynamic.ReadResult> {
  const record = await findLink(client, key);
  if (!record) throw new Error(`There is no link ${JSON.stringify(key)} in this account.`);
  // Passwords are never told.
  const told = managed.filter((field) => !secret.some((each) => each === field));
  const inputs = replaceFields({ __provider } as LinkInputs, told, observe(record, {}));
  const id = String(record.id);
  return { id, props: { ...toState(record, inputs, {}, settings), __id: id }, inputs };
}

/**
 * The alias of a link for which the program names none: eight of 31 letters and digits that cannot be mistaken
 * for one another, always the same for the URN, which names project, stack, parents and resource.
 */
function derivedAlias(urn: string): string {
  const letters = "23456789abcdefghjkmnpqrstuvwxyz";
  const digest = createHash("sha256").update(urn).digest();
  return Array.from(digest.subarray(0, 8), (byte) => letters[byte % letters.length]).join("");
}

/**
 * A short link.
 *
 * ```ts
 * const docs = new shortlink.Link("docs", {
 *   domainId: go.id,
 *   alias: "docs",
 *   url: "https://www.pulumi.com/docs/",
 * });
 * export const docsUrl = docs.shortUrl;
 * ```
 *
 * The option `import` takes over an existing link, by id or as `go.example.com/docs`.
 */
export class Link extends pulumi.CustomResource {
  /** As {@link LinkArgs.url}. */
  declare readonly url: pulumi.Output<string>;
  /** As {@link LinkArgs.domainId}, always a number. */
  declare readonly domainId: pulumi.Output<number>;
  /** As {@link LinkArgs.alias}; known in the preview, also where none was given. */
  declare readonly alias: pulumi.Output<string>;
  /** As {@link LinkArgs.spaceId}. */
  declare readonly spaceId: pulumi.Output<number | undefined>;
  /** As {@link LinkArgs.pixelIds}, in ascending order; undefined for none. */
  declare readonly pixelIds: pulumi.Output<number[] | undefined>;
  /** As {@link LinkArgs.redirectPassword}; always a secret. */
  declare readonly redirectPassword: pulumi.Output<string | undefined>;
  /** As {@link LinkArgs.sensitiveContent}; undefined for false. */
  declare readonly sensitiveContent: pulumi.Output<true | undefined>;
  /** As {@link LinkArgs.privacy}; undefined for `"public"`. */
  declare readonly privacy: pulumi.Output<Privacy | undefined>;
  /** As {@link LinkArgs.password}; always a secret. */
  declare readonly password: pulumi.Output<string | undefined>;
  /** As {@link LinkArgs.activePeriodStartAt}. */
  declare readonly activePeriodStartAt: pulumi.Output<string | undefined>;
  /** As {@link LinkArgs.activePeriodEndAt}. */
  declare readonly activePeriodEndAt: pulumi.Output<string | undefined>;
  /** As {@link LinkArgs.clicksLimit}; undefined for no limit. */
  declare readonly clicksLimit: pulumi.Output<number | undefined>;
  /** As {@link LinkArgs.expirationUrl}. */
  declare readonly expirationUrl: pulumi.Output<string | undefined>;
  /** As {@link LinkArgs.targetsType}. */
  declare readonly targetsType: pulumi.Output<TargetsType | undefined>;
  /** As {@link LinkArgs.targets}, ordered by key; undefined for none. */
  declare readonly targets: pulumi.Output<Target[] | undefined>;
  /** The whole short link as the service gives it, for example `https://go.example.com/docs`. */
  declare readonly shortUrl: pulumi.Output<string>;

  /**
   * @param name Unique name of the resource in the stack.
   * @param args The link.
   * @param opts Pulumi's options.
   */
  constructor(name: string, args: LinkArgs, opts?: pulumi.CustomResourceOptions) {
    // Every output must be named here, or it would stay unknown for ever.
    const absent = Object.fromEntries([...managed, "shortUrl"].map((field) => [field, undefined]));
    const given = secret.filter((field) => args[field] !== undefined);
    const secrets = Object.fromEntries(given.map((field) => [field, pulumi.secret(args[field])]));
    const named = typeof args.alias === "string" && args.alias.trim() !== "";
    const urn = pulumi.createUrn(name, typeToken("Link"), opts?.parent);
    const derived = named ? {} : { __alias: urn.apply(derivedAlias) };
    const secretOpts = given.length > 0 ? { additionalSecretOutputs: given } : {};
    const { inputs, options } = withImport({ ...absent, ...args, ...secrets, ...derived }, opts);
    super(typeToken("Link"), name, dynamicInputs("Link", inputs), pulumi.mergeOptions(options, secretOpts));
  }

  /**
   * Reads a link that this stack does not manage; it fails where there is none. Passwords are not read.
   *
   * @param name Unique name of the resource in the stack.
   * @param id The link's id, or its domain and alias: `go.example.com/docs`.
   * @param opts Pulumi's options.
   */
  static get(name: string, id: pulumi.Input<pulumi.ID>, opts?: pulumi.CustomResourceOptions): Link {
    return withRecordId(new Link(name, { __id: undefined } as unknown as LinkArgs, { ...opts, id }));
  }
}
