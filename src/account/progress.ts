import type { Progress } from "../service/pacer";

/**
 * The progress of a run, used by waits for the rate limit or for the plans of other resources. A program sends the number of its
 * resources, and a refresh learns the number of pages from the lists of links. A destroy shows one deletion at a time.
 */
export class RunProgress {
  #total = 0;
  #running = 0;
  #deletingLinks = 0;
  /** A set, because the engine checks a replaced resource twice. */
  readonly #checked = new Set<string>();
  /** Resources in the state that the engine has checked and has not planned yet. */
  readonly #undecided = new Set<string>();

  /** Notes how many domains and links the program has made so far. */
  noteProgram(resources: number): void {
    if (resources > this.#total) this.#total = resources;
  }

  /** Notes that the engine has checked a resource of the program. If the state has it, its plan follows. */
  noteChecked(urn: string | undefined, isInState: boolean): void {
    if (urn === undefined) return;
    this.#checked.add(urn);
    if (isInState) this.#undecided.add(urn);
  }

  /** Notes that the engine has planned a resource of the state. */
  notePlanned(urn: string | undefined): void {
    if (urn !== undefined) this.#undecided.delete(urn);
  }

  /** True once the engine has planned all resources that the program has announced. */
  get isPlanned(): boolean {
    return this.#total > 0 && this.#checked.size >= this.#total && this.#undecided.size === 0;
  }

  /** Counts a call of the engine as work that is not done yet. */
  async whileRunning<Value>(call: () => Promise<Value>): Promise<Value> {
    this.#running++;
    try {
      return await call();
    } finally {
      this.#running--;
    }
  }

  /** Counts the deletion of a link. */
  async whileDeletingLink(call: () => Promise<void>): Promise<void> {
    this.#deletingLinks++;
    try {
      await call();
    } finally {
      this.#deletingLinks--;
    }
  }

  /** True while a link is being deleted. */
  get isDeletingLinks(): boolean {
    return this.#deletingLinks > 0;
  }

  /**
   * The progress of the program's resources. Undefined without a program.
   *
   * @param sent Requests so far, from which the estimate for the remaining resources follows.
   */
  ofProgram(sent: number): Progress | undefined {
    const [seen, running] = [this.#checked.size, this.#running];
    const left = this.#total - seen;
    if (seen === 0 || left < 0) return undefined;
    const requests = Math.ceil((left * (sent + running)) / seen) + running;
    return { done: seen - running, left: left + running, what: "resources", requests };
  }
}
