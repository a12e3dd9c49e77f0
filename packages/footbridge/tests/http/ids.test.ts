/** An id of one caller is unknown to every other caller: of a task, a session, a stream, an event. */
import { Server } from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import { upstreams } from '../../src/sources/upstream/index.js';
import type { Json } from '../support/client.js';
import { post, postModern, until } from '../support/http-server.js';
import { openSse } from '../support/sse.js';
import { bearer, tokensOf } from '../support/tokens.js';

/** An upstream whose tool begins a task; it answers requests for every task. */
function taskServer(): Server {
  const server = new Server({ name: 'tasks', version: '1' }, { capabilities: { tools: {} } });
  const tasks: string[] = [];
  const state = (taskId: string) => ({ taskId, status: 'working', ttl: null, createdAt: '2026-01-01', lastUpdatedAt: '2026-01-01' });
  server.fallbackRequestHandler = async ({ method, params = {} }) => {
    if (method === 'tools/list') return { tools: [{ name: 'begin', inputSchema: { type: 'object' } }] };
    if (method === 'tools/call') {
      const related = params['_meta']?.['io.modelcontextprotocol/related-task'] as Json;
      if (related !== undefined) return { content: [{ type: 'text', text: `went on with ${related.taskId}` }] };
      tasks.push(`task-${tasks.length + 1}`);
      return { task: state(tasks.at(-1) ?? '') };
    }
    if (method === 'tasks/list') return { tasks: tasks.map(state) };
    return { secret: params['taskId'] };
  };
  return server;
}

const ROLES = Object.fromEntries(['ada', 'bob', 'admin'].map((name) => [name, { tools: ['*'], skills: ['*'], resources: ['*'] }]));

async function start(roles?: typeof ROLES) {
  const source = upstreams({ servers: { tasks: { server: taskServer() } } });
  const access = { tokens: tokensOf('ada', 'bob', 'admin'), ...(roles === undefined ? {} : { roles }) };
  const server = await serveHttp({ host: '127.0.0.1', port: 0, sources: [source], access, log: createRequestLog('silent') });
  onTestFinished(() => server.close());
  return { endpoint: server.endpoint, origin: new URL(server.endpoint).origin };
}

const request = (method: string, params: object = {}, id = 1) => ({ jsonrpc: '2.0', id, method, params });
const OPENING = request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }, 0);

async function sessionOf(endpoint: string, name: string) {
  const { headers } = await post(endpoint, OPENING, bearer(name));
  return { ...bearer(name), 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

it.each([undefined, ROLES])('a task is unknown to other callers, with the roles %j', async (roles) => {
  const { endpoint } = await start(roles);
  const [ada, bob] = [await sessionOf(endpoint, 'ada'), await sessionOf(endpoint, 'bob')];
  const begun = await post(endpoint, request('tools/call', { name: 'begin', arguments: {}, task: { ttl: 1000 } }), ada);
  const { taskId } = begun.message.result.task;
  const ask = async (method: string, id: unknown, headers: Readonly<Record<string, string>>) =>
    (await post(endpoint, request(method, { taskId: id }), headers)).message;
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel', 'tasks/update', 'tasks/anything']) {
    if (roles === undefined || method !== 'tasks/anything') expect((await ask(method, taskId, ada)).result).toEqual({ secret: taskId });
    const foreign = await ask(method, taskId, bob);
    expect(foreign).toEqual(await ask(method, 'task-unknown', bob));
    expect(foreign.error.code).toBeLessThan(-32600);
    for (const odd of [undefined, null, 7, [taskId], { taskId }]) expect((await ask(method, odd, bob)).result).toBeUndefined();
  }
  const related = { name: 'begin', arguments: {}, _meta: { 'io.modelcontextprotocol/related-task': { taskId } } };
  expect(JSON.stringify((await post(endpoint, request('tools/call', related), ada)).message)).toContain('went on with');
  expect((await post(endpoint, request('tools/call', related), bob)).message.error.message).toBe('Task not found.');
  const listed = async (headers: Readonly<Record<string, string>>) =>
    (await post(endpoint, request('tasks/list'), headers)).message.result.tasks.map((task: Json) => task.taskId);
  expect([await listed(ada), await listed(bob)]).toEqual([[taskId], []]);
});

it('a task of a request without a session is unknown to other callers, too', async () => {
  const { endpoint } = await start();
  const begun = await postModern(endpoint, 'tools/call', { name: 'begin', arguments: {} }, { headers: bearer('ada') });
  const taskId = begun.message.result.taskId ?? begun.message.result.task.taskId;
  const get = (name: string) => postModern(endpoint, 'tasks/get', { taskId }, { headers: { ...bearer(name), 'mcp-name': taskId } });
  expect((await get('ada')).message.result.secret).toBe(taskId);
  expect((await get('bob')).message.error.code).toBe(-32602);
});

it('a session, its stream and its events are unknown to other callers', async () => {
  const { endpoint, origin } = await start();
  const ada = await sessionOf(endpoint, 'ada');
  const foreign = { ...ada, ...bearer('bob') };
  expect((await post(endpoint, request('tools/list'), foreign)).status).toBe(404);
  expect((await fetch(endpoint, { method: 'DELETE', headers: foreign })).status).toBe(404);
  const resumed = await fetch(endpoint, { headers: { ...foreign, accept: 'text/event-stream', 'last-event-id': '1-here' } });
  expect(resumed.status).toBe(404);
  const stream = await openSse(origin, bearer('ada'));
  const address = new URL(stream.address);
  const posted = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer('bob') },
    body: JSON.stringify(OPENING),
  });
  expect(posted.status).toBe(404);
  expect((await post(endpoint, request('tools/list'), ada)).status).toBe(200);
  expect((await stream.request(OPENING)).result.protocolVersion).toBeDefined();
});

it("a cancellation with another caller's request id cancels nothing of theirs", async () => {
  const { endpoint } = await start();
  const listen = request('subscriptions/listen', { notifications: { toolsListChanged: true } }, 41);
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  const modern = {
    'mcp-protocol-version': '2026-07-28',
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const response = await fetch(endpoint, {
    method: 'POST',
    signal: controller.signal,
    headers: { ...modern, 'mcp-method': 'subscriptions/listen', ...bearer('ada') },
    body: JSON.stringify({ ...listen, params: { ...listen.params, _meta } }),
  });
  let ended = false;
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('acknowledged');
  void reader?.closed.then(
    () => {
      ended = true;
    },
    () => {},
  );
  for (const requestId of [41, '41', 1])
    await post(
      endpoint,
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, _meta } },
      { ...modern, 'mcp-method': 'notifications/cancelled', ...bearer('bob') },
    );
  await until(async () => (await postModern(endpoint, 'tools/list', {}, { headers: bearer('bob') })).status === 200);
  expect(ended).toBe(false);
});
