import { Command, Option } from "commander";
import { readJournal } from "../account/journal-files";
import { journalFolder } from "../account/settings";

/** `pulumi-shortlink journal`: lists the writes that no run has seen in its state yet. */
export function journalCommand(): Command {
  return new Command("journal")
    .description("list creates, updates and deletes of earlier runs that no state confirms yet")
    .argument(
      "[folder]",
      "folder of the journal (default: SHORTLINK_JOURNAL, else shortlink in Pulumi's home)",
    )
    .addOption(
      new Option("--format <format>", "format of the list").choices(["text", "json"]).default("text"),
    )
    .action((given: string | undefined, { format }: { format: "text" | "json" }) => {
      const folder = given ?? journalFolder(() => undefined);
      const { intents, changes } = folder === undefined ? { intents: [], changes: [] } : readJournal(folder);
      if (format === "json") return console.log(JSON.stringify([...intents, ...changes], null, 2));
      if (intents.length + changes.length === 0) return console.log("The journal has no open entries.");
      for (const { time, service, key, id, urn } of intents) {
        const [type = "", name = ""] = key.split(/ (.*)/);
        console.log(
          `${time}  ${type} ${name} (${id === undefined ? "id not known" : `id ${id}`}) on ${service}`,
        );
        console.log(`  ${urn}`);
      }
      for (const { time, service, object, fields } of changes) {
        const what = fields.length > 0 ? `changed ${fields.join(", ")}` : "deleted";
        console.log(`${time}  ${object} on ${service}: ${what}`);
      }
      console.log('The next "pulumi up" of these stacks finishes what their programs still name.');
    });
}
