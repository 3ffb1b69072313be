// The usual configuration, but tests import the built sources. So they run the same files as the processes of the engine.
import { join, sep } from "node:path";
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config.mts";
import { root } from "../environment.mjs";

const [src, dist] = [join(root, "src") + sep, join(root, "dist") + sep];

/** @type {import("vitest/config").Plugin} */
const built = {
  name: "built-sources",
  enforce: "pre",
  async resolveId(source, importer, options) {
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found?.id.startsWith(src) ? found.id.replace(src, dist).replace(/\.ts$/, ".js") : null;
  },
};

export default mergeConfig(base, {
  plugins: [built],
  test: { root, server: { deps: { external: [/\/dist\//] } } },
});
