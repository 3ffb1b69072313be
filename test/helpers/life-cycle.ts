import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { DynamicProvider } from "../../src/engine/dynamic";

type Values = Record<string, unknown>;

/** The engine's planned operation on a resource. */
type Plan = "create" | "same" | "update" | "replace";

/** The expected result of a step. */
export interface Expected {
  plan?: Plan;
  /** Part of the state afterwards. */
  state?: Values;
}

/** The value as it travels between engine and provider. */
const onTheWire = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Takes one resource through its life, with the calls of the engine in the right order. */
export class LifeCycle {
  readonly #provider: DynamicProvider;
  id = "";
  /** The inputs that the engine has; undefined before the resource is created. */
  inputs: Values | undefined;
  state: Values = {};

  constructor(provider: DynamicProvider) {
    this.#provider = provider;
  }

  /** Returns the canonical inputs for a program's arguments. The check must accept them. */
  async check(args: Values, olds = this.inputs): Promise<Values> {
    const news = onTheWire({ __provider: "text", ...args });
    const { inputs, failures } = await this.#provider.check(olds ?? {}, news);
    expect(failures).toEqual([]);
    return onTheWire(inputs);
  }

  /** The operation that the engine would plan, and whether it would delete the old object first. */
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

  /** `pulumi refresh`. Returns whether the object still exists. */
  async refresh(): Promise<boolean> {
    const { props, inputs } = await this.#provider.read(this.id, this.state);
    if (!props) return false;
    this.state = onTheWire(props);
    // Without drift the engine keeps its inputs.
    this.inputs = onTheWire(inputs ?? this.inputs);
    return true;
  }

  /** Expects no change in a plan, in a refresh, and in a plan after that refresh. */
  async expectSettled(): Promise<void> {
    const [state, inputs] = [this.state, this.inputs ?? {}];
    expect(await this.plan(inputs)).toMatchObject({ plan: "same" });
    expect(await this.#provider.read(this.id, state)).toEqual({ id: this.id, props: state });
    expect(await this.plan(inputs)).toMatchObject({ plan: "same" });
  }

  /** `pulumi destroy`, twice: deleting a missing object must succeed. */
  async destroy(): Promise<void> {
    for (const _time of ["once", "again"]) await this.#provider.delete(this.id, this.state);
    expect(await this.#provider.read(this.id, this.state)).toEqual({});
  }
}
