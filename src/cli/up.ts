import { Command } from "commander";
import { join } from "node:path";
import type { Action } from "../live/plan";
import type { Planned } from "../live/plan-report";
import { movedSince, readReview } from "../live/review";
import { openAccount } from "./account";
import { makePlan } from "./plan";
import { Progress } from "./progress";
import { configOf, upWith, withFolder } from "./pulumi";
import { isQuiet } from "./terminal";

/** Differences that are told one by one; what matters is that there are some. */
const shown = 20;

/** `pulumi-shortlink up`: a plan that was reviewed, and nothing else. */
export function upCommand(): Command {
  return new Command("up")
    .description(
      "apply a saved plan; stop before the first write if the catalog, the state or the service has changed since",
    )
    .requiredOption("--plan <file>", 'the plan, as "pulumi-shortlink plan --save" has kept it')
    .option("--stack <name>", "stack (default: the selected one)")
    .action(async ({ plan: file, stack }: { plan: string; stack?: string }, command: Command) => {
      const reviewed = readReview(file);
      const of = stack === undefined ? [] : ["--stack", stack];
      const account = openAccount(await configOf(of));
      await withFolder(async (folder) => {
        const enginePlan = join(folder, "plan.json");
        const saving = [...reviewed.options, "--save-plan", enginePlan];
        const { plan, toKeep } = await makePlan(account, of, saving);
        assertHolds(file, movedSince(reviewed, await toKeep()));
        if (plan.changes.length + plan.others.length === 0) return console.log("The plan has no changes.");
        // The engine holds itself to it, should the program change in these seconds.
        await apply(plan, [...of, ...reviewed.options, "--plan", enginePlan], isQuiet(command));
      });
    });
}

/** Throws where something has moved since the review. */
function assertHolds(file: string, moved: readonly string[]): void {
  if (moved.length === 0) return;
  const more = moved.length > shown ? [`and ${moved.length - shown} more`] : [];
  const lines = [...moved.slice(0, shown), ...more].map((text) => `  ${text}`).join("\n");
  throw new Error(
    `The plan no longer matches. Nothing was written. Changed since it was saved:\n${lines}\n` +
      `Save a new one with "pulumi-shortlink plan --save ${file}" and have it reviewed.`,
  );
}

/** Runs `pulumi up` and tells how far it is. */
async function apply(plan: Planned, options: readonly string[], isQuiet: boolean): Promise<void> {
  const { changes, limit, wait = 0 } = plan;
  const steps = new Map(changes.map(({ urn, action }) => [urn, action === "replace" ? 2 : 1]));
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

/** What a run has done with the domains and links, which are what its plan named. */
function describeRun({ changes, others }: Planned): string {
  const counts = Object.entries(done).flatMap(([action, word]) => {
    const count = changes.filter((change) => change.action === action).length;
    return count > 0 ? [`${count} ${word}`] : [];
  });
  return [...counts, ...(others.length > 0 ? [`${others.length} other resources changed`] : [])].join(", ");
}
