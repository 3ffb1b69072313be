import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as automation from "@pulumi/pulumi/automation";
import * as settings from "@pulumi/pulumi/runtime/settings";
import type { Emulator } from "pulumi-shortlink/emulator";
import { findPulumi, pulumiEnvironment } from "../../tools/environment.mjs";

/** The output and the changes of one command. */
export interface Outcome {
  /** Number of resources by operation, done or planned, for example `{ create: 2, same: 1 }`. */
  changes: Record<string, number>;
  output: string;
}

/** A stack with its own state, run by the real engine. */
export interface TestStack {
  up(options?: {
    parallel?: number;
    refresh?: boolean;
    replace?: string[];
    target?: string[];
  }): Promise<Outcome & { outputs: Record<string, unknown> }>;
  preview(options?: { refresh?: boolean }): Promise<Outcome>;
  refresh(): Promise<Outcome>;
  destroy(options?: { previewOnly?: boolean }): Promise<Outcome>;
  /** The state file with encrypted secrets, and the resources of this package in it. */
  state(): { text: string; resources: Resource[] };
  /** Replaces the stack's state with one that `export` returned. */
  import(deployment: unknown): Promise<void>;
  /** The state as `pulumi stack export` writes it, with secrets encrypted. */
  export(): Promise<unknown>;
  /** Sets values of the stack's configuration; undefined removes one. */
  config(values: Record<string, string | undefined>): Promise<void>;
  /** Sets a variable in the environment of the commands. */
  env(name: string, value: string): void;
  /** Runs any other command. */
  pulumi(...args: string[]): Promise<string>;
  remove(): void;
}

export interface Resource {
  urn: string;
  type: string;
  id: string;
  inputs: Record<string, unknown>;
  outputs: Record<string, unknown>;
}

// The SDK shares connections by address, and a new engine may reuse the port of an earlier one. The dead connection would then
// answer, and the SDK would take that for the end of the program.
const { grpcClientOptions } = settings as unknown as { grpcClientOptions: Record<string, number> };
grpcClientOptions["grpc.use_local_subchannel_pool"] = 1;

/** Creates a stack whose settings point to the emulator. `diff` prints details instead of progress. */
export async function createStack(
  emulator: Pick<Emulator, "url" | "apiKey">,
  program: () => Promise<unknown>,
  { diff = true } = {},
): Promise<TestStack> {
  const folder = mkdtempSync(join(tmpdir(), "shortlink-engine-"));
  const environment = pulumiEnvironment(folder);
  // An inline program runs in this process, so the settings of a developer must not leak in.
  for (const name of Object.keys(process.env)) if (name.startsWith("SHORTLINK_")) delete process.env[name];
  cli ??= automation.PulumiCommand.get({ root: join(findPulumi()?.bin ?? "", "..") });
  const settings = { "shortlink:baseUrl": emulator.url, "shortlink:apiKey": emulator.apiKey };
  const known = sealed.get(emulator.apiKey);
  const workspace = await automation.LocalWorkspace.create({
    projectSettings: { name: "engine", runtime: "nodejs", main: process.cwd() },
    program: program as automation.PulumiFn,
    workDir: folder,
    pulumiHome: environment.PULUMI_HOME ?? "",
    envVars: environment,
    pulumiCommand: await cli,
    ...(known ? { stackSettings: { test: withConfig(known, { "shortlink:baseUrl": emulator.url }) } } : {}),
  });
  const backend = join(folder, "state", ".pulumi");
  if (newBackend.size === 0) {
    await workspace.createStack("test");
    for (const file of ["meta.yaml", "stacks/engine/test.json"])
      newBackend.set(file, readFileSync(join(backend, file)));
  }
  for (const [file, content] of newBackend) {
    mkdirSync(dirname(join(backend, file)), { recursive: true });
    writeFileSync(join(backend, file), content);
  }
  workspace.selectStack = () => Promise.resolve();
  const stack = await automation.Stack.select("test", workspace);

  // After each command the Automation API runs up to three slow commands to report on it. The test reads the backend's files
  // instead, where secrets stay encrypted.
  const readCheckpoint = () => {
    const text = readFileSync(join(backend, "stacks/engine/test.json"), "utf8");
    const { checkpoint } = JSON.parse(text) as { checkpoint: { latest: { resources?: Resource[] } } };
    return { text, resources: checkpoint.latest.resources ?? [] };
  };
  stack.history = () => {
    const histories = join(backend, "history", "engine", "test");
    const [last = ""] = readdirSync(histories)
      .filter((name) => name.endsWith(".history.json"))
      .sort()
      .slice(-1);
    return Promise.resolve([
      JSON.parse(readFileSync(join(histories, last), "utf8")) as automation.UpdateSummary,
    ]);
  };
  stack.outputs = () => {
    const program = readCheckpoint().resources.find(({ type }) => type === "pulumi:pulumi:Stack");
    const outputs = Object.entries(program?.outputs ?? {});
    return Promise.resolve(
      Object.fromEntries(outputs.map(([name, value]) => [name, { value, secret: false }])),
    );
  };

  async function run<Result extends { summary: automation.UpdateSummary | undefined }>(
    command: (onOutput: (text: string) => void) => Promise<Result>,
  ): Promise<Outcome & { result: Result }> {
    let output = "";
    try {
      const result = await command((text) => (output += text));
      return { changes: result.summary?.resourceChanges ?? {}, output, result };
    } catch (error) {
      throw new EngineError(output || String(error));
    }
  }

  /** Runs a command that the Automation API lacks. */
  async function pulumi(...args: string[]): Promise<string> {
    const all = [...args, "--stack", "test"];
    const child = spawn("pulumi", all, { cwd: folder, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (output += String(chunk)));
    await once(child, "close");
    if (child.exitCode !== 0) throw new Error(output);
    return output;
  }

  const self: TestStack = {
    up: async (options = {}) => {
      const { result, ...outcome } = await run((onOutput) =>
        stack.up({ onOutput, onError: onOutput, diff, ...options }),
      );
      const outputs = Object.entries(result.outputs).map(
        ([name, { value }]) => [name, value as unknown] as const,
      );
      return { ...outcome, outputs: Object.fromEntries(outputs) };
    },
    preview: async (options = {}) => {
      let output = "";
      const onOutput = (text: string) => (output += text);
      const { changeSummary } = await stack.preview({ diff, onOutput, onError: onOutput, ...options });
      return { changes: changeSummary, output };
    },
    // The Automation API has no details for a refresh.
    refresh: () =>
      run(async (onOutput) => {
        const args = ["refresh", "--yes", "--skip-preview", "--non-interactive", ...(diff ? ["--diff"] : [])];
        await pulumi(...args).then(onOutput, (error: Error) => {
          onOutput(error.message);
          throw error;
        });
        return { summary: await stack.info() };
      }),
    destroy: (options = {}) =>
      run((onOutput) => stack.destroy({ onOutput, onError: onOutput, diff, ...options })),
    state: () => {
      const { text, resources } = readCheckpoint();
      return {
        text,
        resources: resources.filter(({ type }) =>
          /^pulumi-nodejs:dynamic.shortlink:(?:Domain|Link)$/.test(type),
        ),
      };
    },
    import: async (deployment) => {
      const file = join(folder, "deployment.json");
      writeFileSync(file, JSON.stringify(deployment));
      await pulumi("stack", "import", "--file", file);
    },
    pulumi,
    export: async () => JSON.parse(await pulumi("stack", "export")) as unknown,
    config: async (values) => {
      const given = Object.entries(values).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, { value, secret: /apiKey$|Password$/.test(key) }] as const],
      );
      // One command for all values, because each command is slow.
      if (given.length > 0) await stack.setAllConfig(Object.fromEntries(given));
      for (const [key, value] of Object.entries(values))
        if (value === undefined) await stack.removeConfig(key);
    },
    env: (name, value) => {
      stack.workspace.envVars[name] = environment[name] = value;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
  if (!known) {
    await self.config(settings);
    sealed.set(emulator.apiKey, await stack.workspace.stackSettings("test"));
  }
  return self;
}

/** Commands are slow. So a file asks once for the CLI's version, makes one stack, and encrypts each key once. */
let cli: Promise<automation.PulumiCommand> | undefined;
const newBackend = new Map<string, Buffer>();
const sealed = new Map<string, automation.StackSettings>();

function withConfig(settings: automation.StackSettings, config: automation.StackSettings["config"]) {
  return { ...settings, config: { ...settings.config, ...config } };
}

/** A command that failed. The message is its output. */
export class EngineError extends Error {}
