import * as pulumi from "@pulumi/pulumi";
import { typeToken } from "./dynamic";
import { collate } from "./collate";

// With `--parallel 1` a resource is planned only when the one before it is done. The provider cannot see then that
// the alias in the way of a link is to be given up by another one later. The program can, as it knows all its links
// by the time that the first is registered, and the engine tells it what the stack has.

interface Wish {
  name: string;
  /** Undefined where it is known later only, or derived. */
  alias: string | undefined;
  isKnown: boolean;
}
interface OwnedLink {
  name: string;
  domainId: unknown;
  alias: unknown;
  url: unknown;
}
/** By the stack's own resource: a process may run several programs, one after the other. */
const programs = new WeakMap<object, { wishes: Wish[]; owned: Promise<OwnedLink[]> }>();

/**
 * Notes a link of the program and says whether this stack itself has a link of its alias that the program gives
 * another one: the destination of that link. Undefined for no, and wherever the provider can see it for itself.
 */
export function isFreed(
  name: string,
  { domainId, alias }: { domainId: pulumi.Input<pulumi.ID | number>; alias?: unknown },
): pulumi.Output<string | undefined> | undefined {
  const stack = pulumi.runtime.getStackResource();
  if (!pulumi.runtime.serialize() || !stack) return undefined;
  const program = programs.get(stack) ?? { wishes: [], owned: ownedLinks() };
  // Where nobody asks for them, nobody hears that they cannot be had.
  program.owned.catch(() => undefined);
  programs.set(stack, program);
  const { wishes, owned } = program;
  const literal = typeof alias === "string" ? collate(alias.trim()) : undefined;
  wishes.push({ name, alias: literal, isKnown: alias === undefined || literal !== undefined });
  if (literal === undefined) return undefined;
  return pulumi.all([domainId, owned]).apply(([id, links]) => {
    const has = (link: OwnedLink) =>
      Number(link.domainId) === Number(id) && collate(String(link.alias)) === literal;
    const holder = links.find(has);
    const isWanted = wishes.some((wish) => wish.name === holder?.name && wish.alias === literal);
    const isSure = wishes.every((wish) => wish.isKnown) && wishes.some((wish) => wish.name === holder?.name);
    return holder && isSure && !isWanted ? String(holder.url) : undefined;
  });
}

/** The links in the state of this stack. */
async function ownedLinks(): Promise<OwnedLink[]> {
  const stackName = [pulumi.getOrganization(), pulumi.getProject(), pulumi.getStack()].join("/");
  const tellState = "pulumi:pulumi:readStackResourceOutputs";
  const { outputs } = (await pulumi.runtime.invoke(tellState, { stackName })) as {
    outputs: Record<string, { type: string; outputs: Record<string, unknown> }>;
  };
  return Object.entries(outputs)
    .filter(([, { type }]) => type === typeToken("Link"))
    .map(([urn, { outputs: link }]) => ({
      name: urn.split("::").at(-1) ?? "",
      domainId: link.domainId,
      alias: link.alias,
      url: link.url,
    }));
}
