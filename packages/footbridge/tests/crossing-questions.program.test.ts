/** Requests of a server to the host, through `footbridge wrap`, in each combination of the two protocol eras. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from './support/client.js';
import { ANSWERS, COMBINATIONS, createGround, type Ground, isAlive, itWhere } from './support/crossing.js';
import type { Host } from './support/host.js';
import { useSources } from './support/start.js';

useSources();

const NEVER = () => new Promise(() => {});
const MESSAGE = { messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }], maxTokens: 10 };
const FORM = { mode: 'form', message: 'Which colour?', requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } } };

describe.each(COMBINATIONS)('a $host host and a $server server', (combination) => {
  const { host: hostEra, server: serverEra } = combination;
  let ground: Ground;
  let host: Host;
  /** Can do nothing. */
  let unable: Host;

  beforeAll(async () => {
    ground = createGround();
    [host, unable] = await Promise.all([ground.wrapped(combination), ground.wrapped(combination, { capabilities: {} })]);
  });
  afterAll(() => ground.clear());

  /** What it was asked in the course of something. */
  const askedDuring = async (work: () => Promise<unknown>): Promise<Json[]> => {
    const before = host.questions.length;
    await work();
    return host.questions.slice(before);
  };

  it.each([
    ['its model', 'sample', 'sampling/createMessage', MESSAGE],
    ['its user, by a form', 'elicit', 'elicitation/create', FORM],
    ['its roots', 'roots', 'roots/list', undefined],
  ] as const)('asks the host for %s, and gives the server the answer', async (_, tool, method, params) => {
    const questions = await askedDuring(async () => {
      expect(await host.ask(tool)).toEqual(ANSWERS[method](params as Json));
      expect(await host.ask('call_destructive_tool', { name: tool })).toEqual(ANSWERS[method](params as Json));
    });
    expect(questions).toEqual([
      [method, params],
      [method, params],
    ]);
  });

  it('sends the user to a URL', async () => {
    const [[method, params]] = await askedDuring(async () => expect(await host.ask('visit')).toEqual({ action: 'accept' }));
    const { elicitationId, ...rest } = params;
    expect([method, rest]).toEqual(['elicitation/create', { mode: 'url', message: 'Sign in first.', url: 'https://example.org/sign-in' }]);
    if (serverEra === 'legacy') expect(elicitationId).toBe('e1');
    else expect(typeof elicitationId).toBe(hostEra === 'legacy' ? 'string' : 'undefined');
  });

  it('requests several inputs at once', async () => {
    const questions = await askedDuring(async () =>
      expect(await host.ask('several')).toEqual([
        { action: 'accept', content: { colour: 'my colour' } },
        ANSWERS['sampling/createMessage'](),
        ANSWERS['roots/list'](),
      ]),
    );
    expect(questions.map(([method]) => method).sort()).toEqual(['elicitation/create', 'roots/list', 'sampling/createMessage']);
  });

  it('requests input repeatedly', async () => {
    const questions = await askedDuring(async () => expect(await host.call('rounds')).toBe('my one my two my three'));
    expect(questions.map(([, { message }]) => message)).toEqual(['Which one?', 'Which two?', 'Which three?']);
  });

  it('requests input during a read and a prompt, also by our tools', async () => {
    const read = await host.converse('resources/read', { uri: 'a://asking' });
    expect(read.result.contents).toEqual([{ uri: 'a://asking', text: 'my colour' }]);
    const got = await host.converse('prompts/get', { name: 'asking' });
    expect(got.result.messages[0].content.text).toBe('my colour');
    expect(await host.call('get_resource', { uri: 'a://asking' })).toBe('my colour');
    expect(await host.call('get_prompt', { name: 'asking' })).toContain('my colour');
  });

  it('answers each of two calls at the same time', async () => {
    const [one, two] = await Promise.all([host.ask('choose', { field: 'hat' }), host.ask('choose', { field: 'coat' })]);
    expect([one.content, two.content]).toEqual([{ hat: 'my hat' }, { coat: 'my coat' }]);
  });

  it('can be asked while another request is pending', async () => {
    const [chosen, lingered] = await Promise.all([host.ask('choose', { field: 'hat', after: 100 }), host.request('org.example/linger')]);
    expect(chosen.content).toEqual({ hat: 'my hat' });
    expect(lingered.result.lingered).toBe(true);
  });

  itWhere(hostEra === 'modern')('is asked by the pending call, not by a suspended one', async () => {
    const late = host.ask('choose', { field: 'hat', after: 100 });
    expect((await host.request('tools/call', { name: 'choose', arguments: { field: 'coat' } })).result.resultType).toBe('input_required');
    expect((await late).content).toEqual({ hat: 'my hat' });
  });

  it('sends the user to a URL before a call, as its era does', async () => {
    const answer = await host.converse('tools/call', { name: 'visit_required', arguments: {} });
    if (hostEra === 'legacy' && serverEra === 'legacy')
      expect(answer.error).toEqual({
        code: -32042,
        message: 'Sign in first.',
        data: { elicitations: [{ mode: 'url', message: 'Sign in first.', url: 'https://example.org/sign-in', elicitationId: 'e2' }] },
      });
    else {
      expect(answer.result.content[0].text).toBe('welcome');
      expect(host.questions.at(-1)).toEqual([
        'elicitation/create',
        expect.objectContaining({ mode: 'url', url: 'https://example.org/sign-in' }),
      ]);
    }
  });

  itWhere(serverEra === 'legacy')('forwards an unknown request, or refuses it at once', async () => {
    expect(await host.ask('vendor')).toEqual(
      hostEra === 'legacy' ? { answered: { deep: [1] } } : { code: -32601, message: expect.stringContaining('org.example/question') },
    );
  });

  itWhere(serverEra === 'legacy' && hostEra === 'legacy')('forwards progress of the host with the token of the server', async () => {
    let finish = (_answer: Json) => {};
    const slow = await ground.wrapped(combination, {
      answers: { 'sampling/createMessage': () => new Promise((resolve) => (finish = resolve)) },
    });
    const answer = slow.ask('patient');
    const { params } = await slow.seen(({ method }) => method === 'sampling/createMessage');
    slow.notify('notifications/progress', { progressToken: params._meta.progressToken, progress: 1, message: 'thinking' });
    const reported = { progressToken: 'of the server', progress: 1, message: 'thinking' };
    while (!JSON.stringify(await slow.ask('heard')).includes('thinking'));
    expect(await slow.ask('heard')).toContainEqual(reported);
    finish(ANSWERS['sampling/createMessage']());
    expect(await answer).toEqual(ANSWERS['sampling/createMessage']());
  });

  itWhere(serverEra === 'legacy')('lets the server cancel its request', async () => {
    const open = await ground.wrapped(combination, {
      answers: { ...ANSWERS, 'elicitation/create': hostEra === 'legacy' ? NEVER : ANSWERS['elicitation/create'] },
    });
    expect(await open.call('withdraw')).toBe('withdrawn');
    if (hostEra === 'modern') return;
    const { id } = await open.seen(({ method }) => method === 'elicitation/create');
    expect(await open.seen(({ method }) => method === 'notifications/cancelled')).toMatchObject({
      params: { requestId: id, reason: 'Too late' },
    });
  });

  itWhere(hostEra === 'legacy')('forwards a refusal of the host with code and data', async () => {
    const refusing = await ground.wrapped(combination, {
      answers: {
        'sampling/createMessage': () => {
          throw Object.assign(new Error('User rejected'), { code: -1, data: { by: 'user' } });
        },
        'elicitation/create': () => ({ action: 'decline' }),
      },
    });
    const answer = await refusing.ask('sample').catch((cause: Json) => ({ code: cause.code, message: cause.message, data: cause.data }));
    expect(answer).toEqual({ code: -1, message: 'User rejected', data: { by: 'user' } });
    expect(await refusing.ask('elicit')).toEqual({ action: 'decline' });
  });

  itWhere(hostEra === 'legacy' && serverEra === 'modern')('cancels the other requests when one is refused', async () => {
    const refusing = await ground.wrapped(combination, { answers: { 'roots/list': NEVER, 'elicitation/create': NEVER } });
    const { error } = await refusing.request('tools/call', { name: 'several', arguments: {} });
    expect(error).toMatchObject({ code: -32601, message: 'no answer to sampling/createMessage' });
    const open = refusing.received.filter(({ method }) => method === 'roots/list' || method === 'elicitation/create').map(({ id }) => id);
    await refusing.until(() => refusing.heard('notifications/cancelled').length === 2);
    expect(refusing.heard('notifications/cancelled').map(({ requestId }) => requestId)).toEqual(open);
  });

  it.each(['sample', 'elicit', 'visit', 'roots', 'several'])('rejects at once what the host does not support: %s', async (name) => {
    const { result, error } = await unable.converse('tools/call', { name, arguments: {} });
    expect(unable.questions).toEqual([]);
    expect(JSON.stringify(error ?? result)).toMatch(/support|capabilit/i);
    expect(await unable.call('pid')).toMatch(/^\d+$/);
  });

  it('is cancelled while input is requested', async () => {
    const silent = await ground.wrapped(combination, { answers: { 'elicitation/create': NEVER } });
    const id = silent.send('tools/call', { name: 'elicit', arguments: {} });
    if (hostEra === 'legacy') {
      await silent.seen(({ method }) => method === 'elicitation/create');
      silent.cancel(id);
      if (serverEra === 'modern') await silent.seen(({ method }) => method === 'notifications/cancelled');
      await silent.call('pid');
      expect(silent.received.filter((message) => message.id === id && message.method === undefined)).toEqual([]);
    } else expect((await silent.seen((message) => message.id === id)).result.resultType).toBe('input_required');
  });

  it('ends the server when the host disconnects while input is requested', async () => {
    const silent = await ground.wrapped(combination, { answers: { 'elicitation/create': NEVER } });
    const pid = Number(await silent.call('pid'));
    silent.send('tools/call', { name: 'elicit', arguments: {} }, 'open');
    await silent.seen(({ method, id }) => method === 'elicitation/create' || id === 'open');
    expect(isAlive(pid)).toBe(true);
    await silent.close();
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  });
});

describe('the state of a request', () => {
  const begin = async (host: Host, name: string) => (await host.request('tools/call', { name, arguments: {} })).result;
  const proceed = (host: Host, name: string, { inputRequests }: Json, requestState: unknown) =>
    host.request('tools/call', {
      name,
      arguments: {},
      requestState,
      inputResponses: Object.fromEntries(
        Object.entries<Json>(inputRequests).map(([key, { params }]) => [key, ANSWERS['elicitation/create'](params)]),
      ),
    });

  it('of a modern server is checked by the server', async () => {
    const ground = createGround();
    const [direct, host] = await Promise.all([ground.direct('modern'), ground.wrapped({ host: 'modern', server: 'modern' })]);
    const [one, other] = await Promise.all([begin(direct, 'rounds'), begin(host, 'rounds')]);
    const tampered = `${other.requestState.slice(0, -3)}AAA`;
    expect((await proceed(host, 'rounds', other, tampered)).error).toEqual((await proceed(direct, 'rounds', one, tampered)).error);
    expect((await proceed(host, 'rounds', other, other.requestState)).result.resultType).toBe('input_required');
    await ground.clear();
  });

  it('of a legacy server is checked by Footbridge: invalid, modified and used states are rejected', async () => {
    const ground = createGround();
    const host = await ground.wrapped({ host: 'modern', server: 'legacy' });
    const asked = await begin(host, 'elicit');
    const refusal = { code: -32602, message: expect.stringContaining('requestState'), data: { reason: 'invalid_request_state' } };
    for (const state of [`${asked.requestState.slice(0, -1)}!`, 'footbridge:', 'footbridge:0'])
      expect((await proceed(host, 'elicit', asked, state)).error).toEqual(refusal);
    expect((await proceed(host, 'elicit', asked, asked.requestState)).result.content[0].text).toContain('my colour');
    expect((await proceed(host, 'elicit', asked, asked.requestState)).error).toEqual(refusal);
    await ground.clear();
  });

  it('of a legacy server ends with the server', async () => {
    const ground = createGround();
    const host = await ground.wrapped({ host: 'modern', server: 'legacy' });
    const asked = await begin(host, 'elicit');
    const pid = Number(await host.call('pid'));
    process.kill(pid, 'SIGKILL');
    while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
    expect((await proceed(host, 'elicit', asked, asked.requestState)).error).toBeDefined();
    expect(Number(await host.call('pid'))).not.toBe(pid);
    await ground.clear();
  });

  it('of a legacy server is valid only for its own request', async () => {
    const ground = createGround();
    const host = await ground.wrapped({ host: 'modern', server: 'legacy' });
    const asked = await begin(host, 'elicit');
    expect((await proceed(host, 'sample', asked, asked.requestState)).error).toMatchObject({ code: -32602 });
    expect((await proceed(host, 'elicit', asked, asked.requestState)).result.content[0].text).toContain('my colour');
    await ground.clear();
  });
});
