/** Where the entries of catalogs stand in their files, by the URNs of their resources: for what is told of them. */
const places = new Map<string, string>();

/** Notes that a resource is the entry of a catalog at a place like `links/docs.yaml:12:3`. */
export function noteEntry(urn: string | undefined, place: string | undefined): void {
  if (urn !== undefined && place !== undefined) places.set(urn, place);
}

/** The place of a resource's entry; undefined where it is none. */
export function entryOf(urn: string | undefined): string | undefined {
  return urn === undefined ? undefined : places.get(urn);
}
