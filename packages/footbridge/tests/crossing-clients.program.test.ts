/** Through `footbridge wrap`: the SDK's client in both eras, servers that page their lists, and tasks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ENTRY, environment, type Json } from './support/client.js';
import { ANSWERS, COMBINATIONS, createGround, type Ground, plain, SERVER } from './support/crossing.js';
import { ALL_CAPABILITIES, type Era, type Host } from './support/host.js';
import { EVERYTHING } from './support/npm-servers.js';

let ground: Ground;
beforeAll(() => {
  ground = createGround();
});
afterAll(() => ground.clear());

const throughFootbridge = (...command: readonly string[]) => [ENTRY, 'wrap', '--', process.execPath, ...command];

describe.each(COMBINATIONS)("the SDK's client in the $host era and a $server server", ({ host, server }) => {
  it('support all features with each other', async () => {
    const client = new Client(
      { name: 'client', version: '1' },
      {
        capabilities: ALL_CAPABILITIES,
        versionNegotiation: { mode: host === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
      },
    );
    client.setRequestHandler('sampling/createMessage', () => ANSWERS['sampling/createMessage']() as Json);
    client.setRequestHandler('elicitation/create', ({ params }) => ANSWERS['elicitation/create'](params) as Json);
    client.setRequestHandler('roots/list', () => ANSWERS['roots/list']());
    const updates: string[] = [];
    const changes: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void updates.push(params.uri));
    client.setNotificationHandler('notifications/tools/list_changed', () => void changes.push('tools'));
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: throughFootbridge(SERVER, server),
        env: environment(ground.folder) as Record<string, string>,
        stderr: 'ignore',
      }),
    );
    onTestFinished(() => client.close());
    const call = async (name: string, args: Record<string, unknown> = {}): Promise<Json> =>
      ((await client.callTool({ name, arguments: args })) as Json).content[0].text;

    expect(client.getServerVersion()).toMatchObject({ name: 'crossing', version: '3.2.1' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('structured');
    expect(await client.callTool({ name: 'structured', arguments: { city: 'Bern' } })).toMatchObject({
      structuredContent: { city: 'Bern', degrees: 21 },
    });
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['a://one', 'a://asking', 'a://missing']);
    expect((await client.readResource({ uri: 'a://any/x' })).contents).toEqual([
      { uri: 'a://any/x', mimeType: 'application/json', text: '{"x":"x"}' },
    ]);
    expect((await client.getPrompt({ name: 'greet', arguments: { name: 'Ada' } })).messages).toHaveLength(1);
    const completion = await client.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } });
    expect(completion.completion.values).toEqual(['greet name A {}']);
    const progress: number[] = [];
    const progressing = client.callTool({ name: 'seen_progress', arguments: {} }, { onprogress: (each) => progress.push(each.progress) });
    await expect.poll(() => progress).toEqual([1, 2, 3]);
    await call('seen');
    await progressing;
    expect(JSON.parse(await call('sample')).content.text).toBe('Paris');
    expect(JSON.parse(await call('several'))).toHaveLength(3);
    expect(await call('rounds')).toBe('my one my two my three');
    expect((await client.readResource({ uri: 'a://asking' })).contents[0]).toMatchObject({ text: 'my colour' });
    await expect(client.getPrompt({ name: 'fail' })).rejects.toMatchObject({ code: -32077, data: { floor: 3, tags: ['a'] } });
    if (host === 'legacy') await client.subscribeResource({ uri: 'a://one' });
    else await client.listen({ toolsListChanged: true, resourceSubscriptions: ['a://one'] });
    while (updates.length === 0) await call('touch', { uri: 'a://one' });
    await call('change', { which: 'tool' });
    while (changes.length === 0) await call('pid');
    const controller = new AbortController();
    const waiting = client.callTool({ name: 'wait', arguments: {} }, { signal: controller.signal });
    while (!(await call('heard')).includes('waiting'));
    controller.abort();
    await expect(waiting).rejects.toThrow();
    while (!(await call('heard')).includes('cancelled'));
  });
});

describe('a server with paginated lists', () => {
  const many = (make: (index: number) => Json) => Array.from({ length: 7 }, (_, index) => make(index));
  const OFFER = {
    tools: many((index) => ({ name: `tool-${index}`, inputSchema: { type: 'object' }, unknown: index })),
    resources: many((index) => ({ uri: `a://${index}`, name: `resource-${index}`, unknown: index })),
    resourceTemplates: many((index) => ({ uriTemplate: `b://${index}/{x}`, name: `template-${index}`, unknown: index })),
    prompts: many((index) => ({ name: `prompt-${index}`, unknown: index })),
  };
  const METHODS = {
    tools: 'tools/list',
    resources: 'resources/list',
    resourceTemplates: 'resources/templates/list',
    prompts: 'prompts/list',
  };

  /** All pages of a list. */
  async function all(host: Host, field: keyof typeof METHODS): Promise<Json[]> {
    const entries: Json[] = [];
    let cursor: string | undefined;
    do {
      const { result } = await host.request(METHODS[field], cursor === undefined ? {} : { cursor });
      entries.push(...result[field]);
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return entries;
  }

  it.each([
    ['legacy', 'server-v1.mjs', []],
    ['legacy', 'server-v2.mjs', ['modern']],
    ['modern', 'server-v1.mjs', []],
    ['modern', 'server-v2.mjs', ['modern']],
  ] as const)('has all of them for a %s host: %s', async (era, script, args) => {
    const offer = join(ground.folder, 'offer.json');
    writeFileSync(offer, JSON.stringify(OFFER));
    const host = await ground.start(era, throughFootbridge(join(import.meta.dirname, 'fixtures', script), offer, ...args));
    for (const field of ['resources', 'resourceTemplates', 'prompts'] as const) expect(await all(host, field)).toEqual(OFFER[field]);
    expect((await all(host, 'tools')).slice(0, 7)).toEqual(OFFER.tools);
    expect((await host.request('resources/list', { cursor: 'made up' })).error.code).toBe(-32602);
  });
});

describe('tasks', () => {
  const FIXTURE = join(import.meta.dirname, '..', '..', '..', 'conformance', 'fixture', 'server.mjs');
  const TASKS = { ...ALL_CAPABILITIES, extensions: { 'io.modelcontextprotocol/tasks': {} } };

  it('of the modern era are created, polled, answered and cancelled', async () => {
    const host = await ground.start('modern', throughFootbridge(FIXTURE), { capabilities: TASKS });
    expect(host.handshake.capabilities.extensions).toHaveProperty(['io.modelcontextprotocol/tasks']);
    const begin = async (name: string, args: Json) => (await host.request('tools/call', { name, arguments: args })).result;
    const state = async (taskId: string, status: string): Promise<Json> => {
      for (;;) {
        const { result } = await host.request('tasks/get', { taskId });
        if (result.status === status) return result;
      }
    };
    const quick = await begin('slow_compute', { seconds: 0.05 });
    expect(quick).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.any(String) });
    expect((await state(quick.taskId, 'completed')).result.content[0].text).toBe('computed: done after 0.05 s');
    const asking = await begin('confirm_delete', { filename: 'a.txt' });
    const { inputRequests } = await state(asking.taskId, 'input_required');
    const inputResponses = { [Object.keys(inputRequests)[0] ?? '']: { action: 'accept', content: { confirm: true } } };
    expect((await host.request('tasks/update', { taskId: asking.taskId, inputResponses })).error).toBeUndefined();
    expect((await state(asking.taskId, 'completed')).result.content[0].text).toBe('Deleted a.txt.');
    const long = await begin('slow_compute', { seconds: 60 });
    await host.request('tasks/cancel', { taskId: long.taskId });
    await state(long.taskId, 'cancelled');
    expect((await host.request('tasks/get', { taskId: 'nobody' })).error.code).toBe(-32602);
  });

  it('of the legacy era are created, polled, answered and completed', async () => {
    const tasks = { list: {}, cancel: {}, requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } };
    const work = async (host: Host) => {
      const call = { name: 'simulate-research-query', arguments: { topic: 'bridges', ambiguous: true }, task: { ttl: 60_000 } };
      const { result } = await host.request('tools/call', call);
      const { taskId } = result.task;
      const got = (await host.request('tasks/get', { taskId })).result;
      const ended = (await host.request('tasks/result', { taskId })).result;
      const unknown = (await host.request('tasks/get', { taskId: 'nobody' })).error;
      return JSON.parse(JSON.stringify([Object.keys(result.task), got.status, ended, unknown.code]).replaceAll(taskId, 'TASK'));
    };
    const options = {
      capabilities: { ...ALL_CAPABILITIES, tasks },
      answers: { ...ANSWERS, 'elicitation/create': () => ({ action: 'accept', content: { interpretation: 'technical' } }) },
    };
    const start = (args: readonly string[]) => ground.start('legacy' satisfies Era, args, options);
    const [direct, wrapped] = await Promise.all([start([EVERYTHING]), start(throughFootbridge(EVERYTHING))]);
    expect(wrapped.handshake.capabilities.tasks).toEqual(direct.handshake.capabilities.tasks);
    const [one, other] = await Promise.all([work(direct), work(wrapped)]);
    expect(other).toEqual(one);
    expect(wrapped.questions.filter(([method]) => method === 'elicitation/create')).toHaveLength(1);
    expect(plain(await wrapped.request('tasks/get', { taskId: 'x' }))).toEqual(plain(await direct.request('tasks/get', { taskId: 'x' })));
  });
});
