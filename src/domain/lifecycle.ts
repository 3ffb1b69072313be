import type { Account } from "../account/account";
import type { Inputs, Saved } from "../account/saved";
import { unlessGone } from "../account/messages";
import { isUnknown, type Problem } from "../fields/problem";
import { announceExisting, announceImport } from "../resource/announce";
import { finish } from "../resource/create";
import type { EngineCall, Checked, Created, Life, Plan, Read } from "../resource/model";
import { checkArgs, clashes, plan } from "../resource/plan";
import { getObject, noteRefresh, readAgain } from "../resource/read";
import { deleteObject, update } from "../resource/write";
import type { LinkRecord } from "../service/client";
import { collate } from "../service/collate";
import { createOf, domainForm, makeDomain } from "./create";
import { domainFields } from "./fields";
import { domainModel, type DomainValues } from "./model";

/** The life cycle of the domains of one account. */
export class DomainLife implements Life {
  readonly table = domainFields;
  readonly outputs = ["url"] as const;
  readonly #account: Account;
  /** The domains that have `forceDestroy` in the program. */
  readonly #forced = new Set<string>();

  constructor(account: Account) {
    this.#account = account;
  }

  async check(call: EngineCall, olds: Inputs | undefined, given: Inputs): Promise<Checked> {
    const account = this.#account;
    const { args, problems } = checkArgs(account, domainFields, given, olds !== undefined);
    const inputs = { args, about: given.about };
    const { urn } = given.about;
    if (urn !== undefined && args.forceDestroy === true) this.#forced.add(urn);
    if (problems.length > 0 || account.settingsProblems.length > 0) return { inputs, problems };
    problems.push(...this.#clashes(inputs));
    if (call.isPreview && olds === undefined && problems.length === 0) await this.#announce(inputs);
    return { inputs, problems };
  }

  diff(id: number, old: Saved, news: Inputs): Plan {
    const { changed: _changed, ...decision } = plan(this.#account, domainModel, { id, old, news });
    return decision;
  }

  async create(inputs: Inputs): Promise<Created> {
    const create = createOf(this.#account, inputs);
    return finish(create, await makeDomain(create));
  }

  get(key: string): Promise<Read> {
    return getObject(this.#account, domainModel, key);
  }

  async read(id: number, old: Saved): Promise<Read | undefined> {
    noteRefresh(this.#account, domainModel, id, old);
    const domain = await unlessGone(this.#account.client.showDomain(id));
    return domain && readAgain(this.#account, domainModel, domain, old);
  }

  update(id: number, old: Saved, news: Inputs): Promise<Saved> {
    const { client } = this.#account;
    const write = (fields: readonly string[]) =>
      fields.length === 0 ? client.showDomain(id) : client.updateDomain(id, domainForm(news, fields));
    return update(this.#account, domainModel, { id, old, news, write });
  }

  delete(id: number, old: Saved): Promise<void> {
    return deleteObject(this.#account, domainModel, id, old, () => this.#assertNoLinks(id, old));
  }

  /** Conflicts with other domains of the program. */
  #clashes(inputs: Inputs): Problem[] {
    const { name } = inputs.args as DomainValues;
    const wanted = isUnknown(name)
      ? undefined
      : {
          property: "name",
          what: `domain ${collate(name)}`,
          toReason: (other: string) =>
            `is already used by the resource ${other}: use the id of that domain instead of a second one`,
        };
    return clashes(this.#account, "domain", inputs, wanted);
  }

  /** Says in a preview what the plan of a new domain does not show. */
  async #announce(inputs: Inputs): Promise<void> {
    if (isUnknown(inputs)) return;
    const account = this.#account;
    const { importKey } = inputs.about;
    if (importKey !== undefined) {
      const found = await account.existing.domainToImport(importKey);
      return announceImport(account, domainModel, inputs, found);
    }
    const found = await account.existing.domain((inputs.args as DomainValues).name);
    if (found) announceExisting(account, domainModel, inputs, { found, address: found.url ?? found.name });
  }

  /** The service deletes the links of a domain with it. Pulumi has deleted the stack's own links before. */
  async #assertNoLinks(id: number, { inputs: { args, about } }: Saved): Promise<void> {
    const { name, forceDestroy } = args as DomainValues;
    // The deletion of a replaced domain has the inputs of an earlier program.
    const isForced = forceDestroy ?? (about.urn !== undefined && this.#forced.has(about.urn));
    const { clock, progress } = this.#account;
    const look = () => this.#linksOn(id, about.urn);
    let { kept, others } = await look();
    // After an import the state relates no link to its domain until the next `up`. The engine then deletes all at once.
    while (kept.length > 0 || (others.length > 0 && !isForced)) {
      while (progress.isDeletingLinks) await clock.sleep(100);
      const before = kept.length + others.length;
      ({ kept, others } = await look());
      if (kept.length + others.length >= before && !progress.isDeletingLinks) break;
    }
    const describe = (links: readonly LinkRecord[]) => {
      const aliases = [...links.slice(0, 3).map(({ alias }) => alias), ...(links.length > 3 ? ["..."] : [])];
      const count = `${links.length} ${links.length === 1 ? "link" : "links"}`;
      return `delete domain ${id}: ${count} on ${name} (${aliases.join(", ")}) would be deleted with it, `;
    };
    if (kept.length > 0) {
      throw new Error(
        `${describe(kept)}but the program still has them. Put the domain back into the program. Or, to leave it on the service ` +
          `without this stack, run "pulumi state delete '${about.urn}'".`,
      );
    }
    if (isForced || others.length === 0) return;
    throw new Error(
      `${describe(others)}and this stack does not delete them itself. Remove them first, or set forceDestroy to true and run ` +
        `"pulumi up". To keep the domain with these links, run "pulumi state delete '${about.urn}'".`,
    );
  }

  /** The links on a domain that the program or the state has, and all others. */
  async #linksOn(id: number, urn: string | undefined): Promise<{ kept: LinkRecord[]; others: LinkRecord[] }> {
    const { client, ownership } = this.#account;
    const [kept, others]: [LinkRecord[], LinkRecord[]] = [[], []];
    for await (const page of client.listLinks({ domain_id: id }))
      for (const link of page) {
        const isKept =
          ownership.isOwned(`link ${link.id}`) || (await this.#account.ownerOfLink(link)) !== undefined;
        // Links of an interrupted run are in no state. This run has planned all other links of the stack, so they count as saved.
        const isLeftOver = ownership.hasPlanned && this.#account.makerOf(link, urn) !== undefined;
        if (isKept) kept.push(link);
        else if (!isLeftOver) others.push(link);
      }
    return { kept, others };
  }
}
