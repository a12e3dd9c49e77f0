/** Connections in the vault: who has which, and what is left of those that are over. */
import type { Kept, Vault } from '../vault/vault.js';
import { type ConnectionRecord, statusOf } from './connection-record.js';
import { tooManyConnections } from './connection-refusals.js';
import { CREDENTIALS, type Credentials } from './credentials.js';
import type { Intake } from './intake-body.js';

/** So that for a while it can be told what became of a connection. */
const REMEMBERED_MS = 7 * 24 * 60 * 60_000;
/** Of one owner: so many that can be used, and of those that are over the newest. */
const MOST = 50;

export interface StoredConnectionsOptions {
  readonly vault: Vault<ConnectionRecord>;
  readonly ttlMs: number;
  readonly now: () => number;
  /** Told once of each that is not as it was stored. */
  readonly refused: (id: string) => void;
}

export class StoredConnections {
  readonly #vault: Vault<ConnectionRecord>;
  readonly #ttlMs: number;
  readonly #now: () => number;
  readonly #refused: (id: string) => void;
  readonly #told = new Set<string>();

  constructor({ vault, ttlMs, now, refused }: StoredConnectionsOptions) {
    this.#vault = vault;
    this.#ttlMs = ttlMs;
    this.#now = now;
    this.#refused = refused;
  }

  /** Refuses where nothing could be kept, or nothing more of this owner. */
  async ready(owner: string): Promise<void> {
    await this.#vault.ready();
    const now = this.#now();
    const own = [...(await this.all()).values()].filter((record) => record.owner === owner);
    if (own.filter((record) => statusOf(record, now) === 'active').length >= MOST) throw tooManyConnections(MOST);
  }

  /** Keeps what was verified just now. */
  async keep(id: string, owner: string, { baseUrl, credentials }: Intake): Promise<ConnectionRecord> {
    const now = this.#now();
    const record: ConnectionRecord = {
      owner,
      status: 'active',
      jira_base_url: baseUrl.href,
      auth_mode: credentials.mode,
      created_at: now,
      expires_at: now + this.#ttlMs,
      last_verified_at: now,
    };
    await this.#vault.put(id, record, JSON.stringify(credentials));
    return record;
  }

  /** Undefined where there is none, or it is someone else's. */
  async own(owner: string, id: string): Promise<Kept<ConnectionRecord> | undefined> {
    const kept = await this.#vault.get(id);
    return kept?.clear.owner === owner ? kept : undefined;
  }

  /** By id. One that was tampered with is left out: whose it is cannot be known. */
  async all(): Promise<ReadonlyMap<string, ConnectionRecord>> {
    const kept = await this.#vault.all((id) => {
      if (this.#told.has(id)) return;
      this.#told.add(id);
      this.#refused(id);
    });
    return new Map([...kept].map(([id, { clear }]) => [id, clear]));
  }

  /** Removes the secret, and keeps what became of the connection. */
  async wipe(id: string, record: ConnectionRecord, status: 'expired' | 'revoked'): Promise<ConnectionRecord> {
    const wiped = { ...record, status };
    await this.#vault.put(id, wiped, '');
    return wiped;
  }

  /** Wipes what has expired, and forgets what expired long ago or is more than can be remembered of one owner. */
  async sweep(): Promise<void> {
    await this.#vault.sweep();
    const now = this.#now();
    const remembered = new Map<string, number>();
    for (const [id, record] of [...(await this.all())].sort(([, one], [, other]) => other.created_at - one.created_at)) {
      if (statusOf(record, now) === 'active') continue;
      const count = (remembered.get(record.owner) ?? 0) + 1;
      remembered.set(record.owner, count);
      if (count > MOST || now >= record.expires_at + REMEMBERED_MS) await this.#vault.remove(id);
      else if (record.status === 'active') await this.wipe(id, record, 'expired');
    }
  }
}

/** Of a connection that is active. */
export function credentialsOf({ secret }: Kept<ConnectionRecord>): Credentials {
  return CREDENTIALS.parse(JSON.parse(secret));
}
