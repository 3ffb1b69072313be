import { afterEach, expect, test } from "vitest";
import { InitializationError } from "../../src/engine/dynamic";
import { createEmulator, type Emulator } from "../../src/emulator/server";
import { newRun, quickClock, settingsOf } from "../helpers/run";

// The client retries all calls except creates.

let emulator: Emulator;
afterEach(() => emulator.close());

test("faults are retried in reads, updates and deletes, and remove no link from the state", async () => {
  emulator = await createEmulator();
  const { domain, link } = newRun(settingsOf(emulator), quickClock);
  await domain.create({ __provider: "text", name: "go.example" });
  const inputs = { __provider: "text", url: "https://example.com/", domainId: 1, alias: "docs" };
  const { id, outs } = await link.create(inputs);
  const state = outs;
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
  // The engine saves an update in doubt with its new inputs. The refresh must restore the old ones, or the next plan finds nothing.
  emulator.faults.push({ method: "PATCH", answer: 503 });
  const failed = await link.update(id, state, { ...inputs, clicksLimit: 8 }).catch((error: unknown) => error);
  emulator.faults.length = 0;
  expect(failed).toBeInstanceOf(InitializationError);
  const { properties } = failed as InitializationError;
  expect(properties).toEqual({ ...outs, __doubtful: ["clicksLimit"] });
  expect(await link.read(id, properties)).toMatchObject({ inputs: { ...inputs, clicksLimit: 7 } });
  emulator.faults.push({ method: "DELETE", nth: 1, when: "after", answer: 504 });
  await link.delete(id, state);
  expect(await link.read(id, state)).toEqual({});
});

test("an update of a deleted object names it and the command that creates it again", async () => {
  emulator = await createEmulator();
  const { domain, link } = newRun(settingsOf(emulator), quickClock);
  const made = await domain.create({ __provider: "text", name: "go.example" });
  const inputs = { __provider: "text", url: "https://example.com/", domainId: 1, alias: "docs" };
  const { id, outs } = await link.create(inputs);
  await link.delete(id, outs);
  const gone =
    " is gone from this account: an interrupted run deleted it, or something outside of this stack. " +
    'Run "pulumi up --refresh" to create it again.';
  await expect(link.update(id, outs, { ...inputs, clicksLimit: 7 })).rejects.toThrow(`link 1${gone}`);
  await domain.delete(made.id, made.outs);
  await expect(
    domain.update(made.id, made.outs, {
      __provider: "text",
      name: "go.example",
      homepageUrl: "https://example.com/",
    }),
  ).rejects.toThrow(`domain 1${gone}`);
});
