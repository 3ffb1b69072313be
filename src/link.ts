import * as pulumi from "@pulumi/pulumi";
import type { Adopt } from "./adopt";
import * as aliases from "./aliases";
import { checkInputs } from "./check";
import { isUnknown } from "./check-fields";
import {
  changedFields,
  driftedFields,
  echoOf,
  ignoredFields,
  isSame,
  replaceFields,
  type Echo,
} from "./drift";
import { dynamicInputs, pauseStacks, typeToken, urnOf, withImport, withRecordId } from "./dynamic";
import * as existing from "./existing";
import { linkFields } from "./fields";
import { findLink } from "./find";
import { makeLink, targetOf } from "./link-create";
import { inZone, managed, observe, period, replacing, secret, visible, wishOf } from "./link-fields";
import type { Field, LinkInputs } from "./link-fields";
import { together } from "./link-rules";
import { writeLink } from "./link-writes";
import { isHeld, noteHeld, noteOwner, noteSaved } from "./once";
import type { Client, LinkRecord } from "./service/client";
import {
  configure,
  isSettled,
  knownSettings,
  notKept,
  refuseOtherService,
  readsOf,
  unlessGone,
  withClient,
  writeOrDoubt,
  type Doubt,
  type Origin,
} from "./session";
import { isFreed } from "./serial";
import type { Settings } from "./settings";
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
   * From when on the link works: `2026-03-01T08:00:00`, in the time zone of the account. A `Date`, or a text with a
   * zone of its own (`2026-03-01T08:00:00+01:00`), needs the setting `shortlink:timeZone`. Needs `activePeriodEndAt`.
   * Before and after the period visitors get `expirationUrl`. Whole seconds of the years 1970 to 2037. Default: always.
   * Updates in place; removing both clears the period.
   */
  activePeriodStartAt?: pulumi.Input<string | Date | undefined>;
  /** Until when the link works; as `activePeriodStartAt`, and later than it. */
  activePeriodEndAt?: pulumi.Input<string | Date | undefined>;
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
export interface LinkState extends LinkInputs, Origin, Doubt {
  alias: string;
  shortUrl: string;
  __echo?: Echo;
}

function toState(record: LinkRecord, inputs: LinkInputs, echo: Echo, { baseUrl }: Settings): LinkState {
  const alias = inputs.alias ?? record.alias;
  const state: LinkState = { ...inputs, alias, shortUrl: record.short_url ?? "", __origin: baseUrl };
  if (Object.keys(echo).length > 0) state.__echo = echo;
  return state;
}

/** The state after a write of these fields. Throws where the service did not keep one of them. */
async function written(
  client: Client,
  record: LinkRecord,
  inputs: LinkInputs,
  fields: readonly Field[],
  echo: Echo | undefined,
  settings: Settings,
): Promise<LinkState> {
  const wish = wishOf(inputs);
  // The answer to a password can be "none" for another reason: a service that cannot read what it has encrypted.
  const told = visible.filter((field) => fields.includes(field));
  const missing = (answer: LinkRecord) => ignoredFields(told, wish, observe(answer, inputs));
  // A write may be answered with less than the whole record.
  const whole = missing(record).length === 0 ? record : await client.showLink(record.id);
  const state = toState(whole, inputs, echoOf(fields, wish, observe(whole, inputs), echo), settings);
  const ignored = missing(whole);
  if (ignored.length > 0) throw notKept(record.id, state, ignored);
  return state;
}

function toInputs({ shortUrl: _shortUrl, __echo, __origin, __doubtful, ...inputs }: LinkState): LinkInputs {
  return inputs;
}

/**
 * The alias of links that name none, by the one that was derived for them. A replacement checks its inputs a second
 * time and without the old ones; a printed alias must be the same there, so the diff before it leaves it here.
 */
const keptAliases = new Map<string, string>();

/** The alias of a link for which the program names none; without `olds` it is a new one. */
function chooseAlias(inputs: LinkInputs, olds: Partial<LinkInputs> | undefined): LinkInputs {
  const derived = inputs.__alias ?? "";
  const ofNew = () =>
    knownSettings()?.aliases === "service" ? undefined : (keptAliases.get(derived) ?? derived);
  const alias = olds ? (olds.__keptAlias ?? olds.alias) : ofNew();
  return alias === undefined || alias === "" ? inputs : { ...inputs, alias };
}

/** An alias is never given up: a link for which the program names none keeps the one that it has. */
function keepAlias(olds: LinkState, news: LinkInputs): LinkInputs & { alias: string } {
  const alias = news.__alias === undefined ? news.alias : undefined;
  return { ...news, alias: alias ?? olds.__keptAlias ?? olds.alias };
}

/** @internal The life cycle of links, as the engine calls it. */
export class LinkProvider implements pulumi.dynamic.ResourceProvider {
  configure = configure;

  async check(olds: Partial<LinkInputs>, news: Record<string, unknown>): Promise<pulumi.dynamic.CheckResult> {
    aliases.notePlanning();
    const checked = checkInputs(linkFields, news, (fields, refused) =>
      together(fields as Partial<LinkInputs>, refused, { timeZone: knownSettings()?.timeZone }),
    );
    const { failures, isPreview } = checked;
    const { __freed, __urn, ...fields } = checked.inputs as LinkInputs & { __freed?: string; __urn?: string };
    const isNew = Object.keys(olds).length === 0;
    const inputs = fields.alias === undefined ? chooseAlias(fields, isNew ? undefined : olds) : fields;
    if (fields.alias !== undefined) {
      delete inputs.__alias;
      if (__freed !== undefined) aliases.noteFreed(inputs.domainId, fields.alias, __freed);
    }
    noteOwner(targetOf(inputs), __urn);
    if (isPreview && isNew && failures.length === 0) await announceExisting(inputs);
    return { inputs, failures };
  }

  diff(id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.DiffResult> {
    refuseOtherService(olds);
    noteSaved("link", id);
    const wanted = keepAlias(olds, news);
    const changed = changedFields(managed, olds, wanted);
    // An alias in doubt is written again, over one that another link may need.
    const inDoubt = olds.__doubtful?.includes("alias") ?? false;
    aliases.notePlan(Number(id), inDoubt || changed.includes("alias") || changed.includes("domainId"));
    if (news.__alias !== undefined) keptAliases.set(news.__alias, wanted.alias);
    // Left undefined, `changes` makes the engine compare the inputs itself and show each property in the plan.
    return Promise.resolve(
      changed.length === 0
        ? { changes: false }
        : {
            replaces: replacing.filter((field) => changed.includes(field)),
            // Two links cannot share an alias, should anything else ask for a replacement.
            deleteBeforeReplace: isSame([olds.domainId, olds.alias], [wanted.domainId, wanted.alias]),
          },
    );
  }

  create(inputs: LinkInputs): Promise<pulumi.dynamic.CreateResult<LinkState>> {
    return withClient({}, async (client, settings) => {
      const { record, fields, made } = await makeLink(client, inputs, settings);
      aliases.notePlan(record.id, false);
      noteHeld(targetOf(inputs), "link", record.id);
      return { id: String(record.id), outs: await written(client, record, made, fields, {}, settings) };
    });
  }

  read(id: string, state: LinkState): Promise<pulumi.dynamic.ReadResult> {
    return withClient(state, async (client, settings) => {
      // Of `Link.get` there is no output yet, of a refresh there always is.
      if ((state.shortUrl as string | undefined) === undefined) return get(client, id, state, settings);
      aliases.noteRefresh();
      // Of a link that another stack has made, `Link.get` proves nothing.
      if (!("__id" in state)) noteSaved("link", id);
      const record = await readsOf(client).read(Number(id), state.domainId);
      // An empty answer drops the resource from the state.
      if (!record) return {};
      const old = toInputs(state);
      const answer = observe(record, old);
      const drifted = driftedFields(managed, wishOf(old), answer, state.__echo);
      const inputs = replaceFields(old, drifted, inZone(answer, settings.timeZone));
      // Nobody but this state knows which alias to go back to.
      if (inputs.__alias !== undefined && drifted.includes("alias")) inputs.__keptAlias ??= state.alias;
      const echo = echoOf(drifted, wishOf(inputs), answer, state.__echo);
      const props = toState(record, inputs, echo, settings);
      return isSettled(state, drifted) ? { id, props } : { id, props, inputs };
    });
  }

  update(id: string, olds: LinkState, news: LinkInputs): Promise<pulumi.dynamic.UpdateResult<LinkState>> {
    return withClient(olds, async (client, settings) => {
      const wanted = keepAlias(olds, news);
      // What the service did not keep the last time is tried again.
      const ignored = ignoredFields(visible, olds, { ...olds, ...olds.__echo });
      const doubtful = managed.filter((field) => olds.__doubtful?.includes(field));
      const fields = [...new Set([...changedFields(managed, olds, wanted), ...ignored, ...doubtful])];
      return writeOrDoubt(id, olds, fields, async () => {
        const record = await writeLink(client, Number(id), wanted, fields);
        return { outs: await written(client, record, wanted, fields, olds.__echo, settings) };
      });
    });
  }

  delete(id: string, state: LinkState): Promise<void> {
    return withClient(state, async (client) => {
      noteSaved("link", id);
      if (isHeld("link", id)) return;
      await unlessGone(client.deleteLink(Number(id)));
    });
  }
}

/** Says in a preview what the plan of a new link does not show. */
async function announceExisting(inputs: LinkInputs): Promise<void> {
  const { domainId, alias, __import: key } = inputs;
  if (key !== undefined && !isUnknown(key)) return existing.announceImport("link", key);
  if (alias === undefined || isUnknown([domainId, alias])) return;
  const found = await existing.existingLink(domainId, alias);
  // A link of this program is known by its plan: the resource is to be replaced, or the alias moves.
  if (!found || aliases.hasPlan(found.id)) return;
  const known = visible.filter((field) => !isUnknown(inputs[field]));
  const settings = knownSettings();
  const differing = changedFields(known, inputs, inZone(observe(found, inputs), settings?.timeZone));
  const given = inputs.adopt ?? settings?.adopt ?? "never";
  const adopt = given === "never" && alias === inputs.__alias ? "ifEqual" : given;
  existing.announce(`link ${found.id}`, found.short_url ?? alias, differing, adopt);
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
  const answer = inZone(observe(record, {}), settings.timeZone);
  const inputs = replaceFields({ __provider } as LinkInputs, visible, answer);
  const id = String(record.id);
  return { id, props: { ...toState(record, inputs, {}, settings), __id: id }, inputs };
}

/** The SDK carries no dates. */
function datesAsTexts(value: unknown): unknown {
  if (value instanceof Promise) return value.then(datesAsTexts);
  if (pulumi.Output.isInstance(value)) return value.apply(datesAsTexts);
  return value instanceof Date ? (JSON.parse(JSON.stringify(value)) ?? "an invalid Date") : value;
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
    const dates = Object.fromEntries(period.map((field) => [field, datesAsTexts(args[field])]));
    const named = typeof args.alias === "string" && args.alias.trim() !== "";
    const freed = opts?.id === undefined ? isFreed(name, args) : undefined;
    const urn = urnOf("Link", name, opts?.parent);
    const owner = opts?.id === undefined ? { __urn: urn } : {};
    const derived = named ? {} : { __alias: urn.then(aliases.deriveAlias) };
    const secretOpts = given.length > 0 ? { additionalSecretOutputs: given } : {};
    const { inputs, options } = withImport(
      { ...absent, ...args, ...dates, ...secrets, ...derived, ...owner, __freed: freed },
      opts,
    );
    const stacks = pauseStacks();
    try {
      super(typeToken("Link"), name, dynamicInputs("Link", inputs), pulumi.mergeOptions(options, secretOpts));
    } catch (error) {
      throw stacks.located(error);
    } finally {
      stacks.resume();
    }
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
