import * as pulumi from "@pulumi/pulumi";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createStack, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

// Values that a program marks as secret appear nowhere in plain text: not in a plan, a state, a message or the journal.

let emulator: Emulator;
let stack: TestStack;
let program: () => Record<string, unknown>;
beforeEach(async () => {
  emulator = await createEmulator();
  stack = await createStack(emulator, () => Promise.resolve(program()));
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

const hidden = { name: "hidden-name.example", alias: "hidden-alias", url: "https://example.com/hidden-url" };
const inClear = (text: string) => Object.values(hidden).filter((value) => text.includes(value));

test("a secret alias, name or destination is not in plain text in output, errors and journal", async () => {
  const journal = mkdtempSync(join(tmpdir(), "shortlink-journal-"));
  onTestFinished(() => rmSync(journal, { recursive: true }));
  await stack.config({ "shortlink:journal": journal });
  let more: object = {};
  program = () => {
    const go = new shortlink.Domain("go", { name: pulumi.secret(hidden.name) });
    const docs = new shortlink.Link("docs", {
      domainId: go.id,
      alias: pulumi.secret(hidden.alias),
      url: pulumi.secret(hidden.url),
      targetsType: "countries",
      targets: [{ key: "DE", value: pulumi.secret(hidden.url) }],
      ...more,
    });
    return { url: go.url, shortUrl: docs.shortUrl };
  };
  const outputs = [(await stack.preview()).output, (await stack.up()).output];
  more = { clicksLimit: 5 };
  outputs.push((await stack.up()).output);
  await send(emulator, "PATCH", "/links/1", { form: "clicks_limit=9" });
  outputs.push((await stack.refresh()).output, (await stack.preview()).output, (await stack.up()).output);
  expect((await stack.preview()).changes).toEqual({ same: 3 });
  expect(inClear(outputs.join("\n"))).toEqual([]);
  // The link's short URL contains the name of the domain, which is a secret of another resource.
  expect(inClear(stack.state().text).filter((value) => value !== hidden.name)).toEqual([]);
  expect(readdirSync(journal).length).toBeGreaterThan(0);
  for (const name of readdirSync(journal))
    expect(inClear(readFileSync(join(journal, name), "utf8"))).toEqual([]);

  // The service refuses the first for its alias, and the second with a message that repeats the destination.
  await send(emulator, "POST", "/links", {
    form: `url=https://example.com/&domain_id=1&alias=${hidden.alias}-2`,
  });
  for (const args of [
    { alias: pulumi.secret(`${hidden.alias}-2`) },
    { alias: pulumi.secret(`${hidden.alias}-3`), spaceId: 99 },
  ]) {
    more = args;
    const failed = await stack.up().then(
      () => "",
      (error: Error) => error.message,
    );
    expect(failed).toContain("refused it");
    expect(inClear(failed)).toEqual([]);
  }
});

test("an API key set without --secret causes one warning with the remedy, in preview and up", async () => {
  program = () => {
    const go = new shortlink.Domain("go", { name: "go.example" });
    return { link: new shortlink.Link("docs", { domainId: go.id, url: "https://example.com/" }).id };
  };
  const warning = "shortlink:apiKey is not marked as a secret, so it is in clear text in Pulumi.test.yaml";
  expect((await stack.preview()).output).not.toContain("not marked");
  await stack.pulumi("config", "set", "--plaintext", "shortlink:apiKey", emulator.apiKey);
  for (const { output } of [await stack.preview(), await stack.up()]) {
    expect(output.split(warning)).toHaveLength(2);
    expect(output).toContain('Run "pulumi config set --secret shortlink:apiKey" and "pulumi up".');
  }
});
