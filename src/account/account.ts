import { Client, type LinkRecord } from "../service/client";
import { systemClock, type Clock } from "../service/clock";
import { collate } from "../service/collate";
import { LinkReads } from "../service/listing";
import { Trace } from "../service/trace";
import { Changes, type ServiceJournal } from "./changes";
import { CreateNotes, leftOverOf, type Made } from "./create-once";
import { Existing } from "./existing";
import { Journal } from "./journal";
import { Ownership, type ObjectName } from "./ownership";
import { RunProgress } from "./progress";
import type { Saved } from "./saved";
import { backend, resolveSettings, SettingsError, type ReadConfig, type Settings } from "./settings";

/** The domains and links that the stack manages, by URN, as the engine saved them. Excludes those pending deletion. */
export type StackState = Map<string, Saved>;

/** The functions and data that an account gets from its caller. */
export interface Surroundings {
  /** Reads the configuration of the stack. */
  readConfig: ReadConfig;
  /** Prints a message for the user. */
  say: (text: string) => void;
  /** Prints a message that matters only now, such as a wait. */
  tell: (text: string) => void;
  /** Throws once no more requests may be sent. */
  assertWanted: () => void;
  /** Records details that the plan does not show. Undefined unless a command reports the plan. */
  noteForPlan?: ((note: PlanNote) => void) | undefined;
  /** Reads the stack's state from the `source` that a program sends. Undefined if the state is not available. */
  readState: (source: string) => Promise<StackState | undefined>;
  /** Default: the system's clock. */
  clock?: Clock;
}

/** Details of a resource that the engine's plan does not show. */
export interface PlanNote {
  urn: string;
  /** File, line and column of its entry in a catalog. */
  entry?: string;
  /** The object that already exists although the plan shows a create. */
  existing?: { object: ObjectName; differing: string[]; isAdopted: boolean };
  /** Fingerprints of its arguments, because a plan shows no secrets. */
  inputs?: Record<string, string>;
}

/** Data that a program sends with a resource beside its arguments, mostly about the whole run. */
export interface Told {
  /** Source of the state. Only a program knows it, so a refresh or a destroy has none. */
  stateSource?: string | undefined;
  /** Number of domains and links that the program has made so far. */
  resources?: number | undefined;
  /** The aliases that its links name, as one text. */
  wishes?: string | undefined;
  /** File, line and column of the resource's entry in a catalog. */
  entry?: string | undefined;
}

/**
 * One configured service for one run: its client, and everything that the run remembers. Two accounts share only connections, and the
 * pacing of requests with the same key.
 */
export class Account {
  readonly clock: Clock;
  readonly ownership = new Ownership();
  readonly progress = new RunProgress();
  readonly existing: Existing;
  readonly changes: Changes;
  readonly say: (text: string) => void;
  readonly #around: Surroundings;
  /** Cached, because each resource needs them several times and they do not change in a run. */
  #settings: Settings | SettingsError | undefined;
  #service: { client: Client; reads: LinkReads } | undefined;
  #trace: Trace | undefined;
  #journal: ServiceJournal | undefined;
  #stateSource: string | undefined;
  #state: Promise<StackState | undefined> | undefined;
  readonly #entries = new Map<string, string>();

  constructor(around: Surroundings) {
    this.#around = around;
    this.clock = around.clock ?? systemClock;
    this.say = around.say;
    this.existing = new Existing(() => this.client, around.say);
    this.changes = new Changes(() => this.#openJournal(), this.ownership, around.say);
  }

  /** Throws a `SettingsError` if a setting is missing or wrong. */
  get settings(): Settings {
    const settings = this.#resolved();
    if (settings instanceof SettingsError) throw settings;
    return settings;
  }

  /** The settings; undefined if one is missing or wrong. */
  get knownSettings(): Settings | undefined {
    const settings = this.#resolved();
    return settings instanceof SettingsError ? undefined : settings;
  }

  /** The problems of the settings, which `check` reports before the engine plans anything. */
  get settingsProblems(): string[] {
    const settings = this.#resolved();
    return settings instanceof SettingsError ? settings.problems : [];
  }

  #resolved(): Settings | SettingsError {
    try {
      this.#settings ??= resolveSettings(this.#around.readConfig);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      this.#settings = error;
    }
    return this.#settings;
  }

  /** Throws if the object belongs to another service than the settings name. A plan can fail offline this way. */
  assertOrigin(origin: string | undefined): void {
    const { baseUrl, movedFrom } = this.settings;
    if (origin === undefined || origin === baseUrl || origin === movedFrom) return;
    throw new Error(
      `This resource was created on the service at ${origin}, but shortlink:baseUrl is ${baseUrl}, where its id names another ` +
        `object. Set the old address again, or, if the service has moved, run "pulumi config set shortlink:movedFrom ${origin}", ` +
        `"pulumi up" and "pulumi refresh".`,
    );
  }

  /** Summary of the run's requests. Undefined without requests or without a trace. */
  get summary(): string | undefined {
    return this.#trace?.summary();
  }

  get client(): Client {
    return this.#open().client;
  }

  /** Reads many links with few requests. */
  get reads(): LinkReads {
    return this.#open().reads;
  }

  #open(): { client: Client; reads: LinkReads } {
    if (this.#service) return this.#service;
    const { limitWindow: window, acceptGone, isTraced, ...connection } = this.settings;
    const { tell, assertWanted } = this.#around;
    const progress = (sent: number) => this.#service?.reads.progress() ?? this.progress.ofProgram(sent);
    if (isTraced) this.#trace = new Trace(this.say, () => this.clock.now());
    const trace = this.#trace;
    const client = new Client(connection, { clock: this.clock, tell, trace, window, assertWanted, progress });
    return (this.#service = { client, reads: new LinkReads(client, { acceptGone, clock: this.clock }) });
  }

  #openJournal(): ServiceJournal | undefined {
    const { journal, baseUrl: service = "" } = this.knownSettings ?? {};
    if (journal === undefined) return undefined;
    return (this.#journal ??= { journal: new Journal(journal), service, backend: backend() });
  }

  /** The journal for this service. Undefined if the settings name none or are invalid. */
  get journal(): ServiceJournal | undefined {
    return this.#openJournal();
  }

  /** The journal's notes about the create of a resource. */
  notesOf(urn: string | undefined): CreateNotes {
    return new CreateNotes(this.client, this.#openJournal(), urn);
  }

  /** The resource for which an interrupted run of this stack made a link that no state has. @param urn Any resource of the stack. */
  makerOf(
    link: Made & { alias: string; domain_id: number | null },
    urn: string | undefined,
  ): string | undefined {
    const journal = this.#openJournal();
    return journal && urn !== undefined ? leftOverOf(journal, link, urn) : undefined;
  }

  /** Records the data that a program sent with a resource. */
  hear(urn: string | undefined, { stateSource, resources = 0, wishes, entry }: Told): void {
    this.#stateSource ??= stateSource;
    this.progress.noteProgram(resources);
    this.ownership.noteWishes(wishes);
    if (urn === undefined || entry === undefined) return;
    this.#entries.set(urn, entry);
    this.noteForPlan(urn, { entry });
  }

  /** True if a command reports the plan. */
  get isPlanReported(): boolean {
    return this.#around.noteForPlan !== undefined;
  }

  /** Records details that the plan does not show, if a command reports the plan. */
  noteForPlan(urn: string | undefined, note: Omit<PlanNote, "urn">): void {
    if (urn !== undefined) this.#around.noteForPlan?.({ urn, ...note });
  }

  /** File, line and column of a resource's entry. Undefined if the resource is not from a catalog. */
  entryOf(urn: string | undefined): string | undefined {
    return urn === undefined ? undefined : this.#entries.get(urn);
  }

  /** The stack's state as the provider first read it. Undefined if it is not available. */
  async knownState(): Promise<StackState | undefined> {
    // Not cached: a later resource may send the source.
    if (this.#stateSource === undefined) return undefined;
    return (this.#state ??= this.#around.readState(this.#stateSource));
  }

  /** Like `knownState`, but empty if the state is not available. */
  async stackState(): Promise<StackState> {
    return (await this.knownState()) ?? new Map<string, Saved>();
  }

  /** A resource as the stack's state has it. */
  async savedOf(urn: string | undefined): Promise<Saved | undefined> {
    return urn === undefined ? undefined : (await this.stackState()).get(urn);
  }

  /** The resource in the state of this stack that has this link. Someone may have put another link in its place. */
  async ownerOfLink({ domain_id: domainId, alias, url }: LinkRecord): Promise<string | undefined> {
    const isSame = (args: Record<string, unknown>) =>
      Number(args.domainId) === domainId &&
      collate(String(args.alias)) === collate(alias) &&
      args.url === url;
    return [...(await this.stackState())].find(([, { inputs }]) => isSame(inputs.args))?.[0];
  }

  /** True if the resource is in the state, or was a moment ago. The engine replaces some resources without asking for a plan. */
  async isInState(urn: string | undefined): Promise<boolean> {
    return this.ownership.isInState(urn) || (await this.savedOf(urn)) !== undefined;
  }
}
