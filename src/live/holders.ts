import type { Account, PlanNote } from "../account/account";
import { findAlias } from "../account/find";
import { isUnknown } from "../fields/problem";
import type { Flat } from "../engine/codec";
import { linkModel } from "../link/model";
import { differencesOf } from "../resource/announce";
import type { LinkRecord } from "../service/client";
import { collate } from "../service/collate";
import { wholeList } from "../service/lists";
import {
  Addresses,
  isLink,
  notKnown,
  ownSteps,
  tableOf,
  valuesOf,
  type Preview,
  type PreviewStep,
} from "./preview";

// The links of others that a plan meets: at the addresses that links are to get, and on domains that it deletes. A preview knows
// only those at the addresses of new links on domains that exist in the state.

/** Up to this number of addresses on a domain, one request for each is cheaper than the list of a large domain. */
const fewAddresses = 10;

/** What the plan meets. Throws if the service does not answer. */
export async function findHolders(
  account: Account,
  { steps = [] }: Preview,
  { notes, domains }: { notes: readonly PlanNote[]; domains: ReadonlyMap<number, string> },
): Promise<{ notes: PlanNote[]; links: LinkRecord[] }> {
  const own = ownSteps(steps);
  const addresses = new Addresses(own, domains);
  const idOf = new Map([...domains].map(([id, name]) => [collate(name), id]));
  const noted = new Set(notes.flatMap(({ urn, existing }) => (existing ? [urn] : [])));
  const mine = new Set(own.filter(isLink).map(({ oldState }) => Number(oldState?.id)));
  const wanted = new Map<number, { step: PreviewStep; alias: string }[]>();
  for (const step of own) {
    if (!isLink(step) || noted.has(step.urn) || !step.newState) continue;
    const address = addresses.after(step);
    if (collate(addresses.before(step) ?? "") === collate(address)) continue;
    const [, host = "", alias = ""] = /^(.*?)\/(.*)$/.exec(address) ?? [];
    const id = idOf.get(collate(host));
    if (id !== undefined && alias !== notKnown) wanted.set(id, [...(wanted.get(id) ?? []), { step, alias }]);
  }
  const found: PlanNote[] = [];
  for (const [id, all] of wanted) {
    const aliases = all.map(({ alias }) => alias);
    const held = new Map((await linksWith(account, id, aliases)).map((link) => [collate(link.alias), link]));
    for (const { step, alias } of all) {
      const link = held.get(collate(alias));
      if (link && !mine.has(link.id)) found.push(noteOf(account, step, link));
    }
  }
  const ending = own.filter((step) => !isLink(step) && (step.op === "delete" || step.op === "replace"));
  const links: LinkRecord[] = [];
  for (const { oldState } of ending) {
    const id = Number(oldState?.id);
    if (domains.has(id))
      links.push(...(await wholeList("links", account.client.listLinks({ domain_id: id }))));
  }
  return { notes: found, links };
}

/** The links of a domain that have one of the aliases, maybe with others. */
async function linksWith(
  { client }: Account,
  domainId: number,
  aliases: readonly string[],
): Promise<LinkRecord[]> {
  if (aliases.length > fewAddresses) return wholeList("links", client.listLinks({ domain_id: domainId }));
  const links = await Promise.all(aliases.map((alias) => findAlias(client, domainId, alias)));
  return links.filter((link) => link !== undefined);
}

/** The note about a link that has the new address of another one. */
function noteOf(account: Account, { urn, newState = {} }: PreviewStep, link: LinkRecord): PlanNote {
  const args: Flat = valuesOf(newState, urn);
  const isKnown = (name: string) =>
    args[name] !== "[secret]" && !isUnknown(args[name]) && name !== "domainId";
  const differing = differencesOf(account, linkModel, args, link, Object.keys(tableOf(urn)).filter(isKnown));
  const mode = args.adopt ?? account.settings.adopt;
  const isAdopted = mode === "always" || (mode === "ifEqual" && differing.length === 0);
  return { urn, existing: { object: `link ${link.id}`, differing, isAdopted } };
}
