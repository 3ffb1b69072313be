import { Command, InvalidArgumentError } from "commander";
import { createEmulator } from "../emulator/server";

interface Options {
  port: number;
  data?: string;
  apiKey: string;
}

/** `pulumi-shortlink emulator`: serves until it is interrupted. */
export function emulatorCommand(): Command {
  return new Command("emulator")
    .description("run a local emulator of the short-link service on 127.0.0.1, for trials and tests")
    .option("--port <number>", "port to listen on; 0 picks a free one", parsePort, 8787)
    .option("--data <file>", "JSON file that keeps domains and links between runs (default: none)")
    .option("--api-key <key>", "the account's API key", "emulator-key")
    .action(async ({ port, data, apiKey }: Options) => {
      const emulator = await createEmulator({ port, apiKey, ...(data === undefined ? {} : { data }) }).catch(
        (error: unknown) => {
          const inUse = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
          throw inUse
            ? new Error(`port ${port} is in use; choose another with --port`, { cause: error })
            : error;
        },
      );
      console.log(`The short-link service listens on ${emulator.url}`);
      console.log(`  pulumi config set shortlink:baseUrl ${emulator.url}`);
      console.log(`  pulumi config set --secret shortlink:apiKey ${emulator.apiKey}`);
      console.log(`Its page: ${emulator.url}/`);
      console.log(`To follow a link: curl -i -H 'Host: <domain>' ${emulator.url}/<alias>`);
      for (const signal of ["SIGINT", "SIGTERM"] as const) {
        process.once(signal, () => void emulator.close().then(() => process.exit(0)));
      }
    });
}

function parsePort(value: string): number {
  const port = Number(value);
  if (!/^\d+$/.test(value) || port > 65535) throw new InvalidArgumentError("Give a port from 0 to 65535.");
  return port;
}
