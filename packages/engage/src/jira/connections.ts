/** Jira connections: requested by a caller, submitted by a person, used by their owner, and expired or revoked. */
import { randomBytes } from 'node:crypto';
import { singleLine } from '../text.js';
import type { Vault } from '../vault/vault.js';
import { addressCheck, type JiraUrlPolicy, jiraBaseUrl } from './base-url.js';
import { JiraClient, type JiraClientOptions } from './client.js';
import {
  type ConnectionRecord,
  ConnectionStore,
  type ConnectionView,
  connectionStatus,
  connectionView,
  credentialsOf,
} from './connection-store.js';
import { type Intake, parseIntake } from './credentials.js';
import { connectionExpired, connectionNotFound, connectionPending, connectionRevoked, ticketExpired, wrongJira } from './errors.js';
import { type Invitation, Invitations, invitationView } from './invitations.js';

const DAY_MS = 24 * 60 * 60_000;
const MAX_NAME_LENGTH = 100;

export interface ConnectionsOptions {
  readonly vault: Vault<ConnectionRecord>;
  readonly stateFolder: string;
  readonly ttlMs?: number;
  /** Each `host` or `host:port`. Default: any. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Whether only this machine is served. Default true. */
  readonly local?: boolean;
  /** Called once for each damaged record, which is left out of lists. */
  readonly onDamaged?: (connectionId: string) => void;
  readonly now?: () => number;
  readonly clientFor?: (options: JiraClientOptions) => JiraClient;
}

export interface InviteOptions {
  /** By default the person enters the URL on the page. */
  readonly baseUrl?: string | undefined;
  /** The caller's name, shown on the page; none for the owner of this machine. */
  readonly askedBy?: string | undefined;
}

/** `ticket` is part of the page's URL and must be given to the person only. */
export interface InvitationInfo {
  readonly connectionId: string;
  readonly ticket: string;
  /** ISO 8601. */
  readonly expiresAt: string;
  readonly jiraBaseUrl?: string | undefined;
  readonly askedBy?: string | undefined;
}

export type TicketInfo = Omit<InvitationInfo, 'connectionId' | 'ticket'>;

/** Called when a connection becomes usable or is revoked. Must not throw. */
export type SettledListener = (connectionId: string, status: 'active' | 'revoked') => void;

export class Connections {
  readonly #store: ConnectionStore;
  readonly #invitations: Invitations;
  readonly #policy: JiraUrlPolicy;
  readonly #now: () => number;
  readonly #clientFor: (options: JiraClientOptions) => JiraClient;
  readonly #listeners = new Set<SettledListener>();

  constructor(options: ConnectionsOptions) {
    const { vault, stateFolder, ttlMs = DAY_MS, allowedHosts, local = true, onDamaged = () => {}, now = Date.now, clientFor } = options;
    this.#store = new ConnectionStore({ vault, ttlMs, now, onDamaged });
    this.#invitations = new Invitations(stateFolder, now);
    this.#policy = { allowed: allowedHosts, local };
    this.#now = now;
    this.#clientFor = clientFor ?? ((options) => new JiraClient(options));
  }

  /** Throws at once if the connection could not be stored later. */
  async invite(owner: string, { askedBy, baseUrl }: InviteOptions = {}): Promise<InvitationInfo> {
    const jira_base_url = baseUrl === undefined ? undefined : jiraBaseUrl(baseUrl, this.#policy).href;
    const asked_by = askedBy === undefined ? undefined : singleLine(askedBy, MAX_NAME_LENGTH).trim() || 'unnamed caller';
    await this.#store.assertCanStore(owner);
    const { ticket, invitation } = await this.#invitations.create({ connection_id: newId(), owner, jira_base_url, asked_by });
    for (const surplus of await this.#invitations.surplus(invitation)) await this.#close(surplus);
    return { connectionId: invitation.connection_id, ticket, ...ticketInfo(invitation) };
  }

  /** For the page; undefined if it can no longer be submitted. */
  async ticketInfo(ticket: string): Promise<TicketInfo | undefined> {
    const invitation = await this.#invitations.byTicket(ticket);
    return invitation && ticketInfo(invitation);
  }

  /** Submits the page. A ticket is valid for one success and a few attempts. */
  async submit(ticket: string, body: unknown): Promise<ConnectionView> {
    const invitation = await this.#invitations.byTicket(ticket);
    if (invitation === undefined) throw ticketExpired();
    const intake = parseIntake(body, this.#policy);
    const { jira_base_url: expected, connection_id: id, owner } = invitation;
    if (expected !== undefined && intake.baseUrl.href !== expected) throw wrongJira();
    await this.#store.assertCanStore(owner);
    if (!(await this.#invitations.attempt(invitation))) throw ticketExpired();
    const account = await this.#verify(intake);
    if (!(await this.#invitations.redeem(invitation))) throw ticketExpired();
    const record = await this.#store.add(id, owner, intake, account).catch(async (cause: unknown) => {
      await this.#invitations.release(invitation);
      throw cause;
    });
    // The owner may have revoked it in the meantime.
    if ((await this.#invitations.byConnection(id))?.revoked === true) {
      await this.#store.end(id, record, 'revoked');
      throw connectionRevoked();
    }
    return this.#connected(id, record);
  }

  /** Connects without a page, for an authenticated caller. */
  async connect(owner: string, body: unknown): Promise<ConnectionView> {
    const intake = parseIntake(body, this.#policy);
    await this.#store.assertCanStore(owner);
    const account = await this.#verify(intake);
    const id = newId();
    return this.#connected(id, await this.#store.add(id, owner, intake, account));
  }

  async view(owner: string, id: string): Promise<ConnectionView> {
    const entry = await this.#store.get(owner, id);
    if (entry !== undefined) return connectionView(id, entry.clear, this.#now());
    const invitation = await this.#invitationOf(owner, id);
    return invitationView(invitation, await this.#invitations.isOpen(invitation));
  }

  /** The owner's connections, pending ones included, the newest first. */
  async list(owner: string): Promise<readonly ConnectionView[]> {
    const stored = await this.#store.all();
    const found = [...stored]
      .filter(([, record]) => record.owner === owner)
      .map(([id, record]) => ({ createdAt: record.created_at, view: connectionView(id, record, this.#now()) }));
    for (const invitation of await this.#invitations.open(owner)) {
      if (stored.has(invitation.connection_id)) continue;
      found.push({ createdAt: invitation.created_at, view: invitationView(invitation, true) });
    }
    return found.sort((a, b) => b.createdAt - a.createdAt).map(({ view }) => view);
  }

  /** Deletes the secret, or closes the page if it is pending. */
  async revoke(owner: string, id: string): Promise<ConnectionView> {
    const found = await this.#invitations.byConnection(id);
    const invitation = found?.owner === owner ? found : undefined;
    // Before reading the store: a concurrent submission checks the invitation after storing.
    if (invitation !== undefined) await this.#close(invitation);
    const entry = await this.#store.get(owner, id);
    if (entry !== undefined) {
      const ended = await this.#store.end(id, entry.clear, 'revoked');
      if (invitation === undefined) this.#settled(id, 'revoked');
      return connectionView(id, ended, this.#now());
    }
    if (invitation === undefined) throw connectionNotFound();
    return invitationView({ ...invitation, revoked: true }, false);
  }

  /** A client with the owner's credentials. */
  async use(owner: string, id: string): Promise<JiraClient> {
    const entry = await this.#store.get(owner, id);
    if (entry === undefined) {
      const invitation = await this.#invitationOf(owner, id);
      if (invitation.revoked) throw connectionRevoked();
      throw (await this.#invitations.isOpen(invitation)) ? connectionPending() : connectionExpired();
    }
    const { clear } = entry;
    const status = connectionStatus(clear, this.#now());
    if (status === 'revoked') throw connectionRevoked();
    if (status === 'expired') {
      if (clear.status === 'active') await this.#store.end(id, clear, 'expired');
      throw connectionExpired();
    }
    // The operator may have allowed another host since.
    return this.#client({ baseUrl: jiraBaseUrl(clear.jira_base_url, this.#policy), credentials: credentialsOf(entry) });
  }

  /** Deletes the secrets of expired connections, and old records. */
  async sweep(): Promise<void> {
    await this.#invitations.sweep();
    await this.#store.sweep();
  }

  /** Listens for connections that this process makes or revokes. Returns how to stop. */
  onSettled(listener: SettledListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Returns the name of the person in Jira. */
  #verify({ baseUrl, credentials }: Intake): Promise<string> {
    return this.#client({ baseUrl, credentials }).myself();
  }

  #client(options: Pick<JiraClientOptions, 'baseUrl' | 'credentials'>): JiraClient {
    return this.#clientFor({ ...options, mayConnect: addressCheck(this.#policy) });
  }

  #connected(id: string, record: ConnectionRecord): ConnectionView {
    this.#settled(id, 'active');
    return connectionView(id, record, this.#now());
  }

  async #close(invitation: Invitation): Promise<void> {
    await this.#invitations.revoke(invitation);
    this.#settled(invitation.connection_id, 'revoked');
  }

  #settled(...event: Parameters<SettledListener>): void {
    for (const listener of this.#listeners) listener(...event);
  }

  async #invitationOf(owner: string, id: string): Promise<Invitation> {
    const invitation = await this.#invitations.byConnection(id);
    if (invitation?.owner !== owner) throw connectionNotFound();
    return invitation;
  }
}

function ticketInfo({ asked_by, expires_at, jira_base_url }: Invitation): TicketInfo {
  return { expiresAt: new Date(expires_at).toISOString(), jiraBaseUrl: jira_base_url, askedBy: asked_by };
}

/** In lower case: some file systems are case-insensitive. */
function newId(): string {
  return `jira_${randomBytes(16).toString('hex')}`;
}
