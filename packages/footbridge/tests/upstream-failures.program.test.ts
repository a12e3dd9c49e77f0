/** An upstream that cannot be used reports why, with a kind: from the transport to discovery and the report of a started Footbridge. */
import { execFile } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseEvent } from '../src/sources/upstream/failure.js';
import { type UpstreamSource, upstreams } from '../src/sources/upstream/index.js';
import type { UpstreamServer } from '../src/sources/upstream/options.js';
import { ENTRY, environment } from './support/client.js';
import { createWorld } from './support/folders.js';
import { toOrder } from './support/to-order.js';

const REFUSING = `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: 'go away' } }));
})`;

/** The failure of an upstream after its first attempt. */
async function failureOf(server: UpstreamServer) {
  const source: UpstreamSource = upstreams({ servers: { bad: { startTimeoutMs: 30_000, ...server } } });
  onTestFinished(() => source.end());
  const { upstreams: [bad] = [] } = await source.open(
    () => {},
    () => {},
  );
  await source.listed();
  return bad?.failure;
}

async function listening(answer: RequestListener): Promise<string> {
  const web = createServer(answer);
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void web.close().closeAllConnections());
  return `127.0.0.1:${(web.address() as AddressInfo).port}`;
}

describe('a command', () => {
  it.each([
    ['exited', 'with its exit code', toOrder({ exit: 3 }), 'The process exited with code 3.'],
    [
      'exited',
      'with its signal',
      { command: process.execPath, args: ['-e', "process.kill(process.pid, 'SIGKILL')"] },
      'The process was killed by SIGKILL.',
    ],
    [
      'not-found',
      'when it does not exist',
      { command: 'no-such-command-here' },
      'Command not found, or its working folder does not exist.',
    ],
    [
      'not-found',
      'when its folder does not exist',
      { ...toOrder({}), cwd: '/no/such/folder' },
      'Command not found, or its working folder does not exist.',
    ],
    [
      'timeout',
      'when it never answers',
      { ...toOrder({ silent: ['initialize', 'server/discover'] }), startTimeoutMs: 300 },
      'Timed out after 300 ms while starting.',
    ],
    [
      'protocol',
      'when it refuses the handshake',
      { command: process.execPath, args: ['-e', REFUSING] },
      'The handshake was refused: go away',
    ],
  ])('fails with kind %s, %s', async (kind, _when, server, message) => {
    expect(await failureOf(server)).toEqual({ kind, message });
  });

  it.skipIf(process.platform === 'win32')('fails with kind spawn when it is not executable', async () => {
    const file = createWorld().write('outside/plain.txt', 'text');
    chmodSync(file, 0o644);
    expect(await failureOf({ command: file })).toEqual({ kind: 'spawn', message: 'The command is not executable.' });
  });
});

describe('a URL', () => {
  it('fails with kind refused where nothing listens', async () => {
    expect(await failureOf({ url: 'http://127.0.0.1:9/mcp' })).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('refused the connection'),
    });
  });

  it('fails with kind dns where the name does not resolve', async () => {
    expect(await failureOf({ url: 'http://no-such-host.invalid/mcp' })).toMatchObject({ kind: 'dns' });
  });

  it('fails with kind tls where the server does not speak TLS', async () => {
    expect(await failureOf({ url: `https://${await listening((_request, response) => response.end())}/mcp` })).toMatchObject({
      kind: 'tls',
    });
  });

  it('fails with kind invalid where it is malformed', async () => {
    expect(await failureOf({ url: 'nonsense' })).toEqual({ kind: 'invalid', message: 'Invalid URL.' });
  });

  it('fails with kind disconnected where the connection ends without an answer', async () => {
    const server = createSocketServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await failureOf({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` })).toMatchObject({
      kind: 'disconnected',
    });
  });

  it.each([
    [401, 'auth'],
    [403, 'auth'],
    [404, 'not-found'],
    [429, 'busy'],
    [500, 'server-error'],
    [200, 'protocol'],
  ])('fails, at HTTP %i, with kind %s', async (status, kind) => {
    const host = await listening((_request, response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<p>'));
    expect(await failureOf({ url: `http://${host}/mcp` })).toMatchObject({ kind });
  });
});

describe('a Footbridge that is started with FOOTBRIDGE_REPORT', () => {
  const list = (report: Record<string, string>) => {
    const world = createWorld();
    world.write('project/footbridge.json', JSON.stringify({ mcpServers: { dead: { url: 'http://127.0.0.1:9/mcp' } } }));
    return new Promise<string>((resolve) => {
      execFile(
        process.execPath,
        [ENTRY, '--config', 'footbridge.json', 'list'],
        { cwd: world.project, env: environment(world.home, report) },
        (_error, _stdout, stderr) => resolve(stderr),
      );
    });
  };

  it('writes the failures of its upstreams as JSON lines with the given token', async () => {
    const stderr = await list({ FOOTBRIDGE_REPORT: 'token-1' });
    const events = stderr.split('\n').flatMap((line) => parseEvent(line, 'token-1') ?? []);
    expect(events).toContainEqual({
      event: 'upstream-failed',
      server: 'dead',
      kind: 'refused',
      message: expect.stringContaining('refused the connection'),
    });
    expect(stderr.split('\n').flatMap((line) => parseEvent(line, 'another') ?? [])).toEqual([]);
  });

  it('writes none without it', async () => {
    expect(await list({})).not.toContain('upstream-failed');
  });
});
