/** The tool that connects to Jira: it returns a page for the token and never sees the token itself. */
import type { PackHost, UrlOutcome } from 'footbridge/pack';
import * as z from 'zod/v4';
import { isLoopback } from '../jira/base-url.js';
import type { ConnectionView } from '../jira/connection-store.js';
import type { Connections, InvitationInfo } from '../jira/connections.js';
import { insecureTransport } from '../jira/errors.js';
import { type EngageTool, inputSchema, type ToolOutcome } from './tool.js';

const Connect = inputSchema({
  jira_base_url: z.string().optional().describe('The URL of Jira, such as https://jira.example.org. Never a token or password.'),
});

export function connectTool(connections: Connections, reach: PackHost['reach']): EngageTool<typeof Connect> {
  return {
    name: 'jira_connect',
    title: 'Connect Jira',
    description:
      'Step 3: get a one-time page on which the person enters their Jira token. The token never passes through this conversation: do not ask for it. Then call jira_connection_status.',
    input: Connect,
    readOnly: false,
    async run({ jira_base_url: baseUrl }, owner, context) {
      const { elicited } = context;
      if (elicited !== undefined) return afterElicitation(connections, owner, elicited.state, elicited.outcome);
      const { release, url } = await reach();
      let invitation: InvitationInfo;
      try {
        assertSecure(url);
        // The owner of this machine has no id, and is not named on the page.
        const { id, name } = context.caller;
        invitation = await connections.invite(owner, { baseUrl, askedBy: id === '' ? undefined : name });
      } catch (cause) {
        release();
        throw cause;
      }
      const finished = submitted(connections, invitation);
      finished.finally(release).catch(() => {});
      const pageUrl = `${url}/engage/connect/${invitation.ticket}`;
      const pending = pendingOutcome(invitation, pageUrl);
      if (!context.canElicitUrl) return pending;
      const { connectionId: state } = invitation;
      const outcome = await context.elicitUrl({ url: pageUrl, message: elicitationMessage(invitation), state, finished });
      return outcome === 'unanswered' ? pending : afterElicitation(connections, owner, state, outcome);
    },
  };
}

export function connectionOutcome({ text, ...view }: ConnectionView): ToolOutcome {
  return { text: `${text} Its connection_id is ${view.connection_id}.`, structured: { ...view } };
}

function assertSecure(url: string): void {
  const { hostname, protocol } = new URL(url);
  if (protocol !== 'https:' && !isLoopback(hostname)) throw insecureTransport();
}

/** The page shows the same text. */
function elicitationMessage({ jiraBaseUrl }: InvitationInfo): string {
  const stored = 'and stored encrypted by this server. The assistant never sees it.';
  if (jiraBaseUrl === undefined) return `Enter your Jira token on this page. It is verified with the Jira that you enter there, ${stored}`;
  const { host } = new URL(jiraBaseUrl);
  return `Enter your Jira token on this page. It is verified with ${host}, ${stored} Your assistant provided this URL: check that it is your Jira.`;
}

function pendingOutcome({ connectionId, expiresAt, jiraBaseUrl }: InvitationInfo, pageUrl: string): ToolOutcome {
  const jira = jiraBaseUrl === undefined ? 'Jira' : `the Jira at ${jiraBaseUrl}`;
  return {
    text: `Give the person this page, where they enter their token for ${jira}: ${pageUrl}\nIt can be submitted once, until ${expiresAt}. They must not send the token here. When they are done, call jira_connection_status with connection_id ${connectionId}.`,
    structured: {
      connection_id: connectionId,
      status: 'pending',
      connect_url: pageUrl,
      expires_at: expiresAt,
      jira_base_url: jiraBaseUrl,
    },
  };
}

/** Resolves when the person has submitted the page; rejects when it is revoked or expires. */
function submitted(connections: Connections, { connectionId, expiresAt }: InvitationInfo): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (isSubmitted: boolean) => {
      stop();
      clearTimeout(timer);
      if (isSubmitted) resolve();
      else reject(new Error('The page was not submitted.'));
    };
    const timer = setTimeout(settle, Date.parse(expiresAt) - Date.now(), false).unref();
    const stop = connections.onSettled((id, status) => {
      if (id === connectionId) settle(status === 'active');
    });
  });
}

async function afterElicitation(connections: Connections, owner: string, id: string, outcome: UrlOutcome): Promise<ToolOutcome> {
  const view = await connections.view(owner, id);
  if (view.status !== 'pending') return connectionOutcome(view);
  if (outcome === 'accept')
    return {
      text: `The person opened the page for their Jira token. ${view.text} When they are done, call jira_connection_status with connection_id ${id}.`,
      structured: connectionOutcome(view).structured,
    };
  await connections.revoke(owner, id);
  return {
    text: 'The person declined to open the page for their Jira token, so there is no connection. Ask them how to proceed; jira_connect returns a new page.',
    structured: { connection_id: id, status: 'revoked' },
  };
}
