/** The tool that connects to Jira: it hands out a page for the secret, and never sees it. */
import type { Caller, PackHost, UrlOutcome } from 'footbridge/pack';
import * as z from 'zod/v4';
import { isLoopback } from '../jira/address.js';
import type { Connections, InvitationGiven } from '../jira/connections.js';
import { openRoad } from '../jira/open-road.js';
import { connectionOutcome } from './connection-outcome.js';
import { type EngageTool, inputOf, type Outcome } from './tool.js';

const Connect = inputOf({
  jira_base_url: z.string().optional().describe('The address of the Jira, such as https://jira.example.org. Never a token or password.'),
});

export interface ConnectToolOptions {
  readonly connections: Connections;
  readonly reach: PackHost['reach'];
}

export function connectTool({ connections, reach }: ConnectToolOptions): EngageTool<typeof Connect> {
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
      const invitation = await inviteTo(url, () => connections.invite(owner, { baseUrl, askedBy: nameOf(context.caller) })).catch(
        (cause: unknown) => {
          release();
          throw cause;
        },
      );
      const finished = settled(connections, invitation);
      finished.finally(release).catch(() => {});
      const address = `${url}/engage/connect/${invitation.ticket}`;
      const pending = pendingOutcome(invitation, address);
      if (!context.canElicitUrl) return pending;
      const outcome = await context.elicitUrl({ url: address, message: messageOf(invitation), state: invitation.connectionId, finished });
      return outcome === 'unanswered' ? pending : afterElicitation(connections, owner, invitation.connectionId, outcome);
    },
  };
}

/** A secret is not to be sent over a network in clear: nobody is invited to do so. */
async function inviteTo(url: string, invite: () => Promise<InvitationGiven>): Promise<InvitationGiven> {
  const { hostname, protocol } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname)) return invite();
  throw openRoad();
}

/** Nobody's where it is the owner of this machine, who alone has no id. */
function nameOf({ id, name }: Caller): string | undefined {
  return id === '' ? undefined : name;
}

/** The page says the same. */
function messageOf({ jiraBaseUrl }: InvitationGiven): string {
  const kept = 'and kept by this server, encrypted. The assistant never sees it.';
  if (jiraBaseUrl === undefined)
    return `Enter your Jira token on this page. It is sent to the address that you give there to be checked, ${kept}`;
  const { host } = new URL(jiraBaseUrl);
  return `Enter your Jira token on this page. It is sent to ${host} to be checked, ${kept} Your assistant named this address: check that it is your Jira.`;
}

function to(jiraBaseUrl: string | undefined): string {
  return jiraBaseUrl === undefined ? ' of Jira' : ` of the Jira at ${jiraBaseUrl}`;
}

function pendingOutcome({ connectionId, expiresAt, jiraBaseUrl }: InvitationGiven, address: string): Outcome {
  return {
    text: `Give the person this page, where they enter their token${to(jiraBaseUrl)}: ${address}\nIt works once, until ${expiresAt}. They must not send the token here. When they are done, call jira_connection_status with connection_id ${connectionId}.`,
    structured: {
      connection_id: connectionId,
      status: 'pending',
      connect_url: address,
      expires_at: expiresAt,
      jira_base_url: jiraBaseUrl,
    },
  };
}

/** Resolves when the person has filled the page in; rejects when it is closed, or its time is over. */
function settled(connections: Connections, { connectionId, expiresAt }: InvitationGiven): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      stop();
      clearTimeout(over);
    };
    const fail = () => {
      end();
      reject(new Error('the page was not filled in'));
    };
    const over = setTimeout(fail, Date.parse(expiresAt) - Date.now()).unref();
    const stop = connections.onSettled((id, _owner, status) => {
      if (id !== connectionId) return;
      if (status === 'revoked') return fail();
      end();
      resolve();
    });
  });
}

async function afterElicitation(connections: Connections, owner: string, id: string, outcome: UrlOutcome): Promise<Outcome> {
  const view = await connections.view(owner, id);
  if (view.status !== 'pending') return connectionOutcome(view);
  if (outcome === 'accept')
    return {
      text: `The person was sent to the page for their Jira token. ${view.text} When they are done, call jira_connection_status with connection_id ${id}.`,
      structured: connectionOutcome(view).structured,
    };
  await connections.revoke(owner, id);
  return {
    text: 'The person did not want to open the page for their Jira token, so there is no connection. Ask them how to go on; jira_connect makes a new page.',
    structured: { connection_id: id, status: 'revoked' },
  };
}
