import { Command, Option } from "commander";
import { toPlan } from "../live/plan";
import { planFormats, reportPlan, type PlanFormat } from "../live/plan-report";
import { domainNames } from "../live/survey";
import { openAccount } from "./account";
import { configOf, previewOf } from "./pulumi";

interface Options {
  stack?: string;
  format: PlanFormat;
}

/** `pulumi-shortlink plan`: what `pulumi up` would do, for those who decide over it. */
export function planCommand(): Command {
  return new Command("plan")
    .description(
      "show what pulumi up would do: the short links that stop working, each change in the words of the catalog, and what it " +
        "costs; exit code 1 where it would fail",
    )
    .argument("[options...]", "after --: options for pulumi preview, like -- --refresh=false")
    .option("--stack <name>", "stack (default: the selected one)")
    .addOption(new Option("--format <format>", "form of the plan").choices(planFormats).default("text"))
    .action(async (options: string[], { stack, format }: Options) => {
      const of = stack === undefined ? [] : ["--stack", stack];
      const account = openAccount(await configOf(of));
      const { preview, notes } = await previewOf([...of, ...options]);
      const plan = toPlan(preview, { notes, domains: await domainNames(account) });
      console.log(reportPlan({ ...plan, ...account.client.costOf(plan.requests) }, format));
      if (plan.errors.length > 0 || plan.changes.some(({ action }) => action === "conflict"))
        process.exitCode = 1;
    });
}
