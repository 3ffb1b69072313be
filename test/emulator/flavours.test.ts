import { afterEach, expect, test } from "vitest";
import { createEmulator, type Emulator, type Flavour } from "../../src/emulator/server";
import { send } from "../helpers/emulator";

// The effect of each switch, seen by a plain HTTP client. Switches that only change the format of records are
// tested through the real client in test/resource/properties.test.ts.

let emulator: Emulator;
afterEach(() => emulator.close());

/** Starts an emulator of a flavour. Its `call` sends a form or gets a path, and returns status and body. */
async function start(flavour: Flavour) {
  emulator = await createEmulator({ flavour });
  const call = async (method: string, path: string, form?: string) => {
    const { status, body } = await send(emulator, method, path, form === undefined ? {} : { form });
    return [status, body] as const;
  };
  return call;
}

const link = "url=https://example.com/&domain_id=1";
const data = (fields: object) => ({ data: fields }) as unknown;

test("a plan without API access returns 403 for the right key and 401 for another", async () => {
  const call = await start({ noApi: true });
  const message = "You don't have access to this feature.";
  expect(await call("GET", "/links")).toEqual([403, { message, status: 403 }]);
  const wrong = await send(emulator, "GET", "/links", { headers: { authorization: "Bearer x" } });
  expect(wrong.status).toBe(401);
});

test("a basic plan refuses a default value of a missing feature and accepts an empty one", async () => {
  const call = await start({ basicPlan: true });
  await call("POST", "/domains", "name=go.example");
  const text = ["You don't have access to this feature."];
  expect(await call("POST", "/links", `${link}&privacy=0`)).toEqual([
    422,
    { message: { privacy: text }, status: 422 },
  ]);
  expect(await call("POST", "/links", `${link}&alias=`)).toMatchObject([201, {}]);
});

test("old forms of domains: documented names are ignored, old names are accepted", async () => {
  const call = await start({ oldForms: true, oldNames: true });
  await call("POST", "/domains", "name=go.example&homepage_url=https://a.example/");
  expect(await call("GET", "/domains/1")).toMatchObject([200, data({ index_page: null })]);
  await call("PATCH", "/domains/1", "index_page=https://a.example/");
  expect(await call("GET", "/domains/1")).toMatchObject([200, data({ index_page: "https://a.example/" })]);
});

test("lenient pixels: unknown pixels are dropped if one is known, a scalar is refused", async () => {
  const call = await start({ lenientPixels: true });
  await call("POST", "/domains", "name=go.example");
  expect(await call("POST", "/links", `${link}&pixel_ids[]=1&pixel_ids[]=99&pixel_ids[]=1`)).toMatchObject([
    201,
    data({ pixels: [{ id: 1 }] }),
  ]);
  expect((await call("POST", "/links", `${link}&pixel_ids[]=99`))[0]).toBe(422);
  expect((await call("PATCH", "/links/1", "pixel_ids=7"))[0]).toBe(422);
});

test("titles: a store sets the title, and an update of the URL clears it", async () => {
  const call = await start({ titles: true });
  await call("POST", "/domains", "name=go.example");
  const title = "Title of https://example.com/";
  expect(await call("POST", "/links", link)).toMatchObject([201, data({ title })]);
  expect(await call("PATCH", "/links/1", "clicks_limit=1")).toMatchObject([200, data({ title })]);
  expect(await call("PATCH", "/links/1", "url=https://example.com/")).toMatchObject([
    200,
    data({ title: null }),
  ]);
});

test("racy stores: two simultaneous stores of one alias succeed, a third is refused", async () => {
  const call = await start({ racyStores: true });
  await call("POST", "/domains", "name=go.example");
  const both = await Promise.all([1, 2].map(() => call("POST", "/links", `${link}&alias=docs`)));
  expect(both.map(([status]) => status)).toEqual([201, 201]);
  expect((await call("POST", "/links", `${link}&alias=docs`))[0]).toBe(422);
});

test("lists behind a proxy: page links name the inner host and lose the status; per_page is text", async () => {
  const call = await start({ innerHost: true, metaAsText: true });
  await call("POST", "/domains", "name=go.example");
  for (let i = 0; i < 11; i++) await call("POST", "/links", link);
  const [, body] = await call("GET", "/links?status=1&per_page=10");
  const { links, meta } = body as { links: { next: string }; meta: { per_page: unknown } };
  expect(links.next).toBe("http://app.internal:8080/api/v1/links?per_page=10&page=2");
  expect(meta.per_page).toBe("10");
});

test("https only: a call is redirected to https", async () => {
  await start({ httpsOnly: true });
  const { status, headers } = await send(emulator, "POST", "/links", { form: link });
  expect([status, headers.get("location")]).toEqual([
    301,
    `${emulator.url.replace("http:", "https:")}/api/v1/links`,
  ]);
});

test("bodies of another content type are ignored with success", async () => {
  const call = await start({ ignoresOtherBodies: true });
  await call("POST", "/domains", "name=go.example");
  const headers = { "content-type": "multipart/form-data; boundary=x" };
  const { status, body } = await send(emulator, "PUT", "/domains/1", { form: "--x--", headers });
  expect([status, body]).toMatchObject([200, data({ name: "go.example" })]);
});

test("a shared domain and its foreign links are hidden, but their aliases are taken", async () => {
  const call = await start({ shared: { domain: "s.example", taken: ["docs"] } });
  for (const path of ["/domains/1", "/links/1"]) expect((await call("GET", path))[0]).toBe(404);
  for (const path of ["/domains", "/links"])
    expect(await call("GET", path)).toMatchObject([200, { data: [] }]);
  expect((await call("POST", "/links", `${link}&alias=Docs`))[0]).toBe(422);
  // The service validates before it checks the owner.
  expect((await call("PATCH", "/links/1", "clicks_limit=x"))[0]).toBe(422);
  expect((await call("PATCH", "/links/1", "clicks_limit=1"))[0]).toBe(404);
  expect((await call("DELETE", "/links/1"))[0]).toBe(404);
  expect(await call("POST", "/links", `${link}&alias=mine`)).toMatchObject([
    201,
    data({ short_url: "http://s.example/mine", domain: { user_id: 0 } }),
  ]);
});
