/** One-time tickets for the page that takes a token: usable by any of several processes, and by one of them only once. */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod/v4';
import { Records } from '../records.js';

const LIFE_MS = 10 * 60_000;
/** A record outlives its ticket, so that a post that is under way still finds whether another has won. */
const KEPT_MS = 10 * 60_000;
const MOST_ATTEMPTS = 5;
/** Of one owner. */
const MOST_OPEN = 10;

const INVITATION = z.strictObject({
  connection_id: z.string(),
  owner: z.string(),
  jira_base_url: z.string().optional(),
  asked_by: z.string().optional(),
  created_at: z.number(),
  expires_at: z.number(),
  revoked: z.boolean(),
});
export type Invitation = z.infer<typeof INVITATION>;
/** That something has happened to a ticket: made by whoever is first. */
const CLAIM = z.strictObject({ expires_at: z.number() });

export interface InvitationsOptions {
  readonly stateFolder: string;
  readonly now: () => number;
}

/** What is known of a page before it is filled in. */
export interface Asked {
  readonly jiraBaseUrl?: string | undefined;
  /** The name of who asked for it; nobody's where it was the owner of this machine. */
  readonly askedBy?: string | undefined;
}

/** An invitation with the hash of its ticket; the ticket itself is known only to whom it was given. */
export interface Invited {
  readonly hash: string;
  readonly invitation: Invitation;
}

export class Invitations {
  readonly #invitations: Records<Invitation>;
  readonly #claims: Records<z.infer<typeof CLAIM>>;
  readonly #now: () => number;

  constructor({ stateFolder, now }: InvitationsOptions) {
    this.#invitations = new Records(join(stateFolder, 'invitations'), INVITATION);
    this.#claims = new Records(join(stateFolder, 'invitation-claims'), CLAIM);
    this.#now = now;
  }

  async make(connectionId: string, owner: string, { askedBy, jiraBaseUrl }: Asked): Promise<{ ticket: string; invitation: Invitation }> {
    const ticket = randomBytes(32).toString('base64url');
    const now = this.#now();
    const invitation = {
      connection_id: connectionId,
      owner,
      jira_base_url: jiraBaseUrl,
      asked_by: askedBy,
      created_at: now,
      expires_at: now + LIFE_MS,
      revoked: false,
    };
    await this.#invitations.put(hashOf(ticket), invitation);
    return { ticket, invitation };
  }

  /** Undefined where the ticket is unknown, used, over, or was tried too often. */
  async byTicket(ticket: string): Promise<Invited | undefined> {
    const hash = hashOf(ticket);
    const invitation = await this.#invitations.get(hash);
    if (invitation === undefined || !(await this.isOpen({ hash, invitation }))) return undefined;
    return { hash, invitation };
  }

  /** Also one that is over, as long as it is remembered. */
  async byConnection(connectionId: string): Promise<Invited | undefined> {
    return (await this.all()).find(({ invitation }) => invitation.connection_id === connectionId);
  }

  async all(): Promise<readonly Invited[]> {
    return [...(await this.#invitations.all())].map(([hash, invitation]) => ({ hash, invitation }));
  }

  /** Those of an owner that can still be filled in, the newest first. */
  async open(owner: string): Promise<readonly Invited[]> {
    const open: Invited[] = [];
    for (const invited of await this.all()) if (invited.invitation.owner === owner && (await this.isOpen(invited))) open.push(invited);
    return open.sort((one, other) => other.invitation.created_at - one.invitation.created_at);
  }

  /** The oldest of the owner's that have to make room for this one. */
  async surplus({ connection_id, owner }: Invitation): Promise<readonly Invited[]> {
    const others = (await this.open(owner)).filter(({ invitation }) => invitation.connection_id !== connection_id);
    return others.slice(MOST_OPEN - 1);
  }

  /** Whether its page can still be filled in. */
  async isOpen({ hash, invitation }: Invited): Promise<boolean> {
    if (invitation.revoked || this.#now() >= invitation.expires_at) return false;
    if ((await this.#claims.get(claim(hash, 'won'))) !== undefined) return false;
    return (await this.#claims.get(claim(hash, MOST_ATTEMPTS))) === undefined;
  }

  /** Takes one of the attempts, and says whether there was one left. */
  async attempt(invited: Invited): Promise<boolean> {
    for (let count = 1; count <= MOST_ATTEMPTS; count++) if (await this.#claim(invited, count)) return true;
    return false;
  }

  /** Uses the ticket up, and says whether this was the one to do so. */
  win(invited: Invited): Promise<boolean> {
    return this.#claim(invited, 'won');
  }

  /** Gives back what was won, since nothing came of it. */
  async giveBack({ hash }: Invited): Promise<void> {
    await this.#claims.remove(claim(hash, 'won'));
  }

  async revoke({ hash, invitation }: Invited): Promise<void> {
    await this.#invitations.put(hash, { ...invitation, revoked: true });
  }

  async sweep(): Promise<void> {
    const isOver = ({ expires_at }: { readonly expires_at: number }) => this.#now() >= expires_at + KEPT_MS;
    // The claims last: without them an invitation would be open again.
    await this.#invitations.sweep(isOver);
    await this.#claims.sweep(isOver);
  }

  #claim({ hash, invitation }: Invited, what: 'won' | number): Promise<boolean> {
    return this.#claims.create(claim(hash, what), { expires_at: invitation.expires_at });
  }
}

function claim(hash: string, what: 'won' | number): string {
  return `${hash}-${what}`;
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('hex');
}
