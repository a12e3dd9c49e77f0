/** Upstream servers that are objects in this process, of both SDK generations. */
import { McpServer as McpServerV1, ResourceTemplate as ResourceTemplateV1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { Catalog, createServer, type UpstreamServer, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/v4';
import type { Json } from './support/client.js';
import { ANSWERS } from './support/crossing.js';
import { connect, type MemoryClient } from './support/memory.js';

const FORM = {
  message: 'Which colour?',
  requestedSchema: { type: 'object' as const, properties: { colour: { type: 'string' as const } } },
};
const MESSAGE = { messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Capital?' } }], maxTokens: 5 };
const INFO = { name: 'object', version: '1' };
const OPTIONS = { capabilities: { logging: {}, resources: { subscribe: true } }, instructions: 'Handle with care.' };
const text = (words: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(words) }] });
const TOOL = {
  title: 'Structured',
  description: 'All there is.',
  annotations: { readOnlyHint: true },
  _meta: { 'org.example/tool': [1] },
};
const structured = ({ city }: { city: string }) => ({ ...text(city), structuredContent: { city }, _meta: { 'org.example/result': 1 } });

interface Made {
  readonly server: McpServer | McpServerV1;
  /** Lists one tool more. */
  grow(): void;
}

/** The same server in both generations. */
const GENERATIONS: Readonly<Record<string, () => Made>> = {
  'SDK v1'() {
    const server = new McpServerV1(INFO, OPTIONS);
    const schema = { city: z.string() };
    server.registerTool('structured', { ...TOOL, inputSchema: schema, outputSchema: schema }, structured);
    server.registerTool('sample', {}, async () => text(await server.server.createMessage(MESSAGE)));
    server.registerTool('elicit', {}, async () => text(await server.server.elicitInput(FORM)));
    server.registerTool('roots', {}, async () => text(await server.server.listRoots()));
    server.registerTool('log', {}, async () => {
      await server.server.sendLoggingMessage({ level: 'warning', data: 'careful' });
      return text('logged');
    });
    server.registerTool('progress', {}, async ({ _meta, sendNotification }) => {
      const progressToken = _meta?.progressToken ?? 'none';
      await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      return text('done');
    });
    server.registerTool(
      'wait',
      {},
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(text('late')))),
    );
    server.registerResource('one', 'a://one', { mimeType: 'text/plain' }, ({ href }) => ({ contents: [{ uri: href, text: '1' }] }));
    server.registerResource(
      'any',
      new ResourceTemplateV1('a://any/{x}', { list: undefined, complete: { x: () => ['left'] } }),
      {},
      ({ href }) => ({
        contents: [{ uri: href, text: 'any' }],
      }),
    );
    server.registerPrompt('greet', {}, () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] }));
    return { server, grow: () => void server.registerTool('late', {}, () => text('late')) };
  },
  'SDK v2'() {
    const server = new McpServer(INFO, OPTIONS);
    const schema = z.object({ city: z.string() });
    server.registerTool('structured', { ...TOOL, inputSchema: schema, outputSchema: schema }, structured);
    server.registerTool('sample', {}, async ({ mcpReq }) => text(await mcpReq.requestSampling(MESSAGE)));
    server.registerTool('elicit', {}, async ({ mcpReq }) => text(await mcpReq.elicitInput(FORM)));
    server.registerTool('roots', {}, async () => text(await server.server.listRoots()));
    server.registerTool('log', {}, async ({ mcpReq }) => {
      await mcpReq.log('warning', 'careful');
      return text('logged');
    });
    server.registerTool('progress', {}, async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken ?? 'none';
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: 1 } });
      return text('done');
    });
    server.registerTool(
      'wait',
      {},
      ({ mcpReq }) => new Promise((resolve) => mcpReq.signal.addEventListener('abort', () => resolve(text('late')))),
    );
    server.registerResource('one', 'a://one', { mimeType: 'text/plain' }, ({ href }) => ({ contents: [{ uri: href, text: '1' }] }));
    server.registerResource(
      'any',
      new ResourceTemplate('a://any/{x}', { list: undefined, complete: { x: () => ['left'] } }),
      {},
      ({ href }) => ({
        contents: [{ uri: href, text: 'any' }],
      }),
    );
    server.registerPrompt('greet', {}, () => ({ messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }] }));
    return { server, grow: () => void server.registerTool('late', {}, () => text('late')) };
  },
};

const CAPABILITIES = { sampling: {}, elicitation: { form: {} }, roots: {} };
const answer = (method: string, params: Json) => ANSWERS[method as keyof typeof ANSWERS](params);

/** A host in front of servers that are objects. */
async function host(
  servers: Record<string, UpstreamServer>,
  options: { oneHost?: boolean; capabilities?: object } = {},
): Promise<MemoryClient> {
  const { oneHost = true, capabilities = CAPABILITIES } = options;
  const source = upstreams({ servers, oneHost });
  const catalog = await Catalog.open([source]);
  onTestFinished(async () => {
    catalog.close();
    await source.end();
  });
  return connect(createServer({ catalog }), { capabilities, answer });
}

const json = (result: Json) => JSON.parse(result.content[0].text);

describe.each(Object.entries(GENERATIONS))('a server object of %s', (_, make) => {
  it('offers its own features and the built-in tools', async () => {
    const direct = await connect(make().server, { capabilities: CAPABILITIES });
    const client = await host({ it: make() });
    for (const [method, params] of [
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['prompts/list', {}],
      ['tools/call', { name: 'structured', arguments: { city: 'Bern' } }],
      ['tools/call', { name: 'structured', arguments: {} }],
      ['tools/call', { name: 'nobody', arguments: {} }],
      ['resources/read', { uri: 'a://one' }],
      ['resources/read', { uri: 'a://nowhere' }],
      ['prompts/get', { name: 'greet' }],
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'a://any/{x}' }, argument: { name: 'x', value: '' } }],
      ['no/such/method', {}],
    ] as const) {
      const { id: _one, ...mine } = await client.request(method, params);
      const { id: _other, ...theirs } = await direct.request(method, params);
      expect(mine, method).toEqual(theirs);
    }
    const { tools } = (await client.request('tools/list')).result;
    const own = (await direct.request('tools/list')).result.tools;
    expect(tools.slice(0, own.length)).toEqual(own);
    expect(tools.slice(own.length).map(({ name }: Json) => name)).toEqual(['get_resource', 'get_resources', 'get_prompt']);
  });

  it('requests sampling, elicitation and roots', async () => {
    const client = await host({ it: make() });
    expect(json(await client.call('sample'))).toMatchObject({ content: { text: 'Paris' } });
    expect(json(await client.call('elicit'))).toEqual({ action: 'accept', content: { colour: 'my colour' } });
    expect(json(await client.call('roots'))).toEqual(ANSWERS['roots/list']());
  });

  it('is rejected at once if the host does not support the request, or several hosts share it', async () => {
    const unable = await host({ it: make() }, { capabilities: {} });
    expect(await unable.call('sample')).toMatchObject({ isError: true });
    const shared = await host({ it: make() }, { oneHost: false });
    expect(await shared.call('sample')).toMatchObject({ isError: true });
  });

  it('logs, reports progress and is cancelled', async () => {
    const client = await host({ it: make() });
    await client.request('logging/setLevel', { level: 'info' });
    await client.call('log');
    await client.request('tools/call', { name: 'progress', arguments: {}, _meta: { progressToken: 'mine' } });
    const reported = (method: string) => client.received.filter((each: Json) => each.method === method).map(({ params }: Json) => params);
    expect(reported('notifications/message')).toEqual([{ level: 'warning', data: 'careful' }]);
    expect(reported('notifications/progress')).toEqual([{ progressToken: 'mine', progress: 1 }]);
    const id = client.send('tools/call', { name: 'wait', arguments: {} });
    client.notify('notifications/cancelled', { requestId: id });
    await client.call('log');
    expect(client.received.some((message) => 'id' in message && message.id === id)).toBe(false);
  });

  it('announces a tool that it registers later', async () => {
    const made = make();
    const client = await host({ it: made });
    await client.request('tools/list');
    made.grow();
    await client.waitFor(() => client.count('notifications/tools/list_changed') > 0);
    expect(json(await client.call('late'))).toBe('late');
  });
});

it('objects of both generations work together with prefixes', async () => {
  const servers = Object.fromEntries(Object.values(GENERATIONS).map((make, index) => [`v${index + 1}`, make()]));
  const client = await host(servers);
  const { tools } = (await client.request('tools/list')).result;
  const names = tools.map(({ name }: Json) => name);
  expect(names).toEqual(expect.arrayContaining(['v1__structured', 'v2__structured', 'v1__sample', 'v2__sample']));
  for (const name of Object.keys(servers)) {
    expect((await client.call(`${name}__structured`, { city: 'Bern' })).structuredContent).toEqual({ city: 'Bern' });
    expect(json(await client.call(`${name}__elicit`))).toEqual({ action: 'accept', content: { colour: 'my colour' } });
  }
  expect((await client.request('resources/read', { uri: 'v2+a://one' })).result.contents[0].text).toBe('1');
});
