/** Ordinary cases, which load and compile what a program runs for the first time. */
import type { Case, Era, HttpRequest, Sent } from './case.js';
import { HOST_FILES } from './targets/bench.js';
import { many, nest, repeat, text, type Value } from './value.js';

const CALLS: readonly Value[] = [
  { name: 'skill', arguments: { name: 'git' } },
  { name: 'skill', arguments: { name: 'nobody' } },
  { name: 'list_skills', arguments: { query: 'commit' } },
  { name: 'get_skill', arguments: { uri: 'skill://long/notes.md' } },
  { name: 'get_resource', arguments: {} },
  { name: 'get_resource', arguments: { uri: 'docs://one' } },
  { name: 'get_resource', arguments: { uri: 'docs://none/of/these' } },
  { name: 'get_resources', arguments: { uris: ['docs://one', 'skill://git/SKILL.md'] } },
  { name: 'get_prompt', arguments: {} },
  { name: 'echo', arguments: {} },
];

const REQUESTS: readonly Sent[] = [
  ...['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list', 'skills/list'].map((request) => ({
    request,
    params: {},
  })),
  ...CALLS.map((params) => ({ request: 'tools/call', params })),
  { request: 'resources/read', params: { uri: 'skill://git/SKILL.md' } },
  { request: 'skills/get', params: { uri: 'skill://git/SKILL.md' } },
  { request: 'resources/directory/read', params: { uri: 'skill://long/' } },
  { request: 'completion/complete', params: { ref: { type: 'ref/prompt', name: 'review' }, argument: { name: 'file', value: 'x' } } },
  { line: 'no message' },
];

const stdio = (era: Era): Case => ({ entry: 'stdio', era, send: REQUESTS });

const HEADERS = [
  ['content-type', 'application/json'],
  ['accept', 'application/json, text/event-stream'],
] as const;

const POSTS: readonly HttpRequest[] = REQUESTS.flatMap((sent) =>
  'request' in sent
    ? [true, false].map((session) => ({
        method: 'POST',
        path: '/mcp',
        headers: HEADERS,
        session,
        body: { jsonrpc: '2.0', id: 1, method: sent.request, params: sent.params ?? {} },
      }))
    : [],
);
const PAGES: readonly HttpRequest[] = ['/', '/page.js', '/api/catalog', '/metrics', '/nothing', '/sse'].map((path) => ({
  method: 'GET',
  path,
  headers: [],
}));

/** By the key of a program. */
export const WARMING: Readonly<Record<string, readonly Case[]>> = {
  legacy: [stdio('legacy'), stdio('legacy')],
  modern: [stdio('modern'), stdio('modern')],
  http: [
    { entry: 'http', requests: POSTS },
    { entry: 'http', requests: PAGES },
  ],
  bench: [
    {
      entry: 'skill',
      files: [
        { path: 'first/SKILL.md', text: '---\nname: first\ndescription: A skill.\n---\n# First\n' },
        { path: 'second/SKILL.md', text: '---\nname: {a: [b]}\n---\n' },
        { path: 'third/SKILL.md', text: '---\nname: third\ndescription: &a [x, *a]\nmetadata:\n  ? {a: 1}\n  : {{x}}\n---\n' },
        { path: 'third/SKILL.MD', text: text('---\nx: ', repeat('{', 200), '\n---\n') },
      ],
      links: [],
      folders: 0,
      query: 'first',
    },
    ...(['http', 'stdio'] as const).map((transport): Case => ({ entry: 'upstream', transport, hasRoles: true, answers: {}, pushes: [] })),
    {
      entry: 'upstream',
      transport: 'stdio',
      hasRoles: false,
      answers: {
        'tools/list': { tools: [{ name: 'skill', inputSchema: nest('object', 600) }] },
        'tools/call': { error: { code: -32602, message: 'x' } },
        'resources/list': { resources: many({ uri: 'docs://{#}', name: repeat('x', 200) }, 2000) },
      },
      pushes: ['no message'],
    },
    ...['{}', '{"skills": 1}', '{', repeat(' ', 2 ** 20 + 1), repeat('[', 100), repeat('1,', 50_000)].map(
      (given): Case => ({ entry: 'config', text: given }),
    ),
    ...Object.keys(HOST_FILES).flatMap((host) =>
      ['{}', 'a: [1', 'a = 1', 'a: &b {c: [*b]}', '[a.b]\nc = [1]'].map((given): Case => ({ entry: 'host', host, text: given })),
    ),
  ],
};
