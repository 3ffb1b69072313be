import * as shortlink from "pulumi-shortlink";
import { expect, test } from "vitest";

test("an error of a constructor says where in the program it is, and errors after it do so too", () => {
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
    expect((thrown as Error).stack).toContain("dynamic.test.ts");
    expect(new Error().stack).toContain("dynamic.test.ts");
  }
});
