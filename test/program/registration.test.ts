import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { expect, test } from "vitest";

test("errors of constructors and later errors name the program's file in their stack", () => {
  const args = { domainId: 1, url: "https://example.com/" };
  const makers = [() => new shortlink.Link("", args), () => new shortlink.Domain("", { name: "go.example" })];
  for (const make of makers) {
    let thrown: unknown;
    try {
      make();
    } catch (error) {
      thrown = error;
    }
    expect((thrown as Error).message).toContain("Missing resource name argument");
    expect((thrown as Error).stack).toContain("registration.test.ts");
    expect(new Error().stack).toContain("registration.test.ts");
  }
});

test("an output without an argument is available under mocks", async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ inputs }) => ({ id: "1", state: { ...(inputs as object), clicksLimit: 7 } }),
    call: ({ inputs }) => inputs as object,
  });
  const docs = new shortlink.Link("docs", { domainId: 1, alias: "docs", url: "https://example.com/" });
  const known = await new Promise((resolve) => {
    pulumi.all([docs.alias, docs.clicksLimit, docs.spaceId]).apply(resolve);
  });
  expect(known).toEqual(["docs", 7, undefined]);
  // A second access returns the same output.
  expect(docs.spaceId).toBe(docs.spaceId);
});
