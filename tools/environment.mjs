// Paths, and the environment in which this repository runs `pulumi`. Its own home, state and passphrase
// keep the user's login, plugins and stacks untouched.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Home, state and data of the demo. `npm start` empties it, `npm run pulumi` continues with it. */
export const demoFolder = join(root, ".pulumi", "demo");

/** The oldest Pulumi CLI that the tests have run with. Setup builds this version if it can download none. */
export const cliVersion = "3.258.0";

const executable = process.platform === "win32" ? ".exe" : "";

/** This project's folder in the user's cache. It holds one Pulumi CLI per version. */
export function cacheFolder() {
  const home = homedir();
  const base =
    process.platform === "win32"
      ? (process.env.LOCALAPPDATA ?? join(home, "AppData", "Local"))
      : process.platform === "darwin"
        ? join(home, "Library", "Caches")
        : process.env.XDG_CACHE_HOME || join(home, ".cache");
  return join(base, "pulumi-shortlink");
}

/** The folders of the cache that may hold a CLI in `bin`: the downloaded one and the built one. */
export function cliFolders() {
  const { devDependencies } = /** @type {{ devDependencies: Record<string, string> }} */ (
    JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  );
  return {
    // The installer downloads the version of the SDK.
    downloaded: join(cacheFolder(), `pulumi-${devDependencies["@pulumi/pulumi"]}-downloaded`),
    built: join(cacheFolder(), `pulumi-${cliVersion}-built`),
  };
}

/** @typedef {{ bin: string, version: string, where: string }} Cli */

/** @type {Cli | undefined} */
let found;

/**
 * Finds a Pulumi CLI with its Node language host: on PATH, else in the cache. Remembers it, because asking for a version is slow.
 *
 * @returns {Cli | undefined}
 */
export function findPulumi() {
  return (found ??= lookForPulumi());
}

/** @returns {Cli | undefined} */
function lookForPulumi() {
  const { downloaded, built } = cliFolders();
  const onPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = [
    ...onPath.map((bin) => ({ bin, where: "on PATH" })),
    { bin: join(downloaded, "bin"), where: "downloaded" },
    { bin: join(built, "bin"), where: "built from source" },
  ];
  for (const { bin, where } of candidates) {
    if (!existsSync(join(bin, `pulumi${executable}`))) continue;
    const version = versionOf(join(bin, `pulumi${executable}`));
    // The engine looks on PATH and beside its real file, even if a symbolic link started it.
    const real = dirname(realpathSync(join(bin, `pulumi${executable}`)));
    const hosts = where === "on PATH" ? [...onPath, real] : [bin];
    const hasHost = hosts.some((folder) => existsSync(join(folder, `pulumi-language-nodejs${executable}`)));
    if (version !== undefined && hasHost && isRecent(version)) return { bin, version, where };
  }
  return undefined;
}

/** @param {string} command */
function versionOf(command) {
  try {
    return execFileSync(command, ["version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 30_000,
      env: { ...process.env, PULUMI_HOME: join(demoFolder, "home"), PULUMI_SKIP_UPDATE_CHECK: "true" },
    })
      .trim()
      .replace(/^v/, "");
  } catch {
    return undefined;
  }
}

/** @param {string} version */
function isRecent(version) {
  const [have, need] = [version, cliVersion].map((text) => text.split(".").map((part) => parseInt(part, 10)));
  for (let i = 0; i < 3; i++) if (have?.[i] !== need?.[i]) return (have?.[i] ?? 0) > (need?.[i] ?? 0);
  return true;
}

/**
 * The environment for `pulumi`: the right tools first on PATH, home and state below `folder`.
 *
 * @param {string} folder
 * @returns {Record<string, string>}
 */
export function pulumiEnvironment(folder = demoFolder) {
  const cli = findPulumi();
  if (!cli) throw new Error('There is no Pulumi CLI yet: run "npm run setup".');
  const [home, state] = [join(folder, "home"), join(folder, "state")];
  for (const each of [home, state]) mkdirSync(each, { recursive: true });
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PULUMI|SHORTLINK)_/.test(name));
  return {
    .../** @type {Record<string, string>} */ (Object.fromEntries(inherited)),
    PATH: [join(root, "node_modules", ".bin"), cli.bin, process.env.PATH].join(delimiter),
    PULUMI_HOME: home,
    // Without an attributes file beside each state: the engine does not replace it in one step. An engine that is killed
    // meanwhile leaves a state that no later command can read ("failed to load checkpoint: EOF").
    PULUMI_BACKEND_URL: `${pathToFileURL(state).href}?metadata=skip`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    // Each command starts several Node processes that load the same big libraries.
    NODE_COMPILE_CACHE: join(cacheFolder(), "compiled"),
  };
}
