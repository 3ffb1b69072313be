import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";

const overlays = new pulumi.Config().getObject<string[]>("overlays");
const catalog = new shortlink.LinkCatalog("links", { files: "links", overlays });

/** The short links of this environment by their keys. */
export const shortUrls: { [key: string]: pulumi.Output<string> } = {};
for (const [key, link] of Object.entries(catalog.links)) shortUrls[key] = link.shortUrl;
