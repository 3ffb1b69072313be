import { setTimeout } from "node:timers/promises";
import { dynamicProviders, type Providers } from "../../src/engine/dynamic";
import { readState } from "../../src/engine/stack-state";
import type { Clock } from "../../src/service/clock";
import type { Emulator } from "../../src/emulator/server";

/** The configuration of a stack by full keys, for example `shortlink:baseUrl`. */
export type Settings = Record<string, string | undefined>;

/** Waits pass a hundred times as fast. */
export const quickClock: Clock = {
  now: () => performance.now(),
  sleep: (milliseconds) => setTimeout(milliseconds / 100),
};

/** The settings of a stack whose service is an emulator. */
export function settingsOf({ url, apiKey }: Pick<Emulator, "url" | "apiKey">, more: Settings = {}): Settings {
  return { "shortlink:baseUrl": url, "shortlink:apiKey": apiKey, ...more };
}

/** New providers, as in a new process for one run of the engine, and their messages to the user. */
export function newRun(settings: Settings, clock?: Clock): Providers & { said: string[] } {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  const assertWanted = () => undefined;
  const providers = dynamicProviders({
    say,
    tell: say,
    assertWanted,
    readState,
    ...(clock ? { clock } : {}),
  });
  const { domain, link, catalog } = providers;
  for (const provider of [domain, link, catalog])
    void provider.configure({ config: { get: (key) => settings[key] } });
  return { ...providers, said };
}
