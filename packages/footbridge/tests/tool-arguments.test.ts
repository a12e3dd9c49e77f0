/** The arguments of a searched tool are checked against its own schema. */
import { Catalog } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serverWith } from '../src/serve/server.js';
import { HostViews } from '../src/surfaces/hosts/view.js';
import type { Json } from './support/client.js';
import { contributionOf, FakeUpstream, sourceOf } from './support/fake-upstream.js';
import { connect } from './support/memory.js';

/** What `call_tool` reports of each problem; `called` where it calls the tool. */
async function problemsOf(inputSchema: Json, input: Json): Promise<readonly string[] | 'called'> {
  const tool = { name: 'use', inputSchema: { type: 'object', ...inputSchema }, annotations: { readOnlyHint: true } };
  const server = new FakeUpstream('one', { prefix: 'one', tools: [tool] });
  const catalog = await Catalog.open([sourceOf(contributionOf([server])).source]);
  onTestFinished(() => catalog.close());
  const client = await connect(serverWith({ catalog, hosts: new HostViews({ toolSearch: true }) }));
  const { content, isError } = await client.call('call_tool', { name: 'one__use', arguments: input });
  if (isError !== true) return 'called';
  const lines: readonly string[] = content[0].text.split('\n');
  return lines.slice(1, -1).map((line) => line.replace('- ', ''));
}

const field = (name: string, schema: Json): Json => ({ properties: { [name]: schema } });

const FILE = { type: 'object', properties: { kind: { const: 'file' }, path: { type: 'string' } }, required: ['kind', 'path'] };
const URL = { type: 'object', properties: { kind: { const: 'url' }, url: { type: 'string' } }, required: ['kind', 'url'] };
const CLOSED = { additionalProperties: false };

describe('anyOf and oneOf', () => {
  it.each<[string, Json, Json, readonly string[]]>([
    [
      'every value of a nullable enum',
      field('d', { anyOf: [{ type: 'string', enum: ['x', 'y'] }, { type: 'null' }] }),
      { d: 'z' },
      ['d: must be one of "x", "y", or null.'],
    ],
    [
      'the values of all constants',
      field('c', { oneOf: [{ const: 'red' }, { const: 'green' }] }),
      { c: 'blue' },
      ['c: must be one of "red", "green".'],
    ],
    ['a value and a type', field('c', { anyOf: [{ const: 'auto' }, { type: 'number' }] }), { c: 'x' }, ['c: must be "auto" or number.']],
    [
      'the types of all branches',
      field('c', { anyOf: [{ type: 'string' }, { type: ['integer', 'null'] }] }),
      { c: [] },
      ['c: must be string or integer or null, not array.'],
    ],
    [
      'only the problems of the branch that a constant selects',
      field('u', {
        oneOf: [
          { ...FILE, ...CLOSED },
          { ...URL, ...CLOSED },
        ],
      }),
      { u: { kind: 'url', url: 5 } },
      ['u.url: must be string, not number.'],
    ],
    [
      'a constant that no branch has',
      field('u', { oneOf: [FILE, URL] }),
      { u: { kind: 'ftp' } },
      ['u.kind: must be one of "file", "url".'],
    ],
    [
      'the same behind references',
      { $defs: { file: FILE, url: URL }, ...field('u', { anyOf: [{ $ref: '#/$defs/file' }, { $ref: '#/$defs/url' }, { type: 'null' }] }) },
      { u: { kind: 'url' } },
      ['u.url: required, but missing.'],
    ],
    ['fields of which one is required', { anyOf: [{ required: ['a'] }, { required: ['b'] }] }, {}, ['arguments: one of a, b is required.']],
    [
      'fields that are required together',
      { anyOf: [{ required: ['a', 'b'] }, { required: ['c'] }] },
      {},
      ['arguments: one of (a, b), c is required.'],
    ],
    [
      'the branch with the fewest problems',
      { anyOf: [{ required: ['a', 'b'] }, { properties: { c: { type: 'string' } }, required: ['c'] }] },
      { c: 1 },
      ['c: must be string, not number.'],
    ],
    [
      'the field that is given rather than one that another branch requires',
      { anyOf: [{ required: ['url'] }, { properties: { path: { type: 'string' } }, required: ['path'] }] },
      { path: 5 },
      ['path: must be string, not number.'],
    ],
    [
      'everything that is wrong with a nullable object',
      field('o', { anyOf: [{ type: 'object', properties: { state: { enum: ['open'] } }, required: ['title'] }, { type: 'null' }] }),
      { o: { state: 'shut' } },
      ['o.title: required, but missing.', 'o.state: must be "open".'],
    ],
  ])('reports %s', async (_, schema, input, expected) => {
    expect(await problemsOf(schema, input)).toEqual(expected);
  });
});

describe('other keywords', () => {
  it.each<[string, Json, Json, readonly string[]]>([
    [
      'beside $ref',
      { $defs: { n: { type: 'number' } }, ...field('a', { $ref: '#/$defs/n', minimum: 3 }) },
      { a: 1 },
      ['a: must be at least 3.'],
    ],
    [
      'behind an encoded $ref',
      { $defs: { 'p q': { type: 'number' } }, ...field('a', { $ref: '#/$defs/p%20q' }) },
      { a: '1' },
      ['a: must be number, not string.'],
    ],
    [
      'behind an $anchor',
      { $defs: { n: { $anchor: 'here', type: 'number' } }, ...field('a', { $ref: '#here' }) },
      { a: '1' },
      ['a: must be number, not string.'],
    ],
    ['multipleOf', field('a', { type: 'number', multipleOf: 0.1 }), { a: 0.25 }, ['a: must be a multiple of 0.1.']],
    [
      'uniqueItems',
      field('a', { uniqueItems: true }),
      { a: [1, '1', { x: 1, y: 2 }, { y: 2, x: 1 }] },
      ['a: must have no equal items, but [2] and [3] are.'],
    ],
    ['minProperties', field('a', { minProperties: 1 }), { a: {} }, ['a: must have at least 1 fields.']],
    ['dependentRequired', { dependentRequired: { from: ['to'] } }, { from: 1 }, ["to: required with 'from', but missing."]],
    ['an enum of objects', field('a', { enum: [{ x: [1] }] }), { a: { x: [2] } }, ['a: must be {"x":[1]}.']],
  ])('are checked: %s', async (_, schema, input, expected) => {
    expect(await problemsOf(schema, input)).toEqual(expected);
  });

  it.each<[string, Json, Json]>([
    [
      'beside $ref in a draft that ignores them',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { n: {} },
        ...field('a', { $ref: '#/definitions/n', minimum: 3 }),
      },
      { a: 1 },
    ],
    ['a multiple with a rounding error', field('a', { multipleOf: 0.1 }), { a: 0.3 }],
    ['more than one branch of oneOf that fits', field('a', { oneOf: [{ type: 'integer' }, { type: 'number' }] }), { a: 1 }],
    ['an enum of objects with fields in another order', field('a', { enum: [{ x: 1, y: [2] }] }), { a: { y: [2], x: 1 } }],
    ['a reference that leads nowhere', field('a', { $ref: '#/$defs/%' }), { a: 1 }],
  ])('are left to the server: %s', async (_, schema, input) => {
    expect(await problemsOf(schema, input)).toBe('called');
  });
});

describe('a schema that would take forever', () => {
  const branches = (branch: Json) => ({ $defs: { branch }, anyOf: Array.from({ length: 20_000 }, () => ({ $ref: '#/$defs/branch' })) });
  const deep = (depth: number): Json => (depth === 0 ? { enum: [1] } : { anyOf: [deep(depth - 1), deep(depth - 1)] });

  it.each<[string, Json, Json]>([
    ['branches with long names', branches({ required: ['x'.repeat(1_000_000)] }), {}],
    ['long texts to compare', branches({ properties: { a: { const: 'x'.repeat(1_000_000) } } }), { a: `${'x'.repeat(999_999)}y` }],
    [
      'items to compare',
      branches({ properties: { a: { uniqueItems: true } }, required: ['b'] }),
      { a: Array.from({ length: 5000 }, (_, x) => ({ x })) },
    ],
    ['nested branches', deep(14), {}],
  ])('is given up soon: %s', async (_, schema, input) => {
    const started = performance.now();
    await problemsOf(schema, input);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
