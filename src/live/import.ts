import type { Account } from "../account/account";
import type { Inputs } from "../account/saved";
import { domainModel } from "../domain/model";
import { encodeInputs, encodeSaved, decodeInputs, providerOf, type Flat } from "../engine/codec";
import { isUnknown } from "../fields/problem";
import { managedOf, secretsOf } from "../fields/table";
import { linkModel } from "../link/model";
import { differences } from "../resource/create";
import { replaceFields } from "../resource/drift";
import { asWritten, type Item, type Model } from "../resource/model";
import { savedAfter } from "../resource/write";
import { collate } from "../service/collate";
import type { DomainRecord, LinkRecord } from "../service/client";
import type { Survey } from "./survey";

// Makes the file for `pulumi import --file` from a plan: the resources to create that the account already has.

/** A step of `pulumi preview --json`, as far as it matters here. */
export interface Step {
  op: string;
  urn: string;
  newState?: {
    type: string;
    custom?: boolean;
    parent?: string;
    inputs?: Flat;
    propertyDependencies?: Record<string, string[] | null>;
  };
}

/** Input of `pulumi import --file`. If entries have inputs and outputs, the engine sends no requests (engine.md). */
export interface ImportFile {
  nameTable: Record<string, string>;
  resources: ImportEntry[];
}
interface ImportEntry {
  type: string;
  /** Entries name their parent by it, so it is unique in the file. */
  name: string;
  /** The name in the program. */
  logicalName: string;
  component?: true;
  parent?: string;
  id?: string;
  inputs?: Flat;
  outputs?: Flat;
}

/** An import file, and a summary of it. */
export interface Import {
  file: ImportFile;
  domains: number;
  links: number;
  /** Resources whose object differs from the program, with the differing fields: the next `up` changes them. */
  differing: { name: string; fields: string[] }[];
  /** Names of resources whose passwords the next `up` writes, because the service does not return them. */
  passwords: string[];
  /** Names of resources with a secret alias or destination, which the plan does not show. */
  sealed: string[];
  /** Number of resources that the account lacks: the next `up` creates them. */
  missing: number;
}

const types = /^pulumi-nodejs:dynamic\/shortlink:(Domain|Link|Catalog)$/;

/** Makes the import file for the resources that a plan would create and the account already has. */
export async function toImport(account: Account, { domains, links }: Survey, steps: Step[]): Promise<Import> {
  const found: Import = {
    file: { nameTable: {}, resources: [] },
    domains: 0,
    links: 0,
    differing: [],
    passwords: [],
    sealed: [],
    missing: 0,
  };
  const { nameTable, resources } = found.file;
  const created = steps.filter(({ op, newState }) => op === "create" && newState !== undefined);
  const isCreated = new Set(created.map(({ urn }) => urn));
  /** Ids of domains by URN, for links whose plan does not know them. */
  const ids = new Map<string, number>();
  const byName = new Map(domains.map((domain) => [collate(domain.name ?? ""), domain]));
  const byAlias = new Map(links.map((link) => [`${link.domain_id}/${collate(link.alias)}`, link]));

  for (const { urn, newState: state = { type: "" } } of created) {
    const { type, inputs = {}, parent = "" } = state;
    const [, kind] = types.exec(type) ?? [];
    const isStack = type === "pulumi:pulumi:Stack";
    if (isStack || (state.custom && kind === undefined)) continue;
    const place = { type, name: urn, logicalName: nameOf(urn), ...placeBelow(parent) };
    if (!state.custom) resources.push({ ...place, component: true });
    else if (kind === "Catalog")
      resources.push({ ...place, id: "catalog", inputs, outputs: providerOf(inputs) });
    else if (hasSealed(kind, inputs)) found.sealed.push(nameOf(urn));
    else {
      const entry =
        kind === "Domain"
          ? await toEntry(domainModel, domainOf(inputs), inputs, urn)
          : await toEntry(linkModel, linkOf(inputs, state.propertyDependencies), inputs, urn);
      if (entry) resources.push({ ...place, ...entry });
      else found.missing++;
    }
  }
  return found;

  function placeBelow(parent: string): { parent?: string } {
    if (parent === "" || parent.includes("::pulumi:pulumi:Stack::")) return {};
    // A parent that the state already has is named by its URN.
    if (!isCreated.has(parent)) nameTable[parent] = parent;
    return { parent };
  }

  function domainOf({ name }: Flat): DomainRecord | undefined {
    return isUnknown(name) ? undefined : byName.get(collate(String(name)));
  }

  function linkOf(
    { alias, domainId }: Flat,
    dependencies: Record<string, string[] | null> = {},
  ): LinkRecord | undefined {
    const [domain = ""] = dependencies.domainId ?? [];
    const id = isUnknown(domainId) ? ids.get(domain) : Number(domainId);
    return typeof alias === "string" ? byAlias.get(`${id}/${collate(alias)}`) : undefined;
  }

  async function toEntry<Each extends Item>(
    model: Model<Each>,
    record: Each | undefined,
    planned: Flat,
    urn: string,
  ): Promise<Required<Pick<ImportEntry, "id" | "inputs" | "outputs">> | undefined> {
    if (!record) return undefined;
    if (model.type === "domain") ids.set(urn, record.id);
    const { inputs, fields, hasPasswords } = asOnService(account, model, record, planned);
    if (fields.length > 0) found.differing.push({ name: nameOf(urn), fields });
    if (hasPasswords) found.passwords.push(nameOf(urn));
    const saved = await savedAfter(account, model, {
      record,
      inputs,
      fields: managedOf(model.table),
      memory: {},
    });
    found[model.type === "domain" ? "domains" : "links"]++;
    const provider = providerOf(planned);
    return {
      id: String(record.id),
      inputs: { ...provider, ...encodeInputs(inputs) },
      outputs: { ...provider, ...encodeSaved(saved) },
    };
  }
}

/** How a plan shows a secret. */
const sealed = "[secret]";

/** True if an argument other than a password is a secret. */
function hasSealed(kind: string | undefined, inputs: Flat): boolean {
  const { table } = kind === "Domain" ? domainModel : linkModel;
  return Object.entries(table).some(([name, row]) => !row.secret && inputs[name] === sealed);
}

/** The inputs of a plan, with the service's value for each field in which the object differs. */
function asOnService<Each extends Item>(
  account: Account,
  model: Model<Each>,
  record: Each,
  planned: Flat,
): { inputs: Inputs; fields: string[]; hasPasswords: boolean } {
  const { table } = model;
  const { args: given, about } = decodeInputs(
    planned,
    ["url", "shortUrl"].filter((name) => !(name in table)),
  );
  const secrets = secretsOf(table).filter((name) => given[name] !== undefined);
  const known = Object.entries(given).filter(([name, value]) => !secrets.includes(name) && !isUnknown(value));
  const args = Object.fromEntries(known);
  const answer = asWritten(account, model, record, args);
  // Values that the plan cannot know, the id of a domain for example, come from the service.
  for (const [name, value] of Object.entries(given)) if (isUnknown(value)) args[name] = answer[name];
  const fields = differences({ account, model }, { args, about }, record).filter(
    (name) => !table[name]?.secret,
  );
  return {
    inputs: { args: replaceFields(args, fields, answer), about },
    fields,
    hasPasswords: secrets.length > 0,
  };
}

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** Describes an import, and the changes that the next `pulumi up` will make. */
export function describeImport({ domains, links, differing, passwords, sealed, missing }: Import): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  const some = (lines: string[]) => [
    ...lines.slice(0, 10),
    ...(lines.length > 10 ? [`  and ${lines.length - 10} more`] : []),
  ];
  return [
    `The account has ${count(links, "link")} and ${count(domains, "domain")} that the program has and the stack does not.`,
    ...(missing > 0 ? [`It lacks ${missing} that the next "pulumi up" creates.`] : []),
    ...(differing.length > 0
      ? [`These differ from the program, and the next "pulumi up" changes them:`]
      : []),
    ...some(differing.map(({ name, fields }) => `  ${name}: ${fields.join(", ")}`)),
    ...(sealed.length > 0
      ? [
          "A plan does not show a secret alias or destination, so give these resources the option import instead:",
        ]
      : []),
    ...some(sealed.map((name) => `  ${name}`)),
    ...(passwords.length > 0
      ? [
          `The service returns no passwords, so the next "pulumi up" sets the passwords of ${count(passwords.length, "link")}.`,
        ]
      : []),
  ].join("\n");
}
