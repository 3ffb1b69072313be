import type { Form } from "./form";
import { collate, isOwn, type DomainRow, type LinkRow, type Store } from "./store";

const perPages = [10, 25, 50, 100];

/** One page of rows, with the service's links and metadata. */
export interface Page<Row> {
  rows: Row[];
  links: Record<string, string | null>;
  meta: Record<string, unknown>;
}

export function listDomains(query: Form, store: Store, url: string): Page<DomainRow> {
  const matches = search(query.search);
  const rows = [...store.domains.values()].filter((row) => isOwn(row) && matches(row.name));
  return page(order(rows, query, ["name"]), query, url, [
    "search",
    "search_by",
    "sort_by",
    "sort",
    "per_page",
  ]);
}

/** @param hidden Number of links to leave out, the oldest first. */
export function listLinks(query: Form, store: Store, url: string, hidden = 0): Page<LinkRow> {
  const searchBy = query.search_by === "alias" || query.search_by === "url" ? query.search_by : "title";
  const matches = search(query.search);
  const inStatus = statusFilter(query.status);
  const id = (value: unknown) =>
    typeof value === "string" && /^\d+$/.test(value) ? Number(value) : undefined;
  const spaceId = id(query.space_id);
  const domainId = id(query.domain_id);
  const pixelId = id(query.pixel_id);
  const rows = [...store.links.values()]
    .slice(hidden)
    .filter(
      (row) =>
        isOwn(row) &&
        matches(row[searchBy]) &&
        inStatus(row) &&
        (spaceId === undefined || (row.space_id ?? 0) === spaceId) &&
        (!domainId || row.domain_id === domainId) &&
        (!pixelId || row.pixel_ids.includes(pixelId)),
    );
  // The page links lose `status`, so a client that follows them gets another list: a defect of the service.
  const kept = ["search", "search_by", "domain_id", "space_id", "pixel_id", "sort_by", "sort", "per_page"];
  // `clicks`, the documented name, sorts by id; the renamed column `clicks_count` works.
  return page(order(rows, query, ["title", "alias", "url", "clicks_count"]), query, url, kept);
}

/** A substring search that ignores case and accents, with the database's wildcards % and _. */
function search(value: unknown): (text: string | null) => boolean {
  if (typeof value !== "string" || value === "0") return () => true;
  const pattern = collate(value)
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replaceAll("%", ".*")
    .replaceAll("_", ".");
  const expression = new RegExp(pattern, "su");
  return (text) => text !== null && expression.test(collate(text));
}

/** The conditions are the service's own, although they are inverted and contradictory. */
function statusFilter(status: unknown): (row: LinkRow) => boolean {
  const time = new Date().toISOString();
  const limitReached = (row: LinkRow) => !!row.clicks_limit && (row.clicks ?? 0) >= row.clicks_limit;
  const insidePeriod = (row: LinkRow) =>
    row.active_period_start_at !== null &&
    row.active_period_end_at !== null &&
    row.active_period_start_at <= time &&
    time <= row.active_period_end_at;
  if (status === "1") return (row) => !insidePeriod(row) && !limitReached(row);
  if (status === "2") return limitReached;
  return () => true;
}

function order<Row extends DomainRow | LinkRow>(rows: Row[], query: Form, columns: string[]): Row[] {
  const column = typeof query.sort_by === "string" && columns.includes(query.sort_by) ? query.sort_by : "id";
  const value = (row: Row) => {
    const cell =
      (row as unknown as Record<string, unknown>)[column === "clicks_count" ? "clicks" : column] ?? "";
    return typeof cell === "number" ? cell : collate(cell as string);
  };
  const sign = query.sort === "asc" ? 1 : -1;
  return rows.sort((a, b) => {
    const [left, right] = [value(a), value(b)];
    return sign * (left < right ? -1 : left > right ? 1 : a.id - b.id);
  });
}

function page<Row>(rows: Row[], query: Form, url: string, keptParameters: string[]): Page<Row> {
  const perPage = perPages.find((size) => String(size) === query.per_page) ?? 10;
  const current = typeof query.page === "string" && /^[1-9]\d*$/.test(query.page) ? Number(query.page) : 1;
  const last = Math.max(1, Math.ceil(rows.length / perPage));
  const start = (current - 1) * perPage;
  const shown = rows.slice(start, start + perPage);
  const pageUrl = (number: number) => {
    const parameters = new URLSearchParams();
    for (const name of keptParameters) if (typeof query[name] === "string") parameters.set(name, query[name]);
    parameters.set("page", String(number));
    return `${url}?${parameters.toString()}`;
  };
  const previous = current > 1 ? pageUrl(current - 1) : null;
  const next = current < last ? pageUrl(current + 1) : null;
  const numbered = Array.from({ length: last }, (_, i) => i + 1)
    .filter((number) => number <= 2 || number > last - 2 || Math.abs(number - current) <= 3)
    .flatMap((number, i, all) => (i > 0 && number - (all[i - 1] ?? 0) > 1 ? [undefined, number] : [number]));
  return {
    rows: shown,
    links: { first: pageUrl(1), last: pageUrl(last), prev: previous, next },
    meta: {
      current_page: current,
      from: shown.length ? start + 1 : null,
      last_page: last,
      links: [
        {
          url: previous,
          label: "&laquo; Previous",
          page: previous === null ? null : current - 1,
          active: false,
        },
        ...numbered.map((number) =>
          number === undefined
            ? { url: null, label: "...", page: null, active: false }
            : { url: pageUrl(number), label: String(number), page: number, active: number === current },
        ),
        { url: next, label: "Next &raquo;", page: next === null ? null : current + 1, active: false },
      ],
      path: url,
      per_page: perPage,
      to: shown.length ? start + shown.length : null,
      total: rows.length,
    },
  };
}
