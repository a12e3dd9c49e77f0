/** Limits for upstream lists: entries beyond them are left out, and the others are served. */
import { Server } from '@modelcontextprotocol/server';
import { Catalog, createServer, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { meet } from '../src/pattern.js';
import { Cancellation, Context } from '../src/sources/context.js';
import { OWNER } from '../src/sources/resource.js';
import { listAll } from '../src/sources/server/channel.js';
import { Visibility } from '../src/sources/transforms/visibility.js';
import { withinBounds } from '../src/sources/upstream/bounds.js';
import { atOnce } from '../src/turns.js';
import type { Json } from './support/client.js';
import { createWorld } from './support/folders.js';
import { until } from './support/http-server.js';
import { connect } from './support/memory.js';
import { serveHere } from './support/serve-here.js';
import { configure, toOrder } from './support/to-order.js';

const MEBIBYTE = 1024 * 1024;
const nested = (depth: number): object => (depth === 0 ? {} : { properties: nested(depth - 1) });
const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });

/** A server with these lists, what a host sees of it, and what was logged. */
async function behind(lists: { tools?: Json[]; resources?: Json[]; resourceTemplates?: Json[] }) {
  const server = new Server({ name: 'upstream', version: '1' }, { capabilities: { tools: { listChanged: true }, resources: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: lists.tools ?? [] }));
  server.setRequestHandler('resources/list', () => ({ resources: lists.resources ?? [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: lists.resourceTemplates ?? [] }));
  const warnings: string[] = [];
  const quiet = () => {};
  const log = { error: quiet, warn: (line: string) => void warnings.push(line), info: quiet, debug: quiet };
  const source = upstreams({ servers: { docs: { server } }, log });
  const catalog = await Catalog.open([source]);
  onTestFinished(async () => {
    catalog.close();
    await source.end();
  });
  return { client: await connect(createServer({ catalog })), warnings };
}

describe('an upstream', () => {
  it('loses a template of 150,000 braces, and keeps its other entries', async () => {
    const { client, warnings } = await behind({
      resources: [{ uri: 'docs://a', name: 'a' }],
      resourceTemplates: [
        { uriTemplate: '{'.repeat(150_000), name: 'braces' },
        { uriTemplate: 'docs://{page}', name: 'page' },
      ],
    });
    await client.request('resources/templates/list');
    const { resourceTemplates } = (await client.request('resources/templates/list')).result;
    expect(resourceTemplates.map(({ name }: Json) => name)).toEqual(['page']);
    expect((await client.request('resources/list')).result.resources).toMatchObject([{ uri: 'docs://a' }]);
    expect(warnings).toEqual(["The server 'docs' lists resources that exceed the limits; 1 are left out."]);
  });

  it('loses tools with a long name, a long description or a deep schema, and keeps the others', async () => {
    const { client, warnings } = await behind({
      tools: [
        tool('good'),
        tool('n'.repeat(1025)),
        tool('wordy', { description: 'd'.repeat(65_537) }),
        tool('deep', { inputSchema: { type: 'object', ...nested(101) } }),
        tool('large', { inputSchema: { type: 'object', enum: Array.from({ length: 60_000 }, (_, index) => `value ${index}`) } }),
        tool('good-too', { inputSchema: { type: 'object', ...nested(60) } }),
      ],
    });
    const { tools } = (await client.request('tools/list')).result;
    expect(tools.map(({ name }: Json) => name)).toEqual(expect.arrayContaining(['good', 'good-too']));
    expect(tools.map(({ name }: Json) => name)).not.toEqual(expect.arrayContaining(['wordy']));
    expect(warnings).toEqual(["The server 'docs' lists tools that exceed the limits; 4 are left out."]);
  });

  it('cannot fill the memory with cursors', async () => {
    const cursor = 'x'.repeat(MEBIBYTE);
    let pages = 0;
    const channel = { request: async () => ({ tools: [], nextCursor: `${cursor}${++pages}` }) };
    const context = new Context({ caller: OWNER }, new Cancellation());
    await expect(listAll(channel, 'tools/list', 'tools', context)).rejects.toThrow('tools/list returned more than');
    expect(pages).toBeLessThan(70);
  });

  it.each([
    ['not JSON', '{'],
    ['nested very deeply', `{"content":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
  ])('over stdio always answers a call, also with an answer that is %s', async (_, broken) => {
    const world = createWorld();
    configure(world, { docs: toOrder({ toolNames: ['search'], broken: { 'tools/call': broken, 'completion/complete': broken } }) });
    const host = await serveHere(world, '--config', 'footbridge.json');
    await until(async () => (await host.request('tools/list')).result.tools.some(({ name }: Json) => name === 'search'));
    expect((await host.request('tools/call', { name: 'search', arguments: {} })).error.message).toContain('cannot be read');
    const completion = { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'a', value: '' } };
    expect((await host.request('completion/complete', completion)).error).toBeDefined();
  });

  it('has a limit of entries, and of the total length of templates', () => {
    const many = Array.from({ length: 25_000 }, (_, index) => ({ uri: `docs://${index}` }));
    expect(atOnce(withinBounds(many))).toMatchObject({ left: 5000 });
    const long = Array.from({ length: 100 }, (_, index) => ({ uriTemplate: `docs://${index}/${'x'.repeat(5000)}{a}` }));
    expect(atOnce(withinBounds(long)).kept.length).toBe(50);
    const short = Array.from({ length: 5000 }, (_, index) => ({ uriTemplate: `a://${index}{b}` }));
    expect(atOnce(withinBounds(short)).kept.length).toBeLessThan(2000);
  });
});

describe('roles', () => {
  it('are quickly compared with a template of 150,000 braces', () => {
    const reader = new Visibility([{ skills: [], resources: ['docs://*', '{*x*', '*a*b*c*'], tools: [], prompts: [] }]);
    const start = performance.now();
    expect(reader.seesSomeOf('{'.repeat(150_000))).toBe(false);
    expect(reader.seesSomeOf(`${'{a'.repeat(50_000)}}`)).toBe(true);
    expect(performance.now() - start).toBeLessThan(5000);
  });

  it('are quickly compared with long patterns of many stars', () => {
    const start = performance.now();
    expect(meet(`${'*a'.repeat(500)}!`, 'a'.repeat(8192))).toBe(false);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});
