/** Upstream servers over HTTP that fail, reject or mislead: every request is answered, and no secret is revealed. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../src/log.js';
import { EventParser } from '../src/sources/upstream/transports/http-messages.js';
import { httpTransport } from '../src/sources/upstream/transports/index.js';
import type { Json } from './support/client.js';
import { onTransport } from './support/on-transport.js';
import { event, type IncomingCall, openStream, sendJson, serveWeb } from './support/web-server.js';

const connect = (url: string, headers?: Record<string, string>) => onTransport(httpTransport({ url, headers }, { log: silentLog }));

const resultFor = ({ message }: IncomingCall, result: Json = {}) => ({ jsonrpc: '2.0', id: message.id, result });

/** Answers the handshake in a session, accepts notifications, and passes other requests to the test. */
function afterHandshake(answer: (call: IncomingCall) => unknown): (call: IncomingCall) => unknown {
  return (call) => {
    const { message, response } = call;
    if (message?.method === 'initialize')
      sendJson(response, 200, resultFor(call, { protocolVersion: '2025-11-25' }), { 'mcp-session-id': 's1' });
    else if (message !== undefined && message.id === undefined) response.writeHead(202).end();
    else return answer(call);
  };
}

describe('a rejection has a kind and a message', () => {
  it.each([
    [200, 'text/html', 'protocol', /answered with a web page/],
    [200, 'text/plain', 'protocol', /not an MCP message/],
    [202, 'text/plain', 'protocol', /did not answer it/],
    [401, 'text/plain', 'auth', /requires authentication \(HTTP 401\)\. Set or renew its Authorization header/],
    [403, 'application/json', 'auth', /denied access \(HTTP 403\)\. Check its Authorization header/],
    [404, 'text/html', 'not-found', /has no endpoint at this URL/],
    [429, 'text/plain', 'busy', /Try again in 7 s\.$/],
    [500, 'text/html', 'server-error', /failed \(HTTP 500\)/],
    [503, 'text/html', 'busy', /failed \(HTTP 503\)/],
    [302, 'text/plain', 'protocol', /redirects to https:\/\/elsewhere\.example \(HTTP 302\), which is not followed/],
  ])('HTTP %i with %s is of kind %s', async (status, type, kind, words) => {
    const headers = { 'content-type': type, 'retry-after': '7', location: 'https://elsewhere.example/login?token=abc' };
    const server = await serveWeb(({ response }) => response.writeHead(status, headers).end('<html>secret-body</html>'));
    const near = await connect(server.url.replace('//', '//me:hunter2%zz@').concat('?key=hunter3'), { 'x-key': 'hunter4' });
    const { error } = await near.initialize();
    expect(error).toMatchObject({ code: -32_000, message: expect.stringMatching(words), data: { httpStatus: status, kind } });
    expect(JSON.stringify(error)).not.toMatch(/hunter|abc|secret|\/mcp/);
    expect(near.closed).toEqual([]);
  });

  it('an error of the server is forwarded unchanged, with the id where it lacks one', async () => {
    const error = { code: -32_099, message: 'own words', data: { more: [1] } };
    const server = await serveWeb(({ message, response }) =>
      sendJson(response, 400, { jsonrpc: '2.0', id: message.method === 'known' ? message.id : null, error, extra: true }),
    );
    const near = await connect(server.url);
    for (const method of ['known', 'unknown'])
      expect(await near.request(method, {}, method)).toEqual({ jsonrpc: '2.0', id: method, error, extra: true });
  });

  it.each([
    [404, -32_001, 'Session not found', true],
    [400, -32_000, 'Bad Request: No valid session ID provided', false],
  ])('HTTP %i for a session that is gone ends the connection', async (status, code, words, knowsId) => {
    const server = await serveWeb(
      afterHandshake(({ message, response }) =>
        sendJson(response, status, { jsonrpc: '2.0', id: knowsId ? message?.id : null, error: { code, message: words } }),
      ),
    );
    const near = await connect(server.url);
    await near.initialize();
    expect((await near.request('ping')).error.message).toMatch(/session with the server at .* has expired/);
    expect(near.closed).toHaveLength(1);
  });
});

describe('a server that cannot be reached', () => {
  it('ends the connection and answers each request', async () => {
    const server = await serveWeb(() => {});
    await server.stop();
    const near = await connect(server.url);
    const answers = await Promise.all([near.request('initialize'), near.request('tools/list'), near.request('prompts/list')]);
    for (const { error } of answers) expect(error.message).toMatch(/^The server at 127\.0\.0\.1:\d+ refused the connection/);
    expect(near.closed).toHaveLength(1);
  });

  it('reports an invalid TLS connection', async () => {
    const server = await serveWeb(() => {});
    const near = await connect(server.url.replace('http:', 'https:'));
    expect((await near.request('initialize')).error.message).toMatch(/A TLS connection to the server at .* could not be established/);
    expect(near.closed).toHaveLength(1);
  });

  it.each([
    [{ url: 'not a url' }, 'Invalid URL.'],
    [{ url: 'file:///etc/passwd' }, 'Unsupported URL scheme "file:". Use http: or https:.'],
    [{ url: 'http://x/', headers: { 'x-key': 'a\r\nb' } }, "The header 'x-key' has a name or a value that HTTP does not allow."],
  ])('with the settings %j is not contacted', async (server, words) => {
    const events = { receive() {}, closed() {} };
    await expect(httpTransport(server, { log: silentLog }).start(events)).rejects.toThrow(words);
  });
});

describe('a connection that breaks', () => {
  it('during an answer without event ids fails the call', async () => {
    const server = await serveWeb(({ response }) => {
      openStream(response);
      response.write(event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }));
      setTimeout(() => response.destroy(), 20);
    });
    const near = await connect(server.url);
    expect((await near.request('tools/call')).error.message).toMatch(
      /ended before the answer\. The call may or may not have had an effect\.$/,
    );
    expect(near.received).toHaveLength(2);
  });

  it('during an answer with event ids is resumed, repeatedly if necessary', async () => {
    const ids: unknown[] = [];
    const server = await serveWeb(
      afterHandshake(({ request, response, message }) => {
        if (request.method === 'POST') {
          openStream(response);
          response.write('retry: 50\nid: é1\ndata:\n\n');
          answer = resultFor({ request, response, message });
          setTimeout(() => response.destroy(), 20);
          return;
        }
        const last = request.headers['last-event-id'];
        if (last === undefined) return response.writeHead(405).end();
        ids.push(Buffer.from(String(last), 'latin1').toString());
        if (ids.length === 1) return response.writeHead(503).end();
        openStream(response);
        response.end(ids.length === 2 ? event({ jsonrpc: '2.0', method: 'notifications/progress' }, '2') : event(answer, '3'));
      }),
    );
    let answer: Json;
    const near = await connect(server.url);
    await near.initialize();
    expect((await near.request('tools/call')).result).toEqual({});
    expect(ids).toEqual(['é1', 'é1', '2']);
  });

  it('on the notification stream is resumed after the last event', async () => {
    const ids: unknown[] = [];
    const server = await serveWeb(
      afterHandshake(({ request, response }) => {
        ids.push(request.headers['last-event-id']);
        openStream(response);
        response.write(`retry: 50\n${event({ jsonrpc: '2.0', method: `notifications/${ids.length}` }, String(ids.length))}`);
        if (ids.length < 3) setTimeout(() => response.destroy(), 20);
      }),
    );
    const near = await connect(server.url);
    await near.initialize();
    await near.seen(({ method }) => method === 'notifications/3');
    expect(ids).toEqual([undefined, '1', '2']);
  });

  it('between two requests is retried, except for tool calls', async () => {
    const used = new WeakSet();
    const server = await serveWeb((call) => {
      const { socket } = call.request;
      if (used.has(socket)) return socket.destroy();
      used.add(socket);
      sendJson(call.response, 200, resultFor(call));
    });
    const near = await connect(server.url);
    expect((await near.request('ping')).result).toEqual({});
    expect((await near.request('ping')).result).toEqual({});
    expect((await near.request('tools/call')).error.message).toMatch(
      /was lost \(ECONNRESET\)\. The call may or may not have had an effect\./,
    );
    expect(server.calls.filter(({ message }) => message.method === 'tools/call')).toHaveLength(1);
  });
});

describe('an answer is limited', () => {
  function* endless() {
    for (;;) yield Buffer.alloc(1024 * 1024, 'x');
  }

  it.each(['application/json', 'text/event-stream'])('of type %s without an end', async (type) => {
    const server = await serveWeb(async ({ response }) => {
      response.writeHead(200, { 'content-type': type });
      response.write('data: ');
      await pipeline(endless, response).catch(() => {});
    });
    const near = await connect(server.url);
    expect((await near.request('tools/call')).error.message).toMatch(/is larger than 24 MiB/);
  });

  it('in depth', async () => {
    const server = await serveWeb(({ message, response }) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"jsonrpc":"2.0","id":${message.id},"result":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`),
    );
    expect((await (await connect(server.url)).request('tools/call')).error.message).toMatch(/not an MCP message/);
  });

  it('an answer with another id does not settle the request', async () => {
    const server = await serveWeb(({ response }) => sendJson(response, 200, [{ jsonrpc: '2.0', id: 'other', result: 1 }, { method: 'x' }]));
    const near = await connect(server.url);
    expect((await near.request('ping')).error.message).toMatch(/not an MCP message/);
    expect(near.received).toEqual([{ jsonrpc: '2.0', id: 'other', result: 1 }, { method: 'x' }, expect.anything()]);
  });
});

describe('headers', () => {
  it('of the protocol cannot be configured, others can', async () => {
    const server = await serveWeb(
      afterHandshake((call) => {
        if (call.message === undefined) call.response.writeHead(405).end();
        else sendJson(call.response, 200, resultFor(call));
      }),
    );
    const headers = {
      Authorization: 'Bearer t',
      'Accept-Encoding': 'gzip',
      'MCP-Session-Id': 'stolen',
      'Content-Type': 'text/plain',
      'Mcp-Name': 'x',
    };
    const near = await onTransport(
      httpTransport(
        { url: server.url, headers },
        { log: silentLog, headersFor: ({ method }) => ({ 'mcp-param-a': String(method), 'mcp-method': 'no' }) },
      ),
    );
    await near.initialize();
    await near.request('ping');
    const ping = server.calls.find(({ message }) => message?.method === 'ping')?.request.headers;
    expect(ping).toMatchObject({
      authorization: 'Bearer t',
      'mcp-session-id': 's1',
      'content-type': 'application/json',
      'mcp-param-a': 'ping',
    });
    for (const name of ['accept-encoding', 'mcp-name', 'mcp-method']) expect(ping).not.toHaveProperty(name);
    await near.requestModern('tools/call', { name: '=?base64?eA==?=' });
    expect(server.calls.find(({ message }) => message?.method === 'tools/call')?.request.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': `=?base64?${Buffer.from('=?base64?eA==?=').toString('base64')}?=`,
    });
  });

  it('that are invalid fail only their own request', async () => {
    const server = await serveWeb((call) => sendJson(call.response, 200, resultFor(call)));
    const headersFor = ({ method }: Json) => ({ 'x-method': method === 'initialize' ? 'a\nb' : 'fine' });
    const near = await onTransport(httpTransport({ url: server.url }, { log: silentLog, headersFor }));
    expect((await near.request('initialize')).error.message).toMatch(/header/);
    expect((await near.request('ping')).result).toEqual({});
  });
});

describe('a redirect', () => {
  it('within the origin is followed once and remembered', async () => {
    const server = await serveWeb((call) => {
      if (call.request.url === '/mcp') call.response.writeHead(307, { location: '/mcp/?a=b' }).end();
      else sendJson(call.response, 200, resultFor(call, { url: call.request.url }));
    });
    const near = await connect(server.url);
    for (let time = 0; time < 3; time++) expect((await near.request('initialize')).result.url).toBe('/mcp/?a=b');
    expect(server.calls).toHaveLength(4);
  });

  it('to another origin, or in a loop, is not followed', async () => {
    const elsewhere = await serveWeb(({ response }) => response.end());
    const server = await serveWeb(({ message, response }) =>
      response.writeHead(308, { location: message?.method === 'ping' ? elsewhere.url : '/mcp' }).end(),
    );
    const near = await connect(server.url, { authorization: 'Bearer t' });
    expect((await near.request('ping')).error.message).toMatch(/redirects to http:\/\/127\.0\.0\.1:\d+ \(HTTP 308\)/);
    expect((await near.request('tools/list')).error.message).toMatch(/redirects to another address/);
    expect(elsewhere.calls).toHaveLength(0);
  });
});

describe('closing', () => {
  it('does not wait for an unresponsive server', async () => {
    const server = await serveWeb(afterHandshake(() => {}));
    const near = await connect(server.url);
    await near.initialize();
    void near.request('tools/call');
    await expect.poll(() => server.calls.length).toBe(4);
    await near.transport.close();
    expect(near.closed).toEqual([]);
    expect(near.received).toHaveLength(1);
  });

  it('leaves nothing that keeps the process alive', async () => {
    const server = await serveWeb(
      afterHandshake((call) => {
        if (call.request.method === 'POST') sendJson(call.response, 200, resultFor(call));
        else openStream(call.response);
        if (call.request.method === 'DELETE') call.response.end();
      }),
    );
    const module = pathToFileURL(join(import.meta.dirname, '../dist/sources/upstream/transports/index.js')).href;
    const script = `
      const { httpTransport } = await import(${JSON.stringify(module)});
      const transport = httpTransport({ url: ${JSON.stringify(server.url)} }, { log: { debug() {} } });
      await transport.start({ closed() {}, async receive({ id }) {
        if (id === 1) transport.send({ method: 'notifications/initialized' });
        if (id === 1) transport.send({ id: 2, method: 'ping' });
        if (id === 2) await transport.close();
        if (id === 2) process.stdout.write('closed');
      } });
      transport.send({ id: 1, method: 'initialize' });`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
    expect(stdout).toBe('closed');
  });

  it('ends a connection that was never accepted', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const address = silent.address();
    const near = await connect(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
    void near.request('initialize');
    await near.transport.close();
    await new Promise((resolve) => silent.close(resolve));
    expect(near.received).toEqual([]);
  });
});

it('events do not depend on chunk boundaries and line ends', () => {
  const stream =
    '\uFEFF: note\nid: 1\ndata: a\n\nevent: endpoint\ndata:b\ndata\ndata: ü\nretry: 70\n\nid: 2\n\ndata: {"c":1}\nunknown: x\n\ndata: unfinished';
  const expected = [
    ['message', 'a', '1'],
    ['endpoint', 'b\n\nü', '1'],
    ['message', '{"c":1}', '2'],
  ];
  fc.assert(
    fc.property(fc.constantFrom('\n', '\r', '\r\n'), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (end, sizes) => {
      const heard: unknown[] = [];
      const parser = new EventParser((name, data) => heard.push([name, data, parser.lastEventId]), 1000);
      const text = stream.replaceAll('\n', end);
      for (let at = 0, turn = 0; at < text.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        expect(parser.feed(text.slice(at, at + size))).toBe(true);
        at += size;
      }
      expect(heard).toEqual(expected);
      expect(parser.retryMs).toBe(70);
    }),
  );
});
