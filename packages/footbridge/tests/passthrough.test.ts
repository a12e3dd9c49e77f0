/** Content of upstreams is listed and forwarded unchanged, next to our own, to callers who may see it. */
import { Catalog, createServer, defineResource, defineResources, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CallerViews } from '../src/serve/caller-views.js';
import { serveHttp } from '../src/serve/http/index.js';
import { createRequestLog } from '../src/serve/telemetry/request-log.js';
import { UNLIMITED_VIEW } from '../src/surfaces/hosts/view.js';
import { listTools, TOOL_NAMES, takenToolNames } from '../src/surfaces/tools/index.js';
import type { Json } from './support/client.js';
import { contributionOf, FakeUpstream, refusal, type ServerParts, sourceOf } from './support/fake-upstream.js';
import { createWorld } from './support/folders.js';
import { postModern } from './support/http-server.js';
import { connect } from './support/memory.js';
import { textOf } from './support/server.js';
import { bearer, tokensOf } from './support/tokens.js';

const tool = (name: string, more: Json = {}): Json => ({ name, inputSchema: { type: 'object' }, ...more });
const ECHO = tool('echo', { description: 'Says it again', _meta: { 'x/y': 1 }, icons: [{ src: 'data:,' }] });
const GREET = {
  name: 'greet',
  title: 'Handshake',
  description: 'Greets somebody',
  arguments: [
    { name: 'who', description: 'Whom to greet', required: true },
    { name: 'tone', description: 'How' },
  ],
};
const READER = { caller: { id: 'x', name: 'x', roles: ['reader'], admin: false }, signal: new AbortController().signal };

it('has no tool of its own with a name that begins like those of several servers', () => {
  expect(TOOL_NAMES.filter((name) => name.includes('__'))).toEqual([]);
});

async function open(...servers: readonly FakeUpstream[]) {
  const { source, replace } = sourceOf(contributionOf(servers));
  const catalog = await Catalog.open([source]);
  onTestFinished(() => catalog.close());
  return { catalog, replace };
}

const serve = async (...servers: readonly FakeUpstream[]) => connect(createServer({ catalog: (await open(...servers)).catalog }));

const names = (catalog: Catalog) => listTools(catalog.snapshot, UNLIMITED_VIEW).map(({ name }) => name);

describe('a snapshot', () => {
  it('has tools, prompts and upstreams in order, and the first of equal names', async () => {
    const one = new FakeUpstream('one', { tools: [ECHO, tool('add')], prompts: [GREET] });
    const two = new FakeUpstream('two', { tools: [tool('echo'), tool('more')], prompts: [{ name: 'greet' }, { name: 'part' }] });
    const { snapshot } = (await open(one, two)).catalog;
    expect(snapshot.tools.map(({ entry }) => entry.name)).toEqual(['echo', 'add', 'more']);
    expect(snapshot.prompts.map(({ entry }) => entry.name)).toEqual(['greet', 'part']);
    expect(snapshot.upstreams).toEqual([one, two]);
    expect(snapshot.findTool('echo')).toHaveProperty('upstream', one);
    expect(snapshot.findTool('more')).toHaveProperty('upstream', two);
    expect(snapshot.findPrompt('part')?.upstream).toBe(two);
    expect([snapshot.findTool('toString'), snapshot.findPrompt('Greet')]).toEqual([undefined, undefined]);
  });

  it('knows the upstream of a resource', async () => {
    const { catalog } = await open(new FakeUpstream('docs', { resources: ['a://1'] }));
    const [resource] = catalog.snapshot.resources;
    expect(resource && catalog.originOf(resource)).toBe('docs');
  });
});

describe('tools/list', () => {
  it('starts with the tools of upstreams, the same objects', async () => {
    const { catalog } = await open(new FakeUpstream('one', { tools: [ECHO, tool('add')], resources: ['a://1'] }));
    const listed = listTools(catalog.snapshot, UNLIMITED_VIEW);
    expect(listed[0]).toBe(ECHO);
    expect(listed.map(({ name }) => name)).toEqual(['echo', 'add', 'get_resource', 'get_resources']);
  });

  it.each<[string, ServerParts, string[]]>([
    ['nothing', {}, []],
    ['tools', { tools: [ECHO] }, ['echo']],
    ['resources', { resources: ['a://1'] }, ['get_resource', 'get_resources']],
    ['templates', { templates: ['a://{x}'] }, ['get_resource', 'get_resources']],
    ['resources that it does not list', { readsUnlisted: true }, ['get_resource', 'get_resources']],
    ['prompts', { prompts: [GREET] }, ['get_prompt']],
  ])('lists only the built-in tools that work with an upstream with %s', async (_, parts, expected) => {
    expect(names((await open(new FakeUpstream('one', parts))).catalog)).toEqual(expected);
  });

  it('has the tools for skills beside an upstream where there are skills', async () => {
    const world = createWorld();
    world.skill('team/pdf');
    const folders = skillFolders({ folders: [world.path('team')], standardFolders: false });
    const catalog = await Catalog.open([folders, sourceOf(contributionOf([new FakeUpstream('one', { prompts: [GREET] })])).source]);
    onTestFinished(() => catalog.close());
    expect(names(catalog)).toEqual(['skill', 'list_skills', 'get_skill', 'get_resource', 'get_resources', 'get_prompt']);
  });

  it('prefers the tool of an upstream over a built-in one of the same name, and reports it', async () => {
    const own = tool('get_resource', { description: 'of the server' });
    const { catalog } = await open(new FakeUpstream('one', { tools: [own], resources: ['a://1'] }));
    expect(listTools(catalog.snapshot, UNLIMITED_VIEW)[0]).toBe(own);
    expect(names(catalog)).toEqual(['get_resource', 'get_resources']);
    expect(takenToolNames(catalog.snapshot)).toEqual(['get_resource']);
    expect(takenToolNames(catalog.snapshot, { get_resource: false })).toEqual([]);
    const client = await connect(createServer({ catalog }));
    expect(await client.call('get_resource', { uri: 'a://1' })).toEqual({ from: 'one' });
  });
});

describe('a call', () => {
  it('forwards the call of an upstream tool and its result unchanged', async () => {
    const result = { content: [], structuredContent: { a: [1] }, _meta: { b: 2 }, unheard: 'of' };
    const server = new FakeUpstream('one', { tools: [ECHO], answer: () => result });
    const client = await serve(server);
    const params = { name: 'echo', arguments: { text: 'x' }, _meta: { progressToken: 7 }, task: { ttl: 1 } };
    expect((await client.request('tools/call', params)).result).toEqual(result);
    expect(server.asked).toEqual([['tools/call', params]]);
  });

  it("uses the upstream's own name of a tool", async () => {
    const [one, two] = [
      new FakeUpstream('one', { prefix: 'one', tools: [ECHO] }),
      new FakeUpstream('two', { prefix: 'two', tools: [ECHO] }),
    ];
    const client = await serve(one, two);
    expect(await client.call('two__echo', { text: 'x' })).toEqual({ from: 'two' });
    expect(two.asked).toEqual([['tools/call', { name: 'echo', arguments: { text: 'x' } }]]);
    expect(one.asked).toEqual([]);
    await expect(client.call('two__ecko')).rejects.toThrow("Unknown tool 'two__ecko'. Did you mean 'two__echo'?");
  });

  it("passes on the upstream's error code, message and data", async () => {
    const server = new FakeUpstream('one', {
      tools: [ECHO],
      answer: () => {
        throw refusal(-31999, 'not today', { until: 'monday' });
      },
    });
    const { error } = await (await serve(server)).request('tools/call', { name: 'echo' });
    expect(error).toEqual({ code: -31999, message: 'not today', data: { until: 'monday' } });
  });
});

describe('a read', () => {
  const contents = [{ uri: 'a://1', text: 'raw', _meta: { kept: true } }];

  it("returns the upstream's answer for a resource or template", async () => {
    const server = new FakeUpstream('one', { resources: ['a://1'], templates: ['b://{x}'], answer: () => ({ contents, extra: 1 }) });
    const { catalog } = await open(server);
    const client = await connect(createServer({ catalog }));
    for (const uri of ['a://1', 'b://5'])
      expect((await client.request('resources/read', { uri, _meta: { m: 1 } })).result).toEqual({ contents, extra: 1 });
    expect(server.asked).toEqual(['a://1', 'b://5'].map((uri) => ['resources/read', { uri, _meta: { m: 1 } }]));
    expect(catalog.counters.resource).toMatchObject({ static: { reads: 1, bytes: 3 }, template: { reads: 1, failures: 0 } });
  });

  it("uses the upstream's own URI where two have the same", async () => {
    const [one, two] = [
      new FakeUpstream('one', { resources: ['a://1'] }),
      new FakeUpstream('two', { prefix: 'two', resources: ['a://1'] }),
    ];
    const client = await serve(one, two);
    expect((await client.request('resources/read', { uri: 'two+a://1' })).result).toEqual({ from: 'two' });
    expect(two.asked).toEqual([['resources/read', { uri: 'a://1' }]]);
  });

  it('is denied without a request to the upstream if the caller lacks permission', async () => {
    const server = new FakeUpstream('one', { resources: ['a://1'], templates: ['b://{x}'], requiresAdmin: true });
    const { catalog } = await open(server);
    const client = await connect(createServer({ catalog, identity: { name: 'guest' } }));
    expect((await client.request('resources/read', { uri: 'a://1' })).error.data.error).toBe('Unauthorized');
    const completion = { ref: { type: 'ref/resource', uri: 'b://{x}' }, argument: { name: 'x', value: '' } };
    expect((await client.request('completion/complete', completion)).result.completion.values).toEqual([]);
    expect(server.asked).toEqual([]);
  });

  it('of an unlisted URI tries each upstream in turn', async () => {
    const missing = (code: number) => ({
      readsUnlisted: true,
      answer: () => {
        throw refusal(code, 'Resource not found', { uri: 'x://1' });
      },
    });
    const silent = new FakeUpstream('silent');
    const [first, last] = [new FakeUpstream('first', missing(-32002)), new FakeUpstream('last', { readsUnlisted: true })];
    const client = await serve(silent, first, last);
    expect((await client.request('resources/read', { uri: 'x://1' })).result).toEqual({ from: 'last' });
    expect([silent.asked.length, first.asked.length, last.asked.length]).toEqual([0, 1, 1]);

    const none = await (await serve(silent, first)).request('resources/read', { uri: 'x://1' });
    expect(none.error).toMatchObject({ code: -32602, message: expect.stringContaining("'x://1' not recognized") });

    const alone = await (await serve(new FakeUpstream('alone', missing(-32602)))).request('resources/read', { uri: 'x://1' });
    expect(alone.error).toEqual({ code: -32602, message: 'Resource not found', data: { uri: 'x://1' } });
  });

  describe('of an unlisted URI, where one of two upstreams', () => {
    const contents = [{ uri: 'x://1', text: 'here' }];
    const failing = (code: number, message: string) =>
      new FakeUpstream('first', {
        readsUnlisted: true,
        answer: () => {
          throw refusal(code, message);
        },
      });
    const having = () => new FakeUpstream('second', { readsUnlisted: true, answer: () => ({ contents }) });

    const ERAS = {
      async legacy(...servers: readonly FakeUpstream[]) {
        const client = await serve(...servers);
        return (method: string, params: Json) => client.request(method, params);
      },
      async modern(...servers: readonly FakeUpstream[]) {
        const { source } = sourceOf(contributionOf(servers));
        const http = await serveHttp({ host: '127.0.0.1', port: 0, sources: [source], log: createRequestLog('silent') });
        onTestFinished(() => http.close());
        return async (method: string, params: Json) => (await postModern(http.endpoint, method, params)).message;
      },
    };
    const TOOL = ['tools/call', { name: 'get_resource', arguments: { uri: 'x://1' } }] as const;
    const READ = ['resources/read', { uri: 'x://1' }] as const;

    it.each(Object.entries(ERAS))(
      'does not have the resource: returns it from the other, by tool and by resources/read (%s)',
      async (_, era) => {
        const [first, second] = [failing(-32002, 'Resource not found'), having()];
        const ask = await era(first, second);
        expect((await ask(...TOOL)).result).toMatchObject({ structuredContent: { success: true, data: { text: 'here' } } });
        expect((await ask(...READ)).result).toMatchObject({ contents });
        expect([first.asked.length, second.asked.length]).toEqual([2, 2]);
      },
    );

    it.each(Object.entries(ERAS))('fails: returns the error, by tool and by resources/read (%s)', async (_, era) => {
      const [first, second] = [failing(-32000, 'out of order'), having()];
      const ask = await era(first, second);
      expect((await ask(...TOOL)).result).toMatchObject({
        isError: true,
        structuredContent: { error: 'ResourceExecutionError', details: expect.stringContaining('out of order') },
      });
      expect((await ask(...READ)).error).toMatchObject({ code: -32000, message: 'out of order' });
      expect(second.asked).toEqual([]);
    });

    it.each(Object.entries(ERAS))(
      'and the other do not have the resource: returns NotFound, by tool and by resources/read (%s)',
      async (_, era) => {
        const ask = await era(failing(-32002, 'Resource not found'), failing(-32602, 'unknown resource'));
        expect((await ask(...TOOL)).result.structuredContent).toMatchObject({
          error: 'InvalidURI',
          message: "Resource URI 'x://1' not recognized.",
          details: 'Resource not found',
        });
        expect((await ask(...READ)).error).toMatchObject({
          code: -32602,
          message: expect.stringMatching(/'x:\/\/1' not recognized\. Resource not found/),
        });
      },
    );
  });

  it('of a local resource never reaches an upstream', async () => {
    const own = defineResources([
      defineResource({ uri: 'own://1', name: 'own', read: async () => 'ours' }),
      defineResource({ uri: 'own://{a}/{b}', name: 'pair', read: async () => 'pair' }),
    ]);
    const server = new FakeUpstream('one', { resources: ['own://1'], readsUnlisted: true });
    const catalog = await Catalog.open([own, sourceOf(contributionOf([server])).source]);
    const client = await connect(createServer({ catalog }));
    expect((await client.request('resources/read', { uri: 'own://1' })).result.contents[0].text).toBe('ours');
    expect((await client.request('resources/read', { uri: 'own://x/' })).error.data.error).toBe('MissingTemplateVariable');
    expect(server.asked).toEqual([]);
  });
});

describe('prompts and completion', () => {
  it("lists the upstream's prompts, then those of skills", async () => {
    const world = createWorld();
    world.skill('team/pdf');
    const server = new FakeUpstream('one', { prompts: [GREET], answer: (_, params) => ({ messages: [], asked: params }) });
    const folders = skillFolders({ folders: [world.path('team')], standardFolders: false });
    const catalog = await Catalog.open([folders, sourceOf(contributionOf([server])).source]);
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog, prompts: true }));
    const { prompts } = (await client.request('prompts/list')).result;
    expect(prompts[0]).toEqual(GREET);
    expect(prompts.map(({ name }: Json) => name)).toEqual(['greet', 'pdf']);
    const params = { name: 'greet', arguments: { who: 'Ada' } };
    expect((await client.request('prompts/get', params)).result).toEqual({ messages: [], asked: params });
    expect((await client.request('prompts/get', { name: 'pdf' })).result.messages).toHaveLength(1);

    const without = await connect(createServer({ catalog }));
    expect((await without.request('prompts/list')).result).toEqual({ prompts: [GREET] });
    expect((await without.request('prompts/get', { name: 'pdf' })).result.asked).toEqual({ name: 'pdf' });
    expect((await without.request('prompts/list', { cursor: 'x' })).error.code).toBe(-32602);
  });

  it("use the upstream's own names", async () => {
    const answer = (method: string, params: Json) => ({ method, params });
    const server = new FakeUpstream('two', { prefix: 'two', prompts: [GREET], templates: ['b://{x}'], answer });
    const client = await serve(new FakeUpstream('one'), server);
    const argument = { name: 'who', value: 'A' };
    const context = { arguments: { tone: 'kind' } };
    const complete = async (ref: Json) => (await client.request('completion/complete', { ref, argument, context })).result;
    expect((await complete({ type: 'ref/prompt', name: 'two__greet', title: 't' })).params).toEqual({
      ref: { type: 'ref/prompt', name: 'greet', title: 't' },
      argument,
      context,
    });
    expect((await complete({ type: 'ref/resource', uri: 'two+b://{x}' })).params.ref).toEqual({ type: 'ref/resource', uri: 'b://{x}' });
    expect((await complete({ type: 'ref/prompt', name: 'nobody' })).completion.values).toEqual([]);
    expect((await client.request('prompts/get', { name: 'two__greet' })).result.params).toEqual({ name: 'greet' });
  });
});

describe('get_prompt', () => {
  const answering = (result: Json, prompts: readonly Json[] = [GREET]) => new FakeUpstream('one', { prompts, answer: () => result });

  it('lists prompts in its description, with details when called without a name', async () => {
    const client = await serve(answering({}, [GREET, { name: 'plain' }, { name: 'odd', arguments: 'none', title: 5 }]));
    const { tools } = (await client.request('tools/list')).result;
    expect(tools).toHaveLength(1);
    expect(tools[0].description).toContain('greet(who, tone?), plain, odd');
    expect(tools[0].inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(Object.keys(tools[0].inputSchema.properties)).toEqual(['name', 'arguments']);
    const result = await client.call('get_prompt');
    expect(result.structuredContent).toEqual({
      prompts: [
        {
          name: 'greet',
          title: 'Handshake',
          description: 'Greets somebody',
          arguments: [
            { name: 'who', description: 'Whom to greet', required: true },
            { name: 'tone', description: 'How', required: false },
          ],
        },
        { name: 'plain', arguments: [] },
        { name: 'odd', arguments: [] },
      ],
    });
    expect(textOf(result)).toBe(
      [
        '3 prompts. Get one with get_prompt({ name, arguments }).',
        '- greet - Handshake: Greets somebody',
        '  who (required): Whom to greet',
        '  tone (optional): How',
        '- plain',
        '- odd',
      ].join('\n'),
    );
  });

  it('names the upstream of a prompt if there are several', async () => {
    const client = await serve(answering({}), new FakeUpstream('two', { prefix: 'two', prompts: [{ name: 'x' }] }));
    const result = await client.call('get_prompt');
    expect(result.structuredContent.prompts.map(({ origin }: Json) => origin)).toEqual(['one', 'two']);
    expect(textOf(result)).toContain('- two__x (from two)');
  });

  it('limits the size of its list', async () => {
    const many = Array.from({ length: 2000 }, (_, at) => ({ name: `prompt-${at}`, description: 'words and words '.repeat(50) }));
    const client = await serve(answering({}, many));
    const { tools } = (await client.request('tools/list')).result;
    expect(JSON.stringify(tools).length).toBeLessThan(3000);
    const result = await client.call('get_prompt');
    expect(JSON.stringify(result.structuredContent.prompts).length).toBeLessThan(18_000);
    expect(textOf(result).length).toBeLessThan(18_000);
    const { prompts, not_shown } = result.structuredContent;
    expect(prompts.length + not_shown).toBe(2000);
    expect(textOf(result)).toContain(`${not_shown} more are not shown.`);
    const few = await serve(answering({}, many.slice(0, 60)));
    const shortened = (await few.call('get_prompt')).structuredContent;
    expect([shortened.prompts.length, shortened.not_shown]).toEqual([60, undefined]);
    expect(shortened.prompts[0].description.length).toBeLessThanOrEqual(80);
  });

  it('returns the messages, as text and as structure', async () => {
    const messages = [
      { role: 'user', content: { type: 'text', text: '  Hello,\n\n"Ada" ', annotations: { priority: 1 } } },
      { role: 'assistant', content: { type: 'resource', resource: { uri: 'a://1', mimeType: 'text/plain', text: 'inside' } } },
      { role: 'user', content: { type: 'resource_link', uri: 'a://2', name: 'two' } },
      { role: 'user', content: { type: 'hologram', data: 1 } },
    ];
    const server = answering({ description: 'Says hello', messages, _meta: { m: 1 } });
    const client = await serve(server);
    const result = await client.call('get_prompt', { name: 'greet', arguments: { who: 'Ada', times: 3, loud: true } });
    expect(server.asked).toEqual([['prompts/get', { name: 'greet', arguments: { who: 'Ada', times: '3', loud: 'true' } }]]);
    expect(result).toEqual({
      content: [
        { type: 'text', text: "Prompt 'greet': Says hello" },
        { type: 'text', text: 'user:\n\n  Hello,\n\n"Ada" ', annotations: { priority: 1 } },
        { type: 'text', text: 'assistant:' },
        messages[1]?.content,
        { type: 'text', text: 'user:' },
        messages[2]?.content,
        { type: 'text', text: 'user:\n\n{"type":"hologram","data":1}' },
      ],
      structuredContent: { name: 'greet', description: 'Says hello', messages },
      _meta: { m: 1 },
    });
  });

  it('returns images and audio without structured content', async () => {
    const image = { type: 'image', data: 'aGk=', mimeType: 'image/png' };
    const shown = await (await serve(answering({ messages: [{ role: 'user', content: image }] }))).call('get_prompt', {
      name: 'greet',
      arguments: { who: 'x' },
    });
    expect(shown.content).toContainEqual(image);
    expect(shown.structuredContent).toBeUndefined();
    const embedded = { type: 'resource', resource: { uri: 'a://1', mimeType: 'image/png', blob: 'aGk=' } };
    const inside = await (await serve(answering({ messages: [{ role: 'user', content: embedded }] }))).call('get_prompt', {
      name: 'greet',
      arguments: { who: 'x' },
    });
    expect(inside.content).toContainEqual(image);
    expect(textOf(inside)).toContain('URI: a://1');
    expect(inside.structuredContent).toBeUndefined();
  });

  it("uses the upstream's own name of a prompt", async () => {
    const server = new FakeUpstream('two', { prefix: 'two', prompts: [{ name: 'x' }], answer: () => ({ messages: [] }) });
    const result = await (await serve(new FakeUpstream('one'), server)).call('get_prompt', { name: ' two__x ' });
    expect(result.structuredContent).toEqual({ name: 'two__x', messages: [] });
    expect(server.asked).toEqual([['prompts/get', { name: 'x', arguments: {} }]]);
  });

  it('rejects invalid input without a request to the upstream', async () => {
    const server = answering({}, [GREET, { name: 'plain' }]);
    const client = await serve(server);
    const call = async (input: Json) => {
      const result = await client.call('get_prompt', input);
      expect(result.isError).toBe(true);
      return textOf(result);
    };
    expect(await call({ name: 'gret' })).toMatch(/^Prompt 'gret' not found\.\nDid you mean 'greet'\?\n\nAvailable prompts: greet, plain\n/);
    expect(await call({ name: 'greet', arguments: { tone: 'kind' } })).toBe(
      [
        "Prompt 'greet' needs an argument that is missing: who.",
        '',
        'It takes:',
        '- who (required): Whom to greet',
        '- tone (optional): How',
        '',
        'Call get_prompt({"name":"greet","arguments":{"who":"…"}}).',
      ].join('\n'),
    );
    expect(await call({ name: 'greet', arguments: { who: ['a'] } })).toContain('Invalid input: arguments.who');
    expect(await call({ prompt: 'greet' })).toContain('Invalid input');
    expect(server.asked).toEqual([]);
  });

  it("turns the upstream's error into a result without secrets and stack traces", async () => {
    const server = new FakeUpstream('one', {
      prompts: [{ name: 'x' }],
      answer: () => {
        throw refusal(-32603, 'no luck with password=hunter2\n    at run (/srv/app/index.js:1:1)');
      },
    });
    const result = await (await serve(server)).call('get_prompt', { name: 'x' });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^Prompt 'x' is unavailable: no luck/);
    expect(textOf(result)).not.toMatch(/hunter2|index\.js/);
  });

  it("passes on the upstream's request for input", async () => {
    const needed = { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } }, requestState: 's' };
    const { source } = sourceOf(contributionOf([answering(needed, [{ name: 'x' }])]));
    const http = await serveHttp({ host: '127.0.0.1', port: 0, sources: [source], log: createRequestLog('silent') });
    onTestFinished(() => http.close());
    const { message } = await postModern(http.endpoint, 'tools/call', { name: 'get_prompt', arguments: { name: 'x' } });
    expect(message.result).toMatchObject(needed);
  });
});

describe('what upstreams offer', () => {
  it('sends list_changed exactly for the lists that differ', async () => {
    const parts = { tools: [ECHO], prompts: [GREET], resources: ['a://1'] };
    const { catalog, replace } = await open(new FakeUpstream('one', parts));
    const client = await connect(createServer({ catalog }));
    const reported = () =>
      ['tools', 'prompts', 'resources'].filter((list) => client.count(`notifications/${list}/list_changed`) > 0).join(' ');
    const announcedFor = async (next: ServerParts) => {
      client.received.length = 0;
      replace(contributionOf([new FakeUpstream('one', next)]));
      await client.request('ping');
      return reported();
    };
    expect(await announcedFor(structuredClone(parts))).toBe('');
    expect(await announcedFor({ ...parts, tools: [{ ...ECHO, description: 'another' }] })).toBe('tools');
    expect(await announcedFor(parts)).toBe('tools');
    expect(await announcedFor({ ...parts, prompts: [{ ...GREET, title: 'another' }] })).toBe('prompts');
    expect(await announcedFor({ ...parts, resources: ['a://1', 'a://2'] })).toBe('tools prompts resources');
    expect(await announcedFor({ ...parts, resources: [], readsUnlisted: true })).toBe('tools resources');
    expect(await announcedFor({ ...parts, resources: [] })).toBe('tools');
  });

  it('is reported as unavailable in every discovery while an upstream cannot be reached', async () => {
    const world = createWorld();
    world.skill('team/pdf');
    const [one, two] = [new FakeUpstream('one', { prompts: [GREET] }), new FakeUpstream('two', { resources: ['a://1'] })];
    const folders = skillFolders({ folders: [world.path('team')], standardFolders: false });
    const catalog = await Catalog.open([folders, sourceOf(contributionOf([one, two])).source]);
    onTestFinished(() => catalog.close());
    const client = await connect(createServer({ catalog }));
    for (const failure of [undefined, { kind: 'exited', message: 'it ended with code 1' } as const, undefined]) {
      two.failure = failure;
      for (const name of ['get_resource', 'list_skills', 'get_prompt']) {
        const result = await client.call(name);
        expect(result.structuredContent.unavailable, name).toEqual(failure && [{ server: 'two', kind: 'exited', reason: failure.message }]);
        expect(textOf(result).includes('Not available at the moment: two: it ended with code 1'), name).toBe(failure !== undefined);
      }
    }
  });

  it('is listed with the upstream in discovery if there are several', async () => {
    const [one, two] = [new FakeUpstream('one', { resources: ['a://1'] }), new FakeUpstream('two', { templates: ['b://{x}'] })];
    const own = defineResources([defineResource({ uri: 'own://1', name: 'own', category: 'test', read: async () => 'ours' })]);
    const discovered = async (servers: readonly FakeUpstream[]) => {
      const catalog = await Catalog.open([own, sourceOf(contributionOf(servers)).source]);
      const result = await (await connect(createServer({ catalog }))).call('get_resource');
      return { text: textOf(result), origins: result.structuredContent.data.test.map(({ origin }: Json) => origin) };
    };
    expect((await discovered([one])).origins).toEqual([undefined, undefined]);
    const several = await discovered([one, two]);
    expect(several.origins).toEqual([undefined, 'one', 'two']);
    expect(several.text).toContain('(needs x; from two)');
  });
});

describe('roles', () => {
  const HIDDEN = 'zebra';
  const parts: ServerParts = {
    tools: [ECHO, tool(HIDDEN)],
    prompts: [GREET, { name: HIDDEN }],
    resources: ['docs://public/1', `docs://private/${HIDDEN}`],
    templates: ['page://{language}/{page}', `${HIDDEN}://{x}`],
    readsUnlisted: true,
  };
  const roles = {
    reader: { tools: ['ec*', 'get_*'], prompts: ['gr*'], resources: ['docs://public/**', 'page://en/**'] },
    nobody: { tools: ['get_*'] },
    renamed: { tools: ['two__ec*'], resources: ['two+docs://**', 'two+page://en/**'] },
  };

  const audienceOf = async (role: string, ...servers: readonly FakeUpstream[]) => {
    const audiences = await CallerViews.open([sourceOf(contributionOf(servers)).source], { roles });
    onTestFinished(() => audiences.close());
    return audiences.of({ ...READER.caller, roles: [role] });
  };

  it('apply to tools and prompts by their exposed names, and to resources by URI', async () => {
    const { catalog, tools } = await audienceOf('reader', new FakeUpstream('one', parts));
    expect(listTools(catalog.snapshot, UNLIMITED_VIEW, tools).map(({ name }) => name)).toEqual([
      'echo',
      'get_resource',
      'get_resources',
      'get_prompt',
    ]);
    expect(catalog.snapshot.tools[0]?.entry).toBe(ECHO);
    expect(catalog.snapshot.prompts.map(({ entry }) => entry.name)).toEqual(['greet']);
    expect(catalog.snapshot.resources.map(({ entry }) => entry.uri)).toEqual(['docs://public/1']);
    expect(catalog.snapshot.templates.map(({ entry }) => entry.name)).toEqual(['page://{language}/{page}']);
    const [upstream] = catalog.snapshot.upstreams;
    for (const each of [...catalog.snapshot.tools, ...catalog.snapshot.prompts]) expect(each).toHaveProperty('upstream', upstream);
    for (const each of [...catalog.snapshot.resources, ...catalog.snapshot.templates]) expect(each.forwarded?.upstream).toBe(upstream);
  });

  it('apply to raw requests, and return the same error for hidden and unknown names', async () => {
    const server = new FakeUpstream('one', parts);
    const [upstream] = (await audienceOf('reader', server)).catalog.snapshot.upstreams;
    const ask = async (method: string, params: Json) => upstream?.forward(method, params, READER).catch((error: Json) => error);
    const completion = (ref: Json) => ({ ref, argument: { name: 'x', value: '' } });
    const refused: readonly [string, (name: string) => Json, number][] = [
      ['tools/call', (name) => ({ name }), -32602],
      ['prompts/get', (name) => ({ name }), -32602],
      ['resources/read', (name) => ({ uri: `docs://private/${name}` }), -32602],
      ['resources/read', (name) => ({ uri: `docs://public/../private/${name}` }), -32602],
      ['resources/subscribe', (name) => ({ uri: `docs://private/${name}` }), -32602],
      ['completion/complete', (name) => completion({ type: 'ref/prompt', name }), -32602],
      ['completion/complete', (name) => completion({ type: 'ref/resource', uri: `${name}://{x}` }), -32602],
      ['resources/read', () => ({}), -32602],
      ['tools/list', () => ({}), -32601],
      ['resources/list', () => ({}), -32601],
      ['prompts/list', () => ({}), -32601],
      ['acme/secrets', () => ({}), -32601],
    ];
    for (const [method, params, code] of refused) {
      const [hidden, absent] = [await ask(method, params(HIDDEN)), await ask(method, params('qqqqq'))];
      expect([hidden.code, hidden.data], method).toEqual([code, undefined]);
      expect(hidden.message.replaceAll(HIDDEN, 'qqqqq')).toBe(absent.message);
    }
    await expect(upstream?.watch(`docs://private/${HIDDEN}`, 'host', READER)).rejects.toMatchObject({ code: -32602 });
    upstream?.notify('notifications/acme', {}, {} as never);
    expect(server.asked).toEqual([]);

    const allowed: readonly [string, Json][] = [
      ['tools/call', { name: 'echo' }],
      ['prompts/get', { name: 'greet' }],
      ['resources/read', { uri: 'docs://public/1' }],
      ['resources/read', { uri: 'docs://public/unlisted' }],
      ['resources/subscribe', { uri: 'page://en/x' }],
      ['completion/complete', completion({ type: 'ref/prompt', name: 'greet' })],
      ['logging/setLevel', { level: 'debug' }],
      ['ping', {}],
    ];
    for (const [method, params] of allowed) expect(await ask(method, params), method).toEqual({ from: 'one' });
    await upstream?.watch('docs://public/1', 'host', READER);
    upstream?.notify('notifications/cancelled', {}, {} as never);
    expect(server.asked).toEqual([...allowed, ['watch', 'docs://public/1'], ['notifications/cancelled']]);
  });

  it('remove hidden values from completions', async () => {
    const answer = () => ({ completion: { values: ['en', HIDDEN], total: 2, hasMore: false } });
    const { catalog } = await audienceOf('reader', new FakeUpstream('one', { ...parts, answer }));
    const client = await connect(createServer({ catalog }));
    const ref = { type: 'ref/resource', uri: 'page://{language}/{page}' };
    const { result } = await client.request('completion/complete', { ref, argument: { name: 'language', value: '' } });
    expect(result).toEqual({ completion: { values: ['en'] } });
  });

  it("match exposed names, not the upstream's own", async () => {
    const [one, two] = [new FakeUpstream('one', parts), new FakeUpstream('two', { ...parts, prefix: 'two' })];
    const { snapshot } = (await audienceOf('renamed', one, two)).catalog;
    expect(snapshot.tools.map(({ entry }) => entry.name)).toEqual(['two__echo']);
    expect(snapshot.resources.map(({ entry }) => entry.uri)).toEqual(['two+docs://public/1', `two+docs://private/${HIDDEN}`]);
    const [first, second] = snapshot.upstreams;
    const read = (uri: string) => second?.forward('resources/read', { uri }, READER);
    expect(await second?.forward('tools/call', { name: 'echo' }, READER)).toEqual({ from: 'two' });
    for (const uri of ['docs://public/1', 'page://en/1']) expect(await read(uri)).toEqual({ from: 'two' });
    for (const uri of ['page://fr/1', 'docs://public/unlisted']) await expect(read(uri)).rejects.toMatchObject({ code: -32602 });
    await expect(first?.forward('tools/call', { name: 'echo' }, READER)).rejects.toMatchObject({ code: -32602 });
    await expect(first?.forward('resources/read', { uri: 'docs://public/1' }, READER)).rejects.toMatchObject({ code: -32602 });
  });

  it('hide an upstream without visible parts, and its failures', async () => {
    const [known, unheard] = [new FakeUpstream('known', parts), new FakeUpstream('unheard')];
    for (const server of [known, unheard]) server.failure = { kind: 'refused', message: 'it is down' };
    const client = await connect(createServer({ catalog: (await audienceOf('nobody', known, unheard)).catalog }));
    expect((await client.call('get_resource')).structuredContent.unavailable).toBeUndefined();
    const hidden = (await audienceOf('nobody', known)).catalog.snapshot.upstreams[0];
    expect(await hidden?.handshake()).toBeUndefined();
    hidden?.attach({} as never);
    expect(known.asked).toEqual([]);
    const reader = await connect(createServer({ catalog: (await audienceOf('reader', known, unheard)).catalog }));
    expect((await reader.call('get_resource')).structuredContent.unavailable).toEqual([
      { server: 'known', kind: 'refused', reason: 'it is down' },
    ]);
  });

  it('apply over HTTP', async () => {
    const server = new FakeUpstream('one', parts);
    const http = await serveHttp({
      host: '127.0.0.1',
      port: 0,
      sources: [sourceOf(contributionOf([server])).source],
      access: { tokens: tokensOf('reader'), roles },
      log: createRequestLog('silent'),
    });
    onTestFinished(() => http.close());
    const ask = async (method: string, params: Json = {}) =>
      (await postModern(http.endpoint, method, params, { headers: bearer('reader') })).message;
    const { tools } = (await ask('tools/list')).result;
    expect(tools.map(({ name }: Json) => name)).toEqual(['echo', 'get_resource', 'get_resources', 'get_prompt']);
    expect((await ask('tools/call', { name: 'echo', arguments: {} })).result).toMatchObject({ from: 'one', resultType: 'complete' });
    expect((await ask('tools/call', { name: HIDDEN, arguments: {} })).error).toMatchObject({ code: -32602 });
    expect((await ask('prompts/list')).result.prompts).toEqual([GREET]);
    expect((await ask('prompts/get', { name: 'greet' })).result).toMatchObject({ from: 'one' });
    expect((await ask('prompts/get', { name: HIDDEN })).error.code).toBe(-32602);
    expect((await ask('resources/read', { uri: 'docs://public/1' })).result).toMatchObject({ from: 'one' });
    for (const uri of [`docs://private/${HIDDEN}`, 'docs://private/qqqqq', 'page://fr/1'])
      expect((await ask('resources/read', { uri })).error.code).toBe(-32602);
    expect(JSON.stringify(server.asked)).not.toContain(HIDDEN);
  });
});
