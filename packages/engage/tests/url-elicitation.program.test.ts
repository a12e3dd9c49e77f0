/** Hosts with URL elicitation send the person to the page, in both protocol eras. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ENTRY, environment } from '../../footbridge/tests/support/client.js';
import { createWorld } from '../../footbridge/tests/support/folders.js';
import { type JiraServer, startJira } from './support/jira-server.js';
import { newKey, pack } from './support/program.js';

const PAT = 'a-token-for-elicitation';

let jira: JiraServer;
beforeAll(async () => {
  jira = await startJira({ pat: PAT });
  return () => jira.close();
});

type Person = (url: string, message: string) => Promise<'accept' | 'decline'>;

/** A host that asks a person to open a URL. */
async function connectHost(mode: 'legacy' | 'auto', person: Person): Promise<{ client: Client; completed: unknown[] }> {
  const { home, project } = createWorld();
  const client = new Client({ name: 'host', version: '1' }, { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode } });
  const completed: unknown[] = [];
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => void completed.push(params));
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    action: await person('url' in params && typeof params.url === 'string' ? params.url : '', params.message),
  }));
  const env = Object.fromEntries(
    Object.entries(environment(home, { FOOTBRIDGE_ENGAGE_KEY: newKey() })).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [ENTRY, ...pack()], cwd: project, env }));
  onTestFinished(() => client.close());
  return { client, completed };
}

function fillIn(url: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jira_base_url: jira.baseUrl, pat: PAT }),
  });
}

describe.each(['legacy', 'auto'] as const)('a host in mode %s', (mode) => {
  it('sends the person to the page and is notified of its completion', async () => {
    const { client, completed } = await connectHost(mode, async (url, message) => {
      expect(message).toContain(`It is verified with ${new URL(jira.baseUrl).host}`);
      expect(message).toContain('check that it is your Jira');
      expect(await (await fetch(url)).text()).not.toContain('"asked_by":"');
      expect((await fillIn(url)).status).toBe(201);
      return 'accept';
    });
    const { structuredContent } = await client.callTool({ name: 'jira_connect', arguments: { jira_base_url: jira.baseUrl } });
    expect(structuredContent).toMatchObject({ status: 'active', jira_base_url: `${jira.baseUrl}/` });
    if (mode === 'legacy') await expect.poll(() => completed.length).toBe(1);
  });

  it('gets a pending result while the page has not been submitted', async () => {
    let address = '';
    const { client } = await connectHost(mode, async (url) => {
      address = url;
      return 'accept';
    });
    const { structuredContent } = await client.callTool({ name: 'jira_connect', arguments: {} });
    expect(structuredContent).toMatchObject({ status: 'pending' });
    expect((await fillIn(address)).status).toBe(201);
    const { connection_id } = Object(structuredContent);
    const status = await client.callTool({ name: 'jira_connection_status', arguments: { connection_id } });
    expect(status.structuredContent).toMatchObject({ status: 'active' });
  });

  it('closes the page and its loopback server on disconnect', async () => {
    let address = '';
    const { client } = await connectHost(mode, async (url) => {
      address = url;
      return 'accept';
    });
    const { structuredContent } = await client.callTool({ name: 'jira_connect', arguments: {} });
    const { connection_id } = Object(structuredContent);
    expect((await fetch(address)).status).toBe(200);
    await client.callTool({ name: 'jira_disconnect', arguments: { connection_id } });
    await expect.poll(() => fetch(address).catch(() => 'unreachable')).toBe('unreachable');
  });

  it('closes the page when the person declines', async () => {
    let address = '';
    const { client } = await connectHost(mode, async (url) => {
      address = url;
      return 'decline';
    });
    const { content, structuredContent } = await client.callTool({ name: 'jira_connect', arguments: {} });
    expect(structuredContent).toMatchObject({ status: 'revoked' });
    expect(JSON.stringify(content)).toContain('declined');
    await expect.poll(() => fillIn(address).catch(() => 'unreachable')).toBe('unreachable');
  });
});
