import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";

// What differs in an environment is the configuration of its stack:
//   pulumi config set --path 'overlays[0]' overlays/staging.yaml
//   pulumi config set --path 'domainMap["go.example"]' go-pr-7.example
const config = new pulumi.Config();
const overlays = config.getObject<string[]>("overlays");
const domainMap = config.getObject<Record<string, string>>("domainMap");
const catalog = new shortlink.LinkCatalog("links", { files: "links", overlays, domainMap });

/** Some of the short links; all of them are in `catalog.links`. */
export const pulumiDocs = catalog.links["pulumi"]?.shortUrl;
export const runbook = catalog.links["runbook"]?.shortUrl;
