import * as grpc from "@grpc/grpc-js";
import { createRequire } from "node:module";
import { isDeepStrictEqual } from "node:util";
import type { DynamicProvider } from "../../src/engine/dynamic";
import { newRun, type Settings } from "./run";

// Simulates the engine's preview and update as providers see them (from the sources of Pulumi 3.258). Checks and diffs run one after
// the other, writes in parallel. Deletions come last, and only if nothing failed. A simulated run is fast, so tests can run hundreds
// of stories.

export interface Options {
  import?: string;
  protect?: boolean;
  ignoreChanges?: string[];
  replaceOnChanges?: string[];
  deleteBeforeReplace?: boolean;
  /** Names that the resource had before. */
  aliases?: string[];
  retainOnDelete?: boolean;
}
export interface Resource {
  type: "Domain" | "Link";
  /** A `domainId` such as `@go` means the id of the domain `go`. */
  args: {
    [name: string]: unknown;
    name?: string;
    domainId?: string | number | undefined;
    alias?: string | undefined;
    url?: string;
  };
  options?: Options;
}
/** The resources by their names, in the order of the program. */
export type Program = Record<string, Resource>;

type Values = Record<string, unknown>;
interface Entry {
  name: string;
  type: "Domain" | "Link";
  id: string;
  inputs: Values;
  outputs: Values;
  options: Options;
  /** The domain that the link depends on. */
  domain?: string | undefined;
  isIncomplete?: boolean;
  isTainted?: boolean;
  /** Already deleted, and not created again yet. */
  isReplaced?: boolean;
}
export interface State {
  live: Entry[];
  /** Replaced objects whose deletion is pending. */
  pending: Entry[];
}

export interface Run {
  program: Program;
  isPreview?: boolean;
  /** The engine is killed after this many saved steps. */
  killedAfter?: number | undefined;
  /** True if the engine saves its state after each step. */
  checkpoints?: boolean;
  parallel?: number;
  refresh?: boolean;
  /** Limits the run to the resources with these names. */
  targets?: string[] | undefined;
  /** Names of resources to replace. */
  replace?: string[] | undefined;
}
export interface Result {
  errors: string[];
  /** The resources that the run changed, or would change, for example `create docs`. */
  changes: string[];
  isKilled: boolean;
}

export const urnOf = (type: string, name: string) =>
  `urn:pulumi:test::stories::pulumi-nodejs:dynamic/shortlink:${type}::${name}`;
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The value as it travels between engine and provider. */
const plain = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

/** Answers a provider that asks for the state of a stack, as the engine's monitor does. */
export async function createMonitor(): Promise<{ address: string; state: State; close: () => void }> {
  const sdk = createRequire(require.resolve("@pulumi/pulumi"));
  const { ResourceMonitorService } = sdk("@pulumi/pulumi/proto/resource_grpc_pb") as {
    ResourceMonitorService: grpc.ServiceDefinition;
  };
  const { ResourceInvokeResponse } = sdk("@pulumi/pulumi/proto/resource_pb") as {
    ResourceInvokeResponse: new () => { setReturn(value: unknown): void };
  };
  const { Struct } = sdk("google-protobuf/google/protobuf/struct_pb") as {
    Struct: { fromJavaScript(value: object): unknown };
  };
  const { Server, ServerCredentials } = sdk("@grpc/grpc-js") as typeof grpc;
  const server = new Server();
  const monitor = {
    address: "",
    state: { live: [], pending: [] } as State,
    close: () => server.forceShutdown(),
  };
  const { invoke } = ResourceMonitorService;
  server.addService({ invoke } as grpc.ServiceDefinition, {
    invoke: (_call: unknown, callback: (error: null, answer: unknown) => void) => {
      const answer = new ResourceInvokeResponse();
      const outputs = monitor.state.live.map(({ type, name, outputs }) => [
        urnOf(type, name),
        { type: `pulumi-nodejs:dynamic/shortlink:${type}`, outputs },
      ]);
      answer.setReturn(Struct.fromJavaScript(plain({ outputs: Object.fromEntries(outputs) as object })));
      callback(null, answer);
    },
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  monitor.address = `127.0.0.1:${port}`;
  return monitor;
}

/** New providers, as in a new process. */
function providersOf(settings: Settings): Record<"Domain" | "Link", DynamicProvider> {
  const { domain, link } = newRun(settings);
  return { Domain: domain, Link: link };
}

/** Carries out a preview or an update, and changes the state accordingly. */
export async function run(
  state: State,
  { program, isPreview = false, killedAfter, checkpoints = true, parallel = 8, ...options }: Run,
  settings: Settings,
  monitor?: { address: string; state: State },
): Promise<Result> {
  const providers = providersOf(settings);
  if (monitor) monitor.state = structuredClone(state);
  const now = structuredClone(state);
  const errors: string[] = [];
  const changes: string[] = [];
  let steps = 0;
  let isKilled = killedAfter === 0;
  const save = (change: () => void) => {
    if (isKilled) return;
    change();
    isKilled = ++steps === killedAfter;
    if (isKilled && checkpoints) Object.assign(state, structuredClone(now));
  };
  const attempt = async (call: () => Promise<void>) => {
    try {
      await call();
    } catch (error) {
      errors.push((error as Error).message);
    }
  };
  const isTarget = (name: string) => options.targets?.includes(name) ?? true;

  if (options.refresh) {
    await Promise.all(
      now.live.map((entry) =>
        attempt(async () => {
          const { id, props, inputs } = await providers[entry.type].read(entry.id, entry.outputs);
          if (!id || !props) now.live = now.live.filter((each) => each !== entry);
          else Object.assign(entry, { outputs: props, inputs: inputs ?? entry.inputs });
        }),
      ),
    );
    if (errors.length > 0) return { errors, changes, isKilled };
  }

  const ids = new Map<string, Promise<string | undefined>>();
  const running = new Set<Promise<void>>();
  /** Starts a step when one of the engine's workers is free. Until then the engine plans no further. */
  const start = async (call: () => Promise<void>): Promise<Promise<void>[]> => {
    while (running.size >= parallel) await Promise.race(running);
    const step = attempt(call).finally(() => running.delete(step));
    running.add(step);
    // In an array, because awaiting the start would also await a bare promise.
    return [step];
  };
  const remove = (entry: Entry) =>
    attempt(async () => {
      if (entry.options.protect) throw new Error(`${entry.name} is protected`);
      changes.push(`delete ${entry.name}`);
      if (isPreview) return;
      if (!entry.options.retainOnDelete) await providers[entry.type].delete(entry.id, entry.outputs);
      save(() => {
        now.pending = now.pending.filter((each) => each !== entry);
        now.live = now.live.filter((each) => each !== entry);
      });
    });

  const seen = new Set<Entry>();
  for (const [name, { type, args, options: given = {} }] of Object.entries(program)) {
    if (errors.length > 0 || isKilled) break;
    const provider = providers[type];
    const names = [name, ...(given.aliases ?? [])];
    const old = now.live.find((each) => each.type === type && names.includes(each.name) && !seen.has(each));
    if (old) seen.add(old);
    if (!isTarget(name)) {
      if (old) ids.set(name, Promise.resolve(old.id));
      continue;
    }
    const { domainId, ...rest } = args;
    const domain = typeof domainId === "string" && domainId.startsWith("@") ? domainId.slice(1) : undefined;
    const owner = domain === undefined ? undefined : await ids.get(domain);
    if (domain !== undefined && owner === undefined) continue;
    const news: Values = {
      __provider: "text",
      __urn: urnOf(type, name),
      ...(isPreview ? { __preview: true } : {}),
      ...(monitor ? { __state: `${monitor.address} test ${Object.keys(program).length}` } : {}),
      ...(given.import === undefined ? {} : { __import: given.import }),
      ...(type === "Link" && args.alias === undefined ? { __alias: `derived-${name}` } : {}),
      ...(type === "Link" ? { __wishes: JSON.stringify(wishesOf(program)) } : {}),
      ...rest,
      ...(domainId === undefined ? {} : { domainId: owner ?? domainId }),
    };
    const check = async (olds: Values, values: Values): Promise<Values | undefined> => {
      const { inputs, failures } = await provider.check(olds, values);
      errors.push(...failures.map(({ reason }) => `${name}: ${reason}`));
      return failures.length > 0 ? undefined : inputs;
    };
    const create = async (wish: Values, replaced?: Entry) => {
      changes.push(`${replaced ? "replace" : "create"} ${name}`);
      ids.set(name, Promise.resolve(unknown));
      if (isPreview) return;
      let made: string | undefined;
      const [step] = await start(async () => {
        const common = { name, type, inputs: wish, options: given, domain };
        const put = (entry: Entry) =>
          save(() => {
            if (replaced) now.live = now.live.filter((each) => each !== replaced);
            if (replaced && !replaced.isReplaced) now.pending.push(replaced);
            now.live.push(entry);
          });
        try {
          const { id, outs } = await provider.create(wish);
          put({ ...common, id, outputs: plain(outs) });
          made = id;
        } catch (error) {
          const { id, properties } = error as { id?: string; properties?: Values };
          if (id !== undefined && properties !== undefined)
            put({ ...common, id, outputs: plain(properties), isIncomplete: true });
          throw error;
        }
      });
      ids.set(
        name,
        (step ?? Promise.resolve()).then(() => made),
      );
    };
    const isTargeted =
      old !== undefined && (old.isTainted === true || options.replace?.includes(name) === true);
    const ignored: Values = old && !isTargeted ? ignoring(news, old.inputs, given.ignoreChanges) : news;
    const inputs = await check(old && !isTargeted ? old.inputs : {}, ignored);
    if (!inputs) continue;
    if (!old) {
      await create(inputs);
      continue;
    }
    ids.set(name, Promise.resolve(old.id));
    let mode: "same" | "update" | "replace" = "same";
    let deleteFirst = given.deleteBeforeReplace;
    if (isTargeted) mode = "replace";
    else {
      let diff: Awaited<ReturnType<DynamicProvider["diff"]>> = {};
      await attempt(async () => {
        diff = await provider.diff(old.id, old.outputs, inputs);
      });
      if (errors.length > 0) continue;
      const changed = Object.keys({ ...old.inputs, ...inputs }).filter(
        (key) => !isDeepStrictEqual(old.inputs[key], inputs[key]),
      );
      const differs = diff.changes ?? changed.length > 0;
      const forced = changed.some((key) => given.replaceOnChanges?.includes(key));
      const detailed = diff.changes === undefined;
      if (differs && ((diff.replaces ?? []).length > 0 || (forced && detailed))) mode = "replace";
      else if (differs || old.isIncomplete) mode = "update";
      if (old.isReplaced) mode = "replace";
      deleteFirst ??= diff.deleteBeforeReplace ?? false;
    }
    if (mode === "same") {
      save(() => Object.assign(old, { name, inputs, options: given, domain }));
    } else if (mode === "update") {
      changes.push(`update ${name}`);
      if (isPreview) continue;
      const { isIncomplete: _isIncomplete, ...before } = old;
      const update = async () => {
        const put = (entry: Partial<Entry>) =>
          save(() => {
            delete old.isIncomplete;
            Object.assign(old, { ...before, name, inputs, options: given, domain, ...entry });
          });
        try {
          const { outs } = await provider.update(old.id, old.outputs, inputs);
          put({ outputs: plain(outs) });
        } catch (error) {
          const { properties } = error as { properties?: Values };
          if (properties) put({ outputs: plain(properties), isIncomplete: true });
          throw error;
        }
      };
      void (await start(update));
    } else {
      if (given.protect && old.options.protect) {
        errors.push(`${name} is protected`);
        continue;
      }
      // The engine checks a replacement again, without the old inputs and without `ignoreChanges`.
      const wish = isTargeted ? inputs : await check({}, news);
      if (!wish) continue;
      if (deleteFirst && !old.isReplaced) {
        const dependents = now.live.filter((each) => type === "Domain" && each.domain === old.name);
        for (const each of dependents) {
          await providers.Link.diff(each.id, each.outputs, { ...each.inputs, domainId: unknown });
          if (!isPreview) await attempt(() => providers.Link.delete(each.id, each.outputs));
          if (errors.length > 0) break;
          save(() => (each.isReplaced = true));
        }
        if (errors.length > 0) break;
        if (!isPreview && !old.options.retainOnDelete)
          await attempt(() => provider.delete(old.id, old.outputs));
        if (errors.length > 0) break;
        save(() => (old.isReplaced = true));
      }
      await create(wish, old);
    }
  }
  await Promise.all(ids.values());
  while (running.size > 0) await Promise.all(running);
  if (errors.length === 0 && !isKilled) {
    const leaving = now.live.filter((each) => !seen.has(each) && !(each.name in program) && !each.isReplaced);
    const gone = [...now.pending, ...leaving].filter(({ name }) => isTarget(name));
    // Deletes links before the domains that they depend on.
    for (const type of ["Link", "Domain"])
      await Promise.all(gone.filter((each) => each.type === type).map(remove));
  }
  if (!isPreview && !isKilled) Object.assign(state, now);
  return { errors, changes, isKilled };
}

/** Deletes everything, without a program. */
export async function destroy(state: State, settings: Settings, targets?: string[]): Promise<Result> {
  const providers = providersOf(settings);
  const errors: string[] = [];
  for (const type of ["Link", "Domain"] as const) {
    const entries = [...state.pending, ...state.live].filter(
      (each) => each.type === type && (targets?.includes(each.name) ?? true),
    );
    for (const entry of entries) {
      try {
        if (!entry.options.retainOnDelete) await providers[type].delete(entry.id, entry.outputs);
        state.live = state.live.filter((each) => each !== entry);
        state.pending = state.pending.filter((each) => each !== entry);
      } catch (error) {
        errors.push((error as Error).message);
      }
    }
  }
  return { errors, changes: [], isKilled: false };
}

function wishesOf(program: Program): Record<string, string | null> {
  return Object.fromEntries(Object.entries(program).map(([name, { args }]) => [name, args.alias ?? null]));
}

/** The new inputs with the old values of ignored properties. The engine finds these by path: `targets[0].value`. */
function ignoring(news: Values, olds: Values, paths: string[] = []): Values {
  const copy = structuredClone(news);
  for (const path of paths) {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
    const last = keys.pop() ?? "";
    const walk = (root: Values) =>
      keys.reduce<Values | undefined>((inner, key) => inner?.[key] as Values | undefined, root);
    const [from, to] = [walk(olds), walk(copy)];
    if (from && to && last in from) to[last] = from[last];
    else if (to && from) delete to[last];
  }
  return copy;
}
