import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { createEmulator, type Flavour } from "../../src/emulator/server";
import { send } from "../helpers/emulator";
import { flavours } from "../helpers/flavours";
import { LifeCycle } from "../helpers/life-cycle";
import { newRun, settingsOf } from "../helpers/run";

// Every field changed outside of Pulumi, under every flavour, in the calls that the engine makes.

const link = {
  url: "https://example.com/",
  domainId: "1",
  alias: "docs",
  spaceId: 1,
  pixelIds: [1, 2],
  redirectPassword: "visitor",
  sensitiveContent: true,
  privacy: "password",
  password: "statistics",
  activePeriodStartAt: "2026-03-01T08:00:00",
  activePeriodEndAt: "2027-03-01T08:00:00",
  clicksLimit: 100,
  expirationUrl: "https://example.com/expired",
  targetsType: "countries",
  targets: [{ key: "DE", value: "https://example.com/de" }],
};
const links: [form: string, changed: string[], isHidden?: boolean][] = [
  ["url=https://example.com/x", ["url"]],
  ["alias=other", ["alias"]],
  ["space_id=2", ["spaceId"]],
  ["space_id=", ["spaceId"]],
  ["pixel_ids[]=3", ["pixelIds"]],
  ["pixel_ids[]=", ["pixelIds"]],
  ["redirect_password=", ["redirectPassword"], true],
  ["sensitive_content=0", ["sensitiveContent"]],
  ["privacy=1", ["privacy"]],
  ["privacy=0", ["privacy"]],
  ["password=", ["password"], true],
  [
    "active_period_start_at=2026-03-01T09:00:00&active_period_end_at=2027-03-01T08:00:00",
    ["activePeriodStartAt"],
  ],
  [
    "active_period_start_at=2026-03-01T08:00:00&active_period_end_at=2027-03-01T09:00:00",
    ["activePeriodEndAt"],
  ],
  ["active_period_start_at=&active_period_end_at=", ["activePeriodStartAt", "activePeriodEndAt"]],
  ["clicks_limit=7", ["clicksLimit"]],
  ["clicks_limit=", ["clicksLimit"]],
  ["expiration_url=https://example.com/x", ["expirationUrl"]],
  ["expiration_url=", ["expirationUrl"]],
  [
    "targets_type=languages&targets[0][key]=de&targets[0][value]=https://example.com/de",
    ["targetsType", "targets"],
  ],
  ["targets_type=&targets=", ["targetsType", "targets"]],
  ["targets_type=countries&targets[0][key]=DE&targets[0][value]=https://example.com/x", ["targets"]],
];
const domain = { name: "d.example", homepageUrl: "https://a.example/", notFoundUrl: "https://b.example/" };
const domains: typeof links = [
  ["homepage_url=https://x.example/", ["homepageUrl"]],
  ["homepage_url=", ["homepageUrl"]],
  ["not_found_url=https://x.example/", ["notFoundUrl"]],
  ["not_found_url=", ["notFoundUrl"]],
];

test.each(
  Object.entries(flavours).flatMap(([name, flavour]) =>
    [undefined, flavour.timeZone ?? "UTC"].map((zone) => [name, zone, flavour] as const),
  ),
)(
  "drift of each field is detected and repaired, under %s, with the time zone %s",
  async (_name, timeZone, flavour: Flavour) => {
    const emulator = await createEmulator({ flavour });
    const run = newRun(settingsOf(emulator, { "shortlink:timeZone": timeZone }));
    await send(emulator, "POST", "/domains", { form: "name=go.example" });
    for (const [provider, path, args, drifts] of [
      [run.link, "/links", link, links],
      [run.domain, "/domains", domain, domains],
    ] as const) {
      const life = new LifeCycle(provider);
      await life.up(args);
      for (const [form, changed, isHidden] of drifts) {
        await send(emulator, "PATCH", `${path}/${life.id}`, { form });
        await life.refresh();
        const [drifted, inputs] = [life.inputs ?? {}, await life.check(args)];
        const differing = Object.keys(args).filter((name) => !isDeepStrictEqual(drifted[name], inputs[name]));
        const expected = isHidden && flavour.passwordsHidden ? [] : changed;
        expect(differing, form).toEqual(expected);
        await life.up(args, { plan: expected.length === 0 ? "same" : "update" });
        await life.expectSettled();
      }
    }
    await emulator.close();
  },
);
