import * as pulumi from "@pulumi/pulumi";
import { currentProgram } from "./program";

// Pulumi stores the whole configuration of a stack in its state, as inputs of the default provider of dynamic resources.
// It encrypts values that were set with `--secret`, and stores all others in clear text.

/** Warns once per program if a secret of the stack's configuration is not marked as one. */
export function warnIfClear(namespace: string, name: string): void {
  const key = `${namespace}:${name}`;
  const program = currentProgram();
  const { isConfigSecret } = pulumi.runtime as { isConfigSecret?: (key: string) => boolean };
  if (!program || !isConfigSecret || program.warned.has(key)) return;
  if (pulumi.runtime.getConfig(key) === undefined || isConfigSecret(key)) return;
  program.warned.add(key);
  const file = `Pulumi.${pulumi.getStack()}.yaml`;
  void pulumi.log.warn(
    `${key} is not marked as a secret, so it is in clear text in ${file}, and in the state with its backups and history. Run "pulumi ` +
      `config set --secret ${key}" and "pulumi up". Then replace the secret itself, or remove ${file} from the history of ` +
      `git and, of a state in a folder or bucket, the older files in .pulumi/backups and .pulumi/history.`,
  );
}
