// What the lists of the service take and give (interface document, list parameters).

/** The records of a page of a list; the number of the last page, and of all records, where the service tells it. */
export type Page<Item> = Item[] & { lastPage: number | undefined; total: number | undefined };

/** Filters and order of a list of domains. */
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
