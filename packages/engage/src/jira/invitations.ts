/** One-time tickets for the page that takes a token, shared by all processes with the same state folder. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/v4';
import { Records } from '../records.js';
import type { ConnectionView } from './connection-store.js';

const TTL_MS = 10 * 60_000;
/** Records outlive their tickets, so that a submission in progress still sees whether another one succeeded. */
const RETENTION_MS = 10 * 60_000;
const MAX_ATTEMPTS = 5;
/** Per owner. */
const MAX_OPEN = 10;

const INVITATION = z.strictObject({
  connection_id: z.string(),
  owner: z.string(),
  jira_base_url: z.string().optional(),
  /** The caller's name; none for the owner of this machine. */
  asked_by: z.string().optional(),
  created_at: z.number(),
  expires_at: z.number(),
  revoked: z.boolean(),
});
type InvitationRecord = z.infer<typeof INVITATION>;
/** Created atomically by the first process to use an attempt or the ticket. */
const CLAIM = z.strictObject({ expires_at: z.number() });

/** Stored under the hash of its ticket; only the person has the ticket. */
export interface Invitation extends InvitationRecord {
  readonly hash: string;
}

export class Invitations {
  readonly #records: Records<InvitationRecord>;
  readonly #claims: Records<z.infer<typeof CLAIM>>;
  readonly #now: () => number;

  constructor(stateFolder: string, now: () => number) {
    this.#records = new Records(join(stateFolder, 'invitations'), INVITATION);
    this.#claims = new Records(join(stateFolder, 'invitation-claims'), CLAIM);
    this.#now = now;
  }

  async create(given: Pick<Invitation, 'connection_id' | 'owner' | 'jira_base_url' | 'asked_by'>) {
    const ticket = randomBytes(32).toString('base64url');
    const hash = hashOf(ticket);
    const now = this.#now();
    const record: InvitationRecord = { ...given, created_at: now, expires_at: now + TTL_MS, revoked: false };
    await this.#records.put(hash, record);
    return { ticket, invitation: { ...record, hash } };
  }

  /** Undefined if the ticket is unknown, used, expired, or out of attempts. */
  async byTicket(ticket: string): Promise<Invitation | undefined> {
    const hash = hashOf(ticket);
    const record = await this.#records.get(hash);
    return record !== undefined && (await this.isOpen({ ...record, hash })) ? { ...record, hash } : undefined;
  }

  /** Includes invitations that are no longer open. */
  async byConnection(connectionId: string): Promise<Invitation | undefined> {
    return (await this.#all()).find((invitation) => invitation.connection_id === connectionId);
  }

  /** The open invitations of an owner, the newest first. */
  async open(owner: string): Promise<readonly Invitation[]> {
    const open: Invitation[] = [];
    for (const invitation of await this.#all()) if (invitation.owner === owner && (await this.isOpen(invitation))) open.push(invitation);
    return open.sort((a, b) => b.created_at - a.created_at);
  }

  /** The owner's oldest open invitations, beyond the limit that includes this one. */
  async surplus({ connection_id, owner }: Invitation): Promise<readonly Invitation[]> {
    const others = (await this.open(owner)).filter((invitation) => invitation.connection_id !== connection_id);
    return others.slice(MAX_OPEN - 1);
  }

  /** Whether the page can still be submitted. */
  async isOpen({ expires_at, hash, revoked }: Invitation): Promise<boolean> {
    if (revoked || this.#now() >= expires_at) return false;
    if ((await this.#claims.get(`${hash}-won`)) !== undefined) return false;
    return (await this.#claims.get(`${hash}-${MAX_ATTEMPTS}`)) === undefined;
  }

  /** Uses one attempt; false if none is left. */
  async attempt(invitation: Invitation): Promise<boolean> {
    for (let count = 1; count <= MAX_ATTEMPTS; count++) if (await this.#claim(invitation, count)) return true;
    return false;
  }

  /** Uses the ticket; false if another submission already did. */
  redeem(invitation: Invitation): Promise<boolean> {
    return this.#claim(invitation, 'won');
  }

  /** Undoes `redeem` after a failure to store the connection. */
  async release({ hash }: Invitation): Promise<void> {
    await this.#claims.remove(`${hash}-won`);
  }

  async revoke({ hash, ...record }: Invitation): Promise<void> {
    await this.#records.put(hash, { ...record, revoked: true });
  }

  async sweep(): Promise<void> {
    const isExpired = ({ expires_at }: { readonly expires_at: number }) => this.#now() >= expires_at + RETENTION_MS;
    // Claims last: an invitation without its claims would be open again.
    await this.#records.sweep(isExpired);
    await this.#claims.sweep(isExpired);
  }

  async #all(): Promise<readonly Invitation[]> {
    return [...(await this.#records.all())].map(([hash, record]) => ({ ...record, hash }));
  }

  #claim({ expires_at, hash }: Invitation, what: 'won' | number): Promise<boolean> {
    return this.#claims.create(`${hash}-${what}`, { expires_at });
  }
}

export function invitationView({ connection_id, expires_at, jira_base_url, revoked }: Invitation, isOpen: boolean): ConnectionView {
  const until = new Date(expires_at).toISOString();
  const where = jira_base_url === undefined ? '' : ` for ${jira_base_url}`;
  const status = revoked ? 'revoked' : isOpen ? 'pending' : 'expired';
  const texts = {
    pending: `Waiting for the page${where} to be submitted, until ${until}.`,
    expired: 'The page of this connection expired, or Jira rejected too many tokens. Connect again.',
    revoked: 'This connection was revoked before its page was submitted. Connect again.',
  };
  return { connection_id, status, jira_base_url, expires_at: until, text: texts[status] };
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex');
}
