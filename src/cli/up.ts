import { Command } from "commander";
import { join } from "node:path";
import type { Action } from "../live/plan";
import type { Planned } from "../live/plan-report";
import { movedSince, readReview } from "../live/review";
import { openAccountOf } from "./account";
import { makePlan } from "./plan";
import { Progress } from "./progress";
import { PulumiError, upWith, withFolder } from "./pulumi";
import { isQuiet } from "./terminal";

/** Maximum number of differences in the message. */
const shown = 20;

/** `pulumi-shortlink up`: applies a reviewed plan, and nothing else. */
export function upCommand(): Command {
  return new Command("up")
    .description(
      "apply a saved plan; stops before the first write if the catalog, the state or the service changed since",
    )
    .requiredOption("--plan <file>", 'plan file of "pulumi-shortlink plan --save"')
    .option("--stack <name>", "stack (default: the selected one)")
    .action(async ({ plan: file, stack }: { plan: string; stack?: string }, command: Command) => {
      const reviewed = readReview(file);
      const of = stack === undefined ? [] : ["--stack", stack];
      const account = await openAccountOf(of);
      await withFolder(async (folder) => {
        const enginePlan = join(folder, "plan.json");
        const saving = [...reviewed.options, "--save-plan", enginePlan];
        const { plan, toKeep } = await makePlan(account, of, saving);
        assertHolds(file, movedSince(reviewed, await toKeep()));
        if (plan.changes.length + plan.others.length === 0) return console.log("The plan has no changes.");
        // The engine enforces this plan, even if the program changes in these seconds.
        await apply(plan, [...of, ...reviewed.options, "--plan", enginePlan], isQuiet(command));
      });
    });
}

/** Throws if anything changed since the review. */
function assertHolds(file: string, moved: readonly string[]): void {
  if (moved.length === 0) return;
  const more = moved.length > shown ? [`and ${moved.length - shown} more`] : [];
  const lines = [...moved.slice(0, shown), ...more].map((text) => `  ${text}`).join("\n");
  throw new Error(
    `The plan no longer matches. Nothing was written. Changed since it was saved:\n${lines}\n` +
      `Save a new one with "npx pulumi-shortlink plan --save ${file}" and have it reviewed.`,
  );
}

/** Runs `pulumi up` and shows its progress. */
async function apply(plan: Planned, options: readonly string[], isQuiet: boolean): Promise<void> {
  const { changes, limit, wait = 0 } = plan;
  const steps = new Map<string, number>();
  for (const { urn, action } of changes)
    steps.set(urn, (steps.get(urn) ?? 0) + (action === "replace" ? 2 : 1));
  const screen = {
    isTerminal: process.stderr.isTTY,
    write: (text: string) => void process.stderr.write(text),
    now: () => Date.now(),
  };
  const progress = new Progress({ steps, wait, limit, isQuiet }, screen);
  const timer = setInterval(() => progress.tick(), 1000);
  let seconds = 0;
  try {
    await upWith(options, (event) => {
      progress.hear(event);
      if (event.summaryEvent) seconds = event.summaryEvent.durationSeconds;
    });
  } catch (error) {
    // Pulumi fails without a message, after all changes, if it cannot match the program's outputs with the plan.
    if (error instanceof PulumiError && error.output === "" && progress.isComplete)
      throw new Error(
        `All changes of the plan are made, but "pulumi up" failed without a message. It cannot plan an output of the program ` +
          `that is a whole resource or catalog: export its properties, like shortUrl.`,
        { cause: error },
      );
    throw new Error(
      `${(error as Error).message}\nThe state has the changes that were made. Save a new plan for the rest.`,
      {
        cause: error,
      },
    );
  } finally {
    clearInterval(timer);
    progress.end();
  }
  console.log(`The plan is applied: ${describeRun(plan)} in ${seconds} s.`);
}

const done: Readonly<Record<Action, string>> = {
  delete: "deleted",
  replace: "replaced",
  conflict: "in the way",
  adopt: "adopted",
  update: "changed",
  create: "created",
};

/** Counts the changes of a run. They are the changes of its plan. */
function describeRun({ changes, others }: Planned): string {
  const counts = Object.entries(done).flatMap(([action, word]) => {
    const count = changes.filter((change) => change.action === action).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  return [...counts, ...(others.length > 0 ? [`${others.length} other resources changed`] : [])].join(", ");
}
