/** Calls of our own tools over stdio, which do not go through the SDK: the same as if they did. */
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Catalog, createServer, defineResource, defineResources } from 'footbridge';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../src/log.js';
import { answersOf } from '../src/serve/answers.js';
import { intercept } from '../src/serve/intercept.js';
import { LineTransport } from '../src/serve/line-transport.js';
import { Shortcut } from '../src/serve/shortcut.js';
import { OWNER } from '../src/sources/resource.js';
import { until } from './support/http-server.js';

type Message = ReturnType<typeof JSON.parse>;

const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
const TOOLS = { get_prompt: false };

/** A host and what it was answered; `short` is whether calls take the shortcut. */
async function connected(short: boolean) {
  let wasCancelled = false;
  const waiting = defineResource({
    uri: 'docs://waiting',
    name: 'waiting',
    read: (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          wasCancelled = true;
          reject(signal.reason);
        });
      }),
  });
  const page = defineResource({ uri: 'docs://page', name: 'page', read: () => ({ title: 'Page', numbers: [1, 2.5] }) });
  const catalog = await Catalog.open([defineResources([page, waiting])]);
  onTestFinished(() => catalog.close());
  const [input, output] = [new PassThrough(), new PassThrough()];
  const transport = new LineTransport(input, output);
  const shortened: string[] = [];
  if (short) {
    const own = answersOf(catalog, TOOLS, false, silentLog);
    const answers: typeof own = {
      ...own,
      callTool(params, context) {
        shortened.push(JSON.stringify(params));
        return own.callTool(params, context);
      },
    };
    const unexpected = (cause: unknown) => expect.fail(String(cause));
    intercept(transport, (wire) => new Shortcut(wire, { catalog, answers, caller: OWNER, unexpected }));
  }
  const handle = serveStdio(() => createServer({ catalog, tools: TOOLS, announce: false }), { transport });
  onTestFinished(() => handle.close());
  const messages: Message[] = [];
  createInterface({ input: output }).on('line', (line) => messages.push(JSON.parse(line)));
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answerTo = async (id: unknown): Promise<Message> => {
    await until(() => messages.some((message) => message.id === id));
    return messages.find((message) => message.id === id);
  };
  return { send, answerTo, messages, shortened, wasCancelled: () => wasCancelled };
}

async function opened(short: boolean) {
  const host = await connected(short);
  host.send({ id: 'open', method: 'initialize', params: INITIALIZE });
  await host.answerTo('open');
  host.send({ method: 'notifications/initialized' });
  return host;
}

/** Without the time of the read. */
function timeless(message: Message): Message {
  return JSON.parse(JSON.stringify(message).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'now'));
}

const CALLS: readonly Message[] = [
  { name: 'get_resource', arguments: { uri: 'docs://page' } },
  { name: 'get_resource', arguments: {} },
  { name: 'get_resource' },
  { name: 'get_resource', arguments: { uri: 'docs://nothing' } },
  { name: 'get_resource', arguments: { uri: 1 } },
  { name: 'get_resource', arguments: 'docs://page' },
  { name: 'get_resource', arguments: { uri: 'docs://page' }, _meta: { progressToken: 1 } },
  { name: 'get_resources', arguments: { uris: ['docs://page', 'docs://nothing'] } },
  { name: 'list_skills', arguments: { query: 'none' } },
  { name: 'skill', arguments: { name: 'none' } },
  { name: 'get_skill', arguments: { uri: 'skill://none/SKILL.md' } },
  { name: 'get_prompt', arguments: {} },
  { name: 'unknown', arguments: {} },
  { arguments: {} },
];

it('they are answered alike', async () => {
  const [long, short] = [await opened(false), await opened(true)];
  for (const [id, params] of CALLS.entries()) {
    for (const host of [long, short]) host.send({ id, method: 'tools/call', params });
    expect(timeless(await short.answerTo(id)), JSON.stringify(params)).toEqual(timeless(await long.answerTo(id)));
  }
  // What is none of ours goes the long way.
  expect(short.shortened).toEqual(
    CALLS.filter(({ name }) => name !== undefined && name !== 'unknown').map((params) => JSON.stringify(params)),
  );
});

it('they are called off alike, without an answer', async () => {
  for (const short of [false, true]) {
    const host = await opened(short);
    host.send({ id: 7, method: 'tools/call', params: { name: 'get_resource', arguments: { uri: 'docs://waiting' } } });
    host.send({ id: 8, method: 'ping' });
    await host.answerTo(8);
    host.send({ method: 'notifications/cancelled', params: { requestId: 7 } });
    await until(host.wasCancelled);
    host.send({ id: 9, method: 'ping' });
    await host.answerTo(9);
    expect(host.messages.map(({ id }) => id)).toEqual(['open', 8, 9]);
  }
});

it('before a connection is opened there is no shortcut, nor for a host of the newer era', async () => {
  const early = await connected(true);
  early.send({ id: 1, method: 'tools/call', params: { name: 'list_skills', arguments: {} } });
  early.send({ id: 'open', method: 'initialize', params: INITIALIZE });
  await early.answerTo('open');
  expect(early.shortened).toEqual([]);

  const modern = await connected(true);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  modern.send({ id: 1, method: 'tools/call', params: { name: 'list_skills', arguments: {}, _meta } });
  expect((await modern.answerTo(1)).result.resultType).toBe('complete');
  expect(modern.shortened).toEqual([]);
});
