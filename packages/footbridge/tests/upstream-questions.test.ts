/** What a server asks hosts that do not answer: refused beyond a number and a size, and the oldest is given up. */
import { describe, expect, it } from 'vitest';
import { silentLog } from '../src/log.js';
import { Cancellation, Context } from '../src/sources/context.js';
import type { Exchange, HostPeer } from '../src/sources/forwarding.js';
import { OWNER } from '../src/sources/resource.js';
import { UpstreamConnection } from '../src/sources/upstream/connection.js';
import type { TransportEvents } from '../src/sources/upstream/transports/transport.js';
import type { Json } from './support/client.js';

const MEBIBYTE = 1024 * 1024;
const MAX = 256;
const TOO_MANY = 'The host has too many unanswered requests of this server. Wait for its answers.';
const QUESTION = { mode: 'form', message: 'Which?', requestedSchema: { type: 'object', properties: {} } };

/** A legacy server in front of one host. */
async function start(era: 'legacy' | 'modern') {
  const sent: Json[] = [];
  const answers: ((result: Json) => void)[] = [];
  let events: TransportEvents | undefined;
  const ask = () => new Promise<Json>((resolve) => answers.push(resolve));
  const host: HostPeer = {
    key: 'host',
    era,
    protocolVersion: era === 'legacy' ? '2025-11-25' : '2026-07-28',
    clientInfo: {},
    capabilities: { roots: {}, sampling: {}, elicitation: { form: {} } },
    notify: () => {},
    request: ask,
  };
  const exchange: Exchange = { host, input: {}, logLevel: undefined, notify: () => {}, request: ask };
  const connection = new UpstreamConnection(
    {
      async start(given) {
        events = given;
      },
      send: (message) => void sent.push(message),
      close: async () => {},
    },
    {
      host,
      identity: { clientInfo: {}, capabilities: {} },
      events: { listChanged: () => {}, updated: () => {}, closed: () => {}, hosts: () => [host] },
      explain: ({ message }) => ({ message }),
      log: silentLog,
    },
  );
  await connection.start();
  connection.agreed('legacy', '2025-11-25', { serverInfo: {}, capabilities: {}, instructions: undefined, result: {} });
  let asked = 0;
  return {
    /** What the host answers, in the order of the questions. */
    answers,
    /** Asks as the server does; the answer so far. */
    ask(method: string, params: Json = {}) {
      const id = `question ${++asked}`;
      events?.receive({ jsonrpc: '2.0', id, method, params });
      return () => sent.find((message) => message.id === id);
    },
    /** Calls as the host does; the id of the call at the server. */
    call(more: Json = {}) {
      const context = new Context({ caller: OWNER, request: exchange }, new Cancellation());
      const result: Promise<Json> = connection.request('tools/call', { name: 'ask', arguments: {}, ...more }, context);
      return { result, id: sent.at(-1).id };
    },
    finish: (id: number, result: Json) => events?.receive({ jsonrpc: '2.0', id, result }),
    cancelled: () => sent.filter(({ method }) => method === 'notifications/cancelled').map(({ params }) => params.requestId),
  };
}

describe('a legacy host that does not answer', () => {
  it('is asked a number of times, and again when it has answered', async () => {
    const { answers, ask } = await start('legacy');
    for (let count = 0; count < MAX; count++) ask('roots/list');
    expect(answers).toHaveLength(MAX);
    expect(ask('roots/list')()).toMatchObject({ error: { code: -32000, message: TOO_MANY } });
    expect(ask('ping')()).toMatchObject({ result: {} });
    answers[0]?.({ roots: [] });
    await new Promise(setImmediate);
    ask('roots/list');
    expect(answers).toHaveLength(MAX + 1);
  });

  it('is asked 32 MiB', async () => {
    const { answers, ask } = await start('legacy');
    const large = { messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(10 * MEBIBYTE) } }], maxTokens: 1 };
    for (let count = 0; count < 3; count++) ask('sampling/createMessage', large);
    expect(ask('sampling/createMessage', large)()).toMatchObject({ error: { code: -32000, message: TOO_MANY } });
    expect(answers).toHaveLength(3);
  });
});

describe('a host of 2026-07-28 that does not return', () => {
  it('loses the oldest of many calls', async () => {
    const { ask, call, cancelled } = await start('modern');
    const states: Json[] = [];
    let first: Json;
    for (let count = 0; count < MAX + 1; count++) {
      const { id, result } = call();
      const answer = ask('elicitation/create', QUESTION);
      if (count === 0) first = { id, answer };
      states.push((await result).requestState);
    }
    expect(cancelled()).toEqual([first.id]);
    expect(first.answer()).toMatchObject({ error: { message: 'The host did not answer in time.' } });
    await expect(call({ requestState: states[0] }).result).rejects.toThrow('Invalid or expired requestState');
    const second = call({ requestState: states[1], inputResponses: { 'question-2': { action: 'decline' } } });
    ask('elicitation/create', QUESTION);
    expect((await second.result).resultType).toBe('input_required');
  });

  it('gets results that wait for it up to 32 MiB', async () => {
    const { ask, call, finish } = await start('modern');
    const calls: { id: number; state: string }[] = [];
    for (let count = 0; count < 2; count++) {
      const { id, result } = call();
      ask('elicitation/create', QUESTION);
      calls.push({ id, state: (await result).requestState });
    }
    const content = [{ type: 'text', text: 'x'.repeat(20 * MEBIBYTE) }];
    for (const { id } of calls) finish(id, { content });
    const [one, two] = calls.map(({ state }) => call({ requestState: state }).result);
    expect((await one)?.content).toEqual(content);
    await expect(two).rejects.toThrow('The result was dropped: too many results wait for the host to return. Call again.');
  });
});
