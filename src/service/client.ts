import type { z } from "zod";
import type { Row } from "../fields/row";
import { linkFields } from "../link/fields";
import { systemClock, type Clock } from "./clock";
import { defaultDeadlines, type ClientOptions, type Connection, type Deadlines } from "./client-options";
import {
  AnswerError,
  isLost,
  isNotFound,
  isUnheard,
  UnwantedError,
  type Call,
  type ServiceError,
} from "./errors";
import { failureOf, noAnswer, refused } from "./failures";
import { encodeForm, encodeQuery, type FormFields } from "./form";
import { exchange, parallelCalls, type Headers } from "./http";
import type { DomainQuery, LinkQuery, Page } from "./lists";
import { Pacer } from "./pacer";
import {
  deleteAnswer,
  domainRecord,
  linkRecord,
  listAnswer,
  unwrap,
  type DomainRecord,
  type LinkRecord,
} from "./records";
import { decide } from "./retry";
import type { Trace } from "./trace";

export type { DomainQuery, LinkQuery, Page } from "./lists";
export type { DomainRecord, LinkRecord } from "./records";

/** The names of passwords in forms. */
const secretWires = Object.values<Row>(linkFields).flatMap(({ secret, wire }) =>
  secret && wire ? [wire] : [],
);

const pacers = new Map<string, Pacer>();

/** The service's interface, one method per endpoint. Every method throws a `ServiceError` when it fails. */
export class Client {
  readonly #connection: Connection;
  readonly #deadlines: Deadlines;

  readonly #tell: (text: string) => void;
  readonly #trace: Trace | undefined;
  readonly #assertWanted: () => void;
  readonly #pacer: Pacer;
  readonly #clock: Clock;
  /** Milliseconds by which the service's clock is ahead of ours, from its last answer; before the first one, a minute behind. */
  #ahead = -60_000;
  #writes = 0;
  #toldUntil = -Infinity;
  /** True once the service itself has answered. */
  #isHeard = false;

  constructor(connection: Connection, options: ClientOptions = {}) {
    const { deadlines = defaultDeadlines, tell = () => undefined, window } = options;
    this.#clock = options.clock ?? systemClock;
    this.#assertWanted = options.assertWanted ?? (() => undefined);
    this.#connection = connection;
    this.#deadlines = deadlines;
    this.#tell = tell;
    this.#trace = options.trace;
    const account = JSON.stringify([connection.baseUrl, connection.apiKey]);
    this.#pacer = pacers.get(account) ?? new Pacer(parallelCalls, window, tell, options.progress);
    pacers.set(account, this.#pacer);
  }

  /** Number of calls so far that may have changed something. */
  get writes(): number {
    return this.#writes;
  }

  /** The cost of `requests`: the rate limit from the service's last answer, and the milliseconds to wait for it. */
  costOf(requests: number): { limit: number; wait: number } | undefined {
    const { limit } = this.#pacer;
    return limit === Infinity ? undefined : { limit, wait: this.#pacer.waitFor(requests) };
  }

  /** Milliseconds by which the service's clock is ahead of ours, precise to a second. */
  get ahead(): number {
    return this.#ahead;
  }

  /** A time of our clock on the service's clock. It may be up to a second early, or a minute before the first answer. */
  serviceTime(time: number): number {
    return time + this.#ahead;
  }

  /** All domains of the account, a page at a time. */
  listDomains(query: DomainQuery = {}): AsyncGenerator<Page<DomainRecord>> {
    return this.#list("domain", "/domains", { ...query }, domainRecord);
  }

  async showDomain(id: number): Promise<DomainRecord> {
    return this.#record(domainRecord, `show domain ${id}`, "GET", `/domains/${id}`);
  }

  async storeDomain(fields: FormFields): Promise<DomainRecord> {
    return this.#record(
      domainRecord,
      `store domain ${JSON.stringify(fields.name)}`,
      "POST",
      "/domains",
      fields,
      this.#deadlines.domain,
    );
  }

  /** Changes the given fields only. */
  async updateDomain(id: number, fields: FormFields): Promise<DomainRecord> {
    return this.#record(domainRecord, `update domain ${id}`, "PATCH", `/domains/${id}`, fields);
  }

  /** Deletes the domain *and every link on it*. */
  deleteDomain(id: number): Promise<void> {
    return this.#delete("domain", id, `/domains/${id}`, this.#deadlines.domain);
  }

  /** All links that match, a page at a time. */
  listLinks(query: LinkQuery = {}): AsyncGenerator<Page<LinkRecord>> {
    return this.#list("link", "/links", { ...query }, linkRecord);
  }

  /** A page of the links that match. Other pages may repeat its rows. */
  pageOfLinks(query: LinkQuery, page: number): Promise<Page<LinkRecord>> {
    return this.#page("link", "/links", { ...query }, linkRecord, page);
  }

  async showLink(id: number): Promise<LinkRecord> {
    return this.#record(linkRecord, `show link ${id}`, "GET", `/links/${id}`);
  }

  async storeLink(fields: FormFields): Promise<LinkRecord> {
    return this.#record(
      linkRecord,
      // A destination may hold a token in its query.
      fields.alias === undefined
        ? `store link on domain ${JSON.stringify(fields.domain_id)}`
        : `store link ${JSON.stringify(fields.alias)}`,
      "POST",
      "/links",
      fields,
    );
  }

  /** Changes the given fields only. */
  async updateLink(id: number, fields: FormFields): Promise<LinkRecord> {
    return this.#record(linkRecord, `update link ${id}`, "PATCH", `/links/${id}`, fields);
  }

  deleteLink(id: number): Promise<void> {
    return this.#delete("link", id, `/links/${id}`, this.#deadlines.write);
  }

  /** A proxy may answer anything with success. Unless the answer is the service's own, the client checks that the record is gone. */
  async #delete(noun: string, id: number, path: string, deadline: number): Promise<void> {
    const call = { operation: `delete ${noun} ${id}`, method: "DELETE", path };
    const answer = deleteAnswer.safeParse(await this.#sendUntilAnswered(call, { deadline }));
    if (answer.success && answer.data.id === id) return;
    const look = { operation: `show ${noun} ${id}`, method: "GET", path };
    try {
      await this.#sendUntilAnswered(look, { deadline: this.#deadlines.read });
    } catch (error) {
      if (isNotFound(error)) return;
      throw error;
    }
    throw new AnswerError(
      call,
      "something other than the service answered with success, and nothing was deleted",
    );
  }

  async #record<Item extends { id: number }>(
    schema: z.ZodType<Item>,
    operation: string,
    method: string,
    path: string,
    form?: FormFields,
    deadline = form ? this.#deadlines.write : this.#deadlines.read,
  ): Promise<Item> {
    const call = { operation, method, path };
    const body = await this.#sendUntilAnswered(call, { form, deadline });
    const record = parseAnswer(call, schema, unwrap(body));
    if (method === "POST" || path.endsWith(`/${record.id}`)) return record;
    throw new AnswerError(call, `the service answered with the record ${record.id}${carriedOut(call)}`);
  }

  /**
   * Builds the page URLs itself: those in the answers lose the status filter and may name an internal host. The order by id keeps
   * rows from moving between pages. A row that appears twice is returned once.
   */
  async *#list<Item extends { id: number }>(
    noun: string,
    path: string,
    query: { [name: string]: string | number | undefined },
    schema: z.ZodType<Item>,
  ): AsyncGenerator<Page<Item>> {
    const seen = new Set<number>();
    for (let page = 1, lastPage = Infinity; page <= lastPage; page++) {
      const all = await this.#page(noun, path, query, schema, page);
      const records = all.filter(({ id }) => !seen.has(id));
      // Some answers do not count the pages: a page without new rows is past the last.
      if (records.length === 0) return;
      for (const { id } of records) seen.add(id);
      yield Object.assign(records, { lastPage: all.lastPage, total: all.total, names: all.names });
      lastPage = all.lastPage ?? Infinity;
    }
  }

  async #page<Item>(
    noun: string,
    path: string,
    query: { [name: string]: string | number | undefined },
    schema: z.ZodType<Item>,
    page: number,
  ): Promise<Page<Item>> {
    const call = { operation: `list ${noun}s, page ${page}`, method: "GET", path };
    const parameters = { ...query, sort_by: "id", sort: "asc", per_page: 100, page };
    const body = await this.#sendUntilAnswered(call, { query: parameters, deadline: this.#deadlines.read });
    const { data, meta } = parseAnswer(call, listAnswer, body);
    const records = data.map((item) => parseAnswer(call, schema, item));
    return Object.assign(records, {
      lastPage: meta?.last_page ?? undefined,
      total: meta?.total ?? undefined,
      names: Object.keys(Object(data[0]) as object),
    });
  }

  /**
   * Sends a call, and retries it if that is safe and may help, until it succeeds or the retries end. Returns the decoded body of a
   * 2xx answer.
   */
  async #sendUntilAnswered(call: Call, options: SendOptions): Promise<unknown> {
    if (call.method !== "GET") this.#writes++;
    let begin = Infinity;
    let lost: unknown;
    for (let attempt = 1; ; attempt++) {
      try {
        // A wait for its turn does not count towards the time for retries.
        return await this.#attempt(call, options, () => (begin = Math.min(begin, this.#clock.now())));
      } catch (error) {
        if (isLost(error)) lost = error;
        const failure = failureOf(error);
        const elapsed = this.#clock.now() - begin;
        const decision = failure && decide(call.method, failure, attempt, elapsed, Math.random());
        // A later attempt that the service did not process does not resolve the doubt of a lost response.
        if (decision?.action !== "wait") throw lost !== undefined && isUnheard(error) ? lost : error;
        this.#tellOfWait(error as ServiceError, decision.milliseconds);
        this.#trace?.retry(error as ServiceError, decision.milliseconds, attempt + 1);
        await this.#clock.sleep(decision.milliseconds);
      }
    }
  }

  /** Calls that were sent together fail and wait together, so one line is enough. */
  #tellOfWait({ message }: ServiceError, milliseconds: number): void {
    const seconds = Math.round(milliseconds / 1000);
    const end = this.#clock.now() + milliseconds;
    if (seconds <= 3 || end < this.#toldUntil) return;
    this.#toldUntil = end + 3000;
    this.#tell(`${message}. Trying again in ${seconds} s.`);
  }

  async #attempt(
    { operation, method, path: shortPath }: Call,
    { form, query, deadline }: SendOptions,
    onSend: () => void,
  ): Promise<unknown> {
    const { baseUrl, apiKey, proxy } = this.#connection;
    const path = `/api/v1${shortPath}`;
    const call = { operation, method, path };
    const request = {
      url: new URL(`${baseUrl}${path}${query ? `?${encodeQuery(query)}` : ""}`),
      method,
      headers: {
        // Without it the service answers a wrong key with a redirect to a login page.
        accept: "application/json",
        authorization: `Bearer ${apiKey}`,
        ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
      },
      body: form ? await encodeForm(form) : null,
    };
    let status: number, headers: Headers, text: string;
    const queued = this.#clock.now();
    const send = async (isLimited: boolean) => {
      this.#assertWanted();
      onSend();
      const sent = this.#clock.now();
      const trace = (outcome: string) =>
        this.#trace?.attempt({
          ...{ method, path, outcome, isLimited },
          took: this.#clock.now() - sent,
          waited: sent - queued,
        });
      try {
        const answer = await exchange(request, deadline, proxy !== undefined);
        trace(String(answer.status));
        return answer;
      } catch (error) {
        const { code, name } = error as NodeJS.ErrnoException;
        trace(typeof code === "string" ? code : name);
        throw error;
      }
    };
    try {
      ({ status, headers, text } = await this.#pacer.run(send));
    } catch (error) {
      if (error instanceof UnwantedError) throw error;
      throw noAnswer(call, error, { baseUrl, proxy, deadline });
    }
    this.#ahead = (Date.parse(String(headers.date)) || Date.now()) - Date.now();
    if (status >= 200 && status < 300) {
      if (text === "") return undefined;
      try {
        const body: unknown = JSON.parse(text);
        this.#isHeard = true;
        return body;
      } catch (cause) {
        // If only HTML pages have come so far, the service was not reached, and nothing was carried out.
        const done = this.#isHeard ? carriedOut(call) : "";
        const problem =
          `the service at ${baseUrl} answered ${status} without JSON (maybe a login or proxy page: check shortlink:baseUrl)` +
          done;
        throw new AnswerError(call, problem, { status, cause });
      }
    }
    const secrets = [apiKey, ...secretWires.map((name) => form?.[name])];
    throw refused(call, { status, text, headers }, baseUrl, secrets);
  }
}

interface SendOptions {
  deadline: number;
  form?: FormFields | undefined;
  query?: { [name: string]: string | number | undefined };
}

function parseAnswer<Value>(call: Call, schema: z.ZodType<Value>, body: unknown): Value {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue && issue.path.length > 0 ? ` (at ${issue.path.join(".")})` : "";
  const problem = `the answer of the service is not the requested record${where}${carriedOut(call)}`;
  throw new AnswerError(call, problem);
}

/** An unreadable answer to a write still had a status of success. */
function carriedOut({ method }: Call): string {
  return method === "GET" ? "" : "; it was probably carried out";
}
