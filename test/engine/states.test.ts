import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as shortlink from "pulumi-shortlink";
import { createEmulator } from "pulumi-shortlink/emulator";
import { expect, test } from "vitest";
import { root } from "../../tools/environment.mjs";
import { createStack } from "../helpers/engine";

// States that releases have written for the program below. This version must find nothing to do in each of them.
// A release adds its file once, with WRITE_STATE=<version>. Never write a file again.
const folder = join(root, "test", "states");

function program() {
  const go = new shortlink.Domain("go", { name: "go.example", homepageUrl: "https://example.com/" });
  const args: Omit<shortlink.LinkArgs, "domainId">[] = [
    { alias: "plain", url: "https://example.com/" },
    { url: "https://example.com/derived" },
    {
      alias: "every",
      url: "https://example.com/every",
      spaceId: 1,
      pixelIds: [2, 1],
      redirectPassword: "visitor",
      sensitiveContent: true,
      privacy: "password",
      password: "statistics",
      activePeriodStartAt: "2026-03-01T08:00",
      activePeriodEndAt: "2036-03-01 08:00:00",
      clicksLimit: 100,
      expirationUrl: "https://example.com/expired",
      targetsType: "devices",
      targets: [
        { key: "Mobile", value: "https://example.com/mobile" },
        { key: "desktop", value: "https://example.com/desktop" },
      ],
    },
  ];
  // One after the other, so that they get the same ids each time.
  const links: shortlink.Link[] = [];
  args.forEach((each, i) => {
    links.push(new shortlink.Link(`link-${i}`, { ...each, domainId: go.id }, { dependsOn: [...links] }));
  });
  return Promise.resolve({ aliases: links.map(({ alias }) => alias) });
}

/** Drops positions in the program: they do not matter here, and they name folders of a machine. */
function withoutPositions(deployment: unknown): string {
  const dropped = new Set(["sourcePosition", "stackTrace"]);
  return `${JSON.stringify(deployment, (key, value: unknown) => (dropped.has(key) ? undefined : value), 2)}\n`;
}

const release = process.env.WRITE_STATE;
async function writeState(): Promise<void> {
  const file = join(folder, `${release}.json`);
  expect(existsSync(file)).toBe(false);
  // The time zone puts an echo into the state.
  const emulator = await createEmulator({ flavour: { timeZone: "Asia/Kolkata" } });
  const stack = await createStack(emulator, program);
  await stack.up();
  writeFileSync(file, withoutPositions(await stack.export()));
  stack.remove();
  await emulator.close();
}
if (release !== undefined) test("the state of a release is written once", writeState);

test.each(readdirSync(folder))("the state %s gives a plan without changes", async (file) => {
  const emulator = await createEmulator({ flavour: { timeZone: "Asia/Kolkata" } });
  // A stack of this version makes the same objects and then loses its state.
  const first = await createStack(emulator, program);
  await first.up();
  first.remove();
  const stack = await createStack(emulator, program);
  await stack.import(JSON.parse(readFileSync(join(folder, file), "utf8")));
  try {
    const before = emulator.requests.length;
    expect((await stack.preview()).changes).toEqual({ same: 5 });
    expect((await stack.up()).changes).toEqual({ same: 5 });
    expect(emulator.requests.length).toBe(before);
    expect((await stack.refresh()).changes).toEqual({ same: 5 });
    expect((await stack.up()).changes).toEqual({ same: 5 });
    expect((await stack.destroy()).changes).toEqual({ delete: 5 });
  } finally {
    stack.remove();
    await emulator.close();
  }
});
