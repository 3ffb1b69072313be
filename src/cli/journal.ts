import { Command } from "commander";
import { readJournal } from "../journal";
import { journalFolder } from "../settings";

/** `pulumi-shortlink journal`: what no run has seen in its state yet. */
export function journalCommand(): Command {
  return new Command("journal")
    .description("show what creates have made, or were making, that no later run has seen in its state")
    .argument(
      "[folder]",
      "folder of the journal (default: SHORTLINK_JOURNAL, else shortlink in Pulumi's home)",
    )
    .option("--json", "print JSON", false)
    .action((given: string | undefined, { json }: { json: boolean }) => {
      const folder = given ?? journalFolder(() => undefined);
      const intents = folder === undefined ? [] : readJournal(folder).intents;
      if (json) return console.log(JSON.stringify(intents, null, 2));
      if (intents.length === 0) return console.log("No create is open.");
      for (const { time, service, key, id, urn } of intents) {
        const [type = "", name = ""] = key.split(/ (.*)/);
        console.log(
          `${time}  ${type} ${name} (${id === undefined ? "id not known" : `id ${id}`}) on ${service}`,
        );
        console.log(`  ${urn}`);
      }
      console.log('The next "pulumi up" of these stacks finishes what their programs still name.');
    });
}
