import { describe, expect } from "vitest";
import type { Emulator } from "../../src/emulator/server";
import { send, test, visit } from "../helpers/emulator";

/** One domain `go.example` and one link `go.example/docs`, both with the id 1. */
async function fill(emulator: Emulator): Promise<void> {
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  await send(emulator, "POST", "/links", { form: "url=https://example.com/&domain_id=1&alias=docs" });
}

const pad = (object: object): unknown => expect.objectContaining(object);

describe("routes and responses", () => {
  test.for<[string, string, string | undefined, number, unknown]>([
    ["GET", "/domains", undefined, 200, pad({ data: [pad({ id: 1, name: "go.example" })], status: 200 })],
    ["GET", "/domains/1", undefined, 200, { data: pad({ id: 1, url: "http://go.example" }), status: 200 }],
    [
      "POST",
      "/domains",
      "name=docs.example",
      201,
      { data: pad({ id: 2, name: "docs.example" }), status: 200 },
    ],
    [
      "PUT",
      "/domains/1",
      "homepage_url=https://a.example/",
      200,
      { data: pad({ homepage_url: "https://a.example/" }), status: 200 },
    ],
    ["PATCH", "/domains/1", "name=other.example", 200, { data: pad({ name: "go.example" }), status: 200 }],
    ["DELETE", "/domains/1", undefined, 200, { id: 1, object: "domain", deleted: true, status: 200 }],
    ["GET", "/links", undefined, 200, pad({ data: [pad({ id: 1, alias: "docs" })], status: 200 })],
    [
      "GET",
      "/links/1",
      undefined,
      200,
      { data: pad({ id: 1, short_url: "http://go.example/docs", clicks: 0 }), status: 200 },
    ],
    [
      "POST",
      "/links",
      "url=https://example.com/&domain_id=1&alias=a",
      201,
      { data: pad({ id: 2, clicks: null }), status: 200 },
    ],
    [
      "PATCH",
      "/links/1",
      "url=https://b.example/&domain_id=9",
      200,
      { data: pad({ url: "https://b.example/" }), status: 200 },
    ],
    ["PUT", "/links/1", "", 200, { data: pad({ alias: "docs" }), status: 200 }],
    ["DELETE", "/links/1", undefined, 200, { id: 1, object: "link", deleted: true, status: 200 }],
    ["GET", "/links/9", undefined, 404, { message: "Resource not found.", status: 404 }],
    ["PATCH", "/links/9", "url=https://b.example/", 404, { message: "Resource not found.", status: 404 }],
    [
      "PATCH",
      "/links/9",
      "url=bad",
      422,
      { message: { url: ["The url must be a valid URL."] }, status: 422 },
    ],
    ["PATCH", "/links/9", "alias=a", 404, { message: "No query results for model [App\\Models\\Link] 9" }],
    [
      "POST",
      "/links",
      "url=https://example.com/",
      404,
      { message: "No query results for model [App\\Models\\Domain]." },
    ],
    ["DELETE", "/domains/9", undefined, 404, { message: "Resource not found.", status: 404 }],
    ["GET", "/nothing", undefined, 404, { message: "Resource not found.", status: 404 }],
    [
      "POST",
      "/nothing",
      "a=b",
      405,
      pad({ message: expect.stringContaining("The POST method is not supported") }),
    ],
    [
      "POST",
      "/links/1",
      "a=b",
      405,
      pad({ message: expect.stringContaining("Supported methods: GET, HEAD, PUT, PATCH, DELETE.") }),
    ],
    [
      "DELETE",
      "/links",
      undefined,
      405,
      pad({ message: expect.stringContaining("Supported methods: GET, HEAD, POST.") }),
    ],
    ["PATCH", "/links/1", "user_id=2", 403, { message: "This action is unauthorized." }],
    [
      "POST",
      "/domains",
      "name=x.example&user_id=2",
      422,
      pad({ message: { user_id: ["The user id field is prohibited."] } }),
    ],
    ["GET", "/status", undefined, 200, { message: "Online.", status: 200 }],
  ])("%s %s with %j returns %i", async ([method, path, form, status, body], { emulator }) => {
    await fill(emulator);
    const answer = await send(emulator, method, path, form === undefined ? {} : { form });
    expect([answer.status, answer.body]).toEqual([status, body]);
  });

  test("a 405 names the methods in its Allow header", async ({ emulator }) => {
    const { headers } = await send(emulator, "POST", "/links/1", { form: "a=b" });
    expect(headers.get("allow")).toBe("GET, HEAD, PUT, PATCH, DELETE");
  });

  test("deleting a domain deletes its links", async ({ emulator }) => {
    await fill(emulator);
    await send(emulator, "DELETE", "/domains/1");
    expect((await send(emulator, "GET", "/links/1")).status).toBe(404);
  });

  test("JSON escapes slashes and letters beyond ASCII", async ({ emulator }) => {
    await fill(emulator);
    const { text } = await send(emulator, "PATCH", "/links/1", { form: "alias=%C3%B6l" });
    expect(text).toContain('"short_url":"http:\\/\\/go.example\\/\\u00f6l"');
  });

  test("a write returns integers as the sent strings, a show returns integers", async ({ emulator }) => {
    await fill(emulator);
    const form = "privacy=1&clicks_limit=5&sensitive_content=0";
    const written = await send(emulator, "PATCH", "/links/1", { form });
    expect(written.body).toEqual({
      data: pad({ privacy: "1", clicks_limit: "5", sensitive_content: "0" }),
      status: 200,
    });
    const shown = await send(emulator, "GET", "/links/1");
    expect(shown.body).toEqual({
      data: pad({ privacy: 1, clicks_limit: 5, sensitive_content: 0 }),
      status: 200,
    });
  });

  test("a path with a trailing slash is redirected", async ({ emulator }) => {
    const { status, headers } = await send(emulator, "POST", "/links/", { form: "a=b" });
    expect([status, headers.get("location")]).toEqual([301, "/api/v1/links"]);
  });

  test("_method turns a POST into an update", async ({ emulator }) => {
    await fill(emulator);
    const { status } = await send(emulator, "POST", "/links/1", { form: "_method=PUT&alias=b" });
    expect(status).toBe(200);
  });

  test("an update that changes only pixels keeps updated_at", async ({ emulator }) => {
    await fill(emulator);
    const time = async () =>
      ((await send(emulator, "GET", "/links/1")).body as { data: { updated_at: string } }).data.updated_at;
    const before = await time();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await send(emulator, "PATCH", "/links/1", { form: "alias=docs&pixel_ids[]=1" });
    expect(await time()).toBe(before);
    await send(emulator, "PATCH", "/links/1", { form: "alias=other" });
    expect(await time()).not.toBe(before);
  });
});

describe("API key", () => {
  test.for<[string, Record<string, string>, number]>([
    ["no key", { authorization: "" }, 401],
    ["a wrong key", { authorization: "Bearer nope" }, 401],
    ["the key as Basic password", { authorization: `Basic ${btoa("x:emulator-key")}` }, 200],
    ["a wrong key without JSON Accept", { authorization: "Bearer nope", accept: "*/*" }, 302],
    [
      "a wrong key with JSON as the second type",
      { authorization: "Bearer nope", accept: "text/html, application/json" },
      302,
    ],
    ["the right key without JSON Accept", { accept: "*/*" }, 200],
  ])("%s", async ([, headers, status], { emulator }) => {
    expect((await send(emulator, "GET", "/links", { headers })).status).toBe(status);
  });

  test("a key in the query overrides the header", async ({ emulator }) => {
    expect((await send(emulator, "GET", "/links?api_token=nope")).status).toBe(401);
  });

  test("a 401 has no status in its body", async ({ emulator }) => {
    const { body } = await send(emulator, "GET", "/links", { headers: { authorization: "" } });
    expect(body).toEqual({ message: "Unauthenticated." });
  });
});

test.for(["/api/v2/links", "/api/links", "/api/v1x/links"])("%s returns 404", async (path, { emulator }) => {
  const response = await fetch(emulator.url + path, { headers: { authorization: "Bearer emulator-key" } });
  expect(response.status).toBe(404);
});

test("the key is checked before the form, and the id before database errors", async ({ emulator }) => {
  const wrong = { authorization: "Bearer nope", "content-type": "application/json" };
  expect((await send(emulator, "POST", "/links", { form: "{}", headers: wrong })).status).toBe(401);
  expect((await send(emulator, "GET", "/links?search=100%", { headers: wrong })).status).toBe(401);
  expect((await send(emulator, "PATCH", "/links/99", { form: "privacy=" })).status).toBe(404);
});

describe("forms", () => {
  test.for<[string, string, number]>([
    ["application/json", '{"url":"https://example.com/"}', 415],
    ["multipart/form-data; boundary=x", "--x--", 415],
    ["text/plain", "alias=b", 415],
    ["application/x-www-form-urlencoded; charset=UTF-8", "alias=b", 200],
  ])("the status of a body depends on its content type: %s", async ([type, form, status], { emulator }) => {
    await fill(emulator);
    const answer = await send(emulator, "PATCH", "/links/1", { form, headers: { "content-type": type } });
    expect(answer.status).toBe(status);
  });

  test.for<[string, string]>([
    ["targets[][key]=DE&targets[][value]=https://a.example/", "[] before another bracket"],
    ["alias=%zz", "a % is not followed by two hexadecimal digits"],
    ["alias=%00", "NUL"],
    ["alias=%ff", "not UTF-8"],
    [Array.from({ length: 1001 }, (_, i) => `f${i}=1`).join("&"), "Parameter limit exceeded"],
  ])("the form %s is refused", async ([form, text], { emulator }) => {
    await fill(emulator);
    const { status, body } = await send(emulator, "PATCH", "/links/1", { form });
    expect(status).toBe(422);
    expect(JSON.stringify(body)).toContain(text);
  });

  test("brackets in a value have no special meaning", async ({ emulator }) => {
    await fill(emulator);
    expect((await send(emulator, "PATCH", "/links/1", { form: "password=[][a]" })).status).toBe(200);
  });

  test("texts except passwords are trimmed, and empty texts become null", async ({ emulator }) => {
    await fill(emulator);
    const form = "alias=+spaced+&expiration_url=+&redirect_password=+";
    const { body } = await send(emulator, "PATCH", "/links/1", { form });
    expect(body).toEqual({
      data: pad({ alias: "spaced", expiration_url: null, redirect_password: true }),
      status: 200,
    });
  });
});

describe("rules of a link", () => {
  const start = "active_period_start_at";
  const end = "active_period_end_at";
  // The expected field of a 422, or the status 200 or 500.
  test.for<[string, string | number]>([
    ["url=", "url"],
    ["url=mailto:a@b.example", "url"],
    ["url=//example.com/", "url"],
    ["url=example.com", "url"],
    ["url=myapp://open", "url"],
    ["url=ftp://example.com/", 200],
    ["url=https://example.com/a b", "url"],
    ["url=https://example.com/{a}", "url"],
    ["url=https://example.com/?a[]=1", 200],
    ["url=http://localhost:3000/_x", 200],
    [`url=https://example.com/${"a".repeat(2028)}`, 200],
    [`url=https://example.com/${"a".repeat(2029)}`, "url"],
    ["alias=a.b", "alias"],
    ["alias=a/b", "alias"],
    ["alias=%C3%A4-_9", 200],
    ["alias=OTHER", "alias"],
    ["alias=%C3%B3ther", "alias"],
    ["alias=DOCS", 200],
    ["alias=", 200],
    [`alias=${"a".repeat(256)}`, "alias"],
    ["space_id=3", 200],
    ["space_id=4", "space_id"],
    ["space_id=x", "space_id"],
    ["space_id=", 200],
    ["pixel_ids[]=1&pixel_ids[]=2", 200],
    ["pixel_ids[]=1&pixel_ids[]=1", "pixel_ids"],
    ["pixel_ids[]=9", "pixel_ids"],
    ["pixel_ids[]=", 200],
    ["pixel_ids=", 500],
    ["pixel_ids=1", 500],
    [`redirect_password=${"a".repeat(129)}`, "redirect_password"],
    ["sensitive_content=true", "sensitive_content"],
    ["sensitive_content=1", 200],
    ["privacy=3", "privacy"],
    ["privacy=", 500],
    ["privacy=2&password=", "password"],
    ["privacy=1&password=", 200],
    ["password=", 200],
    ["clicks_limit=-1", "clicks_limit"],
    ["clicks_limit=01", "clicks_limit"],
    ["clicks_limit=1000000000", "clicks_limit"],
    ["clicks_limit=999999999", 200],
    [`${start}=2026-03-01T08:00:00&${end}=2026-03-02T08:00:00`, 200],
    [`${start}=2026-03-01T08:00:00Z&${end}=2026-03-02T08:00:00`, start],
    [`${start}=2026-02-30T08:00:00&${end}=2026-03-02T08:00:00`, start],
    [`${start}=2026-03-02T08:00:00&${end}=2026-03-02T08:00:00`, end],
    [`${start}=2026-03-02T08:00:00&${end}=`, end],
    [`${start}=2026-03-02T08:00:00`, 200],
    [`${start}=2040-03-01T08:00:00&${end}=2040-03-02T08:00:00`, 500],
    ["expiration_url=nope", "expiration_url"],
    ["targets_type=planets", "targets_type"],
    ["targets_type=devices&targets[0][key]=desktop&targets[0][value]=https://a.example/", 200],
    ["targets_type=devices&targets[0][key]=Desktop&targets[0][value]=https://a.example/", "targets.0.key"],
    ["targets_type=browsers&targets[0][key]=Maxtho&targets[0][value]=https://a.example/", 200],
    ["targets_type=browsers&targets[0][key]=Maxthon&targets[0][value]=https://a.example/", "targets.0.key"],
    ["targets_type=countries&targets[0][key]=DE", "targets.0.value"],
    ["targets_type=countries&targets[0][value]=https://a.example/", "targets.0.key"],
    ["targets_type=countries&targets[0][key]=DE&targets[0][value]=nope", "targets.0.value"],
    ["targets_type=rotations&targets[0][value]=https://a.example/", 200],
    ["targets[0][key]=unchecked&targets[0][value]=https://a.example/", 200],
    ["targets[]=", 200],
    ["targets_type=countries&targets[0]=x", "targets.0"],
    ["privacy=&url=bad", "url"],
    [`${start}=2040-03-01T08:00:00&${end}=2040-03-02T08:00:00&url=bad`, "url"],
    ["targets=x", "targets"],
    ["targets=", 200],
  ])("an update with %s gives the status or invalid field %s", async ([form, expected], { emulator }) => {
    await fill(emulator);
    await send(emulator, "POST", "/links", { form: "url=https://example.com/&domain_id=1&alias=other" });
    const { status, body } = await send(emulator, "PATCH", "/links/1", { form });
    if (typeof expected === "number") expect(status).toBe(expected);
    else expect([status, Object.keys((body as { message: object }).message)]).toEqual([422, [expected]]);
  });

  test("a store with only the start of an active period is refused", async ({ emulator }) => {
    await fill(emulator);
    const form = `url=https://example.com/&domain_id=1&${start}=2026-03-01T08:00:00`;
    const { body } = await send(emulator, "POST", "/links", { form });
    expect(body).toMatchObject({ message: { [end]: [expect.any(String)] } });
  });

  test("a store with an empty pixel_ids creates the link and returns 500", async ({ emulator }) => {
    await fill(emulator);
    const { status } = await send(emulator, "POST", "/links", {
      form: "url=https://example.com/&domain_id=1&pixel_ids=",
    });
    expect([status, (await send(emulator, "GET", "/links/2")).status]).toEqual([500, 200]);
  });

  test("a link without an alias, or with alias 0, gets six letters and digits", async ({ emulator }) => {
    await fill(emulator);
    for (const alias of ["", "&alias=", "&alias=0"]) {
      const { body } = await send(emulator, "POST", "/links", {
        form: `url=https://example.com/&domain_id=1${alias}`,
      });
      expect((body as { data: { alias: string } }).data.alias).toMatch(/^[A-Za-z0-9]{6}$/);
    }
  });

  test("the same alias is free on another domain", async ({ emulator }) => {
    await fill(emulator);
    await send(emulator, "POST", "/domains", { form: "name=b.example" });
    const { status } = await send(emulator, "POST", "/links", {
      form: "url=https://example.com/&domain_id=2&alias=docs",
    });
    expect(status).toBe(201);
  });

  test("cleared targets are an empty list, targets never set are null, keys of rotations are dropped", async ({
    emulator,
  }) => {
    await fill(emulator);
    const targets = async (form?: string) => {
      const { body } =
        form === undefined
          ? await send(emulator, "GET", "/links/1")
          : await send(emulator, "PATCH", "/links/1", { form });
      return (body as { data: { targets: unknown } }).data.targets;
    };
    expect(await targets()).toBeNull();
    expect(
      await targets("targets_type=rotations&targets[0][key]=a&targets[0][value]=https://a.example/"),
    ).toEqual([{ value: "https://a.example/" }]);
    expect(await targets("targets=")).toEqual([]);
  });
});

describe("rules of a domain", () => {
  test.for<[string, string | number]>([
    ["name=HTTPS://New.Example", 201],
    ["name=203.0.113.7", 201],
    ["name=go.example", "name"],
    ["name=", "name"],
    ["name=nodot", "name"],
    ["name=a.example/", "name"],
    ["name=a.example:8080", "name"],
    ["name=b%C3%BCcher.example", 201],
    ["name=a.b%C3%BCcher", "name"],
    ["name=new.example&homepage_url=nope", "homepage_url"],
    [`name=new.example&not_found_url=https://example.com/${"a".repeat(240)}`, "not_found_url"],
    ["name=new.example&homepage_url=", 201],
  ])("a store with %s gives the status or invalid field %s", async ([form, expected], { emulator }) => {
    await fill(emulator);
    const { status, body } = await send(emulator, "POST", "/domains", { form });
    if (typeof expected === "number") expect(status).toBe(expected);
    else expect([status, Object.keys((body as { message: object }).message)]).toEqual([422, [expected]]);
  });
});

describe("lists", () => {
  interface List {
    data: { id: number; alias: string }[];
    links: Record<string, string | null>;
    meta: Record<string, unknown> & { links: { label: string }[] };
  }
  async function list(emulator: Emulator, query: string): Promise<List> {
    return (await send(emulator, "GET", `/links?${query}`)).body as List;
  }
  async function fillMany(emulator: Emulator): Promise<void> {
    await send(emulator, "POST", "/domains", { form: "name=go.example" });
    await send(emulator, "POST", "/domains", { form: "name=docs.example" });
    for (let i = 1; i <= 12; i++) {
      const space = i % 3 === 0 ? "&space_id=1" : "";
      const pixel = i === 5 ? "&pixel_ids[]=2" : "";
      const form = `url=https://example.com/${i}&domain_id=${i > 10 ? 2 : 1}&alias=%C3%84lias-${i}${space}${pixel}`;
      await send(emulator, "POST", "/links", { form });
    }
  }

  test.for<[string, number[]]>([
    ["", [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]],
    ["page=2", [2, 1]],
    ["page=9", []],
    ["page=0&sort=asc", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ["per_page=1000&sort=asc", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ["per_page=25&domain_id=2", [12, 11]],
    ["per_page=25&domain_id=0", [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]],
    ["space_id=1", [12, 9, 6, 3]],
    ["space_id=0&sort=asc&per_page=10", [1, 2, 4, 5, 7, 8, 10, 11]],
    ["pixel_id=2", [5]],
    ["search=alias-1&search_by=alias", [12, 11, 10, 1]],
    ["search=alias_1%25&search_by=alias", [12, 11, 10, 1]],
    ["search=example.com/7&search_by=url", [7]],
    ["search=anything", []],
    ["search=0", [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]],
    ["sort_by=alias&sort=asc", [1, 10, 11, 12, 2, 3, 4, 5, 6, 7]],
    ["sort_by=nothing&sort=sideways", [12, 11, 10, 9, 8, 7, 6, 5, 4, 3]],
  ])("?%s lists the links %j", async ([query, ids], { emulator }) => {
    await fillMany(emulator);
    expect((await list(emulator, query)).data.map(({ id }) => id)).toEqual(ids);
  });

  test("page links keep the filters except status", async ({ emulator }) => {
    await fillMany(emulator);
    const { links, meta } = await list(emulator, "status=1&domain_id=1&per_page=10&search=&page=1");
    const url = `${emulator.url}/api/v1/links`;
    expect(links).toEqual({
      first: `${url}?domain_id=1&per_page=10&page=1`,
      last: `${url}?domain_id=1&per_page=10&page=1`,
      prev: null,
      next: null,
    });
    expect(meta).toMatchObject({
      current_page: 1,
      from: 1,
      last_page: 1,
      path: url,
      per_page: 10,
      to: 10,
      total: 10,
    });
    expect(meta.links.map(({ label }) => label)).toEqual(["&laquo; Previous", "1", "Next &raquo;"]);
  });

  test("a page past the end has no from, to and next", async ({ emulator }) => {
    await fillMany(emulator);
    const { links, meta } = await list(emulator, "page=9");
    expect(meta).toMatchObject({ from: null, to: null, current_page: 9, last_page: 2 });
    expect(links).toMatchObject({ next: null, prev: `${emulator.url}/api/v1/links?page=8` });
  });

  test("the status filter reproduces the service's defects", async ({ emulator }) => {
    await send(emulator, "POST", "/domains", { form: "name=go.example" });
    const year = new Date().getFullYear();
    const period = (from: number, to: number) =>
      `active_period_start_at=${year + from}-01-01T00:00:00&active_period_end_at=${year + to}-01-01T00:00:00`;
    for (const [alias, more] of [
      ["plain", ""],
      ["inside", period(-1, 1)],
      ["ended", period(-2, -1)],
      ["full", "clicks_limit=1"],
    ]) {
      await send(emulator, "POST", "/links", {
        form: `url=https://example.com/&domain_id=1&alias=${alias}&${more}`,
      });
    }
    await visit(emulator, "http://go.example/full");
    const aliases = async (status: number) =>
      (await list(emulator, `sort=asc&status=${status}`)).data.map(({ alias }) => alias);
    expect(await aliases(0)).toEqual(["plain", "inside", "ended", "full"]);
    // A link inside its period is neither active nor expired, and a past end does not expire a link.
    expect(await aliases(1)).toEqual(["plain", "ended"]);
    expect(await aliases(2)).toEqual(["full"]);
    expect(await aliases(3)).toEqual(["plain", "inside", "ended", "full"]);
  });
});
