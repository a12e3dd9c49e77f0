/** Messages of a host: every method of both protocol eras, every tool, and what is not a message. */
import fc from 'fast-check';
import { type Era, RAW_ID, type Sent, type StdioCase } from '../case.js';
import { isObject, repeat, text, type Value } from '../value.js';
import { hostileValue, longText, mutated, oddText } from './values.js';

const INFO = { name: 'fuzz', version: '1' };

/** Arguments of each of our tools, and of one of the upstream. */
const CALLS: readonly Value[] = [
  { name: 'skill', arguments: { name: 'git' } },
  { name: 'skill', arguments: { name: 'long', offset: 100, limit: 1000 } },
  { name: 'list_skills', arguments: { query: 'commit the changes', limit: 5, cursor: 'MTA' } },
  { name: 'list_skills', arguments: {} },
  { name: 'get_skill', arguments: { uri: 'skill://long/notes.md', offset: 10, limit: 100 } },
  { name: 'get_skill', arguments: { name: 'pdf' } },
  { name: 'get_resource', arguments: { uri: 'docs://{section}/{page}', variables: { section: 'a', page: 'b' } } },
  { name: 'get_resource', arguments: { uri: 'docs://one', offset: 0, limit: 10 } },
  { name: 'get_resource', arguments: { cursor: 'MTA', category: 'docs' } },
  { name: 'get_resources', arguments: { uris: ['docs://one', 'skill://git/SKILL.md'] } },
  { name: 'get_prompt', arguments: { name: 'review', arguments: { file: 'x' } } },
  { name: 'get_resource', arguments: { uri: 'docs://{section}/{page}', variables: '{"section":"a","page":"b"}' } },
  { name: 'call_tool', arguments: { name: 'echo', arguments: { text: 'x' } } },
  { name: 'call_tool', arguments: { name: 'echo', arguments: '{"text":"x"}' } },
  { name: 'echo', arguments: { text: 'x' } },
];

const METHODS: Readonly<Record<Era, readonly (readonly [string, Value])[]>> = {
  legacy: [
    ['initialize', { protocolVersion: '2025-11-25', capabilities: { roots: {}, sampling: {} }, clientInfo: INFO }],
    ['ping', {}],
    ['resources/subscribe', { uri: 'skill://git/SKILL.md' }],
    ['resources/unsubscribe', { uri: 'skill://git/SKILL.md' }],
    ['logging/setLevel', { level: 'debug' }],
  ],
  modern: [
    ['server/discover', {}],
    ['subscriptions/listen', { notifications: { toolsListChanged: true, resourceSubscriptions: ['skill://git/SKILL.md'] } }],
  ],
};

const SHARED: readonly (readonly [string, Value])[] = [
  ['tools/list', { cursor: 'MTA' }],
  ['tools/list', {}],
  ['resources/list', { cursor: 'MTA' }],
  ['resources/templates/list', {}],
  ['prompts/list', {}],
  ['prompts/get', { name: 'git', arguments: { request: 'x' } }],
  ['prompts/get', { name: 'review', arguments: { file: 'x' } }],
  ['resources/read', { uri: 'skill://git/SKILL.md' }],
  ['resources/read', { uri: 'docs://a/b' }],
  ['skills/list', {}],
  ['skills/get', { uri: 'skill://git/SKILL.md' }],
  ['resources/directory/read', { uri: 'skill://long/' }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'skill://{+path}' }, argument: { name: 'path', value: 'g' }, context: { arguments: { a: 'b' } } },
  ],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'file', value: 'x' } }],
  ['tasks/get', { taskId: 'fuzz' }],
  ['tasks/list', {}],
  ['tasks/result', { taskId: 'fuzz' }],
  ['unknown/method', { a: 1 }],
];

const NOTIFICATIONS: readonly (readonly [string, Value])[] = [
  ['notifications/cancelled', { requestId: 'fuzz-1', reason: 'none' }],
  ['notifications/progress', { progressToken: 1, progress: 1 }],
  ['notifications/roots/list_changed', {}],
  ['notifications/initialized', {}],
  ['notifications/unknown', { a: 1 }],
];

function request(era: Era, most: number): fc.Arbitrary<Sent> {
  const known = fc.constantFrom(
    ...METHODS[era],
    ...SHARED,
    ...CALLS.flatMap((call) => [['tools/call', call] as const, ['tools/call', call] as const]),
  );
  const withMeta = (params: Value): Value => (isObject(params) ? { ...params, _meta: { progressToken: 7 } } : params);
  return fc
    .oneof(
      {
        weight: 8,
        arbitrary: known.chain(([method, params]) => mutated(params, most).map((given): Sent => ({ request: method, params: given }))),
      },
      {
        weight: 1,
        arbitrary: known.chain(([method, params]) =>
          mutated(withMeta(params), most).map((given): Sent => ({ request: method, params: given })),
        ),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.string({ unit: 'binary', maxLength: 30 }), hostileValue(most))
          .map(([method, params]): Sent => ({ request: method, params })),
      },
    )
    .filter((sent) => !('request' in sent) || isWhole(sent.params));
}

/** Whether the message is one, so that it gets an answer with its id. */
function isWhole(params: Value | undefined): boolean {
  if (params === undefined) return true;
  return isObject(params) && (params['_meta'] === undefined || isObject(params['_meta'])) && !JSON.stringify(params).includes('$raw');
}

function line(most: number): fc.Arbitrary<Sent> {
  const message = (params: Value): Value => ({ jsonrpc: '2.0', id: RAW_ID, method: 'tools/call', params });
  return fc.oneof(
    fc
      .constantFrom(...CALLS)
      .chain((call) => mutated(message(call), most))
      .map((value): Sent => ({ line: typeof value === 'string' ? value : text(value) })),
    longText(most).map((value): Sent => ({ line: value })),
    oddText.map((value): Sent => ({ line: value })),
    fc.nat({ max: 200 }).map((depth): Sent => ({ line: text(repeat('[', depth), repeat(']', depth)) })),
  );
}

/** A line may have 6 MiB. */
const MAX_LINE = 5_500_000;

export const stdioCase: fc.Arbitrary<StdioCase> = fc.constantFrom<Era>('legacy', 'modern').chain((era) => {
  const notification = fc
    .constantFrom(...NOTIFICATIONS)
    .chain(([notify, params]) => mutated(params, 10_000).map((given): Sent => ({ notify, params: given })));
  const sent = fc.oneof(
    { weight: 8, arbitrary: request(era, MAX_LINE) },
    { weight: 1, arbitrary: notification },
    { weight: 2, arbitrary: line(MAX_LINE) },
  );
  return fc.array(sent, { minLength: 1, maxLength: 4 }).map((send): StdioCase => ({ entry: 'stdio', era, send }));
});

/** Requests as they are posted, with the method and the name that a header repeats. */
export const postedRequest: fc.Arbitrary<{ era: Era; method: string; params: Value }> = fc
  .constantFrom<Era>('legacy', 'modern')
  .chain((era) =>
    request(era, 1_000_000).map((sent) => ({
      era,
      method: 'request' in sent ? sent.request : '',
      params: ('params' in sent ? sent.params : undefined) ?? {},
    })),
  );
