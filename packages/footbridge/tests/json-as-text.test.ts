/** Arguments that a model sends as JSON text have the limits of a message, and are refused with a reason. */
import { defineResource, defineResources } from 'footbridge';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Catalog } from '../src/catalog/catalog.js';
import { createServer } from '../src/serve/server.js';
import { contributionOf, FakeUpstream, sourceOf } from './support/fake-upstream.js';
import { connect, type MemoryClient } from './support/memory.js';

const DEEP = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`;
const MANY_VALUES = `{"a":[${'1,'.repeat(300_000)}1]}`;
const MANY_KEYS = `{${Array.from({ length: 30_000 }, (_, index) => `"a${index}":1`).join(',')}}`;
const LARGE = JSON.stringify({ text: '\\"é'.repeat(200_000) });

let upstream: FakeUpstream;
let client: MemoryClient;

beforeEach(async () => {
  const tools = [{ name: 'take', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }];
  const prompts = [{ name: 'review', arguments: [{ name: 'text' }] }];
  upstream = new FakeUpstream('taking', { tools, prompts, answer: () => ({ content: [], messages: [] }) });
  const page = defineResource({ uri: 'docs://{page}', name: 'page', read: () => 'text' });
  const catalog = await Catalog.open([sourceOf(contributionOf([upstream])).source, defineResources([page])]);
  onTestFinished(() => catalog.close());
  client = await connect(createServer({ catalog }));
});

const textOf = (result: { content: { text?: string }[] }) => result.content.map(({ text }) => text).join();

describe('the arguments of call_tool, as JSON text', () => {
  it('may be large', async () => {
    await client.call('call_tool', { name: 'take', arguments: LARGE });
    expect(upstream.asked).toEqual([['tools/call', expect.objectContaining({ name: 'take', arguments: JSON.parse(LARGE) })]]);
  });

  it.each([
    ['deep', DEEP, 'arguments must not be nested more than 500 levels deep'],
    ['of many values', MANY_VALUES, 'arguments must not have more than 250000 values, or an object with more than 25000 keys'],
    ['of many keys', MANY_KEYS, 'arguments must not have more than 250000 values, or an object with more than 25000 keys'],
    ['not JSON', '{"a"', 'arguments must be an object'],
    ['a list', '[1]', 'arguments must be an object'],
  ])('are refused if they are %s', async (_, text, reason) => {
    const result = await client.call('call_tool', { name: 'take', arguments: text });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toBe(`Invalid input: ${reason}. Call call_tool with { "name": "…", "arguments": { … } }.`);
    expect(upstream.asked).toEqual([]);
  });
});

describe('values by name, as JSON text', () => {
  it('are parsed also if they are large', async () => {
    await client.call('get_prompt', { name: 'review', arguments: LARGE });
    expect(upstream.asked).toEqual([['prompts/get', expect.objectContaining({ arguments: JSON.parse(LARGE) })]]);
  });

  it.each([
    ['get_prompt', { name: 'review', arguments: MANY_KEYS }],
    ['get_prompt', { name: 'review', arguments: DEEP }],
    ['get_resource', { uri: 'docs://{page}', variables: MANY_VALUES }],
    ['get_resource', { uri: 'docs://{page}', variables: DEEP }],
  ])('are refused beyond the limits, and not repeated: %s', async (tool, input) => {
    const result = await client.call(tool, input);
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/Invalid input: expected record, received string/);
    expect(JSON.stringify(result).length).toBeLessThan(2000);
    expect(upstream.asked).toEqual([]);
  });
});
