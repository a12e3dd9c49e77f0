/** Many upstream servers: all of their content, in a fixed order, with names that do not clash, filtered as configured. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Catalog, createLog, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Json, RawClient } from './support/client.js';
import { createWorld, type World } from './support/folders.js';
import { startHttp, until } from './support/http-server.js';
import { serve, textOf } from './support/server.js';
import { useSources } from './support/start.js';
import { configure, type Order, saidBy, toOrder } from './support/to-order.js';
import { bearer, tokensOf } from './support/tokens.js';

useSources();

const SERVERS = Array.from({ length: 10 }, (_, index) => `s${index + 1}`);
const TOOLS = 100;
const RESOURCES = 1000;

/** What there is, in the order of the configuration and of each server's own lists. */
const ALL_TOOLS = SERVERS.flatMap((name) => Array.from({ length: TOOLS }, (_, index) => `${name}__tool-${index + 1}`));
const ALL_URIS = SERVERS.flatMap((name) => Array.from({ length: RESOURCES }, (_, index) => `${name}://item/${index + 1}`));

/** Ten servers, of which one may answer only when a file is there. */
function configureTen(world: World, slow?: string): void {
  const order = (name: string): Order => ({
    name,
    tools: TOOLS,
    resources: RESOURCES,
    pageSize: 70,
    ...(name === slow ? { after: world.path('outside/go') } : {}),
  });
  configure(world, Object.fromEntries(SERVERS.map((name) => [name, { ...toOrder(order(name)), startTimeoutMs: 60_000 }])));
}

const toolsOf = async (host: RawClient): Promise<string[]> => (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);
const carriedOf = async (host: RawClient) => (await toolsOf(host)).filter((name) => name.includes('__'));

async function urisOf(host: RawClient): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const { resources, nextCursor } = (await host.request('resources/list', cursor === undefined ? {} : { cursor })).result;
    uris.push(...resources.map(({ uri }: Json) => uri));
    cursor = nextCursor;
  } while (cursor !== undefined);
  return uris;
}

it('many servers cause no warning about a listener leak', async () => {
  const world = createWorld();
  const names = Array.from({ length: 12 }, (_, index) => `s${index + 1}`);
  configure(world, Object.fromEntries(names.map((name) => [name, toOrder({ name, tools: 1 })])));
  const host = await serve(world);
  await host.waitFor(async () => (await carriedOf(host)).length === names.length);
  expect(host.stderr).toBe('');
});

/** A host that searches tools itself gets all of them. */
const SEARCHING = { clientName: 'claude-code' };

describe('ten servers with a thousand tools and ten thousand resources', () => {
  it('are listed completely and in a stable order when the first is slow', async () => {
    const world = createWorld();
    configureTen(world, 's1');
    const host = await serve(world, { ...SEARCHING, env: { FOOTBRIDGE_CACHE: 'off' } });
    const first = carriedOf(host);
    await new Promise((resolve) => setTimeout(resolve, 500));
    world.write('outside/go', '');
    await first;
    await host.waitFor(async () => (await carriedOf(host)).length >= ALL_TOOLS.length, 30_000);
    await host.waitFor(async () => (await urisOf(host)).length >= ALL_URIS.length, 30_000);
    expect(await carriedOf(host)).toEqual(ALL_TOOLS);
    expect(await urisOf(host)).toEqual(ALL_URIS);
    expect(host.stderr).toBe('');
  });

  it('are called and read at the right server, and listed from the cache in the same order', async () => {
    const world = createWorld();
    configureTen(world, 's5');
    world.write('outside/go', '');
    const host = await serve(world, SEARCHING);
    await host.waitFor(async () => (await carriedOf(host)).length === ALL_TOOLS.length, 30_000);
    await host.waitFor(async () => (await urisOf(host)).length === ALL_URIS.length, 30_000);
    for (const name of SERVERS) {
      const called = saidBy(await host.request('tools/call', { name: `${name}__tool-${TOOLS}`, arguments: { a: 1 } }));
      expect(called).toMatchObject({ server: name, tool: `tool-${TOOLS}`, arguments: { a: 1 } });
      const uri = `${name}://item/${RESOURCES}`;
      expect(saidBy(await host.request('resources/read', { uri }))).toMatchObject({ server: name, uri });
      expect(JSON.parse((await host.call('get_resource', { uri })).structuredContent.data.text)).toMatchObject({ server: name, uri });
    }
    await host.close();
    world.remove('outside/go');
    const again = await serve(world, SEARCHING);
    expect(await carriedOf(again)).toEqual(ALL_TOOLS);
    expect(await urisOf(again)).toEqual(ALL_URIS);
    world.write('outside/go', '');
  });
});

const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'skills/list'];

/** A program that serves these, and has listed all of them: what each of them has last is there. */
async function serving(world: World, servers: Readonly<Record<string, object>>, last: readonly string[]): Promise<RawClient> {
  configure(world, servers);
  const host = await serve(world, SEARCHING);
  await host.waitFor(async () => {
    const lists = JSON.stringify(await Promise.all(LISTS.map((method) => host.request(method))));
    return last.every((name) => lists.includes(`"${name}"`));
  });
  return host;
}

describe('two servers with the same URI', () => {
  const order: Order = { toolNames: ['touch', 'echo'], uris: ['a://same'], templates: ['t://{x}'], prompts: ['greet'] };
  const both = () => ({ one: toOrder({ ...order, name: 'one' }), two: toOrder({ ...order, name: 'two' }) });
  const LAST = ['one__echo', 'two__echo', 'a://same', 'two+a://same', 't://{x}', 'two+t://{x}', 'one__greet', 'two__greet'];

  it('keep it for the first and prefix the other; both routes read the right one', async () => {
    const host = await serving(createWorld(), both(), LAST);
    expect(await urisOf(host)).toEqual(['a://same', 'two+a://same']);
    const { resourceTemplates } = (await host.request('resources/templates/list')).result;
    expect(resourceTemplates.map(({ uriTemplate }: Json) => uriTemplate)).toEqual(['t://{x}', 'two+t://{x}']);
    for (const [uri, server, own] of [
      ['a://same', 'one', 'a://same'],
      ['two+a://same', 'two', 'a://same'],
      ['t://5', 'one', 't://5'],
      ['two+t://5', 'two', 't://5'],
    ]) {
      const read = await host.request('resources/read', { uri });
      expect(saidBy(read)).toMatchObject({ server, uri: own });
      expect(read.result.contents[0].uri).toBe(uri);
      const { structuredContent } = await host.call('get_resource', { uri });
      expect(structuredContent).toMatchObject({ success: true, uri });
      expect(JSON.parse(structuredContent.data.text)).toMatchObject({ server, uri: own });
    }
    const completion = { ref: { type: 'ref/resource', uri: 'two+t://{x}' }, argument: { name: 'x', value: '' } };
    expect(saidBy(await host.request('completion/complete', completion))).toMatchObject({ server: 'two', completed: { uri: 't://{x}' } });
  });

  it.each(['two+a://same', 'two+t://5'])('have separate subscriptions: %s', async (uri) => {
    const host = await serving(createWorld(), both(), LAST);
    expect((await host.request('resources/subscribe', { uri })).error).toBeUndefined();
    const own = uri.slice('two+'.length);
    await host.call('one__touch', { uri: own });
    await host.call('two__touch', { uri: own });
    await host.waitFor(() => host.count('notifications/resources/updated') > 0);
    const updated = host.notifications.filter(({ method }) => method === 'notifications/resources/updated');
    expect(updated.map(({ params }) => params?.['uri'])).toEqual([uri]);
  });

  it('and the same names are listed with prefixes', async () => {
    const host = await serving(createWorld(), both(), LAST);
    expect(await carriedOf(host)).toEqual(['one__touch', 'one__echo', 'two__touch', 'two__echo']);
    for (const server of ['one', 'two']) {
      expect(saidBy(await host.request('tools/call', { name: `${server}__echo` })).server).toBe(server);
      expect(saidBy(await host.request('prompts/get', { name: `${server}__greet` }))).toMatchObject({ server, prompt: 'greet' });
    }
  });
});

describe('prefixes', () => {
  const servers = (prefix: string) => ({
    one: { ...toOrder({ name: 'one', toolNames: ['echo', 'mine'], prompts: ['greet'] }), prefix },
    two: { ...toOrder({ name: 'two', toolNames: ['echo', 'other'], prompts: ['greet'] }), prefix },
  });

  it.each(['x_', ''])('that clash (%j) keep the tool of the first server and log a warning', async (prefix) => {
    const host = await serving(createWorld(), servers(prefix), [`${prefix}mine`, `${prefix}other`, `${prefix}greet`]);
    const own = ['echo', 'mine', 'other'].map((name) => prefix + name);
    const shown = await toolsOf(host);
    expect(shown.filter((name) => own.includes(name))).toEqual(own);
    expect(saidBy(await host.request('tools/call', { name: `${prefix}echo` })).server).toBe('one');
    expect(saidBy(await host.request('tools/call', { name: `${prefix}other` })).server).toBe('two');
    expect(saidBy(await host.request('prompts/get', { name: `${prefix}greet` })).server).toBe('one');
    const message = `The tool '${prefix}echo' of the server 'two' is not shown: another server has that name.`;
    await expect.poll(() => host.stderr.split(message)).toHaveLength(2);
  });

  it('that clash appear in the notices of the catalog', async () => {
    const source = upstreams({ servers: servers('x_'), log: createLog('silent') });
    const catalog = await Catalog.open([source]);
    onTestFinished(() => source.end());
    await source.listed();
    expect(catalog.snapshot.notices.map(({ rule, file }) => [rule, file])).toEqual([
      ['server-name-taken', 'two'],
      ['server-name-taken', 'two'],
    ]);
  });
});

describe('filters', () => {
  const order: Order = {
    name: 'one',
    toolNames: ['open', 'touch', 'secret-tool'],
    uris: ['open://1', 'secret://1'],
    templates: ['open://{x}/t', 'secret://{x}/t'],
    prompts: ['open', 'secret-prompt'],
    skills: ['open', 'secret-skill'],
  };
  const exclude = { tools: ['secret*'], resources: ['secret://**'], prompts: ['secret*'], skills: ['secret*'] };
  const include = { tools: ['open', 'touch'], resources: ['open://**', 'skill://**'], prompts: ['open'], skills: ['open'] };
  const other = toOrder({ name: 'other', noResources: true, toolNames: ['echo'] });

  it.each([
    ['excluded, of the only server', { one: { ...toOrder(order), exclude } }, '', ''],
    ['not included, of the only server', { one: { ...toOrder(order), include } }, '', ''],
    ['excluded, of one of two', { one: { ...toOrder(order), exclude }, other }, 'one__', 'one/'],
    ['not included, of one of two', { one: { ...toOrder(order), include }, other }, 'one__', 'one/'],
  ])('hides filtered content on every route: %s', async (_, servers, prefix, folder) => {
    const open = [`${prefix}open`, 'open://1', 'open://{x}/t', `skill://${folder}open/SKILL.md`];
    const host = await serving(createWorld(), servers, open);
    const lists = await Promise.all(LISTS.map((method) => host.request(method)));
    const discovered = await Promise.all(['get_resource', 'get_prompt', 'list_skills'].map((tool) => host.call(tool)));
    const all = JSON.stringify([lists, discovered]);
    expect(all).not.toContain('secret');
    for (const seen of open) expect(all).toContain(`"${seen}"`);

    const argument = { name: 'who', value: '' };
    const skill = `skill://${folder}secret-skill/SKILL.md`;
    const refused = [
      host.request('tools/call', { name: `${prefix}secret-tool` }),
      host.request('prompts/get', { name: `${prefix}secret-prompt` }),
      host.request('completion/complete', { ref: { type: 'ref/prompt', name: `${prefix}secret-prompt` }, argument }),
      host.request('completion/complete', { ref: { type: 'ref/resource', uri: 'secret://{x}/t' }, argument: { name: 'x', value: '' } }),
      ...['secret://1', 'secret://5/t', 'secret://unlisted', 'SECRET://1', 'sec\tret://1', skill, 'skill://secret-skill/SKILL.md'].flatMap(
        (uri) => [host.request('resources/read', { uri }), host.request('tools/call', { name: 'get_resource', arguments: { uri } })],
      ),
      host.request('tools/call', { name: 'get_prompt', arguments: { name: `${prefix}secret-prompt` } }),
      host.request('tools/call', { name: 'skill', arguments: { name: 'secret-skill' } }),
      host.request('tools/call', { name: 'get_skill', arguments: { uri: skill } }),
      host.request('skills/get', { uri: skill }),
    ];
    for (const answer of await Promise.all(refused)) {
      const values = answer.result?.completion?.values;
      expect(answer.error !== undefined || answer.result.isError === true || values?.length === 0, JSON.stringify(answer)).toBe(true);
      expect(JSON.stringify(answer)).not.toMatch(/pid|To secret-skill/);
    }
    const allowed = [
      host.request('tools/call', { name: `${prefix}open` }),
      host.request('prompts/get', { name: `${prefix}open` }),
      host.request('resources/read', { uri: 'open://1' }),
      host.request('resources/read', { uri: 'open://5/t' }),
    ];
    for (const answer of await Promise.all(allowed)) expect(saidBy(answer).server).toBe('one');
    expect(textOf(await host.call('skill', { name: 'open' }))).toContain('# open');

    for (const uri of ['secret://1', 'open://1']) await host.request('resources/subscribe', { uri });
    for (const uri of ['secret://1', 'open://1']) await host.call(`${prefix}touch`, { uri });
    await host.waitFor(() => host.count('notifications/resources/updated') > 0);
    expect(JSON.stringify(host.notifications)).not.toContain('secret');
  });
});

describe('rules for the resources of a server', () => {
  const order: Order = { toolNames: ['echo'], uris: ['admin://1', 'docs://1'], templates: ['admin://{x}/t'] };
  const resources = [
    { match: 'admin://**', requiresAdmin: true, category: 'for admins' },
    { match: 'docs://**', category: 'papers' },
  ];
  const servers = {
    one: { ...toOrder({ ...order, name: 'one' }), resources },
    two: { ...toOrder({ ...order, name: 'two' }), resources },
  };

  /** A signed-in user with a session of the older era. */
  async function visitor(endpoint: string, name: string): Promise<Client> {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(endpoint), { requestInit: { headers: bearer(name) } }));
    onTestFinished(() => client.close());
    await until(async () => {
      const seen = JSON.stringify(await client.callTool({ name: 'get_resource', arguments: {} }));
      return ['docs://1', 'two+docs://1', 'admin://1', 'two+admin://1', 'admin://{x}/t', 'two+admin://{x}/t'].every((uri) =>
        seen.includes(uri),
      );
    });
    return client;
  }

  const start = async () =>
    (await startHttp(createWorld(), { config: { mcpServers: servers, http: { tokens: tokensOf('admin', 'guest') } } })).endpoint;

  it('appear in discovery as categories and admin rights', async () => {
    const client = await visitor(await start(), 'guest');
    const { structuredContent } = (await client.callTool({ name: 'get_resource', arguments: {} })) as Json;
    const entries = (category: string) => structuredContent.data[category].map((entry: Json) => [entry.uri, entry.requires_admin ?? false]);
    expect(entries('papers')).toEqual([
      ['docs://1', false],
      ['two+docs://1', false],
    ]);
    expect(entries('for admins')).toEqual(
      expect.arrayContaining([
        ['admin://1', true],
        ['two+admin://1', true],
      ]),
    );
  });

  it('apply on both routes to every spelling of a URI', async () => {
    const endpoint = await start();
    const [admin, guest] = [await visitor(endpoint, 'admin'), await visitor(endpoint, 'guest')];
    const tool = (client: Client, uri: string) => client.callTool({ name: 'get_resource', arguments: { uri } }) as Promise<Json>;
    const listed = ['admin://1', 'two+admin://1', 'admin://5/t', 'two+admin://5/t'];
    for (const uri of [...listed, 'admin://unlisted', 'ADMIN://1', 'ADMIN://unlisted', 'adm\tin://1']) {
      await expect(guest.readResource({ uri }), uri).rejects.toThrow('requires admin privileges');
      expect(await tool(guest, uri), uri).toMatchObject({ isError: true, structuredContent: { success: false, error: 'Unauthorized' } });
      expect(saidBy({ result: await admin.readResource({ uri }) }).server).toBe(uri.startsWith('two+') ? 'two' : 'one');
      expect(await tool(admin, uri), uri).toMatchObject({ structuredContent: { success: true } });
    }
    const several = (await guest.callTool({ name: 'get_resources', arguments: { uris: ['admin://1', 'docs://1'] } })) as Json;
    expect(several.structuredContent.results.map(({ success, error }: Json) => [success, error])).toEqual([
      [false, 'Unauthorized'],
      [true, undefined],
    ]);
  });

  it('apply to subscriptions and completion', async () => {
    const endpoint = await start();
    const [admin, guest] = [await visitor(endpoint, 'admin'), await visitor(endpoint, 'guest')];
    for (const uri of ['admin://1', 'two+admin://1', 'admin://5/t', 'ADMIN://1']) {
      await expect(guest.subscribeResource({ uri })).rejects.toMatchObject({ message: expect.stringContaining('requires admin') });
      await admin.subscribeResource({ uri });
    }
    const completion = { ref: { type: 'ref/resource' as const, uri: 'admin://{x}/t' }, argument: { name: 'x', value: '' } };
    expect((await guest.complete(completion)).completion.values).toEqual([]);
    expect((await admin.complete(completion)).completion.values).toHaveLength(1);
  });
});
