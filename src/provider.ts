// What the engine's provider process loads through the text in `dynamic.ts`. The names are part of every state.
import "./node-version";
import type * as pulumi from "@pulumi/pulumi";
import { CatalogProvider } from "./catalog-provider";
import { DomainProvider } from "./domain-provider";
import { LinkProvider } from "./link-provider";
import { endWithEngine } from "./orphan";

endWithEngine();

/** Serves the resources of type `pulumi-nodejs:dynamic/shortlink:Domain`. */
export const domain: pulumi.dynamic.ResourceProvider = new DomainProvider();

/** Serves the resources of type `pulumi-nodejs:dynamic/shortlink:Link`. */
export const link: pulumi.dynamic.ResourceProvider = new LinkProvider();

/** Serves the resources of type `pulumi-nodejs:dynamic/shortlink:Catalog`, the record of a `LinkCatalog`. */
export const catalog: pulumi.dynamic.ResourceProvider = new CatalogProvider();
