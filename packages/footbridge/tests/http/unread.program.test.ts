/** Clients that do not read their answers cannot make a server use more memory than the container in deploy/ has. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorld, type World } from '../support/folders.js';
import { post } from '../support/http-server.js';
import {
  heldBy,
  MAX_MEMORY,
  openUnreadSse,
  peakOf,
  postMessage,
  requestUnread,
  startLimited,
  type UnreadAnswer,
} from '../support/limited-server.js';

const MEBIBYTE = 1024 * 1024;
/** `npm test` tries one of each kind, and CI all. */
const sample = <T>(cases: readonly T[]) => (process.env['FOOTBRIDGE_UNREAD'] === 'all' ? cases : cases.slice(0, 1));
const args = (world: World) => ['--skills', `${world.project}/skills`];

/** How many there are of each. */
function countsOf(values: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function all<T>(count: number, action: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => action(index)));
}

const statusesOf = (answers: readonly UnreadAnswer[]) => countsOf(answers.map(({ status }) => status));

/** Skills that take much in `skills/list`: each with a frontmatter of 15 KB. */
function longSkills(world: World, count: number): void {
  for (let index = 0; index < count; index++)
    world.write(
      `project/skills/x${index}/SKILL.md`,
      `---\nname: x${index}\ndescription: For the test\nmore: ${'y'.repeat(15_000)}\n---\n\nText.\n`,
    );
}

const listSkills = (id: number) => ({ jsonrpc: '2.0', id, method: 'skills/list', params: {} });

describe.runIf(process.platform === 'linux')('the memory of a server is limited', { timeout: 120_000 }, () => {
  const asked = [
    { streams: 6, method: 'resources/read', params: { uri: 'skill://x/a.md' } },
    { streams: 4, method: 'skills/list', params: {} },
  ];
  it.each(sample(asked))(
    'when nobody reads $streams streams of the transport of 2024 with answers to $method',
    async ({ streams, method, params }) => {
      const world = createWorld();
      world.skill('project/skills/x');
      world.write('project/skills/x/a.md', 'x'.repeat(207_000));
      longSkills(world, 10);
      const server = await startLimited(world, { args: args(world) });
      let last = 0;
      for (let stream = 0; stream < streams; stream++) {
        const address = await openUnreadSse(server.origin);
        last = 0;
        for (let id = 0; id < 220 && last !== 429; id += 11)
          last = Math.max(...(await all(11, (more) => postMessage(address, { jsonrpc: '2.0', id: id + more, method, params }))));
      }
      // When the others take all memory of the caller.
      expect(last).toBe(429);
      expect(peakOf(server)).toBeLessThan(MAX_MEMORY);
      expect((await post(server.endpoint, { jsonrpc: '2.0', id: 1, method: 'ping' })).message.result).toEqual({});
    },
  );

  it.each(sample(['result', 'error', 'message']))('when nobody reads what an upstream server returns as %s', async (kind) => {
    const world = createWorld();
    const server = await startLimited(world, {
      config: { mcpServers: { large: { command: process.execPath, args: [world.write('outside/server.mjs', LARGE_SERVER)] } } },
      args: ['--config', 'footbridge.json'],
    });
    const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: kind, arguments: {} } });
    const answers = await all(24, (id) => requestUnread(server.origin, 'POST', '/mcp', call(id)));
    expect(Object.keys(statusesOf(answers))).toEqual(['200']);
    expect(peakOf(server)).toBeLessThan(MAX_MEMORY);
    for (const { socket } of answers) socket.destroy();
    const { message } = await post(server.endpoint, call(1));
    if (kind === 'result') expect(message.result.content[0].text).toHaveLength(16 * MEBIBYTE);
    else expect(JSON.stringify(message.error).length).toBeLessThan(MEBIBYTE);
  });

  it.each(sample(['application/json', 'text/event-stream']))(
    'when nobody reads what an upstream server at a URL returns as %s',
    async (type) => {
      const world = createWorld();
      const url = await largeServerAt(type);
      const server = await startLimited(world, { config: { mcpServers: { large: { url } } }, args: ['--config', 'footbridge.json'] });
      const call = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'large', arguments: {} } });
      const answers = await all(24, (id) => requestUnread(server.origin, 'POST', '/mcp', call(id)));
      expect(Object.keys(statusesOf(answers))).toEqual(['200']);
      expect(peakOf(server)).toBeLessThan(MAX_MEMORY);
      for (const { socket } of answers) socket.destroy();
      expect((await post(server.endpoint, call(1))).message.result.content[0].text).toHaveLength(16 * MEBIBYTE);
    },
  );

  it('when a batch asks for much', async () => {
    const world = createWorld();
    longSkills(world, 100);
    const server = await startLimited(world, { args: args(world) });
    const response = await fetch(server.endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify(Array.from({ length: 100 }, (_, id) => listSkills(id))),
    });
    expect((await response.text()).match(/"result":\{/g)).toHaveLength(100);
    expect(peakOf(server)).toBeLessThan(MAX_MEMORY);
  });

  it('when nobody reads the answers to batches and lists', async () => {
    const world = createWorld();
    longSkills(world, 100);
    const server = await startLimited(world, { args: args(world) });
    const batch = Array.from({ length: 100 }, (_, id) => listSkills(id));
    const batches = await all(6, () => requestUnread(server.origin, 'POST', '/mcp', batch));
    const lists = await all(100, (id) => requestUnread(server.origin, 'POST', '/mcp', listSkills(id)));
    expect(statusesOf(batches)).toEqual({ 200: 6 });
    // Some of them with an error that says that the server is busy.
    expect(statusesOf(lists)).toEqual({ 200: 100 });
    expect(peakOf(server)).toBeLessThan(MAX_MEMORY);
    for (const { socket } of [...batches, ...lists]) socket.destroy();
    expect((await post(server.endpoint, listSkills(1))).message.result.skills).toHaveLength(100);
  });

  it('when nobody reads the catalog page, and disconnects its clients', async () => {
    const world = createWorld();
    for (let index = 0; index < 4000; index++)
      world.skill(`project/skills/skill-${index}`, { name: `skill-${index}`, description: 'x'.repeat(1000) });
    const server = await startLimited(world, { args: args(world) });
    const body = await (await fetch(`${server.origin}/api/catalog`)).text();
    expect(body.length).toBeGreaterThan(4 * MEBIBYTE);
    const before = peakOf(server);
    const answers = await all(80, () => requestUnread(server.origin, 'GET', '/api/catalog'));
    expect(peakOf(server)).toBeLessThan(Math.min(MAX_MEMORY, before + 128));
    expect(await heldBy(server)).toBeLessThan(65 * MEBIBYTE);
    await expect.poll(() => heldBy(server), { timeout: 60_000, interval: 1000 }).toBe(0);
    expect(Object.keys(statusesOf(answers))).toContain('200');
    expect(await (await fetch(`${server.origin}/api/catalog`)).text()).toBe(body);
  });
});

/** The URL of an MCP server with a tool that returns 16 MiB. */
async function largeServerAt(type: string): Promise<string> {
  const large = JSON.stringify({ content: [{ type: 'text', text: 'z'.repeat(16 * MEBIBYTE) }] });
  const results: Readonly<Record<string, string>> = {
    initialize: '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"large","version":"1"}}',
    'tools/list': '{"tools":[{"name":"large","inputSchema":{"type":"object"}}]}',
    'tools/call': large,
  };
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(await text(request));
    if (id === undefined) return void response.writeHead(202).end();
    const answer = `{"jsonrpc":"2.0","id":${id},"result":${results[method] ?? '{}'}}`;
    response.writeHead(200, { 'content-type': type });
    response.end(type === 'application/json' ? answer : `event: message\ndata: ${answer}\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  return `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}/mcp`;
}

/** An MCP server with tools that return 16 MiB, as a result or an error. */
const LARGE_SERVER = `
import readline from 'node:readline';
const large = 'z'.repeat(${16 * MEBIBYTE});
readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const send = (answer) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
  if (method === 'initialize')
    send({ result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'large', version: '1' } } });
  else if (method === 'tools/list')
    send({ result: { tools: ['result', 'error', 'message'].map((name) => ({ name, inputSchema: { type: 'object' } })) } });
  else if (method === 'ping') send({ result: {} });
  else if (method !== 'tools/call') send({ error: { code: -32601, message: 'Method not found' } });
  else if (params.name === 'result') send({ result: { content: [{ type: 'text', text: large }] } });
  else send({ error: params.name === 'error' ? { code: -32000, message: 'Failed', data: large } : { code: -32000, message: large } });
});
`;
