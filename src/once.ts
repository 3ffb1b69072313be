import { setTimeout } from "node:timers/promises";
import type { Client } from "./service/client";
import { isLost, RefusedError, type ServiceError } from "./service/errors";

/** An object as far as it matters here. */
interface Made {
  created_at: string | null;
}

/** There is an object already that the create did not make. */
export class ExistsError<Item> extends Error {
  constructor(
    readonly refusal: ServiceError,
    readonly found: Item,
  ) {
    super(refusal.message);
  }
}

/** Posts after lost answers, at most. */
const attempts = 4;

/**
 * Creates exactly one object. The service knows no idempotency, so a POST whose answer is lost is not sent again before a
 * look at what has become of it: what equals the thing sent and is no older than the attempt is its object.
 *
 * @param store Sends the POST.
 * @param find Finds what has the same natural key.
 * @param isSent Does an object look as the POST would make it?
 */
export async function storeOnce<Item extends Made>(
  client: Client,
  store: () => Promise<Item>,
  find: () => Promise<Item | undefined>,
  isSent: (item: Item) => boolean,
): Promise<Item> {
  const begin = Date.now();
  for (let attempt = 1; ; attempt++) {
    try {
      return await store();
    } catch (error) {
      // Who hears "it is taken" after a lost answer may have taken it himself.
      const isDoubtful =
        isLost(error) || (attempt > 1 && error instanceof RefusedError && error.status === 422);
      if (!isDoubtful) throw error;
      // The service may still be at it: what is not there yet is looked for once more.
      const found = (await find()) ?? (await setTimeout(250 * 2 ** attempt).then(find));
      if (found && isSent(found) && isYounger(found, client.serviceTime(begin))) return found;
      if (found) throw new ExistsError(error, found);
      if (attempt >= attempts || !isLost(error)) throw error;
    }
  }
}

/** The service tells whole seconds, in UTC. */
function isYounger({ created_at: created }: Made, time: number): boolean {
  const iso = created?.replace(" ", "T").replace(/(?:\.\d+)?Z?$/, "Z");
  return Date.parse(iso ?? "") >= Math.floor(time / 1000) * 1000;
}
