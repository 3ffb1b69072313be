import { expect, test } from "vitest";
import { encodeForm, encodeQuery, type FormFields } from "../../src/service/form";

test.each<[string, FormFields, string]>([
  ["nothing", {}, ""],
  ["a text", { url: "https://example.com/a?b=c&d=e" }, "url=https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d%3De"],
  ["a space and a plus", { password: "a b+c" }, "password=a+b%2Bc"],
  ["letters beyond ASCII", { alias: "öl" }, "alias=%C3%B6l"],
  ["a number", { domain_id: 12, clicks_limit: 0 }, "domain_id=12&clicks_limit=0"],
  ["true and false", { sensitive_content: true, other: false }, "sensitive_content=1&other=0"],
  ["null, which clears", { expiration_url: null }, "expiration_url="],
  ["undefined, which is left out", { url: undefined, alias: "a" }, "alias=a"],
  ["a list", { pixel_ids: [3, 7] }, "pixel_ids%5B0%5D=3&pixel_ids%5B1%5D=7"],
  ["an empty list, which must not become a scalar", { pixel_ids: [] }, "pixel_ids%5B%5D="],
  [
    "a list of objects, whose fields stay together",
    { targets: [{ key: "DE", value: "https://a.example" }, { value: "https://b.example" }] },
    "targets%5B0%5D%5Bkey%5D=DE&targets%5B0%5D%5Bvalue%5D=https%3A%2F%2Fa.example&targets%5B1%5D%5Bvalue%5D=https%3A%2F%2Fb.example",
  ],
  [
    "a null inside",
    { targets: [{ key: null, value: "x" }] },
    "targets%5B0%5D%5Bkey%5D=&targets%5B0%5D%5Bvalue%5D=x",
  ],
  [
    "brackets in a value",
    { url: "https://example.com/?a[]=1" },
    "url=https%3A%2F%2Fexample.com%2F%3Fa%5B%5D%3D1",
  ],
  ["fields in their order", { b: 1, a: 2 }, "b=1&a=2"],
])("a form encodes %s", async (_what, fields, expected) => {
  expect(await encodeForm(fields)).toBe(expected);
});

test("a list of more than twenty entries keeps its indices", async () => {
  const ids = Array.from({ length: 30 }, (_, i) => i + 1);
  const form = await encodeForm({ pixel_ids: ids });
  expect(form.split("&").at(-1)).toBe("pixel_ids%5B29%5D=30");
});

test("a query omits undefined values", () => {
  expect(encodeQuery({ search: "a b", status: undefined, page: 2 })).toBe("search=a+b&page=2");
});
