import fc from "fast-check";
import * as shortlink from "pulumi-shortlink";
import { createEmulator } from "pulumi-shortlink/emulator";
import { expect, test } from "vitest";
import { seed } from "../helpers/arbitraries";
import { createStack } from "../helpers/engine";
import type { Program } from "../helpers/simulated-engine";
import { apply, differences, firstProgram, isPossible, story } from "../helpers/stories";

// Some stories of `stories.test.ts` with the real engine, without kills (see `kills.test.ts`).

const stories = fc.sample(story, { seed, numRuns: Number(process.env.ENGINE_STORIES ?? 10) });

/** Registers the resources of a program. */
function register(program: Program): void {
  const domains = new Map<string, shortlink.Domain>();
  for (const [name, { type, args, options = {} }] of Object.entries(program)) {
    const { aliases = [], ...rest } = options;
    const opts = { ...rest, aliases: aliases.map((each) => ({ name: each })) };
    if (type === "Domain")
      domains.set(name, new shortlink.Domain(name, args as unknown as shortlink.DomainArgs, opts));
    else {
      const domainId = domains.get(String(args.domainId).slice(1))?.id;
      new shortlink.Link(name, { ...args, domainId } as unknown as shortlink.LinkArgs, opts);
    }
  }
}

test.each(stories.map((each, i) => [i, each] as const))(
  `story %i of seed ${seed} matches its program in the end`,
  async (i, each) => {
    const emulator = await createEmulator({ seed: i });
    let program = firstProgram(each);
    const programs = [program];
    const stack = await createStack(emulator, () => Promise.resolve(register(program)), { diff: false });
    const live = () =>
      stack.state().resources.map(({ urn, type, id }) => ({
        type: type.split(":").at(-1) ?? "",
        name: urn.split("::").at(-1) ?? "",
        id,
      }));
    const log: string[] = [];
    const up = (options: object = {}) =>
      stack.up(options).then(
        () => "",
        (error: Error) => error.message,
      );
    try {
      expect(await up()).toBe("");
      for (const { change, faults, parallel, accident } of each.days.slice(0, 2)) {
        const next = apply(change, programs);
        if (!isPossible(next)) continue;
        programs.push((program = next));
        const links = stack.state().resources.filter(({ type }) => type.endsWith("Link"));
        const victim = links[accident?.link ?? 0]?.urn;
        if (victim !== undefined && accident?.do === "taint")
          await stack.pulumi("state", "taint", victim, "--yes");
        emulator.faults.push(...faults);
        const replace = victim !== undefined && accident?.do === "replace" ? { replace: [victim] } : {};
        const failed = await up({ parallel, ...replace });
        emulator.faults.length = 0;
        log.push(JSON.stringify(change), failed);
        if (failed === "") expect(await differences(emulator, program, live()), "a good run").toEqual([]);
      }
      let last = await up();
      if (last.includes("was renamed in the program")) {
        stack.env("SHORTLINK_ADOPT", "always");
        last = await up();
      }
      // An object is in the way of an alias. The messages say how to remove it.
      const ways = [...last.matchAll(/run "pulumi up --(target|replace|exclude) '(.*?)'"/gi)];
      for (const option of new Set(ways.map(([, each = ""]) => each))) {
        log.push(last);
        const urns = ways.filter(([, each]) => each === option).map(([, , urn = ""]) => urn);
        await up({ [option]: [...new Set(urns)] });
      }
      if (ways.length > 0) last = await up();
      log.push(last);
      if (/protect|two resources cannot share/.test(last)) return;
      expect(last, "the last run").toBe("");
      expect(await differences(emulator, program, live()), "the last run").toEqual([]);
      expect((await stack.preview()).changes, "the plan after it").toEqual({ same: live().length + 1 });
    } catch (error) {
      (error as Error).message += `\n${log.join("\n")}`;
      throw error;
    } finally {
      stack.remove();
      await emulator.close();
    }
  },
);
