import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator, type Flavour } from "pulumi-shortlink/emulator";
import { afterEach, expect, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

// The same stack on other versions of the service and in other accounts.

let emulator: Emulator;
let stack: TestStack;
let program: () => Record<string, unknown>;

async function start(flavour: Flavour) {
  emulator = await createEmulator({ flavour });
  stack = await createStack(emulator, () => Promise.resolve(program()));
}
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

const url = "https://example.com/";

test("a derived alias that another account uses is replaced by another, without duplicate links", async () => {
  await start({});
  program = () => ({ alias: new shortlink.Link("docs", { domainId: 1, url }).alias });
  const derived = /alias +: "([2-9a-z]{8})"/.exec((await stack.preview()).output)?.[1] ?? "";
  await emulator.close();
  emulator = await createEmulator({ flavour: { shared: { domain: "s.example", taken: [derived] } } });
  await stack.config({ "shortlink:baseUrl": emulator.url });

  const { outputs } = await stack.up();
  expect(outputs.alias).toMatch(/^[2-9a-z]{8}$/);
  expect(outputs.alias).not.toBe(derived);
  expect((await stack.preview()).changes).toEqual({ same: 2 });
  expect((await stack.refresh()).changes).toEqual({ same: 2 });
  expect((await stack.up()).outputs).toEqual(outputs);
  expect((await send(emulator, "GET", "/links")).body).toMatchObject({ meta: { total: 1 } });
});

test("an equal link under the derived alias is adopted; a different one is a conflict", async () => {
  await start({});
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  program = () => ({ alias: new shortlink.Link("docs", { domainId: 1, url }).alias });
  const derived = /alias +: "([2-9a-z]{8})"/.exec((await stack.preview()).output)?.[1] ?? "";
  await send(emulator, "POST", "/links", { form: `url=${url}other&domain_id=1&alias=${derived}` });
  await expect(stack.up()).rejects.toThrow(
    "The link with the id 1 has it. It differs from the program in url.",
  );
  await send(emulator, "PATCH", "/links/1", { form: `url=${url}` });
  expect((await stack.up()).outputs).toEqual({ alias: derived });
  expect(stack.state().resources.map(({ id }) => id)).toEqual(["1"]);
});

test("an account without custom aliases gets an error that names the setting", async () => {
  await start({ basicPlan: true });
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  program = () => ({ alias: new shortlink.Link("docs", { domainId: 1, url }).alias });
  await expect(stack.up()).rejects.toThrow(
    "alias: You don't have access to this feature. The provider derived this alias, because the program has none: set one, " +
      'or let the service choose with "pulumi config set shortlink:aliases service".',
  );
  await stack.config({ "shortlink:aliases": "service" });
  expect((await stack.up()).outputs.alias).toMatch(/^[A-Za-z0-9]{6}$/);
});

test("active periods use the account's time zone, and Date values are accepted", async () => {
  await start({ timeZone: "America/New_York" });
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  const moments = [new Date("2026-03-01T13:00:00Z"), new Date("2026-07-01T12:00:00Z")] as const;
  program = () => {
    const link = new shortlink.Link("docs", {
      ...{ domainId: 1, url, alias: "docs" },
      activePeriodStartAt: moments[0],
      activePeriodEndAt: pulumi.output("").apply(() => moments[1]),
    });
    return { start: link.activePeriodStartAt, end: link.activePeriodEndAt };
  };
  await expect(stack.up()).rejects.toThrow(
    "activePeriodStartAt has a time zone, but the service uses the time zone of the account: write the date without one",
  );
  await stack.config({ "shortlink:timeZone": "America/New_York" });
  const local = { start: "2026-03-01T08:00:00", end: "2026-07-01T08:00:00" };
  expect((await stack.up()).outputs).toEqual(local);
  expect((await send(emulator, "GET", "/links/1")).body).toMatchObject({
    data: {
      active_period_start_at: "2026-03-01T13:00:00.000000Z",
      active_period_end_at: "2026-07-01T12:00:00.000000Z",
    },
  });
  expect((await stack.refresh()).changes).toEqual({ same: 2 });

  const form = "active_period_start_at=2026-03-01T08:00:00&active_period_end_at=2026-08-01T08:00:00";
  await send(emulator, "PATCH", "/links/1", { form });
  expect((await stack.refresh()).output).toContain('"2026-07-01T08:00:00" => "2026-08-01T08:00:00"');
  expect((await stack.up()).changes).toEqual({ same: 1, update: 1 });

  // An adoption finds such a link equal, and the time zone makes no difference to existing objects.
  await stack.config({ "shortlink:timeZone": undefined });
  program = () => {
    const docs = {
      domainId: 1,
      url,
      alias: "docs",
      activePeriodStartAt: local.start,
      activePeriodEndAt: local.end,
    };
    return { same: new shortlink.Link("docs", docs).id };
  };
  await stack.up();
  expect((await stack.refresh()).changes).toEqual({ same: 2 });
  await stack.config({ "shortlink:timeZone": "America/New_York" });
  program = () => {
    const docs = {
      domainId: 1,
      url,
      alias: "docs",
      activePeriodStartAt: local.start,
      activePeriodEndAt: local.end,
    };
    return { same: new shortlink.Link("other", { ...docs, adopt: "ifEqual" }, { retainOnDelete: true }).id };
  };
  expect((await stack.up()).changes).toEqual({ same: 1, create: 1, delete: 1 });
});

test("a value that the service does not keep is an error until the program drops it", async () => {
  await start({ oldForms: true, oldNames: true, lenientPixels: true });
  let home: string | undefined = url;
  let pixelIds: number[] | undefined = [1, 99];
  program = () => {
    const go = new shortlink.Domain("go", { name: "go.example", homepageUrl: home });
    return { id: go.id };
  };
  const reason = (field: string) =>
    `${field}: the service answered with success but did not keep all of the value.`;
  for (let i = 0; i < 2; i++) await expect(stack.up()).rejects.toThrow(reason("homepageUrl"));
  home = undefined;
  expect((await stack.up()).changes).toEqual({ same: 1, update: 1 });
  expect((await stack.up()).changes).toEqual({ same: 2 });

  program = () => ({
    go: new shortlink.Domain("go", { name: "go.example" }).id,
    docs: new shortlink.Link("docs", { domainId: 1, url, alias: "docs", pixelIds }).id,
  });
  for (let i = 0; i < 2; i++) await expect(stack.up()).rejects.toThrow(reason("pixelIds"));
  pixelIds = [1];
  await stack.up();
  expect((await stack.up()).changes).toEqual({ same: 3 });
  expect((await send(emulator, "GET", "/links")).body).toMatchObject({ meta: { total: 1 } });
});
