/** Connections in the vault, and how they are shown. */
import * as z from 'zod/v4';
import type { Vault, VaultEntry } from '../vault/vault.js';
import { type AuthMode, CREDENTIALS, type Credentials, type Intake } from './credentials.js';
import { tooManyConnections } from './errors.js';

/** How long the record of an ended connection is kept after its expiry. */
const RETENTION_MS = 7 * 24 * 60 * 60_000;
/** Per owner: active connections, and as many ended ones. */
const MAX_CONNECTIONS = 50;

/** The part of a connection that the vault stores in clear text. */
export const CONNECTION = z.strictObject({
  owner: z.string(),
  /** Only an active connection has a secret. */
  status: z.enum(['active', 'expired', 'revoked']),
  jira_base_url: z.string(),
  auth_mode: z.enum(['bearer_pat', 'basic_cloud']),
  /** The person's name in Jira; absent in older records. */
  jira_account: z.string().exactOptional(),
  created_at: z.number(),
  expires_at: z.number(),
  last_verified_at: z.number(),
});
export type ConnectionRecord = z.infer<typeof CONNECTION>;

/** The last four fields may be missing while the connection is pending. */
export interface ConnectionView {
  readonly connection_id: string;
  readonly status: 'pending' | ConnectionRecord['status'];
  /** ISO 8601; while pending, when the page expires. */
  readonly expires_at: string;
  readonly text: string;
  readonly jira_base_url?: string;
  readonly auth_mode?: AuthMode;
  readonly jira_account?: string;
  readonly last_verified_at?: string;
}

/** The effective status, even if the expiry has not been recorded yet. */
export function connectionStatus({ status, expires_at }: ConnectionRecord, now: number): ConnectionRecord['status'] {
  return status === 'active' && now >= expires_at ? 'expired' : status;
}

export function connectionView(id: string, record: ConnectionRecord, now: number): ConnectionView {
  const status = connectionStatus(record, now);
  const until = new Date(record.expires_at).toISOString();
  const verified = new Date(record.last_verified_at).toISOString();
  const { jira_account: account } = record;
  const as = account === undefined ? '' : ` as ${JSON.stringify(account)}`;
  const texts = {
    active: `Connected to ${record.jira_base_url}${as} until ${until}; the token was verified at ${verified}.`,
    expired: `The connection to ${record.jira_base_url} expired at ${until}. Connect again to use it.`,
    revoked: `The connection to ${record.jira_base_url} was revoked and its token deleted. Connect again to use it.`,
  };
  return {
    connection_id: id,
    status,
    jira_base_url: record.jira_base_url,
    auth_mode: record.auth_mode,
    ...(account === undefined ? {} : { jira_account: account }),
    expires_at: until,
    last_verified_at: verified,
    text: texts[status],
  };
}

export interface ConnectionStoreOptions {
  readonly vault: Vault<ConnectionRecord>;
  readonly ttlMs: number;
  readonly now: () => number;
  /** Called once for each damaged record. */
  readonly onDamaged: (id: string) => void;
}

export class ConnectionStore {
  readonly #options: ConnectionStoreOptions;
  readonly #reported = new Set<string>();

  constructor(options: ConnectionStoreOptions) {
    this.#options = options;
  }

  /** Throws if a new connection of this owner could not be stored. */
  async assertCanStore(owner: string): Promise<void> {
    await this.#options.vault.assertReady();
    const now = this.#options.now();
    const active = [...(await this.all()).values()].filter(
      (record) => record.owner === owner && connectionStatus(record, now) === 'active',
    );
    if (active.length >= MAX_CONNECTIONS) throw tooManyConnections(MAX_CONNECTIONS);
  }

  /** Stores a connection that was just verified. */
  async add(id: string, owner: string, { baseUrl, credentials }: Intake, account: string): Promise<ConnectionRecord> {
    const now = this.#options.now();
    const record: ConnectionRecord = {
      owner,
      status: 'active',
      jira_base_url: baseUrl.href,
      auth_mode: credentials.mode,
      ...(account === '' ? {} : { jira_account: account }),
      created_at: now,
      expires_at: now + this.#options.ttlMs,
      last_verified_at: now,
    };
    await this.#options.vault.put(id, record, JSON.stringify(credentials));
    return record;
  }

  /** Undefined if unknown or owned by another caller. */
  async get(owner: string, id: string): Promise<VaultEntry<ConnectionRecord> | undefined> {
    const entry = await this.#options.vault.get(id);
    return entry?.clear.owner === owner ? entry : undefined;
  }

  /** By id, without damaged records: their owner is not known for certain. */
  async all(): Promise<ReadonlyMap<string, ConnectionRecord>> {
    const entries = await this.#options.vault.all((id) => {
      if (this.#reported.has(id)) return;
      this.#reported.add(id);
      this.#options.onDamaged(id);
    });
    return new Map([...entries].map(([id, { clear }]) => [id, clear]));
  }

  /** Deletes the secret and keeps the record. */
  async end(id: string, record: ConnectionRecord, status: 'expired' | 'revoked'): Promise<ConnectionRecord> {
    const ended = { ...record, status };
    await this.#options.vault.put(id, ended, '');
    return ended;
  }

  /** Deletes the secrets of expired connections, and the oldest records of ended ones. */
  async sweep(): Promise<void> {
    await this.#options.vault.sweep();
    const now = this.#options.now();
    const ended = new Map<string, number>();
    for (const [id, record] of [...(await this.all())].sort(([, a], [, b]) => b.created_at - a.created_at)) {
      if (connectionStatus(record, now) === 'active') continue;
      const count = (ended.get(record.owner) ?? 0) + 1;
      ended.set(record.owner, count);
      if (count > MAX_CONNECTIONS || now >= record.expires_at + RETENTION_MS) await this.#options.vault.remove(id);
      else if (record.status === 'active') await this.end(id, record, 'expired');
    }
  }
}

/** Of an active connection. */
export function credentialsOf({ secret }: VaultEntry<ConnectionRecord>): Credentials {
  return CREDENTIALS.parse(JSON.parse(secret));
}
