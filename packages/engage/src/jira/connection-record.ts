/** A connection as it is stored beside its secret, and as it is shown. */
import * as z from 'zod/v4';
import type { AuthMode } from './credentials.js';
import type { Invitation } from './invitations.js';

/** What the vault keeps in clear of a connection. */
export const CONNECTION = z.strictObject({
  owner: z.string(),
  /** One that is not active has no secret any more. */
  status: z.enum(['active', 'expired', 'revoked']),
  jira_base_url: z.string(),
  auth_mode: z.enum(['bearer_pat', 'basic_cloud']),
  created_at: z.number(),
  expires_at: z.number(),
  last_verified_at: z.number(),
});
export type ConnectionRecord = z.infer<typeof CONNECTION>;

export type ConnectionStatus = 'pending' | ConnectionRecord['status'];

/** Without the last three of its fields, it may be, as long as its page was not filled in. */
export interface ConnectionView {
  readonly connection_id: string;
  readonly status: ConnectionStatus;
  /** ISO 8601; of a pending one, when its page is over. */
  readonly expires_at: string;
  /** A sentence for people. */
  readonly text: string;
  readonly jira_base_url?: string;
  readonly auth_mode?: AuthMode;
  /** ISO 8601. */
  readonly last_verified_at?: string;
}

/** Its status at this time, whether or not someone has written down already that it is over. */
export function statusOf({ status, expires_at }: ConnectionRecord, now: number): ConnectionRecord['status'] {
  return status === 'active' && now >= expires_at ? 'expired' : status;
}

export function viewOf(id: string, record: ConnectionRecord, now: number): ConnectionView {
  const status = statusOf(record, now);
  const until = new Date(record.expires_at).toISOString();
  const verified = new Date(record.last_verified_at).toISOString();
  const texts = {
    active: `Connected to ${record.jira_base_url} until ${until}; the token was checked at ${verified}.`,
    expired: `The connection to ${record.jira_base_url} expired at ${until}. Connect anew to use it.`,
    revoked: `The connection to ${record.jira_base_url} was revoked, and its token removed. Connect anew to use it.`,
  };
  return {
    connection_id: id,
    status,
    jira_base_url: record.jira_base_url,
    auth_mode: record.auth_mode,
    expires_at: until,
    last_verified_at: verified,
    text: texts[status],
  };
}

/** `isOpen` is whether its page can still be filled in. */
export function invitationView(invitation: Invitation, isOpen: boolean): ConnectionView {
  const until = new Date(invitation.expires_at).toISOString();
  const of = invitation.jira_base_url === undefined ? '' : ` for ${invitation.jira_base_url}`;
  const status = invitation.revoked ? 'revoked' : isOpen ? 'pending' : 'expired';
  const texts = {
    pending: `Waiting for the page${of} to be filled in, until ${until}.`,
    expired: 'The page of this connection was not filled in in time, or too often with a token that Jira did not accept. Connect anew.',
    revoked: 'This connection was revoked before its page was filled in. Connect anew.',
  };
  return {
    connection_id: invitation.connection_id,
    status,
    jira_base_url: invitation.jira_base_url,
    expires_at: until,
    text: texts[status],
  };
}
