import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { DynamicProvider } from "../../src/engine/dynamic";

type Values = Record<string, unknown>;

/** What the engine does with a resource, as its plan shows it. */
type Plan = "create" | "same" | "update" | "replace";

/** What is expected of a step. */
export interface Expected {
  plan?: Plan;
  /** Part of the state afterwards. */
  state?: Values;
}

/** As it travels between engine and provider. */
const onTheWire = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** One resource through its life: check and diff, then what the engine makes of the answer, in the right order. */
export class LifeCycle {
  readonly #provider: DynamicProvider;
  id = "";
  /** The inputs that the engine has; undefined before the resource is created. */
  inputs: Values | undefined;
  state: Values = {};

  constructor(provider: DynamicProvider) {
    this.#provider = provider;
  }

  /** Canonical inputs for the arguments of a program. The check must find nothing wrong with them. */
  async check(args: Values, olds = this.inputs): Promise<Values> {
    const news = onTheWire({ __provider: "text", ...args });
    const { inputs, failures } = await this.#provider.check(olds ?? {}, news);
    expect(failures).toEqual([]);
    return onTheWire(inputs);
  }

  /** What the engine would do, and whether the old object goes first. */
  async plan(inputs: Values): Promise<{ plan: Plan; deletesFirst: boolean }> {
    if (this.inputs === undefined) return { plan: "create", deletesFirst: false };
    const {
      changes,
      replaces = [],
      deleteBeforeReplace = false,
    } = await this.#provider.diff(this.id, this.state, inputs);
    const isChanged = changes ?? !isDeepStrictEqual(this.inputs, inputs);
    const plan = !isChanged ? "same" : replaces.length > 0 ? "replace" : "update";
    return { plan, deletesFirst: deleteBeforeReplace };
  }

  /** `pulumi up` with these arguments. */
  async up(args: Values, expected: Expected = {}): Promise<void> {
    const inputs = await this.check(args);
    const { plan, deletesFirst } = await this.plan(inputs);
    if (expected.plan) expect(plan, JSON.stringify(args)).toBe(expected.plan);
    const old = { id: this.id, state: this.state };
    if (plan === "update")
      this.state = onTheWire((await this.#provider.update(this.id, old.state, inputs)).outs);
    if (plan === "create") await this.#create(inputs);
    if (plan === "replace") {
      // The engine checks a replacement again, without the old inputs.
      const wish = await this.check(args, {});
      if (deletesFirst) await this.#provider.delete(old.id, old.state);
      await this.#create(wish);
      if (!deletesFirst) await this.#provider.delete(old.id, old.state);
    }
    this.inputs = inputs;
    if (expected.state) expect(this.state).toMatchObject(expected.state);
  }

  async #create(inputs: Values): Promise<void> {
    const { id, outs } = await this.#provider.create(inputs);
    [this.id, this.state] = [id, onTheWire(outs)];
  }

  /** `pulumi refresh`. Returns whether the object is still there. */
  async refresh(): Promise<boolean> {
    const { props, inputs } = await this.#provider.read(this.id, this.state);
    if (!props) return false;
    this.state = onTheWire(props);
    // Without drift the engine is left the inputs that it has.
    this.inputs = onTheWire(inputs ?? this.inputs);
    return true;
  }

  /** Neither a plan nor a refresh shows a change, nor a plan after that refresh. */
  async expectSettled(): Promise<void> {
    const [state, inputs] = [this.state, this.inputs ?? {}];
    expect(await this.plan(inputs)).toMatchObject({ plan: "same" });
    expect(await this.#provider.read(this.id, state)).toEqual({ id: this.id, props: state });
    expect(await this.plan(inputs)).toMatchObject({ plan: "same" });
  }

  /** `pulumi destroy`, twice: what is gone is deleted. */
  async destroy(): Promise<void> {
    for (const _time of ["once", "again"]) await this.#provider.delete(this.id, this.state);
    expect(await this.#provider.read(this.id, this.state)).toEqual({});
  }
}
