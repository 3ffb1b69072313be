// `npm start`: deploys the catalog of examples/gitops to an emulator with the real engine, follows one of its
// links, and deploys it again to show that nothing changes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createEmulator } from "pulumi-shortlink/emulator";
import { demoFolder, pulumiEnvironment, root } from "./environment.mjs";

const stack = "demo";

// Each demo begins with an empty service and an empty stack.
rmSync(demoFolder, { recursive: true, force: true });
rmSync(join(root, `Pulumi.${stack}.yaml`), { force: true });
mkdirSync(demoFolder, { recursive: true });
// The provider needs no checkpoints of the engine to finish what a killed run has begun.
const environment = { ...pulumiEnvironment(), PULUMI_SKIP_CHECKPOINTS: "true" };

/**
 * Runs `pulumi` and shows the command and all that it prints.
 *
 * @param {string[]} args
 */
async function pulumi(...args) {
  process.stdout.write(
    `\n$ pulumi ${args.map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(" ")}\n`,
  );
  const child = spawn("pulumi", args, {
    cwd: root,
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
  });
  await once(child, "close");
  if (child.exitCode !== 0)
    throw new Error(
      `"pulumi ${args[0]}" ended with exit code ${child.exitCode}; what went wrong stands above.`,
    );
}

/**
 * Opens a short link as a browser would, but connects to the emulator whatever the link's host is.
 *
 * @param {string} url
 * @returns {Promise<{ status: number | undefined, location: string | undefined }>}
 */
function follow(url) {
  const { host, pathname } = new URL(url);
  return new Promise((resolve, reject) => {
    request(emulator.url + pathname, { headers: { host } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, location: response.headers.location });
    })
      .once("error", reject)
      .end();
  });
}

const emulator = await createEmulator({ data: join(demoFolder, "links.json") });
try {
  process.stdout.write(`The emulator of the short-link service listens on ${emulator.url}.\n`);
  await pulumi("stack", "init", stack);
  await pulumi("config", "set", "shortlink:baseUrl", emulator.url);
  await pulumi("config", "set", "--secret", "shortlink:apiKey", emulator.apiKey);
  await pulumi("config", "set", "--secret", "runbookPassword", "only-for-the-demo");
  await pulumi("config", "set", "--secret", "statisticsPassword", "only-for-the-demo");

  await pulumi("up", "--yes", "--suppress-outputs");
  const created = emulator.requests.length;

  const short = "http://go.example/pulumi";
  const { status, location } = await follow(short);
  process.stdout.write(`\nGET ${short}\n  ${status}, Location: ${location}\n`);
  if (status !== 301 || !location) throw new Error(`${short} does not redirect.`);

  await pulumi("up", "--yes", "--suppress-outputs", "--expect-no-changes");
  const second = emulator.requests.slice(created);
  const writes = second.filter(({ method }) => method !== "GET").length;

  process.stdout.write(`
Requests to /api/v1: ${created} for the first "up", ${second.length} for the second, which looks for what was changed by hand.

To go on from here, start the emulator again with the same port and data:
  npm run pulumi-shortlink -- emulator --port ${new URL(emulator.url).port} --data .pulumi/demo/links.json
and in another terminal change examples/gitops/links/tools.yaml and look at the plan:
  npm run pulumi -- preview --diff
`);
  if (writes > 0) throw new Error("The second up should have changed nothing.");
} catch (error) {
  process.stderr.write(`\n${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
} finally {
  await emulator.close();
}
