import type { Saved } from "../account/saved";
import { decodeSaved, type Flat } from "../engine/codec";

/** `pulumi stack export --show-secrets`, as far as it matters here. */
export interface Deployment {
  deployment: { resources?: StateEntry[] };
}
interface StateEntry {
  urn: string;
  type: string;
  id?: string;
  outputs?: Flat;
  delete?: boolean;
  external?: boolean;
}

/** A domain or a link that a stack manages. */
export interface Managed {
  type: "Domain" | "Link";
  urn: string;
  id: number;
  saved: Saved;
}

/** The computed output of each type. */
const computed = { Domain: "url", Link: "shortUrl" } as const;

/** The domains and links that a stack manages, without those that it only reads or whose deletion is pending. */
export function managedIn({ deployment }: Deployment): Managed[] {
  return (deployment.resources ?? []).flatMap(({ urn, type, id, outputs = {}, ...entry }) => {
    const [, kind] = /^pulumi-nodejs:dynamic\/shortlink:(Domain|Link)$/.exec(type) ?? [];
    if (kind === undefined || entry.delete || entry.external) return [];
    const known = kind as Managed["type"];
    return [
      { type: known, urn, id: Number(id), saved: decodeSaved(plain(outputs) as Flat, [computed[known]]) },
    ];
  });
}

const secretKey = "4dabf18193072939515e22adb298388d";

/** A value with its secrets unwrapped. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  if (secretKey in value) return JSON.parse((value as { plaintext?: string }).plaintext ?? "null") as unknown;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
