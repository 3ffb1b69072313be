import { readFileSync } from "fs";
import { join } from "path";
import * as pulumi from "@pulumi/pulumi";
import * as shortlink from "pulumi-shortlink";
import { parse } from "yaml";

/** A secret is not in the file: it names a value of the stack's configuration. */
interface Secret {
  secret: string;
}

/** An entry is a link with the name of its domain in the place of the id. */
interface Entry extends Omit<shortlink.LinkArgs, "domainId" | "redirectPassword" | "password"> {
  domain: string;
  redirectPassword?: Secret;
  password?: Secret;
}

interface Catalog {
  domains: { [name: string]: shortlink.DomainArgs };
  links: { [name: string]: Entry };
}

const config = new pulumi.Config();
const catalog = parse(readFileSync(join(__dirname, "links.yaml"), "utf8")) as Catalog;

const domains: { [name: string]: shortlink.Domain } = {};
for (const [name, args] of Object.entries(catalog.domains)) {
  domains[name] = new shortlink.Domain(name, args);
}

/** The short links of this catalog, by entry. */
export const shortUrls: { [name: string]: pulumi.Output<string> } = {};
for (const [name, { domain, redirectPassword, password, ...args }] of Object.entries(catalog.links)) {
  const owner = domains[domain];
  if (!owner)
    throw new Error(`links.yaml: the link "${name}" names the domain "${domain}", which is not declared`);
  const link = new shortlink.Link(name, {
    ...args,
    domainId: owner.id,
    redirectPassword: redirectPassword && config.requireSecret(redirectPassword.secret),
    password: password && config.requireSecret(password.secret),
  });
  shortUrls[name] = link.shortUrl;
}
