import { mkdtempSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createStack, EngineError, type TestStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

let emulator: Emulator;
let stack: TestStack;
let args: shortlink.LinkArgs;
/** Further links of the program. */
let others: Record<string, shortlink.LinkArgs>;

beforeEach(async () => {
  emulator = await createEmulator();
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  args = { domainId: 1, url: "https://example.com/", alias: "docs" };
  others = {};
  const program = () => {
    for (const [name, each] of Object.entries({ docs: args, ...others })) new shortlink.Link(name, each);
    return Promise.resolve();
  };
  stack = await createStack(emulator, program, { diff: false });
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

/** The messages of a failing command under "Diagnostics", by the name of their resource. */
async function diagnosticsOf(command: () => Promise<unknown>): Promise<Record<string, string[]>> {
  const output = await command().then(
    (outcome) => expect.unreachable(`the command should fail: ${JSON.stringify(outcome)}`),
    (error: unknown) => {
      if (!(error instanceof EngineError)) throw error;
      return error.message;
    },
  );
  const text = /Diagnostics:\n([^]*?)\nResources:/.exec(output)?.[1] ?? "";
  const blocks = text
    .replaceAll(emulator.url, "URL")
    .split(/^ {2}(?=\S)/m)
    .slice(1);
  return Object.fromEntries(
    blocks.map((block) => {
      const [title = "", ...lines] = block.split("\n").map((line) => line.trim());
      return [/\((.*)\):/.exec(title)?.[1] ?? title, lines.filter((line) => line !== "").sort()];
    }),
  );
}

const failed = { "engine-test": ["error: update failed"] };
const ofCheck = (reason: string) =>
  `error: pulumi-nodejs:dynamic/shortlink:Link resource 'docs' has a problem: ${reason}`;
const wrongKey =
  "the service at URL refused the API key (401): Unauthenticated. " +
  'Set the right one with "pulumi config set --secret shortlink:apiKey" or in SHORTLINK_API_KEY.';
const late =
  ' A refresh and "pulumi destroy" use the configuration of the last "pulumi up": after you change it, run ' +
  '"pulumi up --refresh=false" first.';
const unreachable =
  "cannot reach the service at http://127.0.0.1:1 (ECONNREFUSED). " +
  "Check that it runs, and that shortlink:baseUrl (or SHORTLINK_BASE_URL) is its address.";

test("a wrong API key is one message under the resource, in create and update", async () => {
  await stack.config({ "shortlink:apiKey": "not-the-key" });
  expect(await diagnosticsOf(() => stack.up())).toEqual({
    ...failed,
    docs: [`error: store link "docs": ${wrongKey}`],
  });
  await stack.config({ "shortlink:apiKey": emulator.apiKey });
  await stack.up();
  await stack.config({ "shortlink:apiKey": "not-the-key" });
  args = { ...args, url: "https://example.com/b" };
  expect(await diagnosticsOf(() => stack.up())).toEqual({
    ...failed,
    docs: [`error: update link 1: ${wrongKey}`],
  });
});

test("if another web server responds, refresh and destroy fail and keep the state", async () => {
  await stack.up();
  const { port } = new URL(emulator.url);
  await emulator.close();
  const other = createServer((_request, response) => response.writeHead(404).end("<h1>Not found</h1>"));
  await new Promise<void>((resolve) => other.listen(Number(port), "127.0.0.1", resolve));
  for (const command of [() => stack.refresh(), () => stack.destroy()]) {
    expect((await diagnosticsOf(command)).docs).toEqual([
      expect.stringContaining(
        "there is no short-link service at URL, something else answered (404). Check that it runs",
      ),
    ]);
  }
  expect(stack.state().resources).toHaveLength(1);
  other.closeAllConnections();
  other.close();
});

test("a fault during refresh removes nothing, and the next up settles an update in doubt", async () => {
  await stack.up();
  for (const answer of [500, "html", "cut"] as const) {
    emulator.faults.splice(0, 1, { path: "/links/1", answer });
    await expect(stack.refresh()).rejects.toThrow("show link 1: ");
    expect(stack.state().resources).toHaveLength(1);
  }
  const before = args;
  emulator.faults.splice(0, 1, { method: "PATCH", when: "after", answer: "reset" });
  args = { ...args, url: "https://example.com/b" };
  await expect(stack.up()).rejects.toThrow("it is not known whether it was carried out");
  // The service carried it out, and the program no longer wants the change.
  emulator.faults.length = 0;
  args = before;
  await stack.up();
  expect((await send(emulator, "GET", "/links/1")).body).toMatchObject({ data: { url: args.url } });
  const sent = emulator.requests.length;
  expect((await stack.up()).changes).toEqual({ same: 2 });
  expect(emulator.requests).toHaveLength(sent);
});

test("a stack that points to another service is refused before any request, unless movedFrom is set", async () => {
  await stack.up();
  const other = await createEmulator();
  await send(other, "POST", "/domains", { form: "name=other.example" });
  await send(other, "POST", "/links", { form: "url=https://other.example/&domain_id=1&alias=other" });
  const before = other.requests.length;
  await stack.config({ "shortlink:baseUrl": other.url });
  const refusal =
    `error: This resource was created on the service at URL, but shortlink:baseUrl is ${other.url}, where its id names ` +
    'another object. Set the old address again, or, if the service has moved, run "pulumi config set ' +
    'shortlink:movedFrom URL", "pulumi up" and "pulumi refresh".';
  for (const command of [() => stack.up(), () => stack.refresh(), () => stack.destroy()]) {
    expect((await diagnosticsOf(command)).docs).toEqual([refusal]);
  }
  expect(other.requests).toHaveLength(before);

  await stack.config({ "shortlink:movedFrom": emulator.url });
  await stack.up();
  await stack.refresh();
  await stack.config({ "shortlink:movedFrom": undefined });
  await stack.up();
  expect((await send(other, "GET", "/links/1")).body).toMatchObject({ data: { alias: "docs" } });
  await other.close();
});

test("an unreachable service is one message under the resource, and the state stays", async () => {
  await stack.config({ "shortlink:baseUrl": "http://127.0.0.1:1" });
  expect(await diagnosticsOf(() => stack.up())).toEqual({
    ...failed,
    docs: [`error: store link "docs": ${unreachable}`],
  });
  // Refresh and destroy use the configuration of the last "up", so the test changes the environment. It does not close the emulator:
  // the system may give its port to the server of another test.
  await stack.config({ "shortlink:baseUrl": undefined });
  stack.env("SHORTLINK_BASE_URL", emulator.url);
  await stack.up();
  stack.env("SHORTLINK_BASE_URL", "http://127.0.0.1:1");
  stack.env("SHORTLINK_MOVED_FROM", emulator.url);
  for (const [command, operation] of [
    [() => stack.refresh(), "show link 1"],
    [() => stack.destroy(), "delete link 1"],
  ] as const) {
    // The engine prints an error of read and delete again under the stack.
    expect(await diagnosticsOf(command)).toEqual({
      "engine-test": ["error: update failed", `pulumi-shortlink: ${operation} failed`],
      docs: [`error: ${operation}: ${unreachable}${late}`],
    });
  }
  expect(stack.state().resources).toHaveLength(1);
});

/** Restarts the same account at the same address with another key. */
async function rotate(apiKey: string): Promise<void> {
  const data = join(mkdtempSync(join(tmpdir(), "shortlink-keys-")), "data.json");
  const port = Number(new URL(emulator.url).port);
  await emulator.close();
  emulator = await createEmulator({ port, apiKey, data });
  // This process still has the connection to the previous emulator.
  await fetch(emulator.url).catch(() => undefined);
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  await send(emulator, "POST", "/links", { form: "url=https://example.com/&domain_id=1&alias=docs" });
}

test("a rotated key in the config needs a plain up first; in the environment it works immediately", async () => {
  await stack.up();
  await rotate("second-key");
  await stack.config({ "shortlink:apiKey": "second-key" });
  for (const command of [() => stack.refresh(), () => stack.up({ refresh: true })]) {
    expect((await diagnosticsOf(command)).docs).toEqual([`error: show link 1: ${wrongKey}${late}`]);
  }
  expect((await diagnosticsOf(() => stack.destroy())).docs).toEqual([
    `error: delete link 1: ${wrongKey}${late}`,
  ]);
  expect(stack.state().resources).toHaveLength(1);
  // This up sends nothing, but its configuration is now the last one.
  expect((await stack.up()).changes).toEqual({ same: 2 });
  expect((await stack.refresh()).changes).toEqual({ same: 2 });
  args = { ...args, clicksLimit: 7 };
  expect((await stack.up({ refresh: true })).changes).toEqual({ same: 1, update: 1 });

  // Every command reads a key that is only in the environment.
  await stack.config({ "shortlink:apiKey": undefined });
  stack.env("SHORTLINK_API_KEY", "second-key");
  await stack.up();
  for (const key of ["third-key", "fourth-key", "fifth-key", "sixth-key"]) {
    await rotate(key);
    stack.env("SHORTLINK_API_KEY", key);
    if (key === "third-key") expect((await stack.refresh()).changes).toMatchObject({ same: 1 });
    args = { ...args, clicksLimit: key.length };
    if (key === "fourth-key")
      expect((await stack.up({ refresh: true })).changes).toMatchObject({ update: 1 });
    args = { ...args, clicksLimit: 70 };
    if (key === "fifth-key") expect((await stack.up()).changes).toEqual({ same: 1, update: 1 });
    if (key === "sixth-key") expect((await stack.destroy()).changes).toEqual({ delete: 2 });
  }
});

test("missing settings are reported before anything is planned", async () => {
  await stack.config({ "shortlink:apiKey": undefined, "shortlink:baseUrl": undefined });
  expect(await diagnosticsOf(() => stack.up())).toEqual({
    docs: [
      ofCheck(
        'shortlink:apiKey is not set: run "pulumi config set --secret shortlink:apiKey" or set SHORTLINK_API_KEY.',
      ),
      ofCheck(
        'shortlink:baseUrl is not set: run "pulumi config set shortlink:baseUrl https://links.example" or set SHORTLINK_BASE_URL.',
      ),
    ],
  });
});

test("invalid values from outputs are reported together, before any request", async () => {
  args = {
    domainId: 1,
    url: pulumi.output("example.com"),
    alias: pulumi.output("a b"),
    clicksLimit: pulumi.output(-1),
  };
  const before = emulator.requests.length;
  expect(await diagnosticsOf(() => stack.up())).toEqual({
    docs: [
      ofCheck("alias may contain only letters, digits, - and _"),
      ofCheck("clicksLimit must be 0 (no limit) or greater"),
      ofCheck("url must be a URL with scheme and host, for example https://example.com/page"),
    ],
  });
  expect(emulator.requests.length).toBe(before);
});

test("all mistakes in plain values are one error before any resource is registered", async () => {
  const url = "https://example.com/";
  const password = "not-to-be-seen".repeat(10);
  const program = () => {
    new shortlink.Domain("fine", { name: "fine.example" });
    new shortlink.Domain("wrong", { name: "nodot" });
    new shortlink.Link("one", { domainId: 1, url: "example.com" });
    new shortlink.Link("two", { domainId: 1, url, alias: "a b", clicksLimit: -1 });
    new shortlink.Link("right", { domainId: 1, url });
    new shortlink.Link("three", { domainId: 1, url, activePeriodStartAt: "2026-03-01T08:00:00" });
    // The program checks only plain values.
    new shortlink.Link("four", {
      domainId: pulumi.output("x"),
      url,
      targets: [{ key: "DE", value: pulumi.output("x") }],
    });
    new shortlink.Link("five", { domainId: 1, url, password, color: "red" } as shortlink.LinkArgs);
    return Promise.resolve();
  };
  stack.remove();
  stack = await createStack(emulator, program, { diff: false });
  const before = emulator.requests.length;
  for (const command of [() => stack.preview(), () => stack.up()]) {
    const error = (await command().catch((thrown: unknown) => thrown)) as Error;
    const [, told = ""] =
      /Diagnostics:\n[^]*?error: (The program has [^]*?)\n *(?:\n|error:)/.exec(error.message) ?? [];
    expect(told.split("\n").map((line) => line.trim())).toEqual([
      "The program has 8 mistakes:",
      expect.stringMatching(/^Domain "wrong": name must be a host name with a dot/),
      'Link "one": url must be a URL with scheme and host, for example https://example.com/page',
      'Link "two": alias may contain only letters, digits, - and _',
      'Link "two": clicksLimit must be 0 (no limit) or greater',
      'Link "three": activePeriodEndAt is required together with activePeriodStartAt',
      'Link "four": targetsType is required together with targets',
      'Link "five": color is not an argument of this resource',
      'Link "five": password is longer than 128 characters',
    ]);
    expect(error.message).not.toContain(password);
  }
  expect([emulator.requests.length, stack.state().resources]).toEqual([before, []]);
});

test("values from transformations and ignored changes are not mistakes of the program", async () => {
  args = { ...args, clicksLimit: 1 };
  await stack.up();
  stack.remove();
  const program = (opts: pulumi.CustomResourceOptions) =>
    Promise.resolve(
      void new shortlink.Link("docs", { domainId: 1, url: "to be completed", alias: "docs-2" }, opts),
    );
  const completed: pulumi.CustomResourceOptions = {
    transformations: [({ props, opts }) => ({ props: { ...props, url: "https://example.com/" }, opts })],
  };
  let options = completed;
  stack = await createStack(emulator, () => program(options), { diff: false });
  expect((await stack.up()).changes).toMatchObject({ create: 2 });
  options = { ignoreChanges: ["url"] };
  expect((await stack.up()).changes).toEqual({ same: 2 });
});

test("a refusal by the service is reported under the resource with the property's name", async () => {
  const value = "https://example.com/";
  const wrong = [
    { key: "US", value: "myapp://start" },
    { key: "DE", value },
  ];
  await send(emulator, "POST", "/links", { form: "url=https://other.example/&domain_id=1&alias=DOCS" });
  others = {
    lists: { domainId: 1, url: value, alias: "lists", spaceId: 99, pixelIds: [99] },
    stray: { domainId: 99, url: value, alias: "stray" },
    target: { domainId: 1, url: value, alias: "target", targetsType: "countries", targets: wrong },
  };
  const refusal = 'the service refused it (422): targets["US"].value: The value must be a valid URL.';
  const taken =
    'error: store link "docs": the service refused it (422): alias: The alias has already been taken. ' +
    "The link with the id 1 has it. It differs from the program in url, alias. If the resource was renamed in the " +
    'program, give it the option aliases: [{ name: "<the old name>" }]. To manage the existing link, give it the ' +
    'option import: "1".';
  expect(await diagnosticsOf(() => stack.up({ parallel: 16 }))).toEqual({
    ...failed,
    docs: [taken],
    lists: [
      'error: store link "lists": the service refused it (422): spaceId: The selected space id is invalid. ' +
        "pixelIds: The selected pixel ids are invalid.",
    ],
    stray: [
      'error: store link "stray": the service refused it (404): No query results for model [App\\Models\\Domain]. ' +
        "Check that this account has a domain 99.",
    ],
    // The service numbers targets in a different order.
    target: [`error: store link "target": ${refusal}`],
  });
  expect((await send(emulator, "GET", "/links/1")).body).toMatchObject({
    data: { url: "https://other.example/" },
  });
  const { target } = others;
  if (!target) throw new Error();
  args = { ...args, alias: "docs-2" };
  others = { target: { ...target, targets: [{ key: "US", value }] } };
  await stack.up();
  others = { target };
  expect((await diagnosticsOf(() => stack.up())).target).toEqual([
    expect.stringMatching(/^error: update link \d: /) as string,
  ]);
});

test("each rate-limit wait is one line with progress and estimate, not repeated under Diagnostics", async () => {
  const slow = await createEmulator({ limit: { requests: 8, window: 5 } });
  const links = await createStack(
    slow,
    () => {
      const go = new shortlink.Domain("go", { name: "go.example" });
      for (let i = 1; i <= 19; i++) {
        new shortlink.Link(`link-${i}`, { domainId: go.id, alias: `a${i}`, url: "https://example.com/" });
      }
      return Promise.resolve();
    },
    { diff: false },
  );
  await links.config({ "shortlink:limitWindow": "5" });
  const { output } = await links.up();
  const waits = output.split("\n").filter((line) => line.includes("The account has used its 8 requests"));
  expect(waits).toHaveLength(2);
  expect(waits[0]).toMatch(
    /the run continues in \d s\. \d+ of 20 resources are done; the rest takes about \d+ s\.$/,
  );
  expect(waits[1]).toMatch(
    /the run continues in \d s\. 1\d of 20 resources are done; the rest takes about \d+ s\.$/,
  );
  expect(output).not.toContain("Diagnostics");
  links.remove();
  await slow.close();
});
