/** Features of a server, through `footbridge wrap`, in each combination of the two protocol eras. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from './support/client.js';
import { COMBINATIONS, createGround, type Ground, itWhere, plain } from './support/crossing.js';
import type { Host } from './support/host.js';
import { useSources } from './support/start.js';

useSources();

const OURS = ['get_resource', 'get_resources', 'get_prompt'];
const withoutOurs = (answer: Json) => ({
  ...answer,
  result: { ...answer.result, tools: answer.result.tools.filter(({ name }: Json) => !OURS.includes(name)) },
});

/** Requests whose answers are the server's own. */
const REQUESTS: readonly [what: string, method: string, params: Json][] = [
  ['the resources', 'resources/list', {}],
  ['the templates', 'resources/templates/list', {}],
  ['the prompts', 'prompts/list', {}],
  ['a result with structure, metadata and every kind of content', 'tools/call', { name: 'structured', arguments: { city: 'Bern' } }],
  ['a result that is an error', 'tools/call', { name: 'structured', arguments: { city: 5 } }],
  ['the failure of a tool', 'tools/call', { name: 'fail' }],
  ['an error with code and data', 'prompts/get', { name: 'fail' }],
  ['the refusal of an unknown tool', 'tools/call', { name: 'nobody' }],
  ['a resource', 'resources/read', { uri: 'a://one' }],
  ['a resource of a template', 'resources/read', { uri: 'a://any/thing' }],
  ['the refusal of an unknown resource', 'resources/read', { uri: 'a://nowhere' }],
  ['a prompt', 'prompts/get', { name: 'greet', arguments: { name: 'Ada' } }],
  ['the refusal of an unknown prompt', 'prompts/get', { name: 'nobody' }],
  [
    'the completion of an argument',
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' }, context: { arguments: { other: 'x' } } },
  ],
  [
    'the completion of a variable',
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'a://any/{x}' }, argument: { name: 'x', value: 'l' } },
  ],
  ['the answer to a method that only the server knows', 'org.example/echo', { a: { b: [null, 1, 'ü'] } }],
  ['the refusal of a method that only the server knows', 'org.example/refuse', {}],
  ['the refusal of a method that nobody knows', 'org.example/nothing', {}],
];

describe.each(COMBINATIONS)('a $host host and a $server server', (combination) => {
  let ground: Ground;
  let direct: Host & { handshake: Json };
  let host: Host & { handshake: Json };

  beforeAll(async () => {
    ground = createGround();
    [direct, host] = await Promise.all([ground.direct(combination.server), ground.wrapped(combination)]);
  });
  afterAll(() => ground.clear());

  const toolNames = async () => (await host.request('tools/list')).result.tools.map(({ name }: Json) => name);

  it('answers the handshake with the information of the server', () => {
    const infoOf = ({ serverInfo, _meta }: Json) => serverInfo ?? _meta['io.modelcontextprotocol/serverInfo'];
    expect(infoOf(host.handshake)).toEqual(infoOf(direct.handshake));
    expect(host.handshake.instructions).toBe('Cross with care.');
    expect(host.handshake.capabilities).toMatchObject(direct.handshake.capabilities);
  });

  it('lists the tools unchanged, followed by ours', async () => {
    const answer = await host.request('tools/list');
    expect(plain(withoutOurs(answer))).toEqual(plain(await direct.request('tools/list')));
    expect(answer.result.tools.slice(-OURS.length).map(({ name }: Json) => name)).toEqual(OURS);
  });

  it.each(REQUESTS)('forwards %s unchanged', async (_, method, params) => {
    expect(plain(await host.request(method, params))).toEqual(plain(await direct.request(method, params)));
  });

  it('forwards a call through call_destructive_tool like a direct one', async () => {
    const through = (params: Json) => host.request('tools/call', { name: 'call_destructive_tool', arguments: params });
    for (const params of [
      { name: 'structured', arguments: { city: 'Bern' } },
      { name: 'fail', arguments: {} },
    ])
      expect(plain(await through(params))).toEqual(plain(await direct.request('tools/call', params)));
    const before = host.heard('notifications/progress').length;
    await host.call('call_destructive_tool', { name: 'progress' }, { progressToken: 'through' });
    expect(host.heard('notifications/progress').slice(before)).toHaveLength(3);
    const cancelled = async () => (await host.ask('heard')).filter((each: Json) => each === 'cancelled').length;
    const waiting = async () => (await host.ask('heard')).filter((each: Json) => each === 'waiting').length;
    const [begun, ended] = [await waiting(), await cancelled()];
    const id = host.send('tools/call', { name: 'call_destructive_tool', arguments: { name: 'wait' } });
    while ((await waiting()) === begun);
    host.cancel(id);
    while ((await cancelled()) === ended);
  });

  it('returns results in the form of its own era', async () => {
    const { result } = await host.request('tools/call', { name: 'pid' });
    expect(result.resultType).toBe(combination.host === 'modern' ? 'complete' : undefined);
    const read = (await host.request('resources/read', { uri: 'a://one' })).result;
    expect([typeof read.ttlMs, typeof read.cacheScope]).toEqual(
      combination.host === 'modern' ? ['number', 'string'] : ['undefined', 'undefined'],
    );
    const keys = Object.keys(result._meta ?? {});
    if (combination.host === 'legacy') expect(keys).toEqual([]);
  });

  it('forwards client info, capabilities and _meta to the server', async () => {
    expect(await host.ask('client', {}, { 'org.example/mark': 'x' })).toEqual(await direct.ask('client', {}, { 'org.example/mark': 'x' }));
  });

  it('receives progress with its own token', async () => {
    for (const progressToken of ['mine', 0, 'footbridge-1']) {
      const before = host.heard('notifications/progress').length;
      await host.call('progress', {}, { progressToken });
      expect(host.heard('notifications/progress').slice(before)).toEqual(
        [1, 2, 3].map((progress) => ({ progressToken, progress, total: 3, message: `step ${progress}` })),
      );
    }
    const before = host.heard('notifications/progress').length;
    await host.call('progress');
    expect(host.heard('notifications/progress')).toHaveLength(before);
  });

  it('forwards a cancellation, and answers nothing more', async () => {
    const count = async (word: string) => (await host.ask('heard')).filter((each: Json) => each === word).length;
    const id = host.send('tools/call', { name: 'wait', arguments: {} });
    while ((await count('waiting')) === 0);
    host.cancel(id);
    while ((await count('cancelled')) === 0);
    await host.request('tools/list');
    expect(host.received.some((message) => message.id === id)).toBe(false);
  });

  it("forwards the host's reason for a cancellation", async () => {
    const reasons = async () => (await host.ask('heard')).filter((each: Json) => each.because === 'Never mind').length;
    const before = await reasons();
    const waiting = async () => (await host.ask('heard')).filter((each: Json) => each === 'waiting').length;
    const begun = await waiting();
    const id = host.send('tools/call', { name: 'wait', arguments: {} });
    while ((await waiting()) === begun);
    host.notify('notifications/cancelled', { requestId: id, reason: 'Never mind' });
    while ((await reasons()) === before);
  });

  it('returns "not found" with the code of its own era', async () => {
    const { error } = await host.request('resources/read', { uri: 'a://missing' });
    const code = combination.host === 'legacy' && combination.server === 'legacy' ? -32002 : -32602;
    expect(error).toEqual({ code, message: 'Resource not found', data: { uri: 'a://missing' } });
  });

  it('logs at the level that the host sets', async () => {
    const levels = async (level: string) => {
      const before = host.heard('notifications/message').length;
      if (combination.host === 'modern') await host.call('log', {}, { 'io.modelcontextprotocol/logLevel': level });
      else {
        expect(plain(await host.request('logging/setLevel', { level }))).toEqual({ result: {} });
        await host.call('log');
      }
      return host.heard('notifications/message').slice(before);
    };
    expect(await levels('warning')).toEqual([
      { level: 'warning', logger: 'crossing', data: 'at warning' },
      { level: 'error', logger: 'crossing', data: 'at error' },
    ]);
    expect((await levels('info')).map(({ level }) => level)).toEqual(['info', 'warning', 'error']);
    expect((await levels('emergency')).map(({ level }) => level)).toEqual([]);
  });

  it('forwards unknown notifications', async () => {
    await host.call('hello');
    const said = host.heard('notifications/org.example/hello');
    expect(said).toEqual([{ to: 'everybody' }]);
  });

  it('receives updates of a resource while subscribed', async () => {
    const updates = () => host.heard('notifications/resources/updated').map(({ uri }) => uri);
    const id = await host.listen(['a://one', 'a://any/x']);
    while (updates().length === 0) await host.call('touch', { uri: 'a://one' });
    // With all that the server sent.
    expect(host.heard('notifications/resources/updated')[0]).toMatchObject({ title: 'Touched', _meta: { 'org.example/by': 'touch' } });
    while (!updates().includes('a://any/x')) await host.call('touch', { uri: 'a://any/x' });
    await host.call('touch', { uri: 'a://asking' });
    if (combination.host === 'modern') host.cancel(id);
    else for (const uri of ['a://one', 'a://any/x']) await host.request('resources/unsubscribe', { uri });
    await host.request('tools/list');
    if (combination.server === 'legacy') {
      while (!(await host.ask('heard')).includes('unsubscribe a://any/x'));
    }
    const before = updates().length;
    await host.call('touch', { uri: 'a://one' });
    await host.request('tools/list');
    expect(updates().slice(before)).toEqual([]);
    expect(updates()).not.toContain('a://asking');
  });

  it.each(['tool', 'prompt', 'resource'])('announces a new %s and its removal', async (which) => {
    const method = `notifications/${which}s/list_changed`;
    if (combination.host === 'modern') await host.listen();
    const list = async () => JSON.stringify((await host.request(`${which}s/list`)).result).includes('changing"');
    for (const there of [true, false]) {
      const before = host.heard(method).length;
      await host.call('change', { which });
      await host.until(() => host.heard(method).length > before);
      expect(await list()).toBe(there);
    }
  });

  it('answers ping itself, and the server too', async () => {
    if (combination.host === 'legacy') expect((await host.request('ping')).result).toEqual({});
    expect(await host.ask('ping')).toEqual({});
  });

  itWhere(combination.server === 'legacy')('forwards notifications of the host to the server', async () => {
    host.notify('notifications/org.example/hi', { there: [1] });
    host.notify('notifications/roots/list_changed');
    let heard: Json[] = [];
    while (heard.length < 2) heard = (await host.ask('heard')).filter((each: Json) => each.there !== undefined || each === 'roots changed');
    expect(heard).toContainEqual({ there: [1] });
    expect(heard).toContain('roots changed');
  });

  it('still works afterwards', async () => {
    expect(await toolNames()).toEqual([...(await direct.request('tools/list')).result.tools.map(({ name }: Json) => name), ...OURS]);
  });
});
