// Parameters and results of the service's lists (interface document, list parameters).

/** The records of a page of a list. */
export type Page<Item> = Item[] & {
  /** The number of the last page, if the service returns it. */
  lastPage: number | undefined;
  /** The number of all records, if the service returns it. */
  total: number | undefined;
  /** The service's own names of the first record's fields, which differ from version to version. */
  names: readonly string[];
};

/** Filters of a list of domains. */
export interface DomainQuery {
  search?: string | undefined;
}

/** Filters of a list of links. */
export interface LinkQuery {
  search?: string | undefined;
  search_by?: "title" | "alias" | "url" | undefined;
  status?: number | undefined;
  space_id?: number | undefined;
  domain_id?: number | undefined;
  pixel_id?: number | undefined;
}

/** Reads all pages of a list. Throws if the list changed meanwhile, because a page may then skip a record. */
export async function wholeList<Item>(noun: string, pages: AsyncGenerator<Page<Item>>): Promise<Item[]> {
  const all: Item[] = [];
  let total: number | undefined;
  for await (const page of pages) {
    all.push(...page);
    // After a deletion on an earlier page, a page skips a record, and the list is as long as the new count.
    if (total !== undefined && page.total !== total)
      throw new Error(
        `The list of ${noun} changed while it was read: the service counted ${total} and then ${page.total}. Run the command again.`,
      );
    total = page.total;
  }
  if (total === undefined || all.length === total) return all;
  throw new Error(
    `The service counts ${total} ${noun} and listed ${all.length} of them: the account changed meanwhile, or the list is ` +
      `incomplete. Run the command again.`,
  );
}
