/** Unread streams do not grow without limit. */
import { connect } from 'node:net';
import { defineResource, defineResources } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import { until } from '../support/http-server.js';
import { bearer, tokensOf } from '../support/tokens.js';

const SIZE = 8 * 1024 * 1024;

it.each([true, false])(
  'the SSE transport of 2024 refuses calls when answers are unread that take all memory of a caller, with tokens: %s',
  async (isProtected) => {
    let reads = 0;
    const read = async () => {
      reads++;
      return 'x'.repeat(SIZE);
    };
    const large = defineResource({ uri: 'note://large', name: 'large', read });
    const access = isProtected ? { tokens: tokensOf('me') } : {};
    const sources = [defineResources([large])];
    const server = await serveHttp({ host: '127.0.0.1', port: 0, sources, access, log: createRequestLog('silent') });
    onTestFinished(() => server.close());
    const { origin, port } = new URL(server.endpoint);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('sessionId=')) socket.pause();
    });
    const token = isProtected ? bearer('me') : {};
    const headers = Object.entries(token).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /sse HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers.join('')}\r\n`);
    await until(() => /sessionId=\S+/.test(text));
    const address = `${origin}/messages?${/sessionId=[\w-]+/.exec(text)?.[0]}`;
    const post = async (id: number) => {
      const body = { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_resource', arguments: { uri: 'note://large' } } };
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...token },
        body: JSON.stringify(body),
      });
      return `${response.status} ${await response.text()}`;
    };
    let last = '';
    let id = 0;
    await until(async () => {
      last = await post(++id);
      return !last.startsWith('202');
    });
    expect(last).toMatch(/Too many unread responses/);
    // Those in the buffers of the system, those that are held, and one. More may wait to be read.
    expect(reads).toBeLessThan(25);
  },
);
