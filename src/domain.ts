import * as pulumi from "@pulumi/pulumi";
import { checkInputs } from "./check";
import { changedFields, driftedFields, echoOf, isSame, replaceFields, type Echo } from "./drift";
import { dynamicInputs, typeToken } from "./dynamic";
import { domainFields } from "./fields";
import type { DomainRecord } from "./service/client";
import type { FormFields } from "./service/form";
import { configure, unlessGone, withClient } from "./session";

/** Arguments of a {@link Domain}. */
export interface DomainArgs {
  /**
   * Host name under which short links live, for example `go.example.com`; its DNS record must point to the
   * service. Kept in lower case. At most 255 characters, with a dot, without scheme, port and path; unique
   * over all accounts of the service. **A change replaces the domain**: the service takes no name on update.
   */
  name: pulumi.Input<string>;
  /**
   * Where visitors of the bare domain are sent: an absolute URL of at most 255 characters, not on the host of
   * the service. Default: none. Updates in place; removing it clears it.
   */
  homepageUrl?: pulumi.Input<string | undefined>;
  /**
   * Where visitors of unknown short links are sent: an absolute URL of at most 255 characters, not on the host
   * of the service. Default: none, they get a page with status 404. Updates in place; removing it clears it.
   */
  notFoundUrl?: pulumi.Input<string | undefined>;
}

const managed = ["name", "homepageUrl", "notFoundUrl"] as const;
type Field = (typeof managed)[number];

/** A change of these replaces the domain. */
const replacing: readonly Field[] = ["name"];

/** @internal Canonical arguments, as `check` makes them. */
export interface DomainInputs {
  __provider: string;
  name: string;
  homepageUrl?: string;
  notFoundUrl?: string;
}

/** @internal What the state keeps of a domain. */
export interface DomainState extends DomainInputs {
  url: string;
  __echo?: Echo;
}

function toState(record: DomainRecord, inputs: DomainInputs, echo: Echo): DomainState {
  const state: DomainState = { ...inputs, url: record.url ?? `https://${record.name}` };
  if (Object.keys(echo).length > 0) state.__echo = echo;
  return state;
}

function toInputs({ url: _url, __echo, ...inputs }: DomainState): DomainInputs {
  return inputs;
}

/** The managed fields as the service answers them, in canonical form. */
function observe(record: DomainRecord): Record<Field, unknown> {
  return { name: record.name, homepageUrl: record.homepage_url, notFoundUrl: record.not_found_url };
}

/** The form that writes the given fields; absent ones are cleared. */
function toForm(inputs: DomainInputs, fields: readonly Field[]): FormFields {
  const form: FormFields = {};
  if (fields.includes("name")) form.name = inputs.name;
  if (fields.includes("homepageUrl")) form.homepage_url = inputs.homepageUrl ?? null;
  if (fields.includes("notFoundUrl")) form.not_found_url = inputs.notFoundUrl ?? null;
  return form;
}

/** @internal The life cycle of domains, as the engine calls it. */
export class DomainProvider implements pulumi.dynamic.ResourceProvider {
  configure = configure;

  check(_olds: unknown, news: Record<string, unknown>): Promise<pulumi.dynamic.CheckResult> {
    return Promise.resolve(checkInputs(domainFields, news));
  }

  diff(_id: string, olds: DomainState, news: DomainInputs): Promise<pulumi.dynamic.DiffResult> {
    const changed = changedFields(managed, olds, news);
    // Left undefined, `changes` makes the engine compare the inputs itself and show each property in the plan.
    return Promise.resolve(
      changed.length === 0
        ? { changes: false }
        : {
            replaces: replacing.filter((field) => changed.includes(field)),
            deleteBeforeReplace: isSame(olds.name, news.name),
          },
    );
  }

  create(inputs: DomainInputs): Promise<pulumi.dynamic.CreateResult<DomainState>> {
    return withClient(async (client) => {
      const given = managed.filter((field) => inputs[field] !== undefined);
      const record = await client.storeDomain(toForm(inputs, given));
      return { id: String(record.id), outs: toState(record, inputs, echoOf(given, inputs, observe(record))) };
    });
  }

  read(id: string, state: DomainState): Promise<pulumi.dynamic.ReadResult> {
    return withClient(async (client) => {
      const record = await unlessGone(client.showDomain(Number(id)));
      // An empty answer drops the resource from the state.
      if (!record) return {};
      const old = toInputs(state);
      const answer = observe(record);
      const drifted = driftedFields(managed, old, answer, state.__echo);
      const inputs = replaceFields(old, drifted, answer);
      return { id, props: toState(record, inputs, echoOf(drifted, inputs, answer, state.__echo)), inputs };
    });
  }

  update(
    id: string,
    olds: DomainState,
    news: DomainInputs,
  ): Promise<pulumi.dynamic.UpdateResult<DomainState>> {
    return withClient(async (client) => {
      const changed = changedFields(managed, olds, news);
      const record = await client.updateDomain(Number(id), toForm(news, changed));
      return { outs: toState(record, news, echoOf(changed, news, observe(record), olds.__echo)) };
    });
  }

  delete(id: string): Promise<void> {
    return withClient(async (client) => {
      await unlessGone(client.deleteDomain(Number(id)));
    });
  }
}

/**
 * A domain of the short-link service: the host name under which short links live.
 *
 * ```ts
 * const go = new shortlink.Domain("go", {
 *   name: "go.example.com",
 *   homepageUrl: "https://example.com/",
 * });
 * ```
 *
 * Its `id` is the number that {@link LinkArgs.domainId} takes. **Deleting a domain deletes every link on it**, on
 * the service; `pulumi.CustomResourceOptions.protect` guards against that.
 */
export class Domain extends pulumi.CustomResource {
  /** As {@link DomainArgs.name}. */
  declare readonly name: pulumi.Output<string>;
  /** As {@link DomainArgs.homepageUrl}. */
  declare readonly homepageUrl: pulumi.Output<string | undefined>;
  /** As {@link DomainArgs.notFoundUrl}. */
  declare readonly notFoundUrl: pulumi.Output<string | undefined>;
  /** Address of the domain as the service gives it, for example `https://go.example.com`. */
  declare readonly url: pulumi.Output<string>;

  /**
   * @param name Unique name of the resource in the stack.
   * @param args The domain.
   * @param opts Pulumi's options.
   */
  constructor(name: string, args: DomainArgs, opts?: pulumi.CustomResourceOptions) {
    // Every output must be named here, or it would stay unknown for ever.
    const inputs = { homepageUrl: undefined, notFoundUrl: undefined, url: undefined, ...args };
    super(typeToken("Domain"), name, dynamicInputs("Domain", inputs), opts);
  }
}
