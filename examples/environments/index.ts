import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";

const config = new pulumi.Config();
const overlays = config.getObject<string[]>("overlays");
const domainMap = config.getObject<Record<string, string>>("domainMap");
const catalog = new shortlink.LinkCatalog("links", { files: "links", overlays, domainMap });

/** The short links of this environment by their keys. */
export const shortUrls: { [key: string]: pulumi.Output<string> } = {};
for (const [key, link] of Object.entries(catalog.links)) shortUrls[key] = link.shortUrl;
