import { Command, Option } from "commander";
import { writeFileSync } from "node:fs";
import type { Account } from "../account/account";
import { findHolders } from "../live/holders";
import { toPlan } from "../live/plan";
import { planFormats, reportPlan, type PlanFormat, type Planned } from "../live/plan-report";
import { readReview, toReview, type Review } from "../live/review";
import { domainNames, survey } from "../live/survey";
import { openAccountOf } from "./account";
import { previewOf } from "./pulumi";
import { isQuiet, painter } from "./terminal";

interface Options {
  stack?: string;
  format: PlanFormat;
  save?: string;
  from?: string;
}

/** `pulumi-shortlink plan`: shows what `pulumi up` would do, for a review. */
export function planCommand(): Command {
  return new Command("plan")
    .description(
      "show what pulumi up would do: the short links that stop working, each change, and the number of requests; exit code 1 " +
        "if it would fail",
    )
    .argument("[options...]", "options for pulumi preview, after --, like -- --refresh=false")
    .option("--stack <name>", "stack (default: the selected one)")
    .option("--save <file>", 'file to save the plan in, for "pulumi-shortlink up --plan"')
    .addOption(new Option("--format <format>", "format of the plan").choices(planFormats).default("text"))
    .option("--from <file>", "show this saved plan instead of a new one")
    .action(async (options: string[], { stack, format, save, from }: Options, command: Command) => {
      const show = (plan: Planned) => console.log(reportPlan(plan, format, painter(command)));
      if (from !== undefined) return show(readReview(from).plan);
      const of = stack === undefined ? [] : ["--stack", stack];
      const account = await openAccountOf(of);
      const { plan, toKeep } = await makePlan(account, of, options);
      show(plan);
      const isFailing = plan.errors.length > 0 || plan.changes.some(({ action }) => action === "conflict");
      if (isFailing) process.exitCode = 1;
      if (save === undefined) return;
      if (isFailing) return console.error('Not saved: "pulumi up" would fail.');
      writeFileSync(save, `${JSON.stringify(await toKeep(), null, 2)}\n`, { mode: 0o600 });
      if (!isQuiet(command)) console.error(`To apply it: npx pulumi-shortlink up --plan ${save}`);
    });
}

/** Plans the program in the working directory. `toKeep` makes the plan to save. */
export async function makePlan(account: Account, stack: readonly string[], options: string[]) {
  const { preview, notes } = await previewOf([...stack, ...options]);
  const domains = await domainNames(account);
  // Without the service the plan has no names either, and says so.
  const found = domains.size === 0 ? undefined : await findHolders(account, preview, { notes, domains });
  const all = [...notes, ...(found?.notes ?? [])];
  const made = toPlan(preview, { notes: all, domains, links: found?.links ?? [] });
  const plan: Planned = { ...made, ...account.client.costOf(made.requests) };
  const toKeep = async (): Promise<Review> =>
    toReview(account, plan, { options, notes, account: await survey(account.client) });
  return { plan, toKeep };
}
