// The files of a new project.

/** Kinds of projects: catalog files, or a TypeScript program. */
export const templates = ["files", "typescript"] as const;
export type Template = (typeof templates)[number];

/** The choices for a new project. */
export interface NewProject {
  /** A name that Pulumi accepts. */
  name: string;
  template: Template;
  /** The domain of its first link. */
  domain: string;
  /** The alias of its first link, still unused in the account. */
  alias: string;
  /** True if the account has the domain already, so that the project only uses it. */
  isExisting: boolean;
  /** True if an import of the whole account writes its catalog. */
  isImport: boolean;
  /** This package in `package.json`: a range of versions, or a file. */
  packageSpec: string;
  /** Range of versions of Pulumi's SDK. */
  sdkRange: string;
}

/** The files of a new project by their paths. */
export function projectFiles(project: NewProject): Record<string, string> {
  const { name, template, isImport, packageSpec, sdkRange } = project;
  const main = template === "files" ? "index.js" : "index.ts";
  const manifest = {
    ...{ name, private: true, main },
    scripts: template === "files" ? { validate: "pulumi-shortlink validate links" } : undefined,
    dependencies: { "@pulumi/pulumi": sdkRange, "pulumi-shortlink": packageSpec },
  };
  return {
    "package.json": `${JSON.stringify(manifest, null, 2)}\n`,
    "Pulumi.yaml": `name: ${name}\ndescription: Short links\nruntime: nodejs\n`,
    ".gitignore": "node_modules/\n",
    ...(template === "typescript" ? { [main]: program(project) } : { [main]: catalogProgram }),
    ...(template === "files" && !isImport ? { "links/links.yaml": catalog(project) } : {}),
  };
}

const catalogProgram = `// The links are in the files of the folder "links"; this program needs no change.
const { LinkCatalog } = require("pulumi-shortlink");

new LinkCatalog("links", { files: "links" });
`;

function catalog({ domain, alias, isExisting }: NewProject): string {
  const about = isExisting
    ? " { existing: true } # managed elsewhere: this project only adds links to it"
    : "";
  return `# yaml-language-server: $schema=../node_modules/pulumi-shortlink/schema/catalog.schema.json
domains:
  ${domain}:${about}

links:
  ${alias}: { domain: ${domain}, alias: ${alias}, url: https://www.pulumi.com/docs/ }
`;
}

function program({ domain, alias, isExisting }: NewProject): string {
  const text = JSON.stringify(domain);
  const made = isExisting
    ? `// Managed elsewhere: this program only adds links to it.
const domain = shortlink.Domain.get("domain", ${text});`
    : `const domain = new shortlink.Domain("domain", { name: ${text} });`;
  return `import * as shortlink from "pulumi-shortlink";

${made}

const docs = new shortlink.Link("${alias}", {
  domainId: domain.id,
  alias: "${alias}",
  url: "https://www.pulumi.com/docs/",
});

export const shortUrl = docs.shortUrl;
`;
}
