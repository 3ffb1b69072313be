import type * as pulumi from "@pulumi/pulumi";
import { Account, type Surroundings } from "../account/account";
import { describe } from "../account/messages";
import type { Inputs } from "../account/saved";
import type { ReadConfig } from "../account/settings";
import { refusals } from "../catalog/guard";
import { DomainLife } from "../domain/lifecycle";
import { LinkLife } from "../link/lifecycle";
import { IncompleteError, type Life } from "../resource/model";
import { redactor } from "../resource/secrets";
import { ServiceError } from "../service/errors";
import {
  decodeCatalog,
  decodeInputs,
  decodeNews,
  decodeSaved,
  encodeInputs,
  encodeSaved,
  providerOf,
  type Flat,
} from "./codec";

/** The providers of the three classes. They share one account, because the engine gives all of them the same configuration. */
export interface Providers {
  domain: DynamicProvider;
  link: DynamicProvider;
  catalog: CatalogProvider;
  /** Summary of the run's requests; undefined if there were none, or if they are not traced. */
  summary: () => string | undefined;
}

/** The providers of one process of the engine. @param around The surroundings of the process. */
export function dynamicProviders(around: Omit<Surroundings, "readConfig">): Providers {
  let readConfig: ReadConfig = () => undefined;
  const account = new Account({ ...around, readConfig: (key) => readConfig(key) });
  // It must not do more. The engine does not wait for it before the first reads of a refresh. An error here would reach only one
  // resource.
  const configure = ({ config }: { config: { get(key: string): string | undefined } }) => {
    readConfig = (key) => config.get(key);
    return Promise.resolve();
  };
  return {
    domain: new DynamicProvider(account, new DomainLife(account), configure),
    link: new DynamicProvider(account, new LinkLife(account), configure),
    catalog: new CatalogProvider(account, configure),
    summary: () => account.summary,
  };
}

type Configure = (request: { config: { get(key: string): string | undefined } }) => Promise<void>;

/** The life cycle of a resource for the engine. It only decodes a call, delegates it, and encodes the answer. */
export class DynamicProvider implements pulumi.dynamic.ResourceProvider {
  readonly configure: Configure;
  readonly #account: Account;
  readonly #life: Life;

  constructor(account: Account, life: Life, configure: Configure) {
    this.#account = account;
    this.#life = life;
    this.configure = configure;
  }

  async check(olds: Flat, news: Flat): Promise<{ inputs: Flat; failures: pulumi.dynamic.CheckFailure[] }> {
    const [output] = this.#life.outputs;
    const { inputs: given, isPreview, told, mark } = decodeNews(news, output);
    this.#account.hear(given.about.urn, told);
    const isNew = Object.keys(olds).length === 0;
    const old = isNew ? undefined : decodeInputs(olds, this.#life.outputs);
    const { inputs, problems } = await this.#life.check({ isPreview }, old, given);
    const reasons = [
      ...this.#account.settingsProblems,
      ...problems.map(({ property, reason }) => (property === "" ? reason : `${property} ${reason}`)),
    ];
    return {
      inputs: { ...providerOf(news), ...encodeInputs(inputs), ...mark },
      // The property is part of the reason, because the engine prints the value of a property that it gets separately.
      failures: reasons.map((reason) => ({ property: "", reason })),
    };
  }

  async diff(id: string, olds: Flat, news: Flat): Promise<pulumi.dynamic.DiffResult> {
    const { outputs } = this.#life;
    try {
      const plan = this.#life.diff(Number(id), decodeSaved(olds, outputs), decodeInputs(news, outputs));
      // The engine may end this process after the last answer.
      if (this.#account.progress.isPlanned) await this.#account.changes.noted;
      return plan;
    } catch (error) {
      throw new ProviderError(error);
    }
  }

  async create(news: Flat): Promise<{ id: string; outs: Flat }> {
    const inputs = decodeInputs(news, this.#life.outputs);
    return this.#run([inputs], undefined, news, async () => {
      const { id, saved } = await this.#life.create(inputs);
      return { id: String(id), outs: { ...providerOf(news), ...encodeSaved(saved) } };
    });
  }

  async read(id: string, state: Flat): Promise<{ id?: string; props?: Flat; inputs?: Flat }> {
    const saved = decodeSaved(state, this.#life.outputs);
    return this.#run([saved.inputs], saved.memory.origin, state, async () => {
      // A `get` has no output yet, a refresh always has one.
      const isGet = state[this.#life.outputs[0]] === undefined;
      const read = isGet ? await this.#life.get(id) : await this.#life.read(Number(id), saved);
      // An empty answer drops the resource from the state.
      if (!read) return {};
      const props = { ...providerOf(state), ...encodeSaved(read.saved) };
      const inputs = read.inputs && { ...providerOf(state), ...encodeInputs(read.inputs) };
      return { id: isGet ? String(read.id) : id, props, ...(inputs ? { inputs } : {}) };
    });
  }

  async update(id: string, olds: Flat, news: Flat): Promise<{ outs: Flat }> {
    const { outputs } = this.#life;
    const [old, inputs] = [decodeSaved(olds, outputs), decodeInputs(news, outputs)];
    return this.#run([old.inputs, inputs], old.memory.origin, news, async () => {
      const saved = await this.#life.update(Number(id), old, inputs);
      return { outs: { ...providerOf(news), ...encodeSaved(saved) } };
    });
  }

  async delete(id: string, state: Flat): Promise<void> {
    const saved = decodeSaved(state, this.#life.outputs);
    return this.#run([saved.inputs], saved.memory.origin, state, () => this.#life.delete(Number(id), saved));
  }

  /**
   * Runs a call to the service. It refuses an object of another service before it sends anything. Every failure becomes an error that
   * the engine can show: a complete message with the program's names of properties and what to do, without secrets.
   */
  async #run<Value>(
    inputs: Inputs[],
    origin: string | undefined,
    flat: Flat,
    call: () => Promise<Value>,
  ): Promise<Value> {
    try {
      this.#account.assertOrigin(origin);
      return await this.#account.progress.whileRunning(call);
    } catch (error) {
      const redact = redactor(this.#life.table, ...inputs);
      if (!(error instanceof IncompleteError)) throw new ProviderError(error, redact);
      const properties = { ...providerOf(flat), ...encodeSaved(error.saved) };
      throw new InitializationError(String(error.objectId), properties, error.reasons.map(redact));
    }
  }
}

/** The engine takes this error for "created, but not as it should be". It saves the properties and shows the reasons. */
export class InitializationError extends Error {
  constructor(
    readonly id: string,
    readonly properties: Flat,
    readonly reasons: string[],
  ) {
    super(reasons.join(" "));
  }
}

/**
 * An error for the engine, which shows the message under the resource. If read or delete fails, the engine also prints the error and
 * its stack trace under the stack; one short line is enough there.
 */
class ProviderError extends Error {
  constructor(cause: unknown, redact: (text: string) => string = (text) => text) {
    super(redact(describe(cause)), { cause });
    this.stack = redact(`${cause instanceof ServiceError ? cause.operation : "the call"} failed`);
  }

  override toString(): string {
    return "pulumi-shortlink";
  }
}

/** The record of a catalog. It makes nothing, and refuses to lose a large part of its links. */
export class CatalogProvider implements pulumi.dynamic.ResourceProvider {
  readonly configure: Configure;
  readonly #account: Account;

  constructor(account: Account, configure: Configure) {
    this.#account = account;
    this.configure = configure;
  }

  check(olds: Flat, news: Flat): Promise<{ inputs: Flat; failures: pulumi.dynamic.CheckFailure[] }> {
    const catalog = decodeCatalog(news);
    const reasons = refusals(decodeCatalog(olds), catalog, this.#account.knownSettings?.allowDeletes);
    const failures = reasons.map((reason) => ({ property: "", reason }));
    return Promise.resolve({
      inputs: { ...providerOf(news), links: catalog.links, marks: catalog.marks },
      failures,
    });
  }

  /** Reports no change, so that plans do not show the inputs. The engine saves new inputs even so. */
  diff(): Promise<pulumi.dynamic.DiffResult> {
    return Promise.resolve({ changes: false });
  }

  create(): Promise<pulumi.dynamic.CreateResult> {
    return Promise.resolve({ id: "catalog", outs: {} });
  }

  read(id: string, props: object): Promise<pulumi.dynamic.ReadResult> {
    return Promise.resolve({ id, props });
  }

  update(_id: string, olds: object): Promise<pulumi.dynamic.UpdateResult> {
    return Promise.resolve({ outs: olds });
  }

  delete(): Promise<void> {
    return Promise.resolve();
  }
}
