import { randomUUID } from "node:crypto";

// Records which resource of the stack has which object. The engine gives its providers no state, but each call shows a part of it. A
// diff shows an object that a resource has, and a create shows one that it gets. Two resources may have the same object: after two
// imports, or after a rename without `aliases` in a run that failed elsewhere. Then the deletion of one must not delete the object of
// the other. The engine plans all resources of a program before it deletes any.

export type ObjectType = "domain" | "link";
/** An object of the service as messages and the journal name it: `link 12`. */
export type ObjectName = `${ObjectType} ${string}`;

/** The state's record of how a resource got its object. */
export interface Provenance {
  /** Present if the object existed before. Distinguishes this entry of the state from others that have, or had, the same object. */
  adoption?: string | undefined;
  /** Ids of objects that this resource had before it was replaced, and that may still exist. */
  former?: string[] | undefined;
}

/** An entry of the state, as this run has planned it. */
interface PlannedEntry {
  urn: string | undefined;
  adoption: string | undefined;
  /** False if this run replaces the resource, which then gives up the object. */
  stays: boolean;
}

/** The aliases of the program's links, by resource name. Null for an alias that is absent, unknown or ambiguous. */
type Wishes = Record<string, string | null>;

export class Ownership {
  /** By object: the entries of the state that this run has planned. */
  readonly #planned = new Map<string, PlannedEntry>();
  /** By object: the resource to which a create of this run gave it. */
  readonly #given = new Map<string, string>();
  /** By unique key (an alias on its domain, the name of a domain, an imported object): the resource that wants it. */
  readonly #wanted = new Map<string, string>();
  /** Resources that have, or had a moment ago, an object in the state. */
  readonly #inState = new Set<string>();
  /** By resource: the objects that it has, and those that it had before it was replaced. */
  readonly #former = new Map<string, Set<ObjectName>>();
  readonly #read = new Set<ObjectName>();
  #wishes: Wishes = {};
  #wishesText = "";
  #isRefreshing = false;
  #isPlanning = false;

  /** Notes that the engine plans. The diffs of a refresh are no plans. */
  notePlanning(): void {
    this.#isRefreshing = false;
    this.#isPlanning = true;
  }

  /** True if this run has planned a program. A destroy plans none. */
  get hasPlanned(): boolean {
    return this.#isPlanning;
  }

  /** Notes that a refresh reads an object. */
  noteRefreshing(object: ObjectName): void {
    this.#isRefreshing = true;
    this.#read.add(object);
  }

  /** True if a refresh of this run has read the object. */
  isRead(object: ObjectName): boolean {
    return this.#read.has(object);
  }

  /** True while the engine compares the results of a refresh: its diffs are no plans. */
  get isComparing(): boolean {
    return this.#isRefreshing;
  }

  /** Notes that a resource is in the state already. */
  noteInState(urn: string | undefined): void {
    if (urn !== undefined) this.#inState.add(urn);
  }

  /** True if the resource is in the state, or was a moment ago. Then its import, if any, is done. */
  isInState(urn: string | undefined): boolean {
    return urn !== undefined && this.#inState.has(urn);
  }

  /**
   * Notes something that only one resource of the program can have, for example `alias 12/docs`. Returns the other resource that
   * wants it, if any.
   */
  noteWanted(what: string, urn: string | undefined): string | undefined {
    if (urn === undefined) return undefined;
    const other = this.#wanted.get(what) ?? urn;
    if (other !== urn) return other;
    this.#wanted.set(what, urn);
    return undefined;
  }

  /** Notes the aliases of the program's links, as one of its resources sends them. */
  noteWishes(text: string | undefined): void {
    if (text === undefined || text === this.#wishesText) return;
    this.#wishesText = text;
    this.#wishes = JSON.parse(text) as Wishes;
  }

  /** The alias that the program names for a link. Null if the program has no such resource, undefined if it names no known alias. */
  wishedAlias(urn: string): string | null | undefined {
    const name = urn.split("::").at(-1) ?? "";
    if (!Object.hasOwn(this.#wishes, name)) return Object.keys(this.#wishes).length > 0 ? null : undefined;
    return this.#wishes[name] ? this.#wishes[name] : undefined;
  }

  /** The other resource that keeps an object in this run, as far as the run has planned. */
  #otherOwner(object: ObjectName, urn: string | undefined): string | undefined {
    const planned = this.#planned.get(object);
    const others = [this.#given.get(object), planned?.stays ? planned.urn : undefined];
    return urn === undefined ? undefined : others.find((other) => other !== undefined && other !== urn);
  }

  /** Notes the plan of a resource. Throws if another one keeps the same object. */
  notePlan(
    object: ObjectName,
    { urn, stays, adoption, former = [] }: Provenance & { urn: string | undefined; stays: boolean },
  ): void {
    if (this.#isRefreshing) return;
    this.noteInState(urn);
    if (urn !== undefined) {
      const objects = this.#former.get(urn) ?? new Set();
      this.#former.set(urn, objects);
      objects.add(object);
      for (const id of former) objects.add(withId(object, id));
    }
    const other =
      this.#otherOwner(object, urn) ?? this.noteWanted(`import ${object}`, stays ? urn : undefined);
    if (stays && other !== undefined) throw sharedBy(object, other);
    this.#planned.set(object, { urn, adoption, stays });
  }

  /** Throws if another resource has the object. */
  assertFree(object: ObjectName, urn: string | undefined): void {
    const other = this.#otherOwner(object, urn);
    if (other !== undefined) throw sharedBy(object, other);
  }

  /** The problems of an import: another resource has the object, or imports it as well. */
  importClashes(
    type: ObjectType,
    key: string | undefined,
    urn: string | undefined,
  ): { property: string; reason: string }[] {
    // Once a resource has its object, the option no longer matters.
    if (key === undefined || this.isInState(urn)) return [];
    const other = this.noteWanted(`import ${type} ${key}`, urn);
    if (other === undefined) return [];
    const reason = `import: ${type} ${key} is already used by the resource ${nameOf(other)} (${other}): two resources cannot manage one object`;
    return [{ property: "", reason }];
  }

  /** Gives an object to a resource that is created. Throws if another one has it. */
  claim(object: ObjectName, urn: string | undefined): { release: () => void } {
    this.assertFree(object, urn);
    if (urn !== undefined) this.#given.set(object, urn);
    return { release: () => this.#given.delete(object) };
  }

  /** True if this run has given the object to a created resource, or planned it for one of the state. */
  isOwned(object: ObjectName): boolean {
    return this.#given.has(object) || this.#planned.has(object);
  }

  /** True if the resource had this object before it was replaced. The state still has the object, pending deletion. */
  isFormer(object: ObjectName, urn: string | undefined): boolean {
    return urn !== undefined && (this.#former.get(urn)?.has(object) ?? false);
  }

  /** The resource that had this object before it was replaced. Undefined if an entry of the state has it. */
  formerOwner(object: ObjectName): string | undefined {
    if (this.isOwned(object)) return undefined;
    return [...this.#former].find(([, objects]) => objects.has(object))?.[0];
  }

  /**
   * The provenance for the state of a created resource.
   *
   * @param mark The mark of the journal's note, if the object was another resource's.
   */
  provenanceOf(
    object: ObjectName,
    urn: string | undefined,
    isNew: boolean,
    mark: string = randomUUID(),
  ): Provenance {
    const objects = [...((urn === undefined ? undefined : this.#former.get(urn)) ?? [])];
    const others = objects.filter((each) => each !== object).map(idOf);
    return { adoption: isNew ? undefined : mark, former: others.length > 0 ? others : undefined };
  }

  /**
   * True if the deletion of a resource may delete its object. False if this run has given the object to a resource, or has planned
   * it for another entry of the state.
   */
  isLast(object: ObjectName, { adoption }: Provenance): boolean {
    const planned = this.#planned.get(object);
    return !this.#given.has(object) && (planned === undefined || planned.adoption === adoption);
  }

  /** True if this run has planned the object for a resource. */
  isPlanned(object: ObjectName): boolean {
    return this.#planned.has(object);
  }

  /** Notes that an object is gone. */
  noteDeleted(object: ObjectName, urn: string | undefined): void {
    this.noteInState(urn);
    if (urn !== undefined) this.#former.get(urn)?.delete(object);
  }
}

function idOf(object: ObjectName): string {
  return object.slice(object.indexOf(" ") + 1);
}

/** Another object of the same type. */
function withId(object: ObjectName, id: string): ObjectName {
  return object.startsWith("link") ? `link ${id}` : `domain ${id}`;
}

/** The error of a resource whose object another one has. */
function sharedBy(object: ObjectName, urn: string): Error {
  const [type] = object.split(" ");
  return new Error(
    `${object} is managed by another resource of this stack, ${nameOf(urn)} (${urn}), and two resources cannot manage one object. ` +
      `Remove one of the two from the program; the ${type} then belongs to the other.`,
  );
}

/** The name of a resource as the program has it. */
export function nameOf(urn: string): string {
  return JSON.stringify(urn.split("::").at(-1));
}
