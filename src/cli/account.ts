import { Account } from "../account/account";
import type { ReadConfig } from "../account/settings";

/** The account that a configuration and the environment name. Throws a `SettingsError` where something is missing or wrong there. */
export function openAccount(readConfig: ReadConfig): Account {
  const account = new Account({
    readConfig,
    say: (text) => console.error(text),
    tell: (text) => console.error(text),
    assertWanted: () => undefined,
    readState: () => Promise.resolve(new Map()),
  });
  void account.settings;
  process.once("exit", () => {
    if (account.summary !== undefined) console.error(account.summary);
  });
  return account;
}
