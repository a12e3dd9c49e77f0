/** Requests that are HTTP, and wrong as messages of the protocol. */
import { ENVELOPE } from '../http-server.js';
import {
  type Headers,
  head,
  type Kind,
  legacyMessage,
  modernMessage,
  post,
  postEither,
  postEitherText,
  postModern,
  type Random,
  withEnvelope,
} from './kind.js';

function nested(random: Random, levels: number): string {
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ]);
  return `${open.repeat(levels)}1${close.repeat(levels)}`;
}

export const MESSAGE_KINDS: Readonly<Record<string, Kind>> = {
  'JSON that is cut off': {
    statuses: [400],
    make(random) {
      const whole = JSON.stringify(random.coin() ? modernMessage() : legacyMessage());
      return postEitherText(random, whole.slice(0, random.integer(1, whole.length)));
    },
  },
  'no JSON at all': { statuses: [400], make: (random) => postEitherText(random, random.text(1, 200, 'abc<>&%$§{}[]":,\\')) },
  'an empty body': { statuses: [400], make: (random) => postEitherText(random, random.pick(['', ' ', '\n', '\t\r\n', '﻿'])) },
  'JSON of 100,000 levels': {
    statuses: [400],
    make(random) {
      const deep = nested(random, 100_000);
      const [before, after] = random.pick([
        ['', ''],
        ['[', ']'],
        ['{"jsonrpc":"2.0","id":', ',"method":"tools/list"}'],
        ['{"jsonrpc":"2.0","id":1,"method":', '}'],
        [`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"skill","_meta":`, '}}'],
      ]);
      return postModern(`${before}${deep}${after}`);
    },
  },
  'an envelope of 100,000 levels': {
    statuses: [400],
    make(random) {
      const key = random.pick(Object.keys(ENVELOPE) as [string, ...string[]]);
      const whole = JSON.stringify(withEnvelope({ ...ENVELOPE, [key]: '@' }));
      return postModern(whole.replace('"@"', nested(random, 100_000)));
    },
  },
  'GET without a session': {
    statuses: [400, 406],
    make: (random) => ({
      pieces: [
        head('GET', '/mcp', {
          accept: random.pick(['text/event-stream', 'text/html', '*/*', undefined]),
          'last-event-id': random.pick([undefined, random.text(1, 500), '-1', '../..', '999999999999999999999']),
        }),
      ],
    }),
  },
  'a session that is none': {
    statuses: [404],
    make: (random) => {
      const headers = {
        'mcp-session-id': random.pick([
          random.text(1, 200),
          '../../etc/passwd',
          '%2e%2e%2f',
          '__proto__',
          'constructor',
          '00000000-0000-4000-8000-000000000000',
          '*',
          "' or 1=1",
        ]),
      };
      return random.coin()
        ? {
            pieces: [
              head(random.coin() ? 'GET' : 'DELETE', '/mcp', {
                accept: 'text/event-stream',
                'last-event-id': random.text(1, 50),
                ...headers,
              }),
            ],
          }
        : post(legacyMessage(), headers);
    },
  },
  'bytes that are no text': {
    statuses: [400],
    make(random) {
      const [before = '', after = ''] = JSON.stringify(modernMessage({ id: '@' })).split('@');
      const bytes = random.pick([[0xff], [0xc3], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0x80]]);
      return postModern(Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]));
    },
  },
  'a batch in 2026-07-28': {
    statuses: [400],
    make: (random) => postModern(Array.from({ length: random.integer(1, 20) }, (_, index) => modernMessage({ id: index }))),
  },
  'a batch of nothing or of garbage': {
    statuses: [400],
    make: (random) =>
      post(
        random.pick([[], [[]], [null], [1, 2, 3], [{}], [legacyMessage(), 'x'], ['x'.repeat(1000)], [legacyMessage({ jsonrpc: '1.0' })]]),
      ),
  },
  'a batch of thousands': { statuses: [400], make: (random) => post(Array.from({ length: 2000 + random.index }, () => legacyMessage())) },
  'a message that is none': {
    statuses: [400],
    make: (random) =>
      postEitherText(
        random,
        random.pick(['{}', 'null', '1', '"text"', 'true', '{"jsonrpc":"2.0"}', '{"id":1}', '{"method":"tools/list"}']),
      ),
  },
  'another JSON-RPC': {
    statuses: [400],
    make: (random) => postEither(random, { jsonrpc: random.pick(['1.0', 2, null, '', '2.1', ['2.0'], undefined]) }),
  },
  'an id that is none': { statuses: [400], make: (random) => postEither(random, { id: random.pick([null, {}, [], 1.5, true, 1e300]) }) },
  'a method that is no text': {
    statuses: [400],
    make: (random) => postEither(random, { method: random.pick([null, 1, {}, [], true, undefined]) }),
  },
  'params that are no object': {
    statuses: [400],
    make: (random) => postEither(random, { params: random.pick<unknown>(['x', 1, [], [1], true, null]) }),
  },
  'keys of the prototype': {
    statuses: [400],
    make: (random) =>
      postEitherText(
        random,
        random.pick([
          '{"__proto__":{"jsonrpc":"2.0","id":1,"method":"tools/list"}}',
          '{"constructor":{"prototype":{"method":"tools/list"}}}',
          '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/list"}}',
          '{"jsonrpc":"2.0","id":1,"method":"__proto__","params":{"__proto__":[]},"toString":1,"__proto__":null}',
        ]),
      ),
  },
  'a malformed envelope': {
    statuses: [400],
    make(random) {
      const { 'io.modelcontextprotocol/clientInfo': info, ...others } = ENVELOPE;
      const key = 'io.modelcontextprotocol/';
      const envelope = random.pick<unknown>([
        undefined,
        null,
        'text',
        [],
        {},
        { ...others, [`${key}clientInfo`]: 'text' },
        { ...others, [`${key}clientInfo`]: { name: 1, version: '1' } },
        { ...others, [`${key}clientInfo`]: { name: 'x' } },
        { ...ENVELOPE, [`${key}clientCapabilities`]: 'all' },
        { ...ENVELOPE, [`${key}clientCapabilities`]: { sampling: 1 } },
        { ...ENVELOPE, [`${key}protocolVersion`]: 20260728 },
        { [`${key}clientInfo`]: info },
      ]);
      return postModern(withEnvelope(envelope));
    },
  },
  'headers unlike the body': {
    statuses: [400],
    make: (random) =>
      postModern(
        modernMessage(),
        random.pick<Headers>([
          { 'mcp-method': 'tools/list' },
          { 'mcp-method': undefined },
          { 'mcp-method': '' },
          { 'mcp-method': 'tools/call, tools/list' },
          { 'mcp-name': 'other' },
          { 'mcp-name': undefined },
          { 'mcp-name': 'Skill' },
          { 'mcp-protocol-version': '2025-11-25' },
          { 'mcp-protocol-version': undefined },
        ]),
      ),
  },
  'a revision that nobody knows': {
    statuses: [400],
    make(random) {
      const version = random.pick([random.text(1, 20), '2099-01-01', '2026-07-29', '1', '__proto__', '2026-07-28, 2025-11-25']);
      if (random.coin()) return post(legacyMessage(), { 'mcp-protocol-version': version });
      const envelope = { ...ENVELOPE, 'io.modelcontextprotocol/protocolVersion': version };
      return postModern(withEnvelope(envelope), { 'mcp-protocol-version': version });
    },
  },
  'a message to no stream': {
    statuses: [400, 404],
    make: (random) =>
      post(
        legacyMessage(),
        {},
        `/messages${random.pick(['', '?', '?sessionId=', `?sessionId=${random.text(1, 100)}`, '?sessionId=__proto__', '?sessionId=..%2f..%2fetc', '?sessionId=%ff%00', '?sessionId=a&sessionId=b'])}`,
      ),
  },
};
