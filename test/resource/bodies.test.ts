import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import type { DynamicProvider } from "../../src/engine/dynamic";
import { send } from "../helpers/emulator";
import { LifeCycle } from "../helpers/life-cycle";
import { newRun } from "../helpers/run";

// The exact form of each field, recorded on the way to the emulator.
let sent: string[];
let emulator: Emulator;
let run: ReturnType<typeof newRun>;
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
  request.on("end", () => {
    sent.push(`${request.method} ${decodeURIComponent(body)}`);
    const { method = "", headers, url } = request;
    const { authorization = "", accept = "", "content-type": type = "" } = headers;
    const forwarded = fetch(`${emulator.url}${url}`, {
      method,
      headers: { authorization, accept, ...(type === "" ? {} : { "content-type": type }) },
      ...(body === "" ? {} : { body }),
    });
    void forwarded.then(async (answer) => {
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(await answer.text());
    });
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  run = newRun({ "shortlink:baseUrl": baseUrl, "shortlink:apiKey": "emulator-key" });
});
beforeEach(async () => {
  emulator = await createEmulator();
  await send(emulator, "POST", "/domains", { form: "name=first.example" });
  sent = [];
});
afterEach(() => emulator.close());
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** The requests of a resource that gets these arguments one after the other. */
async function bodies(provider: DynamicProvider, base: object, steps: object[]): Promise<string[]> {
  const life = new LifeCycle(provider);
  for (const args of steps) await life.up({ ...base, ...args });
  return sent;
}

const start = "2026-03-01T08:00:00";
const end = "2026-04-01T08:00:00";
const link = { url: "https://a.example/", domainId: 1, alias: "a" };
const created = "POST url=https://a.example/&domain_id=1&alias=a";

test.each<[string, object, string, object, string, string]>([
  ["spaceId", { spaceId: 2 }, "space_id=2", { spaceId: 3 }, "space_id=3", "space_id="],
  [
    "pixelIds",
    { pixelIds: [2, 1] },
    "pixel_ids[0]=2&pixel_ids[1]=1",
    { pixelIds: [2] },
    "pixel_ids[0]=2",
    "pixel_ids[]=",
  ],
  [
    "redirectPassword",
    { redirectPassword: " p " },
    "redirect_password=+p+",
    { redirectPassword: "q" },
    "redirect_password=q",
    "redirect_password=",
  ],
  ["privacy", { privacy: "private" }, "privacy=1", { privacy: "password" }, "privacy=2", "privacy=0"],
  ["password", { password: "p" }, "password=p", { password: "q" }, "password=q", "password="],
  [
    "clicksLimit",
    { clicksLimit: 5 },
    "clicks_limit=5",
    { clicksLimit: 6 },
    "clicks_limit=6",
    "clicks_limit=",
  ],
  [
    "expirationUrl",
    { expirationUrl: "https://b.example/" },
    "expiration_url=https://b.example/",
    { expirationUrl: "https://c.example/" },
    "expiration_url=https://c.example/",
    "expiration_url=",
  ],
  [
    "activePeriod",
    { activePeriodStartAt: start, activePeriodEndAt: end },
    `active_period_start_at=${start}&active_period_end_at=${end}`,
    { activePeriodStartAt: "2026-03-02 00:00", activePeriodEndAt: end },
    `active_period_start_at=2026-03-02T00:00:00&active_period_end_at=${end}`,
    "active_period_start_at=&active_period_end_at=",
  ],
  [
    "targets",
    { targetsType: "countries", targets: [{ key: "DE", value: "https://de.example/" }] },
    "targets_type=countries&targets[0][key]=DE&targets[0][value]=https://de.example/",
    { targetsType: "countries", targets: [{ key: "FR", value: "https://fr.example/" }] },
    "targets_type=countries&targets[0][key]=FR&targets[0][value]=https://fr.example/",
    "targets_type=&targets=",
  ],
  [
    "rotations",
    { targetsType: "rotations", targets: [{ value: "https://b.example/" }, { value: "https://a.example/" }] },
    "targets_type=rotations&targets[0][value]=https://b.example/&targets[1][value]=https://a.example/",
    { targetsType: "rotations", targets: [{ value: "https://a.example/" }] },
    "targets_type=rotations&targets[0][value]=https://a.example/",
    "targets_type=&targets=",
  ],
])(
  "a link's %s is set, changed, cleared and set again",
  async (_field, set, setBody, change, changeBody, clearBody) => {
    expect(await bodies(run.link, link, [set, change, {}, set])).toEqual([
      `${created}&${setBody}`,
      `PATCH ${changeBody}`,
      `PATCH ${clearBody}`,
      `PATCH ${setBody}`,
    ]);
  },
);

test("a link's sensitive content is set and cleared", async () => {
  expect(await bodies(run.link, link, [{ sensitiveContent: true }, {}, { sensitiveContent: true }])).toEqual([
    `${created}&sensitive_content=1`,
    "PATCH sensitive_content=0",
    "PATCH sensitive_content=1",
  ]);
});

test("a link's url and alias are changed; a removed alias stays", async () => {
  const steps = [{}, { url: "https://b.example/" }, { alias: "b" }, { alias: undefined }];
  expect(await bodies(run.link, link, steps)).toEqual([
    created,
    "PATCH url=https://b.example/",
    "PATCH url=https://a.example/&alias=b",
    // Nothing to write, so the provider reads the link.
  ]);
});

test("a create sends no default values", async () => {
  const defaults = {
    privacy: "public",
    sensitiveContent: false,
    clicksLimit: 0,
    pixelIds: [],
    targets: [],
    password: "",
  };
  expect(await bodies(run.link, link, [defaults])).toEqual([created]);
});

test("a removed password is cleared in a separate request before privacy becomes password", async () => {
  expect(await bodies(run.link, link, [{ password: "p" }, { privacy: "password" }])).toEqual([
    `${created}&password=p`,
    "PATCH password=",
    "PATCH privacy=2",
  ]);
});

test("a domain's fields are set, changed, cleared and set again", async () => {
  const set = { homepageUrl: "https://a.example/", notFoundUrl: "https://b.example/" };
  const steps = [set, { ...set, homepageUrl: "https://c.example/" }, {}, set];
  expect(await bodies(run.domain, { name: "GO.example" }, steps)).toEqual([
    "POST name=go.example&homepage_url=https://a.example/&not_found_url=https://b.example/",
    "PATCH homepage_url=https://c.example/",
    "PATCH homepage_url=&not_found_url=",
    "PATCH homepage_url=https://a.example/&not_found_url=https://b.example/",
  ]);
});
