import { Account } from "../account/account";
import type { ReadConfig } from "../account/settings";
import { configOf } from "./pulumi";

/** Opens the account of a stack: of its configuration and the environment. */
export async function openAccountOf(stack: readonly string[]): Promise<Account> {
  const values = await configOf(stack);
  return openAccount((key) => values[key]?.value);
}

/** Opens the account of a configuration and the environment. Throws a `SettingsError` if a setting is missing or wrong. */
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
