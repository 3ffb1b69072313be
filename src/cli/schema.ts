import { Argument, Command } from "commander";
import { documents, jsonSchema, type Kind } from "../catalog/schema";

/** `pulumi-shortlink schema`: prints the JSON Schema with which editors complete and check files. */
export function schemaCommand(): Command {
  return new Command("schema")
    .description("print the JSON Schema (draft-7) of catalog files, for editors")
    .addArgument(new Argument("[kind]", "kind of file").choices(Object.keys(documents)).default("catalog"))
    .action((kind: Kind) => console.log(JSON.stringify(jsonSchema(kind), null, 2)));
}
