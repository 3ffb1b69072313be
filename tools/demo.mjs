// `npm start`: deploys the catalog of examples/gitops to an emulator with the real engine. Then it plans and applies a small change,
// follows a link, and deploys again to show that nothing changes. A log has the output of all commands.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join, relative } from "node:path";
import { createEmulator } from "pulumi-shortlink/emulator";
import { demoFolder, pulumiEnvironment, root } from "./environment.mjs";

const stack = "demo";
const example = join(root, "examples", "gitops");
const log = join(demoFolder, "log.txt");
const change = `links:
  nginx: null
  kubernetes: { alias: kubernetes }
  docker: { url: https://docs.docker.com/guides/, clicksLimit: 500 }
`;

// Each demo begins with an empty service and an empty stack.
rmSync(demoFolder, { recursive: true, force: true });
rmSync(join(root, `Pulumi.${stack}.yaml`), { force: true });
mkdirSync(demoFolder, { recursive: true });

/** @param {string} [text] */
const say = (text = "") => process.stdout.write(`${text}\n`);
/** @param {string} file */
const fromHere = (file) => relative(process.cwd(), file);

/**
 * Runs a command, appends its output to the log, and returns it.
 *
 * @param {string} command
 * @param {string[]} args
 */
async function run(command, ...args) {
  const environment = {
    ...pulumiEnvironment(),
    // The provider can finish an interrupted run without checkpoints of the engine.
    PULUMI_SKIP_CHECKPOINTS: "true",
    SHORTLINK_BASE_URL: emulator.url,
    SHORTLINK_API_KEY: emulator.apiKey,
  };
  const line = [command, ...args].map((arg) => (/\s/.test(arg) ? JSON.stringify(arg) : arg)).join(" ");
  appendFileSync(log, `\n$ ${line}\n`);
  const [file, first] =
    command === "pulumi" ? [command, args] : [process.execPath, [join(root, "dist/cli/main.js"), ...args]];
  const child = spawn(file, first, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      appendFileSync(log, text);
      output += text;
    });
  await once(child, "close");
  if (child.exitCode !== 0) throw new Error(`"${line}" ended with exit code ${child.exitCode}:\n${output}`);
  return output;
}

/**
 * Shows how many objects a run has created: live on a terminal, only at the end elsewhere.
 *
 * @template Value
 * @param {Promise<Value>} work
 * @param {number} total
 */
async function withProgress(work, total) {
  const begin = Date.now();
  const show = () => {
    const made = emulator.requests.filter(({ method }) => method === "POST").length;
    process.stdout.write(`\r  ${made} of ${total} domains and links created`);
  };
  const timer = process.stdout.isTTY ? setInterval(show, 100) : undefined;
  try {
    return await work;
  } finally {
    clearInterval(timer);
    show();
    say(` in ${Math.round((Date.now() - begin) / 1000)} s`);
  }
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
  say(`The emulator of the short-link service listens on ${emulator.url}.`);
  say(`The log of all commands: ${fromHere(log)}`);

  say("\n$ pulumi-shortlink validate examples/gitops/links");
  const checked = await run("pulumi-shortlink", "validate", join(example, "links"));
  say(checked.trim());
  const [links = 0, domains = 0] = (checked.match(/\d+/g) ?? []).map(Number);

  await run("pulumi", "stack", "init", stack);
  for (const name of ["runbookPassword", "statisticsPassword"])
    await run("pulumi", "config", "set", "--secret", name, "only-for-the-demo");
  say("\n$ pulumi up");
  await withProgress(run("pulumi", "up", "--yes", "--skip-preview", "--suppress-outputs"), links + domains);

  say("\nSomebody changes three links:");
  say(change.trimEnd());
  const overlay = join(demoFolder, "change.yaml");
  writeFileSync(overlay, change);
  await run("pulumi", "config", "set", "--path", "overlays[0]", relative(example, overlay));
  const plan = fromHere(join(demoFolder, "plan.json"));
  say(`\n$ pulumi-shortlink plan --save ${plan}`);
  say((await run("pulumi-shortlink", "plan", "--save", plan)).trim());
  say(`\n$ pulumi-shortlink up --plan ${plan}`);
  say((await run("pulumi-shortlink", "up", "--plan", plan)).trim());

  const short = "http://go.example/docker";
  const { status, location } = await follow(short);
  say(`\n$ curl -I ${short}\n  ${status}, Location: ${location}`);
  if (status !== 301 || !location) throw new Error(`${short} does not redirect.`);

  say("\n$ pulumi up");
  const sent = emulator.requests.length;
  const again = await run("pulumi", "up", "--yes", "--suppress-outputs", "--expect-no-changes");
  const writes = emulator.requests.slice(sent).filter(({ method }) => method !== "GET").length;
  if (writes > 0) throw new Error("The second up should have changed nothing.");
  say(`  0 changes, ${/(\d+) unchanged/.exec(again)?.[1]} resources unchanged`);

  const serve = `npm run pulumi-shortlink -- emulator --port ${new URL(emulator.url).port} --data .pulumi/demo/links.json`;
  if (process.stdout.isTTY && !process.env.CI) {
    say(`\nLook at the links, their visits and QR codes: ${emulator.url}/`);
    say("End with Ctrl-C. The emulator goes on later with:");
    say(`  ${serve}`);
    await once(process, "SIGINT");
  } else {
    say("\nTo look at the links, their visits and QR codes, start the emulator again and open its page:");
    say(`  ${serve}`);
    say(`  ${emulator.url}/`);
  }
} catch (error) {
  process.stderr.write(`\n${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
} finally {
  await emulator.close();
}
