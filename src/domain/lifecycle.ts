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
import type { LinkRecord, Page } from "../service/client";
import { collate } from "../service/collate";
import { createOf, domainForm, makeDomain } from "./create";
import { domainFields } from "./fields";
import { domainModel, type DomainValues } from "./model";

/** The life cycle of the domains of one account. */
export class DomainLife implements Life {
  readonly table = domainFields;
  readonly outputs = ["url"] as const;
  readonly #account: Account;

  constructor(account: Account) {
    this.#account = account;
  }

  async check(call: EngineCall, olds: Inputs | undefined, given: Inputs): Promise<Checked> {
    const account = this.#account;
    const { args, problems } = checkArgs(account, domainFields, given, olds !== undefined);
    const inputs = { args, about: given.about };
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
    if (forceDestroy) return;
    const { clock, progress } = this.#account;
    let found = await this.#othersOn(id, about.urn);
    // After an import the state relates no link to its domain until the next `up`. The engine then deletes all at once.
    while (found.links.length > 0) {
      while (progress.isDeletingLinks) await clock.sleep(100);
      const before = found;
      found = await this.#othersOn(id, about.urn);
      if (found.total >= before.total && !progress.isDeletingLinks) break;
    }
    const { links } = found;
    if (links.length === 0) return;
    const aliases = [...links.slice(0, 3).map(({ alias }) => alias), ...(links.length > 3 ? ["..."] : [])];
    const count = links.length < 100 ? links.length : "100 or more";
    throw new Error(
      `delete domain ${id}: ${count} ${count === 1 ? "link" : "links"} on ${name} (${aliases.join(", ")}) would be deleted ` +
        `with it, and this stack does not delete them itself. Remove them first, or set forceDestroy to true and run "pulumi up".`,
    );
  }

  /** At most a hundred links on a domain, without those that interrupted runs of this stack made, and the total. */
  async #othersOn(id: number, urn: string | undefined): Promise<{ links: LinkRecord[]; total: number }> {
    const { client, ownership } = this.#account;
    const first = await client.listLinks({ domain_id: id }).next();
    const all = (first.value as Page<LinkRecord> | undefined) ?? [];
    // Links of an interrupted run are in no state. This run has planned all other links of the stack, so they count as saved.
    const isOwn = (link: LinkRecord) =>
      ownership.hasPlanned && this.#account.makerOf(link, urn) !== undefined;
    const links = all.length < 100 ? all.filter((link) => !isOwn(link)) : all;
    return { links, total: ("total" in all ? all.total : undefined) ?? all.length };
  }
}
