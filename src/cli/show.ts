import { Command, Option } from "commander";
import { stringify } from "yaml";
import { checkCatalog } from "../catalog/checks";
import type { Entry, LinkEntry } from "../catalog/entries";
import { loadCatalog, type Catalog } from "../catalog/load";
import { placeText, type Place } from "../catalog/written";
import { report } from "./report";
import { collect } from "./patterns";
import { defaultFiles, timeZoneOption } from "./validate";

interface Options {
  overlay: string[];
  timeZone?: string;
  format: "yaml" | "json" | "table";
  origin: boolean;
}

/** `pulumi-shortlink show`: prints the catalog after defaults and overlays. */
export function showCommand(version: string): Command {
  return new Command("show")
    .description("show the catalog after defaults and overlays")
    .argument("[files...]", "files, folders and patterns (default: the folder links)")
    .option("--overlay <file>", "overlay to apply; repeatable, applied in order", collect, [])
    .addOption(timeZoneOption())
    .addOption(new Option("--format <format>", "format").choices(["yaml", "json", "table"]).default("yaml"))
    .option("--origin", "name the file that set each value", false)
    .action((files: string[], { overlay, format, origin, timeZone }: Options) => {
      const catalog = loadCatalog({ files: files.length > 0 ? files : defaultFiles, overlays: overlay });
      const findings = checkCatalog(catalog, { allowEmpty: true, timeZone });
      if (findings.length > 0) {
        console.error(report(findings, "text", version));
        process.exitCode = 1;
        return;
      }
      if (format === "table") return console.log(toTable(catalog, origin));
      const document = toDocument(catalog, origin);
      console.log(
        format === "json"
          ? JSON.stringify(document, null, 2)
          : stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd(),
      );
    });
}

/** The catalog of this environment, with its names of the domains. With `origin` each value has its place. */
function toDocument({ domains, links }: Catalog, origin: boolean): object {
  const owners = new Map(domains.map((domain) => [domain.key, domain]));
  const toFields = (values: Entry["values"], at: (name: string) => Place) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        origin ? { value, origin: placeText(at(name)) } : value,
      ]),
    );
  const toLink = (link: LinkEntry): [string, object] => {
    const owner = link.domain === undefined ? undefined : owners.get(link.domain);
    const isRenamed = owner !== undefined && owner.name !== owner.key;
    const values = isRenamed ? { ...link.values, domain: owner.name } : link.values;
    const at = (name: string) => (isRenamed && name === "domain" ? owner.nameAt() : link.at([name]));
    return [link.key, toFields(values, at)];
  };
  return {
    domains: Object.fromEntries(
      domains.map((domain) => [domain.name, toFields(domain.values, (name) => domain.at([name]))]),
    ),
    links: Object.fromEntries(links.map(toLink)),
  };
}

/** A line for each link: its key, its address, its destination. */
function toTable({ domains, links }: Catalog, origin: boolean): string {
  const names = new Map(domains.map(({ key, name }) => [key, name]));
  const rows = links.map((link) => {
    const { alias, domainId, url } = link.values;
    const host =
      link.domain === undefined ? `(domain ${String(domainId)})` : (names.get(link.domain) ?? link.domain);
    const address = `${host}/${typeof alias === "string" ? alias : "(derived)"}`;
    return [link.key, address, String(url), ...(origin ? [placeText(link.at(["url"]))] : [])];
  });
  const all = [["key", "short link", "url", ...(origin ? ["origin"] : [])], ...rows];
  const widths = (all[0] ?? []).map((_, column) =>
    all.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0),
  );
  return all
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
