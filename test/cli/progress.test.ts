import { expect, test } from "vitest";
import { Progress, type EngineEvent } from "../../src/cli/progress";

const urn = (name: string) => `urn:pulumi:dev::links::pulumi-nodejs:dynamic/shortlink:Link::${name}`;
const step = (op: string, name: string): EngineEvent => ({
  resOutputsEvent: { metadata: { op, urn: urn(name) } },
});
const message = (severity: string, text: string, more: object = {}): EngineEvent => ({
  diagnosticEvent: { urn: urn("docs"), message: `<{%reset%}>${text}<{%reset%}>\n`, severity, ...more },
});

function progress({ isTerminal = false, limit = undefined as number | undefined, wait = 0 }) {
  let [now, text] = [0, ""];
  const steps = new Map([
    ...Array.from({ length: 9 }, (_, i) => [urn(`link-${i}`), 1] as const),
    [urn("moved"), 2],
  ]);
  const shown = new Progress(
    { steps, wait, limit },
    { isTerminal, write: (part) => (text += part), now: () => now },
  );
  return { shown, text: () => text, at: (milliseconds: number) => (now = milliseconds) };
}

test("without a terminal, progress is a line every five seconds, not a line per link", () => {
  const { shown, text, at } = progress({ limit: 60, wait: 120_000 });
  for (let i = 0; i < 5; i++) {
    at(i * 1000);
    shown.hear(step("create", `link-${i}`));
    shown.hear(step("same", "keep"));
  }
  expect(text()).toBe("");
  at(6000);
  shown.tick();
  // The wait for the rate limit is still to come.
  expect(text()).toBe("5 of 10 done, 5 left, about 2 minutes to go (limit 60)\n");
  for (const op of ["create-replacement", "replace", "delete-replaced"]) shown.hear(step(op, "moved"));
  at(12_000);
  shown.tick();
  expect(text().split("\n")[1]).toBe("6 of 10 done, 4 left, about 2 minutes to go (limit 60)");
  for (let i = 5; i < 9; i++) shown.hear(step("delete", `link-${i}`));
  at(20_000);
  shown.tick();
  expect(text().split("\n")[2]).toBe("10 of 10 done, 0 left");
});

test("without a rate limit, the remaining time is estimated from the pace so far", () => {
  const { shown, text, at } = progress({});
  at(30_000);
  for (const i of [0, 1]) shown.hear(step("update", `link-${i}`));
  expect(text()).toBe("1 of 10 done, 9 left, about 5 minutes to go\n");
  at(36_000);
  shown.tick();
  expect(text()).toContain("2 of 10 done, 8 left, about 3 minutes to go\n");
});

test("on a terminal, progress is one line that is cleared for errors", () => {
  const { shown, text } = progress({ isTerminal: true });
  shown.hear(step("create", "link-0"));
  shown.hear(message("debug", "Registering resource"));
  shown.hear(message("info", "The account has used its 60 requests", { ephemeral: true }));
  shown.hear(message("error", "store link: refused"));
  shown.end();
  const clear = "\r\u001b[K";
  expect(text()).toBe(
    `\r1 of 10 done, 9 left, about 0 s to go\u001b[K${clear}docs: store link: refused\n${clear}`,
  );
});
