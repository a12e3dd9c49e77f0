/** Messages between many HTTP callers and a server, in each combination of the two protocol eras. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Json } from './support/client.js';
import { ANSWERS, COMBINATIONS, isAlive, itWhere, plain, SERVER } from './support/crossing.js';
import { type Era, Host, type HostOptions, type HttpOpening, http, stdio } from './support/host.js';
import { type HttpProcess, launchHttp, until } from './support/http-server.js';
import { useSources } from './support/start.js';
import { bearer, tokensOf } from './support/tokens.js';

useSources();

type Isolation = 'caller' | 'shared';
const ISOLATIONS: readonly Isolation[] = ['caller', 'shared'];
const NEVER = () => new Promise(() => {});
/** Each test has callers of its own. */
const NAMES = Array.from({ length: 100 }, (_, index) => `caller${index}`);
const names = [...NAMES];
const nextName = () => names.pop() ?? '';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'footbridge-')));
const stops: (() => Promise<void>)[] = [];
const programs = new Map<string, HttpProcess>();

/** A server of each era, wrapped both ways. */
beforeAll(async () => {
  const config = join(root, 'access.json');
  writeFileSync(config, JSON.stringify({ http: { tokens: tokensOf(...NAMES, 'admin') } }));
  const start = async (server: Era, isolation: Isolation) => {
    const home = join(root, `${server}-${isolation}`);
    mkdirSync(home);
    const args = ['--config', config, '--isolation', isolation, '--', process.execPath, SERVER, server];
    const program = await launchHttp({ project: home, home }, { command: 'wrap', args }, (stop) => stops.push(stop));
    programs.set(`${server} ${isolation}`, program);
  };
  await Promise.all((['legacy', 'modern'] as const).flatMap((server) => ISOLATIONS.map((isolation) => start(server, isolation))));
});
afterAll(async () => {
  await Promise.all(stops.map((stop) => stop()));
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});

function programOf(server: Era, isolation: Isolation): HttpProcess {
  const program = programs.get(`${server} ${isolation}`);
  if (program === undefined) throw new Error('it did not start');
  return program;
}

interface Guest {
  readonly host: Host & { readonly handshake: Json };
  readonly wire: HttpOpening;
  readonly name: string;
}

/** A caller whose answers say whose they are. */
async function visit(
  { endpoint }: HttpProcess,
  era: Era,
  options: Partial<HostOptions> = {},
  atEnd: (close: () => Promise<void>) => void = onTestFinished,
): Promise<Guest> {
  const name = options.name ?? nextName();
  const wire = http(endpoint, bearer(name));
  const answers = {
    ...ANSWERS,
    'sampling/createMessage': () => ({ role: 'assistant', model: 'test', content: { type: 'text', text: `${name} says Paris` } }),
    'elicitation/create': ({ requestedSchema }: Json) => ({
      action: 'accept',
      content: Object.fromEntries(Object.keys(requestedSchema?.properties ?? {}).map((field) => [field, `${name} ${field}`])),
    }),
  };
  const host = await Host.connect({ era, open: wire, answers, name, ...options });
  atEnd(() => host.close());
  return { host, wire, name };
}

const heard = async (host: Host, word: string) => (await host.ask('heard')).filter((each: Json) => each === word).length;

describe.each(COMBINATIONS)('a $host host and a $server server over HTTP', ({ host: era, server }) => {
  const closers: (() => Promise<void>)[] = [];
  /** Two callers of each kind. */
  const guests: Record<Isolation, readonly Guest[]> = { caller: [], shared: [] };
  beforeAll(async () => {
    for (const isolation of ISOLATIONS)
      guests[isolation] = await Promise.all([1, 2].map(() => visit(programOf(server, isolation), era, {}, (close) => closers.push(close))));
  });
  afterAll(async () => {
    await Promise.all(closers.map((close) => close()));
  });
  const guestOf = (isolation: Isolation, index = 0): Guest => {
    const guest = guests[isolation][index];
    if (guest === undefined) throw new Error('nobody is there');
    return guest;
  };

  it('lists what the server offers', async () => {
    const { host, name } = guestOf('caller');
    const direct = await Host.connect({ era: server, open: stdio([SERVER, server], root), name });
    onTestFinished(() => direct.close());
    for (const [method, params] of [
      ['resources/list', {}],
      ['prompts/list', {}],
      ['tools/call', { name: 'structured', arguments: { city: 'Bern' } }],
      ['tools/call', { name: 'fail' }],
      ['prompts/get', { name: 'fail' }],
      ['tools/call', { name: 'client' }],
      ['resources/read', { uri: 'a://any/thing' }],
      ['resources/read', { uri: 'a://nowhere' }],
      ['prompts/get', { name: 'greet', arguments: { name: 'Ada' } }],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'name', value: 'A' } }],
      ['org.example/echo', { a: [null] }],
      ['org.example/refuse', {}],
    ] as const)
      expect(plain(await host.request(method, params)), method).toEqual(plain(await direct.request(method, params)));
  });

  it('sends requests to the right caller if each has a connection, also concurrently', async () => {
    expect(new Set(await Promise.all(guests.caller.map(({ host }) => host.call('pid')))).size).toBe(2);
    for (let round = 0; round < 2; round++)
      await Promise.all(
        guests.caller.map(async ({ host, name }) => {
          const answers = await Promise.all([host.ask('sample'), host.ask('elicit'), host.call('rounds'), host.ask('several')]);
          const [sampled, elicited, rounds, [colour]] = answers;
          expect(sampled.content.text).toBe(`${name} says Paris`);
          expect([elicited.content, colour.content]).toEqual([{ colour: `${name} colour` }, { colour: `${name} colour` }]);
          expect(rounds).toBe(`${name} one ${name} two ${name} three`);
          const { result } = await host.converse('resources/read', { uri: 'a://asking' });
          expect(result.contents[0].text).toBe(`${name} colour`);
        }),
      );
  });

  it('sends requests to callers who share a modern server, and rejects them for a shared legacy server', async () => {
    expect(new Set(await Promise.all(guests.shared.map(({ host }) => host.call('pid')))).size).toBe(1);
    await Promise.all(
      guests.shared.map(async ({ host, name }) => {
        const answer = await host.ask('sample');
        if (server === 'legacy') expect(answer).toMatchObject({ code: -32601, message: expect.stringContaining('share') });
        else expect(answer.content.text).toBe(`${name} says Paris`);
      }),
    );
  });

  it('rejects requests at once that the host does not support', async () => {
    const { host } = await visit(programOf(server, 'caller'), era, { capabilities: {} });
    for (const name of ['sample', 'elicit', 'roots']) {
      const { result, error } = await host.converse('tools/call', { name, arguments: {} });
      expect(JSON.stringify(error ?? result)).toMatch(/support|capabilit/i);
    }
  });

  describe.each(ISOLATIONS)('isolated by %s', (isolation) => {
    it('receives its own progress although another caller uses the same token', async () => {
      await Promise.all(guests[isolation].map(({ host }) => host.call('progress', {}, { progressToken: 'same' })));
      for (const { host } of guests[isolation])
        expect(host.heard('notifications/progress')).toEqual(
          [1, 2, 3].map((progress) => ({ progressToken: 'same', progress, total: 3, message: `step ${progress}` })),
        );
    });

    it('receives updates of a resource', async () => {
      const { host } = guestOf(isolation);
      const id = await host.listen(['a://one']);
      while (host.heard('notifications/resources/updated').length === 0) {
        await host.call('touch', { uri: 'a://one' });
        await host.call('slow');
      }
      expect(host.heard('notifications/resources/updated')[0].uri).toBe('a://one');
      if (era === 'modern') host.cancel(id);
      else await host.request('resources/unsubscribe', { uri: 'a://one' });
      if (server === 'legacy') while (!(await host.ask('heard')).includes('unsubscribe a://one'));
    });

    it('logs at the level of each caller', async () => {
      // The last to say so wants less than the first.
      const levels = ['info', 'error'];
      const log = async ({ host }: Guest, level: string) => {
        if (era === 'modern') await host.call('log', {}, { 'io.modelcontextprotocol/logLevel': level });
        else await host.call('log');
        await host.until(() => host.heard('notifications/message').some((each) => each.level === 'error'));
        return host.heard('notifications/message').map((each) => each.level);
      };
      if (era === 'legacy')
        for (const [index, { host }] of guests[isolation].entries()) await host.request('logging/setLevel', { level: levels[index] });
      const [other, one] = [guestOf(isolation), guestOf(isolation, 1)];
      const first = await log(one, 'error');
      expect(first).toEqual(['error']);
      one.host.received.length = 0;
      other.host.received.length = 0;
      expect(await log(other, 'info')).toEqual(['info', 'warning', 'error']);
    });

    it('announces a changed list to the caller whose call changed it', async () => {
      const { host } = await visit(programOf(server, isolation), era);
      if (era === 'modern') await host.listen();
      for (const which of ['tool', 'prompt']) {
        const method = `notifications/${which}s/list_changed`;
        for (let change = 0; change < 2; change++) {
          const before = host.heard(method).length;
          await host.call('change', { which });
          await host.until(() => host.heard(method).length > before);
        }
      }
    });

    it('cancels a request that is answered by JSON or by a stream', async () => {
      const { host, wire } = guestOf(isolation);
      for (const id of ['short', 'long']) {
        const [waiting, cancelled] = [await heard(host, 'waiting'), await heard(host, 'cancelled')];
        // A request with a progress token gets a stream in either era.
        host.send('tools/call', { name: 'wait', arguments: {}, ...(id === 'long' ? { _meta: { progressToken: 1 } } : {}) }, id);
        while ((await heard(host, 'waiting')) === waiting);
        // Long enough for a stream, where there is to be one.
        if (id === 'long') await host.call('slow');
        host.cancel(id);
        while ((await heard(host, 'cancelled')) === cancelled);
        if (era === 'legacy') await until(() => wire.over.has(id));
      }
      expect(host.received.filter(({ id, result }) => (id === 'short' || id === 'long') && result !== undefined)).toEqual([]);
    });
  });

  it('announces new tools, prompts and resources of a shared server', async () => {
    const { host } = guestOf('shared');
    await host.listen();
    await host.call('slow');
    for (const which of ['tool', 'prompt', 'resource'])
      for (const there of [true, false]) {
        const method = `notifications/${which}s/list_changed`;
        const before = host.heard(method).length;
        await host.call('change', { which });
        await host.until(() => host.heard(method).length > before);
        expect(JSON.stringify((await host.request(`${which}s/list`)).result).includes('changing"')).toBe(there);
      }
  });

  itWhere(era === 'modern')('cancels a request when its client disconnects', async () => {
    const { host } = guestOf('caller');
    const [waiting, cancelled] = [await heard(host, 'waiting'), await heard(host, 'cancelled')];
    host.send('tools/call', { name: 'wait', arguments: {} }, 'left');
    while ((await heard(host, 'waiting')) === waiting);
    host.leave('left');
    while ((await heard(host, 'cancelled')) === cancelled);
  });

  itWhere(era === 'legacy')('continues a call whose stream broke, since its client may resume it', async () => {
    const { host } = guestOf('caller');
    const [waiting, cancelled] = [await heard(host, 'waiting'), await heard(host, 'cancelled')];
    host.send('tools/call', { name: 'wait', arguments: {} }, 'left');
    while ((await heard(host, 'waiting')) === waiting);
    await host.call('slow');
    host.leave('left');
    await host.call('slow');
    expect(await heard(host, 'cancelled')).toBe(cancelled);
    host.cancel('left');
    while ((await heard(host, 'cancelled')) === cancelled);
  });

  itWhere(era === 'legacy' && server === 'legacy')('forwards notifications of the host to its own server', async () => {
    const { host } = guestOf('caller');
    host.notify('notifications/roots/list_changed');
    host.notify('notifications/org.example/hi', { there: [1] });
    while ((await heard(host, 'roots changed')) === 0);
    while (!JSON.stringify(await host.ask('heard')).includes('{"there":[1]}'));
    expect(await heard(guestOf('caller', 1).host, 'roots changed')).toBe(0);
  });

  itWhere(era === 'legacy')('ends the server of a session with the session, also while input is requested', async () => {
    const { host } = await visit(programOf(server, 'caller'), era, { answers: { 'elicitation/create': NEVER } });
    const pid = Number(await host.call('pid'));
    host.send('tools/call', { name: 'elicit', arguments: {} });
    await host.seen(({ method }) => method === 'elicitation/create');
    await host.close();
    await until(() => !isAlive(pid));
  });

  itWhere(era === 'legacy')('ends the stream of a call that is cancelled while input is requested', async () => {
    const { host, wire } = await visit(programOf(server, 'caller'), era, { answers: { 'elicitation/create': NEVER } });
    for (const [id, method, params] of [
      ['call', 'tools/call', { name: 'elicit', arguments: {} }],
      ['prompt', 'prompts/get', { name: 'asking' }],
    ] as const) {
      const before = host.questions.length;
      host.send(method, params, id);
      await host.until(() => host.questions.length > before);
      host.cancel(id);
      await until(() => wire.over.has(id));
      expect(host.received.some((message) => message.id === id && message.result !== undefined)).toBe(false);
    }
  });

  itWhere(era === 'legacy')('answers quickly with JSON and later by a stream, each counted once', async () => {
    const program = programOf(server, 'shared');
    const counted = async () => {
      const text = await (await fetch(new URL('/metrics', program.origin), { headers: bearer('admin') })).text();
      const lines = text.split('\n').filter((line) => line.startsWith('footbridge_requests_total') && line.includes('"tools/call"'));
      return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    };
    const { host, wire } = guestOf('shared');
    await host.call('pid');
    const before = await counted();
    let quick = 0;
    // On a busy machine not each of them is quick.
    do await host.request('tools/call', { name: 'pid' }, `quick-${++quick}`);
    while (wire.kinds.get(`quick-${quick}`) !== 'application/json');
    await host.request('tools/call', { name: 'slow' }, 'slow');
    await host.request('tools/call', { name: 'progress', _meta: { progressToken: 1 } }, 'telling');
    expect([wire.kinds.get('slow'), wire.kinds.get('telling')]).toEqual(['text/event-stream', 'text/event-stream']);
    await until(async () => (await counted()) - before >= quick + 2);
    expect((await counted()) - before).toBe(quick + 2);
  });

  itWhere(era === 'modern')('rejects the request state of another caller and accepts its own', async () => {
    const [one, other] = [guestOf('caller'), guestOf('caller', 1)];
    const asked = (await one.host.request('tools/call', { name: 'rounds', arguments: {} })).result;
    const [key = ''] = Object.keys(asked.inputRequests);
    const again = {
      name: 'rounds',
      arguments: {},
      requestState: asked.requestState,
      inputResponses: { [key]: { action: 'accept', content: { one: 'mine' } } },
    };
    const stolen = await other.host.request('tools/call', again);
    // A modern server checks its own state. The one here is not bound to a caller.
    if (server === 'legacy') expect(stolen.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
    expect((await one.host.request('tools/call', again)).result.resultType).toBe('input_required');
  });
});
