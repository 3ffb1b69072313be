import { createEmulator, type Emulator } from "pulumi-shortlink/emulator";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Commands } from "../helpers/commands";
import { send, visit } from "../helpers/emulator";

// Plans that meet links of others, and deletions that an earlier run left.

let emulator: Emulator;
let project: Commands;
beforeEach(async () => {
  emulator = await createEmulator();
  project = new Commands(emulator, { SHORTLINK_ALLOW_DELETES: "100" });
  project.write("index.js", 'new (require("pulumi-shortlink").LinkCatalog)("links", { files: "links" });');
});
afterEach(async () => {
  await emulator.close();
  project.remove();
});

const catalog = (domains: string, ...links: string[]) =>
  project.write("links/all.yaml", [`domains: { ${domains} }`, "links:", ...links].join("\n"));
const link = (key: string, domain: string, more = "") =>
  `  ${key}: { domain: ${domain}, alias: ${key}, url: "https://example.com/${key}"${more} }`;
const byHand = (domainId: number, alias: string) =>
  send(emulator, "POST", "/links", {
    form: `domain_id=${domainId}&alias=${alias}&url=https://example.com/by-hand`,
  });

test("a plan names links of others at new addresses, on adopted and on deleted domains", async () => {
  await send(emulator, "POST", "/domains", { form: "name=go.example" });
  for (const alias of ["same", "other"]) await byHand(1, alias);

  // The domain is adopted in the same run, so the engine does not know its id yet.
  const same = link("same", "go.example").replace("/same", "/by-hand");
  catalog("go.example: { adopt: ifEqual }", same, link("other", "go.example"), link("new", "go.example"));
  await project.run("pulumi stack init dev");
  const refused = await project.run("shortlink plan --save plan.json", 1);
  expect(refused).toContain(
    "In the way (2):\n  go.example/other: exists already as link 2 and differs in url (links/all.yaml:4:3)\n" +
      "  go.example/same: exists already as link 1 (links/all.yaml:3:3)\n",
  );
  expect(refused).toContain('Not saved: "pulumi up" would fail.');
  project.set("SHORTLINK_ADOPT", "always");
  const adopting = await project.run("shortlink plan");
  expect(adopting).toContain("3 to adopt, 1 to create");
  expect(adopting).toContain("go.example/other: exists already as link 2 and differs in url");
  project.set("SHORTLINK_ADOPT", "never");

  catalog(
    "go.example: { adopt: ifEqual }, b.example: ",
    link("one", "go.example"),
    link("two", "go.example"),
  );
  await project.run("shortlink plan --save plan.json && true");
  await project.run("pulumi up --yes --skip-preview");
  await byHand(2, "one");

  // A replacement and an update get addresses that links of others have.
  catalog(
    "go.example: { adopt: ifEqual }, b.example: ",
    link("one", "b.example"),
    link("two", "go.example").replace("alias: two", "alias: other"),
  );
  const held = await project.run("shortlink plan", 1);
  expect(held).toContain(
    "In the way (2):\n  go.example/one: becomes b.example/one; b.example/one exists already as link 5 and differs in url;",
  );
  expect(held).toContain(
    "go.example/two: becomes go.example/other; go.example/other exists already as link 2 and",
  );
  catalog(
    "go.example: { adopt: ifEqual }, b.example: ",
    link("one", "b.example", ", adopt: always"),
    link("two", "go.example"),
  );
  expect(await project.run("shortlink plan --save plan.json")).toContain(
    "the service does not take domain_id in an update; adopts link 5, which has the new address already and differs in url",
  );
  const sent = emulator.requests.length;
  await project.run("pulumi up --yes --skip-preview");
  const { plan } = JSON.parse(await project.run("cat plan.json")) as { plan: { requests: number } };
  expect(emulator.requests.length - sent).toBe(plan.requests);

  // A domain goes on which others have links.
  catalog("b.example: ", link("one", "b.example"));
  const going = await project.run("shortlink plan", 1);
  expect(going).toContain(
    "go.example: the program no longer has it; it has 2 other links (same, other), so its deletion will be refused: keep it with " +
      "existing: true (Domain.get in a program), or delete these links first",
  );
  catalog("b.example: , go.example: { adopt: ifEqual, forceDestroy: true }", link("one", "b.example"));
  expect(await project.run("shortlink plan")).toContain(
    "go.example: forceDestroy none becomes true (links/all.yaml:1:25)",
  );
  const writes = emulator.requests.filter(({ method }) => method !== "GET").length;
  await project.run("pulumi up --yes --skip-preview");
  // Only the link is deleted: the service does not know forceDestroy.
  expect(emulator.requests.filter(({ method }) => method !== "GET").length - writes).toBe(1);
  catalog("b.example: ", link("one", "b.example"));
  expect(await project.run("shortlink plan")).toContain(
    "Short links that stop working (2):\n  go.example/same: deleted (links-go.example)\n  go.example/other: deleted (links-go.example)\n",
  );
}, 120_000);

test("a plan lists deletions that an earlier run left, and up --plan carries them out", async () => {
  const domains = "go.example: , new.example: ";
  catalog(domains, link("keep", "go.example"), link("a", "go.example"));
  await project.run("pulumi stack init dev && pulumi up --yes --skip-preview");
  emulator.faults.push({ method: "DELETE", answer: 403 });
  catalog(domains, link("keep", "go.example"), link("a", "new.example"));
  await project.run("pulumi up --yes --skip-preview", 255).catch(() => undefined);
  emulator.faults.length = 0;
  catalog(domains, link("keep", "go.example"), link("a", "new.example", ", clicksLimit: 5"));
  const plan = await project.run("shortlink plan --save plan.json");
  expect(plan).toContain("1 to delete, 1 to change; 6 unchanged.");
  expect(plan).toContain(
    "Short links that stop working (1):\n  go.example/a: deleted (links/all.yaml:4:3)\n",
  );
  expect(plan).toContain(
    "go.example/a to https://example.com/a: an earlier run replaced it and did not delete it",
  );
  expect(plan).toContain("It sends 2 requests;");
  const sent = emulator.requests.filter(({ method }) => method !== "GET").length;
  expect(await project.run("shortlink up --plan plan.json")).toContain("1 deleted, 1 changed");
  expect(emulator.requests.filter(({ method }) => method !== "GET").length - sent).toBe(2);
  expect((await visit(emulator, "http://go.example/a")).status).toBe(404);
  expect((await visit(emulator, "http://new.example/a")).location).toBe("https://example.com/a");
}, 120_000);
