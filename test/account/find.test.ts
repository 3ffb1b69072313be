import { expect } from "vitest";
import { createEmulator } from "../../src/emulator/server";
import { findDomain, findLink } from "../../src/account/find";
import { Client } from "../../src/service/client";
import { send, test } from "../helpers/emulator";

test.for([
  "1",
  " 1 ",
  "go.example/öl",
  "GO.example/ÖL",
  "https://go.example/%C3%B6l",
  "go.example/öl/?utm=1#top",
])("finds the link by %s", async (key, { client }) => {
  await client.storeDomain({ name: "go.example" });
  await client.storeLink({ url: "https://example.com/", domain_id: 1, alias: "öl" });
  expect(await findLink(client, key)).toMatchObject({ id: 1 });
});

test.for(["1", "go.example", "https://Go.Example/", "http://go.example"])(
  "finds the domain by %s",
  async (key, { client }) => {
    await client.storeDomain({ name: "go.example" });
    expect(await findDomain(client, key)).toMatchObject({ id: 1 });
  },
);

test.for(["", "/", "2", "go.example", "go.example/", "other.example/docs", "go.example/doc", "docs", "%/%"])(
  "finds no link for %j",
  async (key, { client }) => {
    await client.storeDomain({ name: "go.example" });
    await client.storeLink({ url: "https://example.com/", domain_id: 1, alias: "docs" });
    expect(await findLink(client, key)).toBeUndefined();
  },
);

test("finds own links on a shared domain by name, and none of other accounts", async () => {
  const emulator = await createEmulator({
    flavour: { shared: { domain: "shared.example", taken: ["docs"] } },
  });
  const client = new Client({ baseUrl: emulator.url, apiKey: emulator.apiKey });
  const [shared] = (await send(emulator, "POST", "/links", {
    form: "url=https://a.example/&domain_id=1&alias=ours",
  }).then(({ body }) => [body])) as { data: { id: number } }[];
  expect(await findLink(client, "shared.example/ours")).toMatchObject({ id: shared?.data.id });
  // It belongs to another account.
  expect(await findLink(client, "shared.example/docs")).toBeUndefined();
  await emulator.close();
});
