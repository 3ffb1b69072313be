import type { Account } from "../account/account";
import type { Inputs, Saved } from "../account/saved";
import { isUnknown, type Problem } from "../fields/problem";
import { announceExisting, announceImport } from "../resource/announce";
import { finish } from "../resource/create";
import type { EngineCall, Checked, Created, Life, Plan, Read } from "../resource/model";
import { areKnown, checkArgs, clashes, plan } from "../resource/plan";
import { getObject, noteRefresh, readAgain } from "../resource/read";
import { deleteObject, update } from "../resource/write";
import type { LinkRecord } from "../service/client";
import { collate } from "../service/collate";
import { AliasMoves } from "./alias-moves";
import { createOf, makeLink, type LinkCreates } from "./create";
import { linkFields } from "./fields";
import { linkModel, type LinkValues } from "./model";
import { together } from "./rules";
import { writeLink } from "./writes";

/** The life cycle of the links of one account. */
export class LinkLife implements Life {
  readonly table = linkFields;
  readonly outputs = ["shortUrl"] as const;
  readonly #account: Account;
  readonly #moves: AliasMoves;
  readonly #creates: LinkCreates;
  /**
   * By URN: the aliases of links that have none in the program. For a replacement, the engine checks the inputs again without the old
   * ones. A printed alias must stay the same, so the diff before keeps it here.
   */
  readonly #keptAliases = new Map<string, string>();

  constructor(account: Account) {
    this.#account = account;
    this.#moves = new AliasMoves(account);
    this.#creates = { account, moves: this.#moves, claimed: new Set(), posted: new Map() };
  }

  async check(call: EngineCall, olds: Inputs | undefined, given: Inputs): Promise<Checked> {
    const account = this.#account;
    const { args, problems } = checkArgs(account, linkFields, given, olds !== undefined);
    this.#moves.notePlanning();
    problems.push(...together(args, problems, account.knownSettings?.timeZone));
    const about = args.alias === undefined ? given.about : { ...given.about, derivedAlias: undefined };
    // `pulumi up --replace` and `pulumi state taint` recreate a link that the state has.
    const isUnnamed = args.alias === undefined;
    const saved = olds === undefined && isUnnamed ? await account.savedOf(about.urn) : undefined;
    const inputs = isUnnamed ? this.#chooseAlias({ args, about }, olds ?? saved?.inputs) : { args, about };
    if (problems.length > 0 || account.settingsProblems.length > 0) return { inputs, problems };
    problems.push(...this.#clashes(inputs));
    const isNew = olds === undefined && !saved;
    if (call.isPreview && isNew && problems.length === 0) await this.#announce(inputs);
    return { inputs, problems };
  }

  diff(id: number, old: Saved, news: Inputs): Plan {
    const wanted = keepAlias(old, news);
    const { changed, ...decision } = plan(this.#account, linkModel, {
      id,
      old,
      news: wanted,
      isAstray: this.#moves.isAstray(id),
    });
    if (this.#account.ownership.isComparing) return decision;
    // The update writes an alias in doubt again, and so may free one that another link needs.
    const unsaved = this.#account.changes.unsaved(`link ${id}`, old.memory.revision) ?? [];
    const doubtful = [...(old.memory.doubtful ?? []), ...unsaved, ...this.#astray(id)];
    const isLeaving = changed.includes("alias") || changed.includes("domainId") || doubtful.includes("alias");
    this.#moves.notePlan(id, isLeaving);
    const { derivedAlias, urn } = news.about;
    if (derivedAlias !== undefined && urn !== undefined)
      this.#keptAliases.set(urn, (wanted.args as LinkValues).alias ?? "");
    return decision;
  }

  async create(inputs: Inputs): Promise<Created> {
    const create = createOf(this.#creates, inputs);
    // Reads the state now: it shows who had the links only until the engine saves this create.
    const [making] = await Promise.all([makeLink(create), this.#account.stackState()]);
    this.#moves.notePlan(making.record.id, false);
    return finish(create, making);
  }

  get(key: string): Promise<Read> {
    return getObject(this.#account, linkModel, key);
  }

  async read(id: number, old: Saved): Promise<Read | undefined> {
    noteRefresh(this.#account, linkModel, id, old);
    const { domainId, alias } = old.inputs.args as LinkValues;
    const link = await this.#account.reads.read(id, domainId);
    if (!link) return undefined;
    return readAgain(this.#account, linkModel, link, old, (news, drifted) => {
      const { derivedAlias, keptAlias = alias } = news.about;
      // Only this state knows the alias to go back to.
      const isLost = derivedAlias !== undefined && drifted.includes("alias");
      return isLost ? { args: news.args, about: { ...news.about, keptAlias } } : news;
    });
  }

  update(id: number, old: Saved, given: Inputs): Promise<Saved> {
    const news = keepAlias(old, given);
    const astray = () => this.#astray(id);
    const write = (fields: readonly string[]) => writeLink(this.#account, this.#moves, id, news, fields);
    return update(this.#account, linkModel, { id, old, news, astray, write });
  }

  delete(id: number, old: Saved): Promise<void> {
    return this.#account.progress.whileDeletingLink(() => deleteObject(this.#account, linkModel, id, old));
  }

  /** The fields that this run knows to differ from the state. */
  #astray(id: number): string[] {
    return this.#moves.isAstray(id) ? ["alias"] : [];
  }

  /** Adds an alias to a link that has none in the program. Without `olds` the link is new. */
  #chooseAlias({ args, about }: Inputs, olds: Inputs | undefined): Inputs {
    const { urn = "", derivedAlias } = about;
    const ofNew = () =>
      this.#account.knownSettings?.aliases === "service"
        ? undefined
        : (this.#keptAliases.get(urn) ?? derivedAlias);
    const alias = olds ? (olds.about.keptAlias ?? olds.args.alias) : ofNew();
    return alias === undefined || alias === "" ? { args, about } : { args: { ...args, alias }, about };
  }

  /** Conflicts with other links of the program. */
  #clashes(inputs: Inputs): Problem[] {
    const { domainId, alias } = inputs.args as LinkValues;
    const wanted =
      alias === undefined || isUnknown([domainId, alias])
        ? undefined
        : {
            property: "alias",
            what: `alias ${domainId}/${collate(alias)}`,
            toReason: (other: string) =>
              `is already used by the resource ${other}: give each link on a domain its own alias`,
          };
    return clashes(this.#account, "link", inputs, wanted);
  }

  /** Says in a preview what the plan of a new link does not show. */
  async #announce(inputs: Inputs): Promise<void> {
    const account = this.#account;
    const { args, about } = inputs;
    const { domainId, alias } = args as LinkValues;
    const { importKey, derivedAlias } = about;
    const asFound = (found: LinkRecord) =>
      alias === undefined || derivedAlias !== undefined ? { ...args, alias: found.alias } : args;
    if (importKey !== undefined && !isUnknown(importKey)) {
      const found = await account.existing.linkToImport(
        isUnknown(domainId) ? undefined : domainId,
        importKey,
      );
      return announceImport(account, linkModel, inputs, found, found && asFound(found));
    }
    if (alias === undefined || !areKnown(args, ["domainId", "alias"])) return;
    const found = await account.existing.link(domainId, alias);
    // This run has planned the link itself: its resource is replaced, or its alias moves.
    if (!found || this.#moves.hasPlan(found.id)) return;
    const address = found.short_url ?? alias;
    const mayFinish = alias === derivedAlias;
    const isLeftOver = about.urn !== undefined && account.makerOf(found, about.urn) === about.urn;
    const what = { found, address, args: asFound(found), mayFinish, isLeftOver };
    announceExisting(account, linkModel, inputs, what);
  }
}

/** A link without an alias in the program keeps the alias that it has. */
function keepAlias({ inputs }: Saved, { args, about }: Inputs): Inputs {
  const named = about.derivedAlias === undefined ? args.alias : undefined;
  return { args: { ...args, alias: named ?? inputs.about.keptAlias ?? inputs.args.alias }, about };
}
