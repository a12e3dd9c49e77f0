/** The tools of the workflow as functions. Each throws a `PageFailure`. */
import { type Fields, textIn } from '../../../footbridge/page/json.js';
import type { Bridge, CallOptions, Outcome } from '../bridge/bridge.js';
import {
  type Attachment,
  type Attachments,
  attachmentIn,
  attachmentsIn,
  type Bundle,
  bundleIn,
  type Connection,
  connectionIn,
  connectionsIn,
  present,
} from './answers.js';
import { failureOf } from './failure.js';

export async function ask(bridge: Bridge, tool: string, input: Fields, options?: CallOptions): Promise<Fields> {
  return answerIn(await bridge.call(tool, input, options));
}

export function answerIn(outcome: Outcome): Fields {
  if (outcome.isError) throw failureOf(outcome);
  return outcome.structuredContent;
}

/** Returns the workflow session id. */
export async function selectProduct(bridge: Bridge): Promise<string> {
  return present(textIn(await ask(bridge, 'select_engage_product', { product: 'linux' }), 'workflow_session_id'));
}

/** Only called on the person's click, which is their consent. */
export async function mintConsent({ context, call }: Bridge, session: string): Promise<string> {
  const yes = { permission_granted: true, workflow_session_id: session };
  const outcome =
    context.place === 'page' ? await context.post('api/engage/consent-tokens', yes) : await call('mint_engage_consent_token', yes);
  return present(textIn(answerIn(outcome), 'consent_token'));
}

export async function fetchBundle(bridge: Bridge, reference: string): Promise<Bundle> {
  return present(bundleIn(await ask(bridge, 'fetch_sosreport', { fetch_reference: reference })));
}

/** The active connections. */
export async function activeConnections(bridge: Bridge, signal: AbortSignal): Promise<readonly Connection[]> {
  // Refused for want of an id, with all connections.
  const outcome = await bridge.call('jira_connection_status', {}, { signal });
  const answer = Array.isArray(outcome.structuredContent['connections']) ? outcome.structuredContent : answerIn(outcome);
  return connectionsIn(answer).filter(({ status }) => status === 'active');
}

export interface SentInvitation {
  readonly connection: string;
  /** The page for the token. */
  readonly url: string;
}

export async function inviteToJira(bridge: Bridge, baseUrl: string): Promise<SentInvitation> {
  const answer = await ask(bridge, 'jira_connect', baseUrl === '' ? {} : { jira_base_url: baseUrl });
  return { connection: present(textIn(answer, 'connection_id')), url: present(webAddress(textIn(answer, 'connect_url'))) };
}

export async function connectionStatus(bridge: Bridge, connection: string, signal: AbortSignal): Promise<Connection> {
  return present(connectionIn(await ask(bridge, 'jira_connection_status', { connection_id: connection }, { signal })));
}

export async function listAttachments(bridge: Bridge, connection: string, issue: string): Promise<Attachments> {
  return attachmentsIn(await ask(bridge, 'jira_list_attachments', { connection_id: connection, issue_key: issue }));
}

export async function attach(bridge: Bridge, connection: string, issue: string, artifact: string): Promise<Attachment> {
  const answer = await ask(bridge, 'jira_attach_artifact', { connection_id: connection, issue_key: issue, artifact_ref: artifact });
  return present(attachmentIn(answer['attachment']));
}

export async function disconnect(bridge: Bridge, connection: string): Promise<void> {
  await ask(bridge, 'jira_disconnect', { connection_id: connection });
}

/** Only http and https: a link could be a script. */
function webAddress(text: string | undefined): string | undefined {
  return text !== undefined && /^https?:\/\//i.test(text) && URL.canParse(text) ? text : undefined;
}
