/** Who may use which Jira: connections that are asked for, filled in by a person, used by their owner, and over in time. */
import { randomBytes } from 'node:crypto';
import type { Failure } from '../failure.js';
import type { Vault } from '../vault/vault.js';
import { type JiraAddresses, jiraBaseUrl } from './address.js';
import { JiraClient, type JiraClientOptions } from './client.js';
import { type ConnectionRecord, type ConnectionView, invitationView, statusOf, viewOf } from './connection-record.js';
import { anotherJira, connectionExpired, connectionRevoked, noSuchConnection, pageNotFilledIn, ticketOver } from './connection-refusals.js';
import { type Intake, intakeOf } from './intake-body.js';
import { type Asked, type Invitation, Invitations, type Invited } from './invitations.js';
import { oneLine } from './one-line.js';
import { credentialsOf, StoredConnections } from './stored-connections.js';

const DAY_MS = 24 * 60 * 60_000;
const MOST_NAME_CHARACTERS = 100;

export interface ConnectionsOptions {
  readonly vault: Vault<ConnectionRecord>;
  readonly stateFolder: string;
  readonly ttlMs?: number;
  /** Each `host` or `host:port`; without the list any Jira may be connected. */
  readonly allowedHosts?: readonly string[];
  /** Whether only this machine is served; true unless told otherwise. */
  readonly local?: boolean;
  /** Told once of each stored connection that is not as it was written, and so is in no list. */
  readonly refused?: (connectionId: string) => void;
  readonly now?: () => number;
  readonly clientFor?: (options: JiraClientOptions) => JiraClient;
}

export interface InvitationOptions {
  /** Otherwise the person says on the page which Jira it is. */
  readonly baseUrl?: string | undefined;
  /** The name of who asks; none for the owner of this machine. */
  readonly askedBy?: string | undefined;
}

/** What is given to whoever asks for a connection: `ticket` is for the person alone, in the address of the page. */
export interface InvitationGiven {
  readonly connectionId: string;
  readonly ticket: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly jiraBaseUrl?: string;
  readonly askedBy?: string;
}

export type TicketInfo = Omit<InvitationGiven, 'connectionId' | 'ticket'>;

/** Told which connection can be used from now on, or never more, and whose it is. Must not throw. */
export type SettledListener = (connectionId: string, owner: string, status: 'active' | 'revoked') => void;

export class Connections {
  readonly #stored: StoredConnections;
  readonly #invitations: Invitations;
  readonly #addresses: JiraAddresses;
  readonly #now: () => number;
  readonly #clientFor: (options: JiraClientOptions) => JiraClient;
  readonly #listeners = new Set<SettledListener>();

  constructor(options: ConnectionsOptions) {
    const { vault, stateFolder, ttlMs = DAY_MS, allowedHosts, local = true, refused = () => {}, now = Date.now, clientFor } = options;
    this.#stored = new StoredConnections({ vault, ttlMs, now, refused });
    this.#invitations = new Invitations({ stateFolder, now });
    this.#addresses = { allowed: allowedHosts, local };
    this.#now = now;
    this.#clientFor = clientFor ?? ((options) => new JiraClient(options));
  }

  /** Refuses at once where the secret could not be kept. `askedBy` is shown on the page, so that nobody fills in one for another. */
  async invite(owner: string, { askedBy, baseUrl }: InvitationOptions = {}): Promise<InvitationGiven> {
    const asked: Asked = {
      jiraBaseUrl: baseUrl === undefined ? undefined : jiraBaseUrl(baseUrl, this.#addresses).href,
      askedBy: askedBy === undefined ? undefined : oneLine(askedBy, MOST_NAME_CHARACTERS).trim() || 'somebody without a name',
    };
    await this.#stored.ready(owner);
    const { ticket, invitation } = await this.#invitations.make(newId(), owner, asked);
    for (const surplus of await this.#invitations.surplus(invitation)) await this.#close(surplus);
    return { connectionId: invitation.connection_id, ticket, ...infoOf(invitation) };
  }

  /** For showing the page; undefined where there is nothing to fill in any more. */
  async ticketInfo(ticket: string): Promise<TicketInfo | undefined> {
    const invited = await this.#invitations.byTicket(ticket);
    return invited && infoOf(invited.invitation);
  }

  /** What the page sends. A ticket is used up by success, and over after some attempts without. */
  async intake(ticket: string, body: unknown): Promise<ConnectionView> {
    const invited = await this.#invitations.byTicket(ticket);
    if (invited === undefined) throw ticketOver();
    const intake = intakeOf(body, this.#addresses);
    const { jira_base_url: wanted, connection_id: id, owner } = invited.invitation;
    if (wanted !== undefined && intake.baseUrl.href !== wanted) throw anotherJira();
    await this.#stored.ready(owner);
    if (!(await this.#invitations.attempt(invited))) throw ticketOver();
    await this.#verify(intake);
    if (!(await this.#invitations.win(invited))) throw ticketOver();
    return this.#connected(id, owner, await this.#keepWon(invited, intake));
  }

  /** The same without a page, for a caller who is known already. */
  async connect(owner: string, body: unknown): Promise<ConnectionView> {
    const intake = intakeOf(body, this.#addresses);
    await this.#stored.ready(owner);
    await this.#verify(intake);
    const id = newId();
    return this.#connected(id, owner, await this.#stored.keep(id, owner, intake));
  }

  async view(owner: string, id: string): Promise<ConnectionView> {
    const kept = await this.#stored.own(owner, id);
    if (kept !== undefined) return viewOf(id, kept.clear, this.#now());
    const invited = await this.#ownInvited(owner, id);
    return invitationView(invited.invitation, await this.#invitations.isOpen(invited));
  }

  /** The owner's, also those whose page waits to be filled in; the newest first. */
  async list(owner: string): Promise<readonly ConnectionView[]> {
    const stored = await this.#stored.all();
    const found = [...stored]
      .filter(([, record]) => record.owner === owner)
      .map(([id, record]) => ({ createdAt: record.created_at, view: viewOf(id, record, this.#now()) }));
    for (const { invitation } of await this.#invitations.open(owner)) {
      if (stored.has(invitation.connection_id)) continue;
      found.push({ createdAt: invitation.created_at, view: invitationView(invitation, true) });
    }
    return found.sort((one, other) => other.createdAt - one.createdAt).map(({ view }) => view);
  }

  /** Removes the secret for good, or closes the page if it was not filled in yet. */
  async revoke(owner: string, id: string): Promise<ConnectionView> {
    const invited = await this.#invitations.byConnection(id);
    const mine = invited?.invitation.owner === owner ? invited : undefined;
    // Before looking at what is stored: a page that is sent at this moment looks here after it has stored.
    if (mine !== undefined) await this.#close(mine);
    const kept = await this.#stored.own(owner, id);
    if (kept !== undefined) {
      const wiped = await this.#stored.wipe(id, kept.clear, 'revoked');
      if (mine === undefined) this.#tell(id, owner, 'revoked');
      return viewOf(id, wiped, this.#now());
    }
    if (mine === undefined) throw noSuchConnection();
    return invitationView({ ...mine.invitation, revoked: true }, false);
  }

  /** A client in the name of the owner, who alone may have it. */
  async use(owner: string, id: string): Promise<JiraClient> {
    const kept = await this.#stored.own(owner, id);
    if (kept === undefined) throw await this.#whyNotYet(await this.#ownInvited(owner, id));
    const { clear } = kept;
    const status = statusOf(clear, this.#now());
    if (status === 'revoked') throw connectionRevoked();
    if (status === 'expired') {
      if (clear.status === 'active') await this.#stored.wipe(id, clear, 'expired');
      throw connectionExpired();
    }
    return this.#clientFor({ baseUrl: new URL(clear.jira_base_url), credentials: credentialsOf(kept) });
  }

  /** Removes the secrets of what has expired, and in time every trace of it. */
  async sweep(): Promise<void> {
    await this.#invitations.sweep();
    await this.#stored.sweep();
  }

  /** Tells of every connection that this process makes or ends, also before it was made; returns how to stop listening. */
  onSettled(listener: SettledListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #verify({ baseUrl, credentials }: Intake): Promise<void> {
    await this.#clientFor({ baseUrl, credentials }).myself();
  }

  async #keepWon(invited: Invited, intake: Intake): Promise<ConnectionRecord> {
    const { connection_id: id, owner } = invited.invitation;
    const record = await this.#stored.keep(id, owner, intake).catch(async (cause: unknown) => {
      await this.#invitations.giveBack(invited);
      throw cause;
    });
    // Its owner may have revoked it while Jira was asked.
    if ((await this.#invitations.byConnection(id))?.invitation.revoked === true) {
      await this.#stored.wipe(id, record, 'revoked');
      throw connectionRevoked();
    }
    return record;
  }

  #connected(id: string, owner: string, record: ConnectionRecord): ConnectionView {
    this.#tell(id, owner, 'active');
    return viewOf(id, record, this.#now());
  }

  /** Closes a page that was not filled in. */
  async #close(invited: Invited): Promise<void> {
    await this.#invitations.revoke(invited);
    this.#tell(invited.invitation.connection_id, invited.invitation.owner, 'revoked');
  }

  #tell(...settled: Parameters<SettledListener>): void {
    for (const listener of this.#listeners) listener(...settled);
  }

  async #ownInvited(owner: string, id: string): Promise<Invited> {
    const invited = await this.#invitations.byConnection(id);
    if (invited?.invitation.owner !== owner) throw noSuchConnection();
    return invited;
  }

  async #whyNotYet(invited: Invited): Promise<Failure> {
    if (invited.invitation.revoked) return connectionRevoked();
    return (await this.#invitations.isOpen(invited)) ? pageNotFilledIn() : connectionExpired();
  }
}

function infoOf({ asked_by, expires_at, jira_base_url }: Invitation): TicketInfo {
  return {
    expiresAt: new Date(expires_at).toISOString(),
    jiraBaseUrl: jira_base_url,
    askedBy: asked_by,
  };
}

/** In lower case, since some file systems do not tell cases apart. */
function newId(): string {
  return `jira_${randomBytes(16).toString('hex')}`;
}
