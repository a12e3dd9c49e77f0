/** Ordinary cases, which load and compile what a program runs for the first time. */
import type { Case, Era, HttpRequest, Packed, Page, Sent, Site, SourceCase } from './case.js';
import { HOST_FILES } from './targets/files.js';
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

const SKILL = '---\nname: first\ndescription: A skill.\n---\n';
const page = (body: Page['body'], status = 200): Page => ({ status, headers: [['content-type', 'application/json']], body });
const ARCHIVE: Packed = { $pack: 'tgz', files: [{ path: 'package/first/SKILL.md', text: SKILL }] };
const VERSION = { dist: { tarball: '{site}/skills.tgz', integrity: 'sha512-{sha512:/skills.tgz}' } };
const LAYER = {
  mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
  digest: 'sha256:{sha256:/layer}',
  size: { $raw: ['{size:/layer}'] },
};

/** One source of each kind. */
const SOURCES: readonly Omit<SourceCase, 'entry'>[] = [
  { source: '{site}/first.zip', site: { '/first.zip': page({ ...ARCHIVE, $pack: 'zip' }) }, files: [] },
  { source: '{site}', site: { '/.well-known/agent-skills/index.json': page({ skills: [] }) }, files: [] },
  {
    source: 'npm:skills@^1',
    site: { '/skills': page({ 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': VERSION } }), '/skills.tgz': page(ARCHIVE) },
    files: [],
  },
  {
    source: 'oci://{host}/skills/one:1.0.0',
    site: {
      '/v2/skills/one/manifests/1.0.0': page({ schemaVersion: 2, layers: [LAYER] }),
      '/v2/skills/one/blobs/sha256:{sha256:/layer}': page(ARCHIVE),
      '/layer': page(ARCHIVE),
    },
    files: [],
  },
  {
    source: './plugin',
    site: {},
    files: [
      { path: 'plugin/.claude-plugin/plugin.json', text: '{"name":"one","skills":"./skills","mcpServers":{"a":{"command":"x"}}}' },
      { path: 'plugin/skills/first/SKILL.md', text: SKILL },
    ],
  },
];

const SIGN_IN: Site = {
  '/.well-known/oauth-protected-resource/mcp': page({ resource: '{site}/mcp', authorization_servers: ['{site}'] }),
  '/.well-known/oauth-authorization-server': page({
    issuer: '{site}',
    authorization_endpoint: '{site}/authorize',
    token_endpoint: '{site}/token',
    registration_endpoint: '{site}/register',
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
  }),
  '/register': page({ client_id: 'registered', redirect_uris: ['http://127.0.0.1/callback'] }),
  '/token': page({ access_token: 'given', token_type: 'Bearer', expires_in: 3600 }),
};

const LOCK = { lockVersion: 1, scope: 'all', skills: [], listings: [], sources: [] };

/** What is loaded when tools are searched, a server requires a login, a source is added and a lock is read. */
const LATER: readonly Case[] = [
  {
    entry: 'tool-search',
    listed: { tools: many({ name: 'tool-{#}', description: 'Says it.', inputSchema: { type: 'object', required: ['a'] } }, 50) },
    calls: [
      { name: 'find_tools', arguments: { query: 'say it' } },
      { name: 'find_tools', arguments: { query: 'nothing' } },
      { name: 'call_tool', arguments: { name: 'tool-1', arguments: { b: 1 } } },
      { name: 'call_destructive_tool', arguments: { name: 'tool-2', arguments: {} } },
    ],
  },
  ...(['authorization_code', 'client_credentials'] as const).map(
    (grant): Case => ({ entry: 'sign-in', grant, challenge: { status: 401, header: 'Bearer scope="read"' }, site: SIGN_IN }),
  ),
  ...SOURCES.map((each): Case => ({ entry: 'source', ...each })),
  ...[true, false].flatMap((isLocked) =>
    [text(LOCK), text('{"skills":', nest('array', 600), '}'), text({ ...LOCK, skills: many({ uri: 1 }, 5000) })].map(
      (given): Case => ({ entry: 'lock', isLocked, text: given }),
    ),
  ),
];

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
    ...LATER,
    ...['{}', '{"skills": 1}', '{', repeat(' ', 2 ** 20 + 1), repeat('[', 100), repeat('1,', 50_000)].map(
      (given): Case => ({ entry: 'config', text: given }),
    ),
    ...Object.keys(HOST_FILES).flatMap((host) =>
      ['{}', 'a: [1', 'a = 1', 'a: &b {c: [*b]}', '[a.b]\nc = [1]'].map((given): Case => ({ entry: 'host', host, text: given })),
    ),
  ],
};
