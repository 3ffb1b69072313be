import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";

/** A space or a pixel of the account. Links refer to it by id. */
export interface NamedRow {
  id: number;
  user_id: number;
  name: string;
  created_at: string;
  updated_at: string;
}
export interface SpaceRow extends NamedRow {
  color: number;
}
export interface PixelRow extends NamedRow {
  type: string;
  value: string;
}
export interface DomainRow {
  id: number;
  user_id: number;
  name: string;
  homepage_url: string | null;
  not_found_url: string | null;
  created_at: string;
  updated_at: string;
}
export interface Target {
  key?: string | null;
  value: string;
}
export interface LinkRow {
  id: number;
  /** The link's account; absent for the emulator's own account. */
  user_id?: number;
  domain_id: number;
  alias: string;
  url: string;
  title: string | null;
  space_id: number | null;
  pixel_ids: number[];
  /** Kept as a hash: the file may be committed or shared, a password may not. */
  redirect_password: string | null;
  sensitive_content: number | null;
  privacy: number;
  password: string | null;
  active_period_start_at: string | null;
  active_period_end_at: string | null;
  clicks_limit: number | null;
  expiration_url: string | null;
  targets_type: string | null;
  targets: Target[] | null;
  last_rotation: number | null;
  clicks: number | null;
  created_at: string;
  updated_at: string;
}
export type NewLink = Omit<LinkRow, "id" | "created_at" | "updated_at">;
interface Data {
  nextDomainId: number;
  nextLinkId: number;
  spaces: SpaceRow[];
  pixels: PixelRow[];
  domains: DomainRow[];
  links: LinkRow[];
}

/** The database stores whole seconds and its answers show six fractional digits. */
export function now(): string {
  return `${new Date().toISOString().slice(0, 19)}.000000Z`;
}

/** The collation of the database: case, accents and trailing spaces make no difference. */
export function collate(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().trimEnd();
}

/** True if the row belongs to the account. Other rows can neither be listed nor shown. */
export function isOwn({ user_id: userId = 1 }: { user_id?: number }): boolean {
  return userId === 1;
}

export function hashPassword(password: string): string {
  return createHash("sha256").update(password).digest("hex");
}

/** The rows of one account, in memory, optionally kept in a JSON file that is always whole. */
export class Store {
  readonly spaces: ReadonlyMap<number, SpaceRow>;
  readonly pixels: ReadonlyMap<number, PixelRow>;
  readonly domains: Map<number, DomainRow>;
  readonly links: Map<number, LinkRow>;
  #nextDomainId: number;
  #nextLinkId: number;
  readonly #domainByName = new Map<string, DomainRow>();
  readonly #linkByAlias = new Map<string, LinkRow>();
  readonly #path: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(path?: string) {
    const data = (path !== undefined ? readData(path) : undefined) ?? newAccount();
    this.#path = path;
    this.spaces = byId(data.spaces);
    this.pixels = byId(data.pixels);
    this.domains = byId(data.domains);
    this.links = byId(data.links);
    this.#nextDomainId = data.nextDomainId;
    this.#nextLinkId = data.nextLinkId;
    for (const domain of data.domains) this.#domainByName.set(collate(domain.name), domain);
    for (const link of data.links) this.#linkByAlias.set(aliasKey(link.domain_id, link.alias), link);
  }

  findDomain(name: string): DomainRow | undefined {
    return this.#domainByName.get(collate(name));
  }

  findLink(domainId: number, alias: string): LinkRow | undefined {
    return this.#linkByAlias.get(aliasKey(domainId, alias));
  }

  addDomain(values: Pick<DomainRow, "name" | "homepage_url" | "not_found_url">, userId = 1): DomainRow {
    const time = now();
    const row = { id: this.#nextDomainId++, user_id: userId, ...values, created_at: time, updated_at: time };
    this.domains.set(row.id, row);
    this.#domainByName.set(collate(row.name), row);
    this.changed();
    return row;
  }

  updateDomain(row: DomainRow, values: Partial<DomainRow>): void {
    touch(row, values);
    this.changed();
  }

  addLink(values: NewLink): LinkRow {
    const time = now();
    const row = { id: this.#nextLinkId++, ...values, created_at: time, updated_at: time };
    this.links.set(row.id, row);
    this.#linkByAlias.set(aliasKey(row.domain_id, row.alias), row);
    this.changed();
    return row;
  }

  updateLink(row: LinkRow, values: Partial<LinkRow>): void {
    this.#linkByAlias.delete(aliasKey(row.domain_id, row.alias));
    touch(row, values);
    this.#linkByAlias.set(aliasKey(row.domain_id, row.alias), row);
    this.changed();
  }

  deleteLink(row: LinkRow): void {
    this.links.delete(row.id);
    this.#linkByAlias.delete(aliasKey(row.domain_id, row.alias));
    this.changed();
  }

  /** Deletes the domain *and every link on it*, as the service does. */
  deleteDomain(row: DomainRow): void {
    for (const link of [...this.links.values()]) if (link.domain_id === row.id) this.deleteLink(link);
    this.domains.delete(row.id);
    this.#domainByName.delete(collate(row.name));
    this.changed();
  }

  /** Imitates an interrupted deletion of a domain, which deletes the links one by one. */
  deleteHalf(domainId: number): void {
    const links = [...this.links.values()].filter((link) => link.domain_id === domainId);
    for (const link of links.slice(0, Math.ceil(links.length / 2))) this.deleteLink(link);
  }

  /** Delays the write for a moment, so that a thousand creates do not write the file a thousand times. */
  changed(): void {
    if (this.#path !== undefined) this.#timer ??= setTimeout(() => this.#saveLater(), 100);
  }

  /** If the write fails, on a full disk for example, the next change and the end retry it. */
  #saveLater(): void {
    try {
      this.save();
    } catch {
      this.#timer = undefined;
    }
  }

  save(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#path === undefined) return;
    const data: Data = {
      nextDomainId: this.#nextDomainId,
      nextLinkId: this.#nextLinkId,
      spaces: [...this.spaces.values()],
      pixels: [...this.pixels.values()],
      domains: [...this.domains.values()],
      links: [...this.links.values()],
    };
    const temporary = `${this.#path}.${process.pid}.tmp`;
    try {
      const file = openSync(temporary, "w", 0o600);
      try {
        writeFileSync(file, `${JSON.stringify(data, null, 2)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      renameSync(temporary, this.#path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw new Error(`cannot write ${this.#path} (${(error as NodeJS.ErrnoException).code})`, {
        cause: error,
      });
    }
  }
}

/** An update that changes nothing, or only the pixels, does not change `updated_at`. */
function touch<Row extends DomainRow | LinkRow>(row: Row, values: Partial<Row>): void {
  const moved = (Object.keys(values) as (keyof Row)[]).some(
    (column) => column !== "pixel_ids" && JSON.stringify(row[column]) !== JSON.stringify(values[column]),
  );
  Object.assign(row, values, moved ? { updated_at: now() } : {});
}

function aliasKey(domainId: number, alias: string): string {
  return `${domainId}/${collate(alias)}`;
}

function byId<Row extends { id: number }>(rows: Row[]): Map<number, Row> {
  return new Map(rows.map((row) => [row.id, row]));
}

function readData(path: string): Data | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const problem = (cause?: unknown) =>
    new Error(`${path} is not a data file of the emulator; name another file, or remove it to start empty`, {
      cause,
    });
  try {
    const data = JSON.parse(text) as Data;
    const lists = [data.spaces, data.pixels, data.domains, data.links];
    if (lists.every(Array.isArray) && data.nextDomainId > 0 && data.nextLinkId > 0) return data;
  } catch (error) {
    throw problem(error);
  }
  throw problem();
}

/** No documented endpoint makes spaces and pixels, so every account has three of each from the start. */
function newAccount(): Data {
  const time = now();
  const row = (id: number, name: string) => ({ id, user_id: 1, name, created_at: time, updated_at: time });
  return {
    nextDomainId: 1,
    nextLinkId: 1,
    spaces: ["Engineering", "Marketing", "Support"].map((name, i) => ({ ...row(i + 1, name), color: i + 1 })),
    pixels: ["Website", "Newsletter", "Posters"].map((name, i) => ({
      ...row(i + 1, name),
      type: "google-analytics",
      value: `G-EMULATOR${i + 1}`,
    })),
    domains: [],
    links: [],
  };
}
