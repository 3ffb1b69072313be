import type { Account } from "../account/account";
import { ExistsError, postUntilCertain } from "../account/create-once";
import { findDomain } from "../account/find";
import { unlessGone } from "../account/messages";
import type { Inputs } from "../account/saved";
import { managedOf, toForm } from "../fields/table";
import { isRefusedFor } from "../resource/adopt";
import {
  adoptObject,
  differences,
  digestOfItem,
  digestOfWish,
  importObject,
  isAnothers,
  adoptFound,
  type Create,
  type Making,
} from "../resource/create";
import type { DomainRecord } from "../service/client";
import type { FormFields } from "../service/form";
import { domainFields } from "./fields";
import { domainModel, type DomainValues } from "./model";

/** The form that writes the given fields of a domain. */
export function domainForm({ args }: Inputs, fields: readonly string[]): FormFields {
  return toForm(domainFields, args, fields) as FormFields;
}

type CreateOfDomain = Create<DomainRecord>;

/** The create of one domain. */
export function createOf(account: Account, inputs: Inputs): CreateOfDomain {
  const notes = account.notesOf(inputs.about.urn);
  const write = (id: number, wish: Inputs, fields: readonly string[]) =>
    account.client.updateDomain(id, domainForm(wish, fields));
  return { account, model: domainModel, inputs, notes, write };
}

/** Imports, finishes, stores or adopts a domain. */
export async function makeDomain(create: CreateOfDomain): Promise<Making<DomainRecord>> {
  const made = (await importObject(create)) ?? (await finishDomain(create));
  if (made) return made;
  const { account, inputs } = create;
  const { urn } = inputs.about;
  try {
    return await storeDomain(create);
  } catch (error) {
    const found =
      error instanceof ExistsError
        ? (error.found as DomainRecord)
        : isRefusedFor(error, "name")
          ? await findSame(create)
          : undefined;
    if (!found) throw error;
    // This resource still has the domain, so the mode of adoption does not matter.
    if (urn !== undefined && (await domainModel.ownersOf(account, found)).includes(urn))
      return adoptFound(create, found, "always", inputs);
    return adoptObject(create, { found, refusal: error as Error, wish: inputs });
  }
}

/** Adopts the domain that an interrupted run made for this resource. */
async function finishDomain(create: CreateOfDomain): Promise<Making<DomainRecord> | undefined> {
  const { account, inputs, notes } = create;
  const { client } = account;
  const { name } = inputs.args as DomainValues;
  const left = await notes.leftOver(
    (id) => unlessGone(client.showDomain(id)),
    async (key) => {
      const isSame = key === domainModel.keyOf(inputs);
      const found = await findDomain(client, isSame ? name : key.slice("domain ".length));
      return found ? [found] : [];
    },
    (domain) => digestOfItem(create, domain),
    (domain) => domain.name === name,
  );
  return left && adoptFound(create, left, "always", inputs);
}

async function storeDomain(create: CreateOfDomain): Promise<Making<DomainRecord>> {
  const { account, inputs, notes } = create;
  const { client, clock } = account;
  const fields = managedOf(domainFields).filter((field) => inputs.args[field] !== undefined);
  let isNew = true;
  const once = () =>
    postUntilCertain<DomainRecord>(client, clock, {
      post: () => client.storeDomain(domainForm(inputs, fields)),
      find: () => {
        isNew = false;
        return findSame(create);
      },
      isSent: (domain) => differences(create, inputs, domain).length === 0,
      isAnothers: (domain) => isAnothers(create, domain),
    });
  const sent = digestOfWish(domainModel, inputs);
  const record = await notes.during(domainModel.keyOf(inputs), sent, once, (domain) =>
    digestOfItem(create, domain),
  );
  return { record, isNew, wish: inputs, fields };
}

/** The domain that has the name. */
function findSame({ account, inputs }: CreateOfDomain): Promise<DomainRecord | undefined> {
  return findDomain(account.client, (inputs.args as DomainValues).name);
}
