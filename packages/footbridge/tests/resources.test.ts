/** Resources written in code, read on both routes. */
import { getEventListeners } from 'node:events';
import { type AnyDefinition, Catalog, createServer, defineResource, defineResources, FootbridgeError, skillFolders } from 'footbridge';
import { testSource } from 'footbridge/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { createWorld } from './support/folders.js';
import { connect } from './support/memory.js';

testSource('define', async () => {
  const page = defineResource({
    uri: 'docs://pages/{name}',
    name: 'page',
    variables: { name: { examples: ['one'], complete: ['one', 'two'] } },
    read: ({ name }) => `# ${name}`,
  });
  const about = defineResource({ uri: 'docs://about', name: 'about', read: () => 'About us' });
  const source = defineResources([about, page]);
  return { source, resource: 'docs://about', change: async () => source.replace([about]) };
});

async function serve(definitions: readonly AnyDefinition[], options: { limits?: { timeoutMs?: number; maxBytes?: number } } = {}) {
  const source = defineResources(definitions);
  const catalog = await Catalog.open([source], options);
  onTestFinished(() => catalog.close());
  return { source, catalog, client: await connect(createServer({ catalog })) };
}

describe('what a reader returns', () => {
  it.each<[string, unknown, string | undefined, object]>([
    ['a text', 'hello', undefined, { data: { text: 'hello' }, mime_type: 'text/plain' }],
    ['a text with a type', '# hi', 'text/markdown', { data: { text: '# hi' }, mime_type: 'text/markdown' }],
    ['an object', { a: [1, null] }, undefined, { data: { a: [1, null] }, mime_type: 'application/json' }],
    ['a list', [1, 2], undefined, { data: [1, 2] }],
    ['a number', 7, undefined, { data: 7 }],
    ['null', null, undefined, { data: null }],
    ['false', false, undefined, { data: false }],
    ['JSON as text', '{"b":2}', 'application/json', { data: { b: 2 } }],
    ['JSON of a kind of its own', '[3]', 'application/geo+json', { data: [3] }],
    ['text that only claims to be JSON', '{oops', 'application/json', { data: { text: '{oops' } }],
    [
      'a number that JavaScript cannot hold',
      '{"id":12345678901234567890}',
      'application/json',
      { data: { text: '{"id":12345678901234567890}' } },
    ],
    ['digits split by a point', '{"id":123456789012.123456789}', 'application/json', { data: { text: '{"id":123456789012.123456789}' } }],
    ['a number beyond all bounds', '[1e999]', 'application/json', { data: { text: '[1e999]' } }],
    ['the largest whole number that is safe', '[9007199254740991, 0.1, 1.50]', 'application/json', { data: [9007199254740991, 0.1, 1.5] }],
    [
      'JSON that is nested too deeply',
      '['.repeat(5000) + ']'.repeat(5000),
      'application/json',
      { data: { text: '['.repeat(5000) + ']'.repeat(5000) } },
    ],
    ['long digits inside a text', '{"id":"12345678901234567890"}', 'application/json', { data: { id: '12345678901234567890' } }],
    ['a date', { at: new Date(0) }, undefined, { data: { at: '1970-01-01T00:00:00.000Z' } }],
    ['bytes', new Uint8Array([0, 255]), undefined, { data: { blob: 'AP8=' }, mime_type: 'application/octet-stream' }],
    ['an empty text', '', undefined, { data: { text: '' } }],
  ])('%s arrives', async (_, value, mimeType, expected) => {
    const { client } = await serve([{ uri: 'test://it', name: 'it', ...(mimeType === undefined ? {} : { mimeType }), read: () => value }]);
    const { structuredContent, isError } = await client.call('get_resource', { uri: 'test://it' });
    expect(isError ?? false).toBe(false);
    expect(structuredContent).toMatchObject({ success: true, uri: 'test://it', resource_name: 'it', ...expected });
  });

  it('returns images and audio as content only', async () => {
    const { client } = await serve([
      { uri: 'test://picture', name: 'picture', mimeType: 'image/png', read: () => new Uint8Array([1, 2, 3]) },
      { uri: 'test://sound', name: 'sound', mimeType: 'audio/wav', read: () => new Uint8Array([4]) },
      { uri: 'test://drawing', name: 'drawing', mimeType: 'image/svg+xml', read: () => new Uint8Array([5]) },
    ]);
    const about = (name: string, mime_type: string) => ({
      'footbridge/resource': { success: true, uri: `test://${name}`, resource_name: name, timestamp: expect.any(String), mime_type },
    });
    expect(await client.call('get_resource', { uri: 'test://picture' })).toEqual({
      content: [{ type: 'image', data: 'AQID', mimeType: 'image/png' }],
      _meta: about('picture', 'image/png'),
    });
    expect(await client.call('get_resource', { uri: 'test://sound' })).toEqual({
      content: [{ type: 'audio', data: 'BA==', mimeType: 'audio/wav' }],
      _meta: about('sound', 'audio/wav'),
    });
    const drawing = await client.call('get_resource', { uri: 'test://drawing' });
    expect(drawing.content[0]).toEqual({ type: 'resource', resource: { uri: 'test://drawing', mimeType: 'image/svg+xml', blob: 'BQ==' } });
    expect(drawing.structuredContent.data).toEqual({ blob: 'BQ==' });
    const all = await client.call('get_resources', { uris: ['test://picture', 'test://sound'] });
    expect(all.content.map(({ type }: { type: string }) => type)).toEqual(['text', 'image', 'text', 'audio']);
  });

  it('returns several contents with their own URIs, types and _meta', async () => {
    const contents = [
      { uri: 'test://a', mimeType: 'text/plain', text: 'A', _meta: { part: 1 } },
      { uri: 'test://b', mimeType: 'application/zip', blob: 'UEsFBg==', _meta: { part: 2 } },
    ];
    const { client } = await serve([{ uri: 'test://both', name: 'both', read: () => ({ contents, _meta: { whole: true } }) }]);
    const result = await client.call('get_resource', { uri: 'test://both' });
    expect(result.content).toEqual(contents.map((resource) => ({ type: 'resource', resource })));
    expect(result.structuredContent).toMatchObject({ uri: 'test://both', data: { contents } });
    expect(result._meta).toEqual({ whole: true });
    expect((await client.request('resources/read', { uri: 'test://both' })).result).toEqual({ contents, _meta: { whole: true } });
  });

  it('returns large content once, as content', async () => {
    const text = 'x'.repeat(300_000);
    const { client } = await serve([{ uri: 'test://large', name: 'large', read: () => text }]);
    const { content, structuredContent } = await client.call('get_resource', { uri: 'test://large' });
    expect(content[0].text === text).toBe(true);
    expect(structuredContent).toMatchObject({ success: true, uri: 'test://large', data: null, mime_type: 'text/plain' });
  });
});

describe('a template', () => {
  const definitions = [
    defineResource({
      uri: 'workflow://workflows/{workflow_id}/status',
      name: 'Workflow status',
      variables: { workflow_id: { schema: z.coerce.number().int().positive('must be a positive number'), examples: ['7'] } },
      parameters: { workflow_id: 'id' },
      // The type of `id` comes from the schema, its name from the mapping.
      read: ({ id }) => (id > 100 ? undefined : { id: id satisfies number, doubled: id * 2 }),
    }),
    defineResource({
      uri: 'metadata://templates/{template}',
      name: 'Template',
      variables: { template: { complete: ['standard', 'genomics', 'imaging'] } },
      read: ({ template }) => (template === 'standard' ? { template } : undefined),
    }),
    defineResource({
      uri: 'search://{index}{?query,page}',
      name: 'Search',
      variables: { query: { schema: z.string() }, page: { schema: z.coerce.number() } },
      read: ({ index, query, page }) => ({ index, query: query ?? null, page: page === undefined ? null : (page satisfies number) }),
    }),
    defineResource({ uri: 'files://{+path}', name: 'File', read: ({ path }) => path }),
    defineResource({ uri: 'metadata://templates/special', name: 'Special', read: () => 'static' }),
    defineResource({ uri: 'metadata://templates/{template}/raw', name: 'Raw', read: ({ template }) => `raw ${template}` }),
  ];

  it.each<[string, unknown]>([
    ['workflow://workflows/42/status', { id: 42, doubled: 84 }],
    ['WORKFLOW://Workflows/42/status', { id: 42, doubled: 84 }],
    ['metadata://templates/standard', { template: 'standard' }],
    ['metadata://templates/special', { text: 'static' }],
    ['metadata://templates/standard/raw', { text: 'raw standard' }],
    ['search://books', { index: 'books', query: null, page: null }],
    ['search://books?query=caf%C3%A9%20%26%20tea&page=2', { index: 'books', query: 'café & tea', page: 2 }],
    ['search://books?page=3', { index: 'books', query: null, page: 3 }],
    ['files://a/b/c.txt', { text: 'a/b/c.txt' }],
  ])('%s is read with its variables decoded and typed', async (uri, data) => {
    const { client } = await serve(definitions);
    expect((await client.call('get_resource', { uri })).structuredContent).toMatchObject({ success: true, data });
  });

  it('is expanded with the variables of the call', async () => {
    const { client } = await serve(definitions);
    const filled = { uri: 'search://{index}{?query,page}', variables: { index: 'books', query: 'a/b?c=d&e', page: 2 } };
    expect((await client.call('get_resource', filled)).structuredContent).toMatchObject({
      uri: 'search://books?query=a%2Fb%3Fc%3Dd%26e&page=2',
      data: { index: 'books', query: 'a/b?c=d&e', page: 2 },
    });
  });

  it.each<[string, object, string, RegExp]>([
    ['a variable is left out', { uri: 'metadata://templates/' }, 'MissingTemplateVariable', /standard, genomics, imaging/],
    [
      'the template itself is given',
      { uri: 'metadata://templates/{template}' },
      'MissingTemplateVariable',
      /Example: get_resource\(\{ uri: "metadata:\/\/templates\/standard" \}\)/,
    ],
    ['a variable is empty', { uri: 'metadata://templates/{template}', variables: { template: '' } }, 'MissingTemplateVariable', /standard/],
    [
      'a variable has another name',
      { uri: 'metadata://templates/{template}', variables: { name: 'x' } },
      'MissingTemplateVariable',
      /requires variable\(s\): template.*Unknown variable\(s\): name/s,
    ],
    ['braces are left in', { uri: 'metadata://templates/{}' }, 'InvalidTemplateVariable', /letters, digits/],
    ['the schema refuses it', { uri: 'workflow://workflows/-1/status' }, 'InvalidTemplateVariable', /must be a positive number.*7/s],
    ['it is encoded twice', { uri: 'metadata://templates/%252e%252e' }, 'InvalidTemplateVariable', /letters, digits/],
    ['it leads upwards', { uri: 'files://a/../../etc/passwd' }, 'InvalidTemplateVariable', /letters, digits/],
    ['it leads upwards in disguise', { uri: 'files://a/%2E%2E/b' }, 'InvalidTemplateVariable', /letters, digits/],
    ['there is nothing of that name', { uri: 'metadata://templates/standart' }, 'NotFound', /Did you mean template 'standard'/],
    [
      'there is nothing near that name',
      { uri: 'metadata://templates/zzzzzzzz' },
      'NotFound',
      /Valid values of template: standard, genomics, imaging/,
    ],
    ['there is nothing with that number', { uri: 'workflow://workflows/101/status' }, 'NotFound', /get_resource\(\)/],
    [
      'the URI is another',
      { uri: 'metadate://templates/standard' },
      'InvalidURI',
      /Did you mean 'metadata:\/\/templates\/special'|Did you mean/,
    ],
    [
      'variables come without a template',
      { uri: 'metadata://templates/special', variables: { a: 'b' } },
      'InvalidURI',
      /without variables/,
    ],
  ])('returns a helpful error for %s', async (_, input, code, reported) => {
    const { client } = await serve(definitions);
    const result = await client.call('get_resource', input);
    expect(result.isError).toBe(true);
    const { error, suggested_actions, retryable, valid_uris } = result.structuredContent;
    expect(error).toBe(code);
    expect(retryable).toBe(false);
    expect(suggested_actions.length).toBeGreaterThan(0);
    expect(result.content[0].text).toMatch(reported);
    expect(JSON.stringify(result.structuredContent).replaceAll('\\"', '"')).toMatch(reported);
    if (code === 'InvalidURI') expect([...valid_uris].sort()).toEqual(definitions.map(({ uri }) => uri).sort());
    else expect(valid_uris).toBeUndefined();
  });

  it('completes its variables', async () => {
    const { client } = await serve(definitions);
    const { result } = await client.request('completion/complete', {
      ref: { type: 'ref/resource', uri: 'metadata://templates/{template}' },
      argument: { name: 'template', value: 'g' },
    });
    expect(result.completion).toEqual({ values: ['genomics'], total: 1, hasMore: false });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no name', { name: undefined }, /needs a name/],
    ['no reader', { read: 'hello' }, /needs a function read/],
    ['a key that means nothing', { requireAdmin: true }, /unknown keys: requireAdmin\..*requiresAdmin/],
    ['a hint that means nothing', { cacheHint: { ttl: 5 } }, /unknown keys: ttl\./],
    ['a schema in the wrong place', { uri: 'a://{x}', variables: { x: z.string() } }, /Write \{ schema: … \}/],
    ['two variables in one parameter', { uri: 'a://{x}/{y}', parameters: { x: 'k', y: 'k' } }, /same parameter/],
    ['a time that is none', { timeoutMs: Number.NaN }, /timeoutMs/],
    ['no size', { maxBytes: 0 }, /maxBytes/],
  ])('or resource with %s is rejected when it is defined', (_, fields, message) => {
    const definition = { uri: 'a://b', name: 'b', read: () => '', ...fields } as unknown as AnyDefinition;
    expect(() => defineResources([definition])).toThrow(message);
  });

  it('is rejected when it is defined twice', () => {
    const definition: AnyDefinition = { uri: 'a://b', name: 'b', read: () => '' };
    expect(() => defineResources([definition, definition])).toThrow(/twice/);
  });

  it('may have variables named like properties of every object', async () => {
    const names = ['constructor', '__proto__', 'hasOwnProperty'];
    const { client } = await serve(
      names.map((name) => ({ uri: `${name.replaceAll('_', '')}://{${name}}`, name, read: (parameters) => Object.entries(parameters) })),
    );
    expect((await client.call('get_resource')).isError ?? false).toBe(false);
    for (const name of names) {
      const scheme = name.replaceAll('_', '');
      expect((await client.call('get_resource', { uri: `${scheme}://x` })).structuredContent.data).toEqual([[name, 'x']]);
      expect((await client.call('get_resource', { uri: `${scheme}://{${name}}` })).structuredContent.error).toBe('MissingTemplateVariable');
    }
  });

  it('accepts variables as JSON text, and defaults from the schema', async () => {
    const { client } = await serve([
      defineResource({
        uri: 'list://{kind}{?page}',
        name: 'list',
        variables: { page: { schema: z.coerce.number().default(1) } },
        read: (given) => given,
      }),
    ]);
    const input = { uri: 'list://{kind}{?page}', variables: '{"kind":"a"}' };
    expect((await client.call('get_resource', input)).structuredContent.data).toEqual({ kind: 'a', page: 1 });
    const { structuredContent, content } = await client.call('get_resource');
    expect(structuredContent.data.list[0]).toMatchObject({ template_variables: ['kind', 'page'], optional_variables: ['page'] });
    expect(content[0].text).toContain('needs kind; optional page');
  });

  it('without values in get_resources reports the missing variables', async () => {
    const { client } = await serve(definitions);
    const { structuredContent } = await client.call('get_resources', { uris: ['files://{+path}', 'metadata://templates/{template}'] });
    expect(structuredContent.results.map(({ error }: { error: string }) => error)).toEqual([
      'MissingTemplateVariable',
      'MissingTemplateVariable',
    ]);
  });

  it('does not give access to a restricted static resource, however its URI is spelled', async () => {
    const catalog = await Catalog.open([
      defineResources([
        defineResource({ uri: 'docs://pages/secret', name: 'secret', requiresAdmin: true, read: () => 'SECRET' }),
        defineResource({ uri: 'docs://pages/{name}', name: 'page', read: ({ name }) => (name === 'secret' ? 'SECRET' : name) }),
      ]),
    ]);
    onTestFinished(() => catalog.close());
    const guest = await connect(createServer({ catalog, identity: { name: 'guest' } }));
    for (const uri of ['docs://pages/secre%74', 'DOCS://pages/%73ecret', 'docs://Pages/secret']) {
      expect(JSON.stringify(await guest.call('get_resource', { uri })), uri).not.toContain('SECRET');
      expect(JSON.stringify(await guest.request('resources/read', { uri })), uri).not.toContain('SECRET');
    }
    const filled = { uri: 'docs://pages/{name}', variables: { name: 'secret' } };
    expect((await guest.call('get_resource', filled)).structuredContent.error).toBe('Unauthorized');
  });

  it('reports NotFound when its completer returns nothing or throws', async () => {
    for (const complete of [
      () => undefined as never,
      () => [1] as never,
      () => {
        throw new Error('x');
      },
    ]) {
      const { client } = await serve([
        defineResource({ uri: 'a://{x}', name: 'x', variables: { x: { complete } }, read: () => undefined }),
      ]);
      expect((await client.call('get_resource', { uri: 'a://gone' })).structuredContent.error).toBe('NotFound');
      expect((await client.request('resources/read', { uri: 'a://gone' })).error.code).toBe(-32602);
    }
  });

  it('is rejected when it is invalid', () => {
    expect(() => defineResources([{ uri: 'docs://{', name: 'broken', read: () => '' }])).toThrow(/docs:\/\/\{/);
    expect(() => defineResources([{ uri: 'no scheme', name: 'broken', read: () => '' }])).toThrow(/Start it with a scheme/);
    expect(() => defineResources([{ uri: 'a://{x}', name: 'x', variables: { y: {} }, read: () => '' }])).toThrow(/no variable 'y'/);
  });
});

describe('a reader that fails', () => {
  const failing = (read: AnyDefinition['read'], more: Partial<AnyDefinition> = {}): AnyDefinition => ({
    uri: 'fail://it',
    name: 'it',
    read,
    ...more,
  });
  const thrown = (error: unknown) => () => {
    throw error;
  };

  it.each<[string, AnyDefinition, object]>([
    ['throws', failing(thrown(new Error('the cat is on the keyboard'))), { details: expect.stringContaining('cat'), retryable: false }],
    ['rejects', failing(async () => Promise.reject(Object.assign(new Error('x'), { code: 'ECONNRESET' }))), { retryable: true }],
    ['throws nothing', failing(thrown(undefined)), { retryable: false }],
    ['is throttled', failing(thrown({ status: 429 })), { retryable: true }],
    ['hangs', failing(() => new Promise(() => {}), { timeoutMs: 30 }), { retryable: true, details: expect.stringContaining('30 ms') }],
    [
      'returns too much',
      failing(() => 'x'.repeat(2000), { maxBytes: 1000 }),
      { retryable: false, details: expect.stringContaining('2000 bytes') },
    ],
    ['returns too many bytes', failing(() => new Uint8Array(2001), { maxBytes: 1000 }), { details: expect.stringContaining('2001 bytes') }],
    ['returns nothing', failing(() => undefined), { retryable: false }],
    ['returns a function', failing(() => () => {}), { retryable: false }],
    ['returns a symbol', failing(() => Symbol('x')), { retryable: false }],
    ['returns a big integer', failing(() => 1n), { retryable: false }],
    [
      'returns a circle',
      failing(() => {
        const circle: Record<string, unknown> = {};
        circle['self'] = circle;
        return circle;
      }),
      { retryable: false },
    ],
    [
      'returns contents that are none',
      failing(() => ({ contents: [{ uri: 'x://y' }] })),
      { details: expect.stringContaining('contents[0]') },
    ],
    ['returns a blob that is no base64', failing(() => ({ contents: [{ blob: '***' }] })), { details: expect.stringContaining('base64') }],
  ])('%s gives ResourceExecutionError by tool and by resources/read, and the server goes on', async (_, definition, expected) => {
    const { client } = await serve([definition, { uri: 'fine://it', name: 'fine', read: () => 'fine' }]);
    const { structuredContent, content, isError } = await client.call('get_resource', { uri: 'fail://it' });
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({
      success: false,
      error: 'ResourceExecutionError',
      message: "Failed to retrieve resource 'fail://it'.",
      suggested_actions: expect.arrayContaining([expect.any(String)]),
      ...expected,
    });
    expect(content[0].text).toContain(structuredContent.message);
    expect(JSON.stringify(structuredContent)).not.toMatch(/\bat .*\.ts|dist\//);
    const { error } = await client.request('resources/read', { uri: 'fail://it' });
    expect(error).toMatchObject({ code: -32603, data: { error: 'ResourceExecutionError', ...expected } });
    expect((await client.call('get_resource', { uri: 'fine://it' })).structuredContent.data).toEqual({ text: 'fine' });
  });

  it.each<[string, unknown, string, number]>([
    ['401', { status: 401 }, 'Unauthorized', -32600],
    ['AccessDenied', Object.assign(new Error('no'), { name: 'AccessDeniedException' }), 'Unauthorized', -32600],
    [
      'our own NotFound',
      new FootbridgeError('NotFound', 'gone', { suggestedActions: ['look elsewhere'], details: 'it moved' }),
      'NotFound',
      -32602,
    ],
    [
      'our own InvalidTemplateVariable',
      new FootbridgeError('InvalidTemplateVariable', 'odd', { suggestedActions: ['even'] }),
      'InvalidTemplateVariable',
      -32602,
    ],
  ])('with %s keeps its code, by tool and by resources/read', async (_, error, code, wire) => {
    const { client } = await serve([failing(thrown(error))]);
    const { structuredContent } = await client.call('get_resource', { uri: 'fail://it' });
    expect(structuredContent).toMatchObject({ success: false, error: code });
    if (error instanceof FootbridgeError) {
      expect(structuredContent.message).toBe(error.message);
      expect(structuredContent.suggested_actions).toEqual(expect.arrayContaining([...error.suggestedActions]));
    }
    const answer = await client.request('resources/read', { uri: 'fail://it' });
    expect(answer.error.code).toBe(wire);
    expect(answer.error.message).toContain(structuredContent.message);
  });
});

describe('reads of one URI', () => {
  /** A resource whose reads are counted and end when told to. */
  function slow(more: Partial<AnyDefinition> = {}) {
    const started: { signal: AbortSignal; end: (text: string) => void }[] = [];
    const definition: AnyDefinition = {
      uri: 'slow://it',
      name: 'it',
      read: (_, { signal }) => new Promise((resolve) => started.push({ signal, end: resolve })),
      ...more,
    };
    return { definition, started };
  }

  it('at the same time share one execution, by tool and by resources/read', async () => {
    const { definition, started } = slow();
    const { client } = await serve([definition]);
    const answers = [client.call('get_resource', { uri: 'slow://it' }), client.call('get_resources', { uris: ['slow://it'] })];
    const native = client.request('resources/read', { uri: 'slow://it' });
    await client.waitFor(() => started.length >= 1);
    for (const each of started) each.end('done');
    expect((await native).result.contents[0].text).toBe('done');
    const [one, several] = await Promise.all(answers);
    expect([one.structuredContent.data.text, several.structuredContent.results[0].data.text]).toEqual(['done', 'done']);
    expect(started).toHaveLength(1);
    const later = client.call('get_resource', { uri: 'slow://it' });
    await client.waitFor(() => started.length === 2);
    started[1]?.end('again');
    expect((await later).structuredContent.data.text).toBe('again');
  });

  it('are cancelled when the last waiting caller cancels', async () => {
    const { definition, started } = slow();
    const { client } = await serve([definition]);
    const first = client.send('tools/call', { name: 'get_resource', arguments: { uri: 'slow://it' } });
    const second = client.send('resources/read', { uri: 'slow://it' });
    await client.waitFor(() => started.length === 1);
    client.notify('notifications/cancelled', { requestId: first });
    await client.request('ping');
    expect(started[0]?.signal.aborted).toBe(false);
    client.notify('notifications/cancelled', { requestId: second });
    await client.waitFor(() => started[0]?.signal.aborted === true);
    const again = client.call('get_resource', { uri: 'slow://it' });
    await client.waitFor(() => started.length === 2);
    started[1]?.end('fresh');
    expect((await again).structuredContent.data.text).toBe('fresh');
  });

  it('are cancelled on timeout', async () => {
    const { definition, started } = slow({ timeoutMs: 20 });
    const { client } = await serve([definition]);
    expect((await client.call('get_resource', { uri: 'slow://it' })).isError).toBe(true);
    expect(started[0]?.signal.aborted).toBe(true);
  });

  it('have the limits of the catalog where the resource has none', async () => {
    const { client } = await serve([slow().definition, { uri: 'big://it', name: 'big', read: () => 'x'.repeat(200) }], {
      limits: { timeoutMs: 20, maxBytes: 100 },
    });
    expect((await client.call('get_resource', { uri: 'slow://it' })).structuredContent.details).toContain('20 ms');
    expect((await client.call('get_resource', { uri: 'big://it' })).structuredContent.details).toContain('100');
  });
});

it('FootbridgeError rejects an unknown code', () =>
  expect(() => new FootbridgeError('Forbidden' as never, 'x')).toThrow(/Unknown error code/));

it('many reads leave no listener on a signal of ours or of the caller', async () => {
  const catalog = await Catalog.open([defineResources([{ uri: 'a://b', name: 'b', read: () => 'x' }])]);
  onTestFinished(() => catalog.close());
  const { signal } = new AbortController();
  for (let count = 0; count < 100; count++) {
    await catalog.read('a://b');
    await catalog.read('a://b', { caller: { id: 'x', name: 'x', roles: [], admin: false }, signal });
  }
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

describe('caching', () => {
  const context = (id: string) => ({ caller: { id, name: id, roles: [], admin: false }, signal: new AbortController().signal });
  function counted(cacheHint?: { ttlMs: number; cacheScope?: 'public' | 'private' }) {
    let reads = 0;
    const definition: AnyDefinition = {
      uri: 'count://it',
      name: 'it',
      ...(cacheHint === undefined ? {} : { cacheHint }),
      read: () => ({ reads: ++reads }),
    };
    return { definition, reads: () => reads };
  }
  const open = async (definition: AnyDefinition) => {
    const source = defineResources([definition]);
    const catalog = await Catalog.open([source]);
    onTestFinished(() => catalog.close());
    const read = async (id: string) => JSON.stringify((await catalog.read('count://it', context(id))).contents);
    return { source, read, catalog };
  };

  it('is off by default', async () => {
    const { definition, reads } = counted();
    const { read } = await open(definition);
    await read('ada');
    await read('ada');
    expect(reads()).toBe(2);
  });

  it('caches content for one caller only', async () => {
    const { definition, reads } = counted({ ttlMs: 60_000 });
    const { read } = await open(definition);
    expect(await read('ada')).toBe(await read('ada'));
    expect(reads()).toBe(1);
    expect(await read('bob')).not.toBe(await read('ada'));
    expect(reads()).toBe(2);
  });

  it('caches public content for all callers', async () => {
    const { definition, reads } = counted({ ttlMs: 60_000, cacheScope: 'public' });
    const { read } = await open(definition);
    expect(await read('ada')).toBe(await read('bob'));
    expect(reads()).toBe(1);
  });

  it('ends with the ttl, and when the source reports a change', async () => {
    const short = counted({ ttlMs: 1 });
    const once = await open(short.definition);
    await once.read('ada');
    await new Promise((resolve) => setTimeout(resolve, 10));
    await once.read('ada');
    expect(short.reads()).toBe(2);
    const { definition, reads } = counted({ ttlMs: 60_000 });
    const { source, read } = await open(definition);
    await read('ada');
    source.updated('count://it');
    await read('ada');
    expect(reads()).toBe(2);
    source.replace([definition]);
    await read('ada');
    expect(reads()).toBe(3);
  });

  it('checks rights before the cache', async () => {
    const { definition } = counted({ ttlMs: 60_000, cacheScope: 'public' });
    const { catalog } = await open({ ...definition, requiresAdmin: true });
    await catalog.read('count://it');
    await expect(catalog.read('count://it', context('bob'))).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  it('does not cache failures', async () => {
    let reads = 0;
    const { read } = await open({
      uri: 'count://it',
      name: 'it',
      cacheHint: { ttlMs: 60_000 },
      read: () => {
        if (++reads === 1) throw new Error('not yet');
        return 'now';
      },
    });
    await expect(read('ada')).rejects.toMatchObject({ code: 'ResourceExecutionError' });
    expect(await read('ada')).toContain('now');
  });
});

describe('discovery', () => {
  const many = (count: number): AnyDefinition[] =>
    Array.from({ length: count }, (_, index) => ({
      uri: `${index % 2 === 0 ? 'even' : 'odd'}://item/${index}`,
      name: `Item ${index}`,
      description: `The ${index}th`,
      ...(index === 3 ? { requiresAdmin: true, category: 'admin' } : {}),
      read: () => index,
    }));

  it('lists everything by category, with metadata', async () => {
    const { client } = await serve([
      ...many(4),
      defineResource({ uri: 'even://{n}', name: 'Any', variables: { n: { examples: ['4'] } }, read: ({ n }) => n }),
    ]);
    const { structuredContent, content } = await client.call('get_resource', { uri: '  ' });
    expect(structuredContent).toMatchObject({
      success: true,
      uri: '',
      resource_name: 'Available Resources',
      mime_type: 'application/json',
    });
    expect(Object.keys(structuredContent.data)).toEqual(['even', 'odd', 'admin']);
    expect(structuredContent.data.even.at(-1)).toEqual({
      uri: 'even://{n}',
      name: 'Any',
      description: '',
      is_template: true,
      template_variables: ['n'],
      examples: { n: ['4'] },
      requires_admin: false,
      category: 'even',
    });
    expect(structuredContent.data.admin[0]).toMatchObject({
      uri: 'odd://item/3',
      is_template: false,
      template_variables: [],
      requires_admin: true,
    });
    for (const { uri } of Object.values<{ uri: string }[]>(structuredContent.data).flat()) expect(content[0].text).toContain(uri);
    expect(content[0].text).toContain('needs admin rights');
  });

  it('is paginated, and errors name the nearest URIs', async () => {
    const { client } = await serve(many(450));
    const uris: string[] = [];
    let cursor: string | undefined;
    do {
      const { structuredContent } = await client.call('get_resource', cursor === undefined ? {} : { cursor });
      uris.push(...Object.values<{ uri: string }[]>(structuredContent.data).flatMap((group) => group.map(({ uri }) => uri)));
      cursor = structuredContent.next_cursor;
    } while (cursor !== undefined);
    expect(new Set(uris).size).toBe(450);
    const { structuredContent } = await client.call('get_resource', { uri: 'even://item/44O' });
    expect(structuredContent.valid_uris).toHaveLength(200);
    expect(structuredContent.valid_uris.slice(0, 5)).toContain('even://item/44');
    expect(structuredContent.valid_uris.at(-1)).toMatch(/251 more/);
    const wrong: [object, string][] = [
      [{ cursor: 'made up' }, 'InvalidURI'],
      [{ url: 'even://item/4' }, 'InvalidURI'],
      [{ uri: 7 }, 'InvalidURI'],
      [{ uri: 'even://{n}', variables: 'n=4' }, 'InvalidTemplateVariable'],
    ];
    for (const [input, error] of wrong) {
      const { isError, structuredContent: reported } = await client.call('get_resource', input);
      expect(isError).toBe(true);
      expect(reported, JSON.stringify(input)).toMatchObject({
        success: false,
        error,
        suggested_actions: [expect.any(String)],
        retryable: false,
      });
    }
  });

  it("is in the tool's description, within a budget", async () => {
    const small = await serve(many(4));
    const description = async (client: { request: typeof small.client.request }) =>
      (await client.request('tools/list')).result.tools.find(({ name }: { name: string }) => name === 'get_resource').description;
    expect(await description(small.client)).toContain('odd: odd://item/1\nadmin: odd://item/3 (admin)');
    const large = await description((await serve(many(5000))).client);
    expect(large.length).toBeLessThan(5000);
    expect(large).toMatch(/\d+ more: call get_resource/);
  });

  it('shows no tools for skills without skills', async () => {
    const { client } = await serve(many(1));
    expect((await client.request('tools/list')).result.tools.map(({ name }: { name: string }) => name)).toEqual([
      'get_resource',
      'get_resources',
    ]);
  });
});

describe('get_resources', () => {
  it('reads concurrently and returns results in request order, each with its own success or error', async () => {
    let running = 0;
    let most = 0;
    const definition = defineResource({
      uri: 'wait://{n}',
      name: 'wait',
      async read({ n }) {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 20 - Number(n)));
        running--;
        return Number(n) === 3 ? undefined : { n };
      },
    });
    const { client } = await serve([definition]);
    const uris = Array.from({ length: 12 }, (_, index) => `wait://${index}`);
    const { structuredContent, content, isError } = await client.call('get_resources', { uris: [...uris, 'nowhere://x'] });
    expect(isError ?? false).toBe(false);
    expect(structuredContent.results.map((each: { success: boolean; uri: string }) => [each.success, each.uri])).toEqual([
      ...uris.map((uri, index) => [index !== 3, uri]),
      [false, 'nowhere://x'],
    ]);
    expect(most).toBeGreaterThan(5);
    expect(content).toHaveLength(13);
    expect(content[3].text).toContain('NotFound');
  });

  it('rejects an empty list, and more than fifty URIs', async () => {
    const { client } = await serve([{ uri: 'a://b', name: 'b', read: () => '' }]);
    expect((await client.call('get_resources', { uris: [] })).isError).toBe(true);
    expect((await client.call('get_resources', { uris: Array(51).fill('a://b') })).isError).toBe(true);
    expect((await client.call('get_resources', { uris: Array(50).fill('a://b') })).isError ?? false).toBe(false);
  });
});

describe('changes', () => {
  it('send list_changed to all, and resources/updated to subscribers', async () => {
    const one: AnyDefinition = { uri: 'a://one', name: 'one', read: () => '1' };
    const { client, source } = await serve([one]);
    await client.request('resources/subscribe', { uri: 'a://one' });
    source.updated('a://one');
    source.updated('a://two');
    await client.waitFor(() => client.count('notifications/resources/updated') > 0);
    source.replace([one, { uri: 'a://two', name: 'two', read: () => '2' }]);
    await client.waitFor(
      () => client.count('notifications/resources/list_changed') > 0 && client.count('notifications/tools/list_changed') > 0,
    );
    expect((await client.call('get_resource', { uri: 'a://two' })).structuredContent.data).toEqual({ text: '2' });
    await client.request('resources/unsubscribe', { uri: 'a://one' });
    source.updated('a://one');
    await client.request('ping');
    expect(client.count('notifications/resources/updated')).toBe(1);
  });
});

describe('counters and logs', () => {
  it('count reads by route, and log each with its kind, size and time', async () => {
    const lines: string[] = [];
    const { createLog } = await import('footbridge');
    const source = defineResources([
      { uri: 'a://one', name: 'one', read: () => '12345' },
      defineResource({ uri: 'b://{x}', name: 'x', read: ({ x }) => (x === 'no' ? undefined : x) }),
    ]);
    const catalog = await Catalog.open([source], { log: createLog('debug', (line) => lines.push(line)) });
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog }));
    await client.call('get_resource', { uri: 'a://one' });
    await client.call('get_resource', { uri: 'b://yes' });
    await client.call('get_resource', { uri: 'b://no' });
    await client.request('resources/read', { uri: 'a://one' });
    expect(catalog.counters).toMatchObject({
      tool: { static: { reads: 1, failures: 0, bytes: 5 }, template: { reads: 2, failures: 1, bytes: 3 } },
      resource: { static: { reads: 1, failures: 0, bytes: 5 }, template: { reads: 0 } },
    });
    expect(lines.filter((line) => /read by tool, static: a:\/\/one, 5 bytes, \d+\.\d+ ms/.test(line))).toHaveLength(1);
    expect(lines.filter((line) => /read by tool, template: b:\/\/no, failed/.test(line))).toHaveLength(1);
  });

  it('count a skill loaded by the skill tool or as a prompt like every other read', async () => {
    const world = createWorld();
    world.skill('team/pdf');
    const catalog = await Catalog.open([skillFolders({ folders: [world.path('team')], standardFolders: false })]);
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog, prompts: true }));
    const size = catalog.findSkill('pdf')?.size ?? 0;
    await client.call('skill', { name: 'pdf' });
    await client.call('get_resource', { uri: 'skill://pdf/SKILL.md' });
    await client.request('prompts/get', { name: 'pdf' });
    expect(catalog.counters).toMatchObject({
      tool: { static: { reads: 2, failures: 0, bytes: 2 * size } },
      resource: { static: { reads: 1, failures: 0, bytes: size } },
    });
    world.remove('team/pdf/SKILL.md');
    await client.call('skill', { name: 'pdf' });
    expect(catalog.counters.tool.static).toMatchObject({ reads: 3, failures: 1 });
  });
});
