/** The errors of `get_resource`, for resources written in code, of an author's server and of an upstream. */
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { Catalog, createServer, defineResource, defineResources, footbridge, upstreams } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { Json } from '../support/client.js';
import { connect, type MemoryClient } from '../support/memory.js';

type Reader = (name: string) => string;
type Way = (read: Reader) => Promise<MemoryClient>;

const STATIC = 'metadata://about';
const TEMPLATE = 'metadata://templates/{template}';

function authorServer(read: Reader): McpServer {
  const server = new McpServer({ name: 'author', version: '1' });
  server.registerResource('about', STATIC, {}, async (uri) => ({ contents: [{ uri: uri.href, text: read('about') }] }));
  const template = new ResourceTemplate(TEMPLATE, { list: undefined });
  server.registerResource('template', template, {}, async (uri, { template: name }) => ({
    contents: [{ uri: uri.href, text: read(String(name)) }],
  }));
  return server;
}

async function serveCatalog(source: Parameters<typeof Catalog.open>[0][number]): Promise<MemoryClient> {
  const catalog = await Catalog.open([source]);
  onTestFinished(() => catalog.close());
  return connect(createServer({ catalog }));
}

const WAYS: readonly [string, Way][] = [
  [
    'resources written in code',
    (read) =>
      serveCatalog(
        defineResources([
          defineResource({ uri: STATIC, name: 'about', read: () => read('about') }),
          defineResource({
            uri: TEMPLATE,
            name: 't',
            variables: { template: { schema: z.string() } },
            read: ({ template }) => read(template),
          }),
        ]),
      ),
  ],
  ["an author's server", (read) => connect(footbridge(authorServer(read)))],
  ['an upstream', (read) => serveCatalog(upstreams({ servers: { one: { server: authorServer(read) } } }))],
];

const get = async (client: MemoryClient, input: object): Promise<Json> => (await client.call('get_resource', input)).structuredContent;
const withFields = (error: Error, fields: object) => Object.assign(error, fields);
const throwing = (error: Error) => () => {
  throw error;
};

describe.each(WAYS)('get_resource of %s', (_, serve) => {
  it('a template with other variables is MissingTemplateVariable, and names them as unknown', async () => {
    const client = await serve((name) => name);
    const error = await get(client, { uri: TEMPLATE, variables: { other: 'x' } });
    expect(error).toMatchObject({ success: false, error: 'MissingTemplateVariable' });
    expect(error.message).toBe(`Template URI '${TEMPLATE}' requires variable(s): template`);
    expect(error.details).toContain('Unknown variable(s): other');
    expect(await get(client, { uri: TEMPLATE, variables: { template: 'a', other: 'x' } })).toMatchObject({
      error: 'InvalidTemplateVariable',
    });
  });

  it.each(['metadata://templates/{}', 'metadata://templates/{ }'])('an empty variable is InvalidTemplateVariable: %s', async (uri) => {
    const client = await serve((name) => name);
    const error = await get(client, { uri });
    expect(error).toMatchObject({ success: false, error: 'InvalidTemplateVariable', retryable: false });
    expect(JSON.stringify(error)).toMatch(/template/);
    expect((await client.call('get_resources', { uris: [uri] })).structuredContent.results).toMatchObject([
      { error: 'InvalidTemplateVariable' },
    ]);
  });

  it.each([
    'HTTP 429: slow down',
    '429 Too Many Requests',
    'Request failed with status code 429',
    'request failed (status=503)',
    'the registry responded with 503',
    'Service Unavailable',
    'ThrottlingException: Rate exceeded',
    'Rate exceeded',
    'S3 said SlowDown',
    'TooManyRequestsException: later',
    'RequestTimeout: Your socket connection was not read from',
    'connect ETIMEDOUT 10.0.0.1:443',
    'read ECONNRESET',
    'getaddrinfo EAI_AGAIN example.org',
    '502 Bad Gateway',
    'upstream returned HTTP 504',
    'The operation was aborted due to timeout',
  ])('a temporary failure is retryable: %s', async (message) => {
    const client = await serve(throwing(new Error(message)));
    expect(await get(client, { uri: STATIC })).toMatchObject({ error: 'ResourceExecutionError', retryable: true });
  });

  it.each([
    'Unexpected token < in JSON at position 0',
    'The page token is invalid',
    'The continuation token has expired',
    'Invalid token: unexpected end of input',
    'Too many tokens: 9000 of 8192',
  ])('an error that merely contains the word token is not Unauthorized: %s', async (message) => {
    const client = await serve(throwing(new Error(message)));
    expect(await get(client, { uri: STATIC })).toMatchObject({ error: 'ResourceExecutionError', retryable: false });
  });

  it.each(['the answer is 503', 'line 429 of the file is empty', 'The timeout option must be a number'])(
    'a permanent failure is not retryable: %s',
    async (message) => {
      const client = await serve(throwing(new Error(message)));
      expect(await get(client, { uri: STATIC })).toMatchObject({ error: 'ResourceExecutionError', retryable: false });
    },
  );
});

describe.each(WAYS.slice(0, 2))('an error thrown in this process, for %s', (_, serve) => {
  it.each<[string, Error]>([
    ['the name ThrottlingException', withFields(new Error('no'), { name: 'ThrottlingException' })],
    ['the code ETIMEDOUT', withFields(new Error('no'), { code: 'ETIMEDOUT' })],
    ['the status 429', withFields(new Error('no'), { status: 429 })],
    ['the statusCode 503', withFields(new Error('no'), { statusCode: 503 })],
    ['a cause with ECONNRESET', new Error('no', { cause: withFields(new Error('no'), { code: 'ECONNRESET' }) })],
    ['AbortError', new DOMException('no', 'AbortError')],
  ])('is retryable with %s', async (_, error) => {
    const client = await serve(throwing(error));
    expect(await get(client, { uri: STATIC })).toMatchObject({ error: 'ResourceExecutionError', retryable: true });
  });

  it('is Unauthorized with status 403', async () => {
    const client = await serve(throwing(withFields(new Error('no'), { status: 403 })));
    expect(await get(client, { uri: STATIC })).toMatchObject({ error: 'Unauthorized', retryable: false });
  });
});

it("an author's own error of resources/read does not change", async () => {
  const error = withFields(new Error('no'), { code: 'ETIMEDOUT' });
  const plain = await connect(authorServer(throwing(error)));
  const bridged = await connect(footbridge(authorServer(throwing(error))));
  await bridged.call('get_resource', { uri: STATIC });
  const read = async (client: MemoryClient) => (await client.request('resources/read', { uri: STATIC })).error;
  expect(await read(bridged)).toEqual(await read(plain));
});

it.each([200, 201, 450])('valid_uris has at most the documented 200 entries: %i resources', async (count) => {
  const definitions = Array.from({ length: count }, (_, at) => defineResource({ uri: `many://item/${at}`, name: `${at}`, read: () => '' }));
  const client = await serveCatalog(defineResources(definitions));
  const { valid_uris } = await get(client, { uri: 'many://itme/44' });
  expect(valid_uris).toHaveLength(200);
  if (count > 200) expect(valid_uris.at(-1)).toContain(`${count - 199} more`);
});
