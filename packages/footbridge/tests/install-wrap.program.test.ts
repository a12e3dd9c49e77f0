/** Servers wrapped by `footbridge install --wrap` work as their entries say, and those that cannot be wrapped are refused. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { wrappedServer } from '../src/cli/wrapped-server.js';
import { type Json, RawClient } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { runProgram } from './support/program.js';
import { startProtected } from './support/protected-server.js';
import { type IncomingCall, sendJson, serveWeb } from './support/web-server.js';

const TO_ORDER = join(import.meta.dirname, 'fixtures', 'server-to-order.mjs');

/** Starts what an entry says, as its host would. */
async function startEntry(world: World, { args, command, env }: Json): Promise<RawClient> {
  expect(command).toBe('node');
  const [script, ...others] = args;
  const client = await RawClient.start({ script, args: others, env, workingFolder: world.project, home: world.home });
  onTestFinished(async () => void (await client.close()));
  return client;
}

/** Lets in only who has the key, and has one tool. */
function answer({ message, request, response }: IncomingCall): void {
  const reply = (result: Json) => sendJson(response, 200, { jsonrpc: '2.0', id: message.id, result });
  if (request.headers['x-key'] !== 'open sesame') response.writeHead(401).end();
  else if (message?.id === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end();
  else if (message.method === 'initialize')
    reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'locked', version: '1' } });
  else if (message.method === 'tools/list') reply({ tools: [{ name: 'behind-authentication', inputSchema: { type: 'object' } }] });
  else sendJson(response, 200, { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } });
}

describe('footbridge install --wrap', () => {
  it('keeps wrapped servers working, with variables and headers, and rejects those that only the host can reach', async () => {
    const world = createWorld();
    const { url } = await serveWeb(answer);
    const file = world.write(
      'project/.cursor/mcp.json',
      JSON.stringify({
        mcpServers: {
          order: {
            command: process.execPath,
            args: [TO_ORDER, '{"toolNames":["env"]}', '', 8080],
            env: { DOCS_KEY: 'hush' },
            alwaysAllow: ['env'],
          },
          locked: { url, headers: { 'X-Key': 'open sesame', 'x.key': 'other', 'X-KEY-': '' }, disabled: false },
          signin: { url, oauth: { enabled: true }, authProviderType: 'dynamic_discovery' },
          oauth: { url, auth: { CLIENT_ID: 'x' } },
          filed: { command: 'x', envFile: '.env' },
          query: { url: `${url}?api_key=hush` },
          odd: { type: 'sse' },
          socket: { url: 'ws://127.0.0.1:9/mcp' },
          ours: { command: 'npx', args: ['-y', 'footbridge@1', 'wrap', '--', 'x'] },
        },
      }),
    );
    const { code, stdout } = await runProgram(world, 'install', '--yes', '--wrap', 'all', '--json');
    expect(code).toBe(1);
    const [{ reason, wrapped }] = JSON.parse(stdout).changes;
    expect(wrapped).toEqual(['order', 'locked', 'signin']);
    expect(reason).toContain('oauth is not wrapped. It has "auth", which only the host supports. To sign in with Footbridge instead');
    expect(reason).toContain('filed is not wrapped. It has "envFile", which only the host supports.');
    expect(reason).toContain('query is not wrapped. Its URL contains a secret');
    expect(reason).toContain('odd is not wrapped. It has neither a command nor a URL');
    expect(reason).toContain('socket is not wrapped. Its URL is not an HTTP URL');
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8'));
    expect(mcpServers.signin.args.slice(-2)).toEqual(['wrap', url]);
    expect(mcpServers.signin).not.toHaveProperty('oauth');
    expect(mcpServers.ours.command).toBe('npx');
    expect(mcpServers.order.args.slice(-2)).toEqual(['', '8080']);
    expect(mcpServers.order).toMatchObject({ env: { DOCS_KEY: 'hush' }, alwaysAllow: ['env'] });
    expect(mcpServers.locked).toMatchObject({
      disabled: false,
      env: { FOOTBRIDGE_HEADER_X_KEY: 'open sesame', FOOTBRIDGE_HEADER_X_KEY_2: 'other' },
    });
    expect(mcpServers.locked.args.join(' ')).not.toContain('sesame');

    const order = await startEntry(world, mcpServers.order);
    const { content } = await order.call('env');
    expect(JSON.parse(content[0].text)).toMatchObject({ DOCS_KEY: 'hush' });
    const locked = await startEntry(world, mcpServers.locked);
    const names = async () => (await locked.request('tools/list')).result.tools.map(({ name }: Json) => name);
    await locked.waitFor(async () => (await names()).includes('behind-authentication'));

    // Uninstalling needs no further check if the file is unchanged.
    expect((await runProgram(world, 'uninstall', '--yes')).code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8')).mcpServers.locked.url).toBe(url);
  });
});

it('a server that requires a sign-in works for a host after install --wrap, and a sign-in with its tool', async () => {
  const [world, server] = [createWorld(), await startProtected()];
  const file = world.write('project/.cursor/mcp.json', JSON.stringify({ mcpServers: { docs: { url: server.url } } }));
  expect((await runProgram(world, 'install', '--yes', '--wrap', 'docs')).code).toBe(0);
  const entry = () => JSON.parse(readFileSync(file, 'utf8')).mcpServers.docs;
  const host = await startEntry(world, entry());
  const names = async (client: RawClient) => (await client.request('tools/list')).result.tools.map(({ name }: Json) => name);
  await host.waitFor(async () => (await names(host)).some((name: string) => name.startsWith('sign_in_to_')));
  const signIn = (await names(host)).find((name: string) => name.startsWith('sign_in_to_'));
  const { content } = await host.call(signIn);
  expect((await server.browse(/http:\S+/.exec(content[0].text)?.[0] ?? '')).status).toBe(200);
  await host.waitFor(async () => (await names(host)).includes('whoami'));
  expect((await host.call('whoami')).content[0].text).toContain('ada');
  const later = await startEntry(world, entry());
  await later.waitFor(async () => (await names(later)).includes('whoami'));
  expect((await later.call('whoami')).content[0].text).toContain('ada');
  expect(server.grants).toEqual(['authorization_code']);
});

describe('footbridge wrap --header-env', () => {
  const url = 'http://127.0.0.1:9/mcp';

  it.each([
    [['A'], [url], /^--header-env takes Name=VARIABLE/],
    [['A b=B'], [url], /^--header-env takes Name=VARIABLE/],
    [['A=BAD'], [url], /^--header-env A: Invalid HTTP header value/],
    [['A=GOOD'], ['node'], /^--header-env requires a URL/],
    [['A=NOPE'], [url], /^--header-env A: the environment variable NOPE is not set\. Set it where footbridge is started\.$/],
  ])('%j with %j is refused', (headerEnv, words, problem) => {
    expect(wrappedServer(words, { headerEnv }, { cwd: '/', env: { BAD: 'a\nb', GOOD: 'a' } })).toEqual({
      ok: false,
      problem: expect.stringMatching(problem),
    });
  });
});
