/** A session whose client does not read its stream: the stream ends, and holds up none of the others. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import type { HostPeer } from '../../src/sources/forwarding.js';
import type { Json } from '../support/client.js';
import { contributionOf, FakeUpstream, sourceOf } from '../support/fake-upstream.js';
import { post } from '../support/http-server.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'unreading', version: '1' } },
};
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'talk', arguments: {} } };

/** An upstream that knows its host, and answers after its call became a stream. */
class Talker extends FakeUpstream {
  host: HostPeer | undefined;

  override attach(host?: HostPeer) {
    this.host = host;
    return () => {};
  }

  override async forward(_method: string, _params: Json) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    return { content: [{ type: 'text', text: 'answered' }] } as Json;
  }
}

/** A session with a stream that is open, of which nothing is read. */
async function start() {
  const upstream = new Talker('talker', { tools: [{ name: 'talk', inputSchema: { type: 'object' } }] });
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    sources: [sourceOf(contributionOf([upstream])).source],
    log: createRequestLog('silent'),
  });
  onTestFinished(() => server.close());
  const begun = await post(server.endpoint, INITIALIZE);
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  await post(server.endpoint, { jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const socket = connect(Number(new URL(server.endpoint).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const headers = { host: '127.0.0.1', accept: 'text/event-stream', ...session };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET /mcp HTTP/1.1\r\n${lines.join('')}\r\n`);
  await once(socket, 'data');
  socket.pause();
  return { endpoint: server.endpoint, session, socket, upstream };
}

it.each([100_000, 1_000_000])('an unread stream of notifications of %i bytes does not delay another of its session', async (size) => {
  const { endpoint, session, upstream } = await start();
  const data = 'x'.repeat(size);
  for (let sent = 0; sent < 30_000_000; sent += size) upstream.host?.notify('notifications/message', { level: 'error', data });
  const answered = await post(endpoint, CALL, session);
  expect(answered.message.result.content[0].text).toBe('answered');
});

it.each([100_000, 1_000_000])('an unread stream ends when 64 MiB wait, with notifications of %i bytes', async (size) => {
  const { socket, upstream } = await start();
  const data = 'x'.repeat(size);
  for (let sent = 0; sent < 150_000_000; sent += size) upstream.host?.notify('notifications/message', { level: 'error', data });
  await expect.poll(() => socket.closed).toBe(true);
});
