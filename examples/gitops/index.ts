import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";

// Which overlays a stack has is its configuration: pulumi config set --path "overlays[0]" overlays/staging.yaml
const overlays = new pulumi.Config().getObject<string[]>("overlays");
const catalog = new shortlink.LinkCatalog("links", { files: "links", overlays });

/** Some of the short links; all of them are in `catalog.links`. */
export const pulumiDocs = catalog.links["pulumi"]?.shortUrl;
export const runbook = catalog.links["runbook"]?.shortUrl;
