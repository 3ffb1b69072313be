import { Account } from "../account/account";

/** The account that the environment names. Throws a `SettingsError` where something is missing or wrong there. */
export function openAccount(timeZone: string | undefined): Account {
  const account = new Account({
    readConfig: (key) => (key === "shortlink:timeZone" ? timeZone : undefined),
    say: (text) => console.error(text),
    tell: (text) => console.error(text),
    assertWanted: () => undefined,
    readState: () => Promise.resolve(new Map()),
  });
  void account.settings;
  return account;
}
