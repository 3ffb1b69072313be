import { Client } from "../service/client";
import { systemClock, type Clock } from "../service/clock";
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

/** The stack's own domains and links by URN, as the engine has saved them; without those whose deletion is pending. */
export type StackState = Map<string, Saved>;

/** What an account cannot know or do by itself, as it does not know who asks. */
export interface Surroundings {
  /** Reads the configuration of the stack. */
  readConfig: ReadConfig;
  /** Tells the user something as it happens. */
  say: (text: string) => void;
  /** The same for what counts only now. */
  tell: (text: string) => void;
  /** Throws once no more requests may be sent. */
  assertWanted: () => void;
  /** Notes what the plan does not show; undefined unless a command reports the plan. */
  noteForPlan?: ((note: PlanNote) => void) | undefined;
  /** Reads the state of the stack, undefined where it cannot be had; `source` is what a program tells of where it is. */
  readState: (source: string) => Promise<StackState | undefined>;
  /** Default: the system's clock. */
  clock?: Clock;
}

/** What the engine's plan does not show of a resource. */
export interface PlanNote {
  urn: string;
  /** File, line and column of its entry in a catalog. */
  entry?: string;
  /** The object that the account has already where the plan shows a create. */
  existing?: { object: ObjectName; differing: string[]; isAdopted: boolean };
  /** Fingerprints of its arguments, as a plan shows no secrets. */
  inputs?: Record<string, string>;
}

/** What a program tells with each of its resources, and that is for the whole run. */
export interface Told {
  /** Where the state can be asked for: only a program knows, so not in a refresh or a destroy. */
  stateSource?: string | undefined;
  /** How many domains and links the program has made so far. */
  resources?: number | undefined;
  /** The aliases that its links name, as one text. */
  wishes?: string | undefined;
  /** File, line and column of the resource's entry in a catalog. */
  entry?: string | undefined;
}

/**
 * One configured service for one run: its client, and everything that the run remembers. Two of them share nothing but what is by
 * nature the process's own: connections, and the pace of requests with one key.
 */
export class Account {
  readonly clock: Clock;
  readonly ownership = new Ownership();
  readonly progress = new RunProgress();
  readonly existing: Existing;
  readonly changes: Changes;
  readonly say: (text: string) => void;
  readonly #around: Surroundings;
  /** They are needed several times for each resource and stay the same for a whole run. */
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

  /** Throws a `SettingsError` where something is missing or wrong in them. */
  get settings(): Settings {
    const settings = this.#resolved();
    if (settings instanceof SettingsError) throw settings;
    return settings;
  }

  /** The settings, unless something is missing or wrong in them. */
  get knownSettings(): Settings | undefined {
    const settings = this.#resolved();
    return settings instanceof SettingsError ? undefined : settings;
  }

  /** What is missing or wrong in the settings, for `check` to report before anything is planned. */
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

  /** Throws where an object was made on another service than the settings name, for a plan to fail offline. */
  assertOrigin(origin: string | undefined): void {
    const { baseUrl, movedFrom } = this.settings;
    if (origin === undefined || origin === baseUrl || origin === movedFrom) return;
    throw new Error(
      `This resource was made on the service at ${origin}, but shortlink:baseUrl is ${baseUrl}, where its id names another ` +
        `object. Set the old address again, or, if the service has moved, run "pulumi config set shortlink:movedFrom ${origin}", ` +
        `"pulumi up" and "pulumi refresh".`,
    );
  }

  /** What the requests of the run took; undefined if there were none, or if they are not traced. */
  get summary(): string | undefined {
    return this.#trace?.summary();
  }

  get client(): Client {
    return this.#open().client;
  }

  /** What reads many links with few requests. */
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

  /** The journal with the notes of this service; undefined where there is none. */
  get journal(): ServiceJournal | undefined {
    return this.#openJournal();
  }

  /** The notes of a resource's create. */
  notesOf(urn: string | undefined): CreateNotes {
    return new CreateNotes(this.client, this.#openJournal(), urn);
  }

  /** The resource for which an interrupted run of this stack made a link, so that no state has it. @param urn A resource of the stack. */
  makerOf(
    link: Made & { alias: string; domain_id: number | null },
    urn: string | undefined,
  ): string | undefined {
    const journal = this.#openJournal();
    return journal && urn !== undefined ? leftOverOf(journal, link, urn) : undefined;
  }

  /** Notes what a program tells with one of its resources. */
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

  /** Notes what the plan does not show, for a report of it. */
  noteForPlan(urn: string | undefined, note: Omit<PlanNote, "urn">): void {
    if (urn !== undefined) this.#around.noteForPlan?.({ urn, ...note });
  }

  /** File, line and column of a resource's entry; undefined where it is none of a catalog. */
  entryOf(urn: string | undefined): string | undefined {
    return urn === undefined ? undefined : this.#entries.get(urn);
  }

  /** The state that the stack had when this was first asked for; undefined where it cannot be had. */
  async knownState(): Promise<StackState | undefined> {
    // A resource that tells where to ask may come later.
    if (this.#stateSource === undefined) return undefined;
    return (this.#state ??= this.#around.readState(this.#stateSource));
  }

  /** The same, empty where it cannot be had. */
  async stackState(): Promise<StackState> {
    return (await this.knownState()) ?? new Map<string, Saved>();
  }

  /** What the stack's state has of a resource. */
  async savedOf(urn: string | undefined): Promise<Saved | undefined> {
    return urn === undefined ? undefined : (await this.stackState()).get(urn);
  }

  /** True if the resource is in the state, or was a moment ago. The engine replaces some without telling the provider. */
  async isInState(urn: string | undefined): Promise<boolean> {
    return this.ownership.isInState(urn) || (await this.savedOf(urn)) !== undefined;
  }
}
