import { randomUUID } from "node:crypto";

// Which resource of the stack has which object. The engine tells its providers no state, but each of its calls shows a part of it:
// a diff shows that a resource has an object, a create that it is given one. Two resources may come to the same object
// (two imports; a resource that was renamed without `aliases`, in a run that failed elsewhere), and then the deletion of
// one must not take the object from the other. The engine plans all resources of a program before it deletes any.

export type Type = "domain" | "link";

/** What a state remembers of how its resource came to its object. */
export interface Provenance {
  /** Present where the object existed before: tells this entry of the state from others that have, or had, the same object. */
  __adoption?: string;
  /** Ids of objects that this resource had before it was replaced, and that may still exist. */
  __former?: string[];
}

interface Holder {
  urn: string | undefined;
  adoption: string | undefined;
  /** False where this run replaces the resource, which gives the object up. */
  stays: boolean;
}

/** By object (`link 12`): the entries of the state that this run has planned. */
const planned = new Map<string, Holder>();
/** By object: the resources that creates of this run have given it to. */
const given = new Map<string, string>();
/** By what must be unique (an alias on its domain, the name of a domain, an imported object): the resource that wants it. */
const wanted = new Map<string, string>();
/** Resources that have, or had a moment ago, an object in the state. */
const placed = new Set<string>();
/** By resource: ids of the objects that it had before. */
const former = new Map<string, Set<string>>();
/** The aliases that the links of the program name, by the names of the resources; null where one names none that is known. */
let wishes: Record<string, string | null> = {};
let told = "";
let isRefreshing = false;
let isPlanning = false;

const objectOf = (type: Type, id: string | number) => `${type} ${id}`;

/** Notes that the engine plans: what a refresh compares is no plan. */
export function notePlanning(): void {
  isRefreshing = false;
  isPlanning = true;
}

/** Has this run planned a program? A destroy plans none. */
export function hasPlanned(): boolean {
  return isPlanning;
}

/** Notes that a refresh reads. */
export function noteRefreshing(): void {
  isRefreshing = true;
}

/** Does the engine compare what a refresh has read, and plan nothing? */
export function isComparing(): boolean {
  return isRefreshing;
}

/** Notes that a resource is in the state already. */
export function notePlaced(urn: string | undefined): void {
  if (urn !== undefined) placed.add(urn);
}

/** Is, or was a moment ago, the resource in the state? Then it has been imported, if ever. */
export function isPlaced(urn: string | undefined): boolean {
  return urn !== undefined && placed.has(urn);
}

/**
 * Notes what a resource of the program wants for itself alone, for example `link 12/docs`. Returns the resource that wants it
 * as well, if there is one.
 */
export function noteWanted(what: string, urn: string | undefined): string | undefined {
  if (urn === undefined) return undefined;
  const other = wanted.get(what) ?? urn;
  if (other !== urn) return other;
  wanted.set(what, urn);
  return undefined;
}

/** Notes the aliases that the links of the program name, as a resource of it tells them. */
export function noteWishes(ofProgram: string | undefined): void {
  if (ofProgram === undefined || ofProgram === told) return;
  told = ofProgram;
  wishes = JSON.parse(ofProgram) as typeof wishes;
}

/**
 * The alias that the program names for the link of a resource: null where it has no such resource, undefined where it names none or
 * is not known.
 */
export function wishedAlias(urn: string): string | null | undefined {
  const name = urn.split("::").at(-1) ?? "";
  if (!Object.hasOwn(wishes, name)) return Object.keys(wishes).length > 0 ? null : undefined;
  return wishes[name] ? wishes[name] : undefined;
}

/** The other resource that keeps an object in this run, as far as the run has planned. */
function otherHolder(type: Type, id: string | number, urn: string | undefined): string | undefined {
  const object = objectOf(type, id);
  const holder = planned.get(object);
  const others = [given.get(object), holder?.stays ? holder.urn : undefined];
  return urn === undefined ? undefined : others.find((other) => other !== undefined && other !== urn);
}

/** Notes the plan of a resource. Throws where another one keeps the same object. */
export function notePlan(
  type: Type,
  id: string,
  urn: string | undefined,
  state: Provenance,
  stays: boolean,
): void {
  if (isRefreshing) return;
  notePlaced(urn);
  if (urn !== undefined) {
    const ids = former.get(urn) ?? new Set<string>();
    former.set(urn, ids);
    for (const each of [...(state.__former ?? []), id]) ids.add(each);
  }
  const object = objectOf(type, id);
  const other = otherHolder(type, id, urn) ?? noteWanted(`import ${object}`, stays ? urn : undefined);
  if (stays && other !== undefined) throw sharedBy(type, id, other);
  planned.set(object, { urn, adoption: state.__adoption, stays });
}

/** Throws where another resource has the object. */
export function assertFree(type: Type, id: number, urn: string | undefined): void {
  const other = otherHolder(type, id, urn);
  if (other !== undefined) throw sharedBy(type, String(id), other);
}

/** What is wrong with an import: another resource has the object, or imports it as well. */
export function importClashes(
  type: Type,
  key: string | undefined,
  urn: string | undefined,
): { property: string; reason: string }[] {
  // Of a resource that has its object the option means nothing any more.
  if (key === undefined || isPlaced(urn)) return [];
  const other = noteWanted(`import ${type} ${key}`, urn);
  if (other === undefined) return [];
  const reason = `import: ${type} ${key} is also that of the resource ${nameOf(other)} (${other}); two resources cannot share it`;
  return [{ property: "", reason }];
}

/** Gives an object to a resource that is created. Throws where another one has it. */
export function claim(type: Type, id: number, urn: string | undefined): { release: () => void } {
  assertFree(type, id, urn);
  const object = objectOf(type, id);
  if (urn !== undefined) given.set(object, urn);
  return { release: () => given.delete(object) };
}

/** Has a create of this run the object, or has the run planned it for a resource that is in the state? */
export function isOwned(type: Type, id: number): boolean {
  return given.has(objectOf(type, id)) || planned.has(objectOf(type, id));
}

/** Did the resource have this object before it was replaced? Then it is still in the state, and its deletion is pending. */
export function isFormer(id: number, urn: string | undefined): boolean {
  return urn !== undefined && (former.get(urn)?.has(String(id)) ?? false);
}

/**
 * What the state of a created resource remembers.
 *
 * @param mark That of the journal's note where the object was another resource's.
 */
export function provenanceOf(
  id: number,
  urn: string | undefined,
  isNew: boolean,
  mark: string = randomUUID(),
): Provenance {
  const ids = [...((urn === undefined ? undefined : former.get(urn)) ?? [])];
  const others = ids.filter((each) => each !== String(id));
  return {
    ...(isNew ? {} : { __adoption: mark }),
    ...(others.length > 0 ? { __former: others } : {}),
  };
}

/** The same for a resource that is updated or read. */
export function keptProvenance({ __adoption, __former }: Provenance): Provenance {
  return {
    ...(__adoption === undefined ? {} : { __adoption }),
    ...(__former === undefined ? {} : { __former }),
  };
}

/**
 * May the deletion of a resource delete its object? Not where this run has given the object to a resource, or planned it for
 * another entry of the state.
 */
export function isLast(type: Type, id: string, { __adoption }: Provenance): boolean {
  const object = objectOf(type, id);
  const holder = planned.get(object);
  return !given.has(object) && (holder === undefined || holder.adoption === __adoption);
}

/** Has this run planned the object for a resource? */
export function isPlanned(type: Type, id: string): boolean {
  return planned.has(objectOf(type, id));
}

/** Notes that an object is gone. */
export function noteDeleted(id: string, urn: string | undefined): void {
  notePlaced(urn);
  if (urn !== undefined) former.get(urn)?.delete(id);
}

/** The error of a second resource with an object that another one has. */
function sharedBy(type: Type, id: string, urn: string): Error {
  return new Error(
    `${type} ${id} is managed by another resource of this stack, ${nameOf(urn)} (${urn}), and two resources cannot share it. ` +
      `Remove one of the two from the program: the ${type} stays for the other.`,
  );
}

/** The name of a resource as the program has it. */
export function nameOf(urn: string): string {
  return JSON.stringify(urn.split("::").at(-1));
}
