/** What an upstream sends: lists, results, errors, notifications and requests of its own. */
import fc from 'fast-check';
import type { UpstreamCase } from '../case.js';
import { many, repeat, text, type Value } from '../value.js';
import { count, hostileValue, longText, mutated, oddText, unit } from './values.js';

/** A case has several of them; with more, its upstream would be ended for the length of a message. */
const MAX = 2 * 1024 * 1024;
/** Of a template, which is matched. */
const MAX_TEMPLATE = 300_000;

const TOOL: Value = {
  name: 'echo',
  title: 'Echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
  _meta: { a: 1 },
};
const RESOURCE: Value = { uri: 'docs://one', name: 'one', description: 'x', mimeType: 'text/plain', size: 3, annotations: { priority: 1 } };
const TEMPLATE: Value = { uriTemplate: 'docs://{section}/{page}', name: 'pages', description: 'x', mimeType: 'text/plain' };
const PROMPT: Value = { name: 'review', description: 'x', arguments: [{ name: 'file', description: 'x', required: true }] };
const ENTRY: Value = {
  uri: 'skill://first/SKILL.md',
  name: 'first',
  description: 'x',
  digest: 'sha256:00',
  frontmatter: { name: 'first' },
};

const template = fc.oneof(
  fc.tuple(unit, count(MAX_TEMPLATE)).map(([each, times]) => repeat(each, Math.min(times, Math.floor(MAX_TEMPLATE / each.length)))),
  fc
    .array(fc.constantFrom('{a}', '{+a}', '{?a,b}', '{/a*}', '-', '/', 'docs://', '{a:3}', '{', '}', '*', '%', '..'), { maxLength: 60 })
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('{a}', '{+a}', '{a}{b}', '{?a}', '{,', '{a'), fc.nat({ max: 20_000 }))
    .map(([each, times]) => text('docs://', repeat(each, times))),
);

/** One entry that is wrong in some way, alone, among others, or many times. */
function listOf(key: string, valid: Value): fc.Arbitrary<Value> {
  const item = mutated(valid, MAX);
  const list = fc.oneof(
    fc.array(item, { maxLength: 4 }).map((items): Value => items),
    fc
      .tuple(fc.constantFrom('name', 'uri', 'uriTemplate'), count(3000))
      .map(([field, times]) => many({ ...(valid as object), [field]: 'docs://{#}' } as Value, times)),
    hostileValue(MAX),
  );
  return fc
    .tuple(list, fc.option(oddText, { nil: undefined, freq: 8 }))
    .map(([items, nextCursor]): Value => ({ [key]: items, ...(nextCursor === undefined ? {} : { nextCursor }) }));
}

const SKILL_TEXT = '---\nname: first\ndescription: x\n---\nText.';

const answer: fc.Arbitrary<readonly [string, Value]> = fc.oneof(
  fc.tuple(fc.constant('tools/list'), listOf('tools', TOOL)),
  fc.tuple(fc.constant('resources/list'), listOf('resources', RESOURCE)),
  fc.tuple(
    fc.constant('resources/templates/list'),
    fc.oneof(
      listOf('resourceTemplates', TEMPLATE),
      template.map((uriTemplate): Value => ({ resourceTemplates: [{ uriTemplate, name: 'x' }] })),
    ),
  ),
  fc.tuple(fc.constant('prompts/list'), listOf('prompts', PROMPT)),
  fc.tuple(fc.constant('skills/list'), listOf('skills', ENTRY)),
  fc.tuple(
    fc.constant('tools/call'),
    mutated({ content: [{ type: 'text', text: 'x' }], structuredContent: { a: 1 }, isError: false }, MAX),
  ),
  fc.tuple(fc.constant('resources/read'), mutated({ contents: [{ uri: 'docs://one', mimeType: 'text/plain', text: SKILL_TEXT }] }, MAX)),
  fc.tuple(fc.constant('prompts/get'), mutated({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] }, MAX)),
  fc.tuple(fc.constant('completion/complete'), mutated({ completion: { values: ['a'], total: 1, hasMore: false } }, MAX)),
  fc.tuple(
    fc.constant('initialize'),
    mutated(
      {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
        serverInfo: { name: 'x', version: '1' },
        instructions: 'x',
      },
      MAX,
    ),
  ),
  fc.tuple(
    fc.constant('server/discover'),
    mutated(
      {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {}, resources: {}, prompts: {} },
        serverInfo: { name: 'x', version: '1' },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x', version: '1' } },
      },
      MAX,
    ),
  ),
  fc.tuple(
    fc.constantFrom('tools/list', 'resources/list', 'tools/call', 'resources/read'),
    mutated({ error: { code: -32602, message: 'x', data: {} } }, MAX),
  ),
);

const PUSHED: readonly { readonly [key: string]: Value }[] = [
  { method: 'notifications/tools/list_changed', params: {} },
  { method: 'notifications/message', params: { level: 'info', data: 'x', logger: 'x' } },
  { method: 'notifications/progress', params: { progressToken: 1, progress: 1, message: 'x' } },
  { method: 'notifications/resources/updated', params: { uri: 'docs://one' } },
  { method: 'notifications/cancelled', params: { requestId: 1 } },
  { id: 'theirs', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } },
  { id: 'theirs', method: 'elicitation/create', params: { message: 'x', requestedSchema: { type: 'object', properties: {} } } },
  { id: 'theirs', method: 'roots/list', params: {} },
  { id: 'theirs', method: 'ping', params: {} },
  { id: 99_999, result: {} },
];

const push: fc.Arbitrary<Value> = fc.oneof(...PUSHED.map((message) => mutated({ jsonrpc: '2.0', ...message }, MAX)), longText(MAX));

export const upstreamCase: fc.Arbitrary<UpstreamCase> = fc.record({
  entry: fc.constant('upstream' as const),
  transport: fc.constantFrom('http', 'http', 'stdio'),
  hasRoles: fc.boolean(),
  answers: fc.array(answer, { minLength: 1, maxLength: 3 }).map((pairs) => Object.fromEntries(pairs)),
  pushes: fc.array(push, { maxLength: 2 }),
});
