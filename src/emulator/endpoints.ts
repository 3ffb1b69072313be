import { setTimeout } from "node:timers/promises";
import { json, notFound, Refusal, type Result } from "./answers";
import { flavourDomain, flavourLink, gatedFields, invalidBody, toStored, type Flavour } from "./flavour";
import type { Form } from "./form";
import { listDomains, listLinks, type Page } from "./list";
import { domainRecord, linkRecord } from "./records";
import { checkDomain, checkLinkUpdate, checkNewLink, DatabaseError, newLink, type Problems } from "./rules";
import { isOwn, type DomainRow, type LinkRow, type Store } from "./store";

// The endpoints of the API. The server has already checked the key, the limits and the form.

/** A checked request to an endpoint. */
export interface Call {
  store: Store;
  flavour: Flavour;
  host: string;
  origin: string;
  query: Form;
  form: Form;
}

/** The status in the body is 200 even if the HTTP status is 201. */
function data(status: 200 | 201, record: Record<string, unknown>): Result {
  return json(status, { data: record, status: 200 });
}

function listed<Row>(
  { rows, links, meta }: Page<Row>,
  { metaAsText }: Flavour,
  toRecord: (row: Row) => Record<string, unknown>,
): Result {
  const shown = metaAsText ? { ...meta, per_page: String(meta.per_page) } : meta;
  return json(200, { data: rows.map(toRecord), links, meta: shown, status: 200 });
}

function deleted(id: number, object: "domain" | "link"): Result {
  return json(200, { id, object, deleted: true, status: 200 });
}

function refuse(problems: Problems, flavour: Flavour): void {
  if (Object.keys(problems).length === 0) return;
  throw new Refusal(422, invalidBody(problems, flavour), {}, true);
}

function refuseOwner(form: Form): void {
  if ("user_id" in form) throw new Refusal(403, { message: "This action is unauthorized." });
}

const showDomain = ({ origin, flavour }: Call, row: DomainRow) =>
  flavourDomain(domainRecord(row, origin), flavour);

/** The form with the newest names of its fields. */
function domainForm({ form, flavour }: Call): Form {
  if (!flavour.oldForms) return form;
  const { homepage_url: _unknown, not_found_url: _alsoUnknown, index_page, not_found_page, ...rest } = form;
  return {
    ...rest,
    ...(index_page === undefined ? {} : { homepage_url: index_page }),
    ...(not_found_page === undefined ? {} : { not_found_url: not_found_page }),
  };
}

export const domains = {
  list: (call: Call, url: string) =>
    listed(listDomains(call.query, call.store, url), call.flavour, (row) => showDomain(call, row)),
  async store(call: Call) {
    const { store, host, flavour } = call;
    const { problems, values } = checkDomain(domainForm(call), store, host, true);
    if (flavour.unresolved?.some((name) => name === values.name)) {
      problems.name = [
        "The DNS records of the domain do not point to the server. That can take up to 24 hours.",
      ];
    }
    refuse(problems, flavour);
    if (flavour.racyStores) await setTimeout(50);
    const row = store.addDomain({ name: "", homepage_url: null, not_found_url: null, ...values });
    return data(201, showDomain(call, row));
  },
  show: (call: Call, id: number) => data(200, showDomain(call, found(call.store.domains, id))),
  update(call: Call, id: number) {
    const { store, form, host, flavour } = call;
    refuseOwner(form);
    const { problems, values } = checkDomain(domainForm(call), store, host, false);
    refuse(problems, flavour);
    const row = found(store.domains, id);
    store.updateDomain(row, values);
    return data(200, showDomain(call, row));
  },
  delete({ store }: Call, id: number) {
    store.deleteDomain(found(store.domains, id));
    return deleted(id, "domain");
  },
};

const showLink = ({ store, origin, flavour }: Call, row: LinkRow) =>
  flavourLink(linkRecord(row, store, origin), flavour);

export const links = {
  list: (call: Call, url: string) =>
    listed(listLinks(call.query, call.store, url, call.flavour.hiddenLinks), call.flavour, (row) =>
      showLink(call, row),
    ),
  async store({ store, form, origin, flavour }: Call) {
    const domain =
      typeof form.domain_id === "string" ? store.domains.get(parseInt(form.domain_id, 10)) : undefined;
    if (!domain) throw new Refusal(404, { message: "No query results for model [App\\Models\\Domain]." });
    const { problems, values, refusedByDatabase } = checkNewLink(form, store, domain.id, flavour);
    refuse({ ...problems, ...gatedFields(form, flavour) }, flavour);
    if (form.multiple_links) throw notFound();
    if (refusedByDatabase) throw new DatabaseError(refusedByDatabase);
    if (flavour.racyStores) await setTimeout(50);
    if (flavour.titles) values.title = `Title of ${values.url}`;
    const row = store.addLink(
      newLink(toStored(values, flavour), domain.id, values.alias ?? freeAlias(store)),
    );
    // The service refuses an empty scalar only when it attaches the pixels, after it has written the row.
    if (form.pixel_ids === null) throw new DatabaseError("pixel_ids is not an array");
    const record = { ...linkRecord(row, store, origin, form), clicks: null, last_rotation: null };
    return data(201, flavourLink(record, flavour, form));
  },
  show: (call: Call, id: number) => data(200, showLink(call, found(call.store.links, id))),
  update({ store, form, origin, flavour }: Call, id: number) {
    refuseOwner(form);
    const current = [store.links.get(id)].find((row) => row && isOwn(row));
    if (!current && "alias" in form) {
      throw new Refusal(404, { message: `No query results for model [App\\Models\\Link] ${id}` });
    }
    const { problems, values, refusedByDatabase } = checkLinkUpdate(form, store, current, flavour);
    refuse({ ...problems, ...gatedFields(form, flavour) }, flavour);
    const row = found(store.links, id);
    if (refusedByDatabase) throw new DatabaseError(refusedByDatabase);
    if (flavour.titles && "url" in values) values.title = null;
    store.updateLink(row, toStored(values, flavour));
    return data(200, flavourLink(linkRecord(row, store, origin, form), flavour));
  },
  delete({ store }: Call, id: number) {
    store.deleteLink(found(store.links, id));
    return deleted(id, "link");
  },
};

function found<Row extends DomainRow | LinkRow>(rows: ReadonlyMap<number, Row>, id: number): Row {
  const row = rows.get(id);
  if (!row || !isOwn(row)) throw notFound();
  return row;
}

/** Six letters and digits of mixed case; one longer after each collision. */
function freeAlias(store: Store): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const taken = (alias: string) => [...store.domains.keys()].some((id) => store.findLink(id, alias));
  for (let length = 6; ; length++) {
    const alias = Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join("");
    if (!taken(alias)) return alias;
  }
}
