import { afterEach, expect, test, vi } from "vitest";
import { DomainProvider } from "../src/domain-provider";
import { createEmulator, type Emulator } from "../src/emulator/server";
import { LinkProvider } from "../src/link-provider";
import { configure, IncompleteError } from "../src/session";

// Calls other than creates may be repeated, and are. Here the waits before that pass a hundred times as fast.
vi.mock("node:timers/promises", async (importOriginal) => {
  const timers = await importOriginal<typeof import("node:timers/promises")>();
  return { ...timers, setTimeout: (milliseconds: number) => timers.setTimeout(milliseconds / 100) };
});

let emulator: Emulator;
afterEach(() => emulator.close());

test("reads, changes and deletions go on after faults, and none takes a link out of the state", async () => {
  emulator = await createEmulator();
  const settings: Record<string, string> = {
    "shortlink:baseUrl": emulator.url,
    "shortlink:apiKey": emulator.apiKey,
  };
  await configure({ config: { get: (key) => settings[key] } });
  await new DomainProvider().create({ __provider: "text", name: "go.example" });
  const link = new LinkProvider();
  const inputs = { __provider: "text", url: "https://example.com/", domainId: 1, alias: "docs" };
  const { id, outs } = await link.create(inputs);
  const state = outs as never;
  for (const answer of ["reset", "cut", "html", 500, 503] as const) {
    emulator.faults.push({ nth: 1, answer });
    expect(await link.read(id, state)).toMatchObject({ id });
    emulator.faults.splice(0, Infinity, { method: "PATCH", nth: 1, when: "after", answer });
    expect((await link.update(id, state, { ...inputs, clicksLimit: 7 })).outs).toMatchObject({
      clicksLimit: 7,
    });
    emulator.faults.splice(0, Infinity, { answer });
    await expect(link.read(id, state)).rejects.toThrow(/^(?:show link 1|list links, page 1): /);
    emulator.faults.length = 0;
  }
  // The engine saves an update in doubt with its new inputs: the refresh gives it back those of before, or the next plan finds nothing.
  emulator.faults.push({ method: "PATCH", answer: 503 });
  const failed = await link.update(id, state, { ...inputs, clicksLimit: 8 }).catch((error: unknown) => error);
  emulator.faults.length = 0;
  expect(failed).toBeInstanceOf(IncompleteError);
  const { properties } = failed as IncompleteError;
  expect(properties).toEqual({ ...(outs as object), __doubtful: ["clicksLimit"] });
  expect(await link.read(id, properties as never)).toMatchObject({ inputs: { ...inputs, clicksLimit: 7 } });
  emulator.faults.push({ method: "DELETE", nth: 1, when: "after", answer: 504 });
  await link.delete(id, state);
  expect(await link.read(id, state)).toEqual({});
});
