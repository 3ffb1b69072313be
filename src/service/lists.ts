// What the lists of the service take and give (interface document, list parameters).

/** The records of a page of a list. */
export type Page<Item> = Item[] & {
  /** The number of the last page, where the service tells it. */
  lastPage: number | undefined;
  /** The number of all records, where the service tells it. */
  total: number | undefined;
  /** The service's own names of the fields of the first record, which differ from version to version. */
  names: readonly string[];
};

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
