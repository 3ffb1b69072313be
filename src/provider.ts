// The engine's provider process loads this through the text in `program/registration.ts`. The names are part of every state.
import "./node-version";
import type * as pulumi from "@pulumi/pulumi";
import { isTraced, planNotesFile } from "./account/settings";
import { dynamicProviders } from "./engine/dynamic";
import { noteForPlan, say, tellNow } from "./engine/log";
import { endWithEngine, isOrphaned } from "./engine/orphan";
import { readState } from "./engine/stack-state";
import { UnwantedError } from "./service/errors";

endWithEngine();

const assertWanted = () => {
  if (isOrphaned()) throw new UnwantedError("the engine is gone");
};
const providers = dynamicProviders({
  say,
  tell: tellNow,
  assertWanted,
  noteForPlan: planNotesFile() === undefined ? undefined : noteForPlan,
  readState,
});

if (isTraced()) {
  // The engine ends its providers with this signal. A handler that did not exit would delay the end of each run.
  process.once("SIGINT", () => {
    const summary = providers.summary();
    if (summary !== undefined) say(summary);
    process.exit(0);
  });
}

/** Serves the resources of type `pulumi-nodejs:dynamic/shortlink:Domain`. */
export const domain: pulumi.dynamic.ResourceProvider = providers.domain;

/** Serves the resources of type `pulumi-nodejs:dynamic/shortlink:Link`. */
export const link: pulumi.dynamic.ResourceProvider = providers.link;

/** Serves the resources of type `pulumi-nodejs:dynamic/shortlink:Catalog`, the record of a `LinkCatalog`. */
export const catalog: pulumi.dynamic.ResourceProvider = providers.catalog;
