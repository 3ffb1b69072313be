import fc from "fast-check";
import * as shortlink from "pulumi-shortlink";
import { createEmulator } from "pulumi-shortlink/emulator";
import { expect, test } from "vitest";
import { linkArgs, seed } from "../helpers/arbitraries";
import { createStack } from "../helpers/engine";
import { send } from "../helpers/emulator";

test("60 random links are created, edited and destroyed, without false changes in between", async () => {
  const [first = [], second = []] = fc.sample(fc.array(linkArgs, { minLength: 60, maxLength: 60 }), {
    seed,
    numRuns: 2,
  });
  // The edit keeps some links, removes the fields of others and deletes a few.
  const edited = second
    .slice(0, 57)
    .map((args, i) => (i % 3 === 0 ? first[i] : i % 3 === 1 ? args : { url: args.url }));
  let links: unknown[] = first;
  const emulator = await createEmulator();
  const stack = await createStack(emulator, () => {
    const go = new shortlink.Domain("go", { name: "go.example" });
    links.forEach((args, i) => {
      const alias = i % 2 === 0 ? { alias: `a${i}` } : {};
      new shortlink.Link(`link-${i}`, { ...(args as shortlink.LinkArgs), ...alias, domainId: go.id });
    });
    return Promise.resolve();
  });
  const nothingToDo = async (count: number) => {
    const before = emulator.requests.length;
    expect((await stack.preview()).changes).toEqual({ same: count + 2 });
    expect(emulator.requests.length).toBe(before);
    // If the refresh found a difference, the run after it would show a change.
    expect((await stack.up({ refresh: true })).changes).toEqual({ same: count + 2 });
  };
  try {
    expect((await stack.up()).changes).toEqual({ create: 62 });
    await nothingToDo(60);
    links = edited;
    expect((await stack.up()).changes).toMatchObject({ delete: 3 });
    await nothingToDo(57);
    await stack.destroy();
    for (const path of ["/links", "/domains"]) {
      expect((await send(emulator, "GET", path)).body).toMatchObject({ data: [] });
    }
  } catch (error) {
    throw new Error(`with the seed ${seed}`, { cause: error });
  } finally {
    stack.remove();
    await emulator.close();
  }
});
