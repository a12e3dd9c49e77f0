/** The command line of logins. */
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Capture, environmentOf, run, runIn } from './support/command.js';
import { createWorld } from './support/folders.js';
import { startProtected } from './support/protected-server.js';
import { login } from './support/terminal.js';
import { sendJson, serveWeb } from './support/web-server.js';

const SERVERS = {
  mcpServers: {
    tool: { command: 'true' },
    keyed: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer x' } },
  },
};

describe('footbridge login', () => {
  it('connects to no server of a file that is not trusted', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    world.write('project/footbridge.json', JSON.stringify({ mcpServers: { docs: { url: server.url } } }));
    const { code, stderr } = await runIn(world, {}, 'login', 'docs');
    expect(code).toBe(1);
    expect(stderr).toMatch(/Not trusted yet/);
    expect(server.calls).toBe(0);
  });

  it.each([
    ['nobody', "Server 'nobody' not found"],
    ['tool', 'is started by a command'],
    ['keyed', 'has a header Authorization'],
    ['http://ada:secret@127.0.0.1:9/mcp', 'a user and password in its URL'],
    ['https://', 'Invalid URL'],
    ['http://127.0.0.1:9/mcp', 'refused the connection'],
  ])('says why %s cannot be signed in to', async (name, words) => {
    const world = createWorld();
    world.write('project/servers.json', JSON.stringify(SERVERS));
    const { code, stderr } = await run(world, 'login', name, '--config', 'servers.json');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(words) });
  });
});

describe('footbridge login to a server', () => {
  it.each([
    ['that requires a login for calls alone', { protects: 'calls' }],
    ['with the transport of 2024', { sdk: 'sse' }],
    ['that lists its tools only to those who are signed in', { protects: 'lists' }],
  ] as const)('%s signs in, and then says so', async (_title, options) => {
    const [world, server] = [createWorld(), await startProtected(options)];
    expect(await login(world, server)).toContain('Signed in to');
    expect(server.grants).toEqual(['authorization_code']);
    expect((await run(world, 'login', server.url)).stdout).toBe(`You are signed in to ${server.url}.\n`);
  });

  it('asks for another scope with --scope, once', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    await login(world, server);
    await login(world, server, {}, ['--scope', 'write']);
    expect((await run(world, 'login', server.url, '--scope', 'write')).stdout).toBe(`You are signed in to ${server.url}.\n`);
    const [{ scopes }] = JSON.parse((await run(world, 'logins', '--json')).stdout);
    expect(scopes).toEqual(expect.arrayContaining(['read', 'write']));
  });

  it.each([true, false])('accepts the address of the last page of a browser elsewhere, at a terminal: %s', async (isTTY) => {
    const [world, server] = [createWorld(), await startProtected()];
    const stdin = Object.assign(new PassThrough(), { isTTY });
    const stdout = new Capture(isTTY);
    const stderr = new Capture();
    const ended = runIn(world, { stdin, stdout, stderr, env: environmentOf(world) }, 'login', server.url, '--no-browser');
    const link = () => /http:\S+code_challenge\S+/.exec(stdout.text)?.[0] ?? '';
    await expect.poll(link).toContain(server.issuer);
    const address = await server.returned(link());
    stdin.write(`\n  ${server.url}\n`);
    await expect.poll(() => stderr.text).toContain('This is not the address that the browser was sent to');
    stdin.write(`${address.href}\n`);
    expect((await ended).code).toBe(0);
    expect(stdout.text).toContain(`Signed in to ${server.url}.`);
    expect(stdout.text).not.toContain(address.searchParams.get('code'));
  });

  it('that cannot be stored says why before anyone signs in', async () => {
    const [world, server] = [createWorld(), await startProtected()];
    world.write('home/.local/state/footbridge/logins', 'not a folder');
    const { code, stderr } = await run(world, 'login', server.url, '--no-browser');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/cannot be stored\. .*Set XDG_STATE_HOME/s) });
    expect(server.registrations).toEqual([]);
  });

  it('without a sign-in is reported', async () => {
    const open = await serveWeb(({ message, request, response }) => {
      if (request.method === 'GET' || message.id === undefined) return response.writeHead(404).end();
      const result = message.method === 'initialize' ? INITIALIZED : { tools: [] };
      return sendJson(response, 200, { jsonrpc: '2.0', id: message.id, result });
    });
    expect((await run(createWorld(), 'login', open.url)).stdout).toBe(`${open.url} does not require a sign-in.\n`);
  });
});

const INITIALIZED = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'open', version: '1' } };

it('footbridge logout requires a server or --all, and logins reports an empty list', async () => {
  const world = createWorld();
  expect(await run(world, 'logout')).toMatchObject({ code: 1, stderr: expect.stringContaining('--all') });
  expect(await run(world, 'logout', 'https://docs.example.org/mcp')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('not signed in'),
  });
  expect(await run(world, 'logout', '--all')).toMatchObject({ code: 0, stdout: 'Removed 0 logins.\n' });
  expect(await run(world, 'logins')).toMatchObject({ code: 0, stdout: 'You are not signed in to any server.\n' });
});
