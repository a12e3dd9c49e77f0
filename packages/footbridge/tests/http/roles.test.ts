/** Hidden content does not exist for a caller: it is not listed, read, completed, suggested, announced or counted. */
import { createHash } from 'node:crypto';
import { defineResource, defineResources, skillFolders } from 'footbridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/serve/http/index.js';
import { createRequestLog } from '../../src/serve/telemetry/request-log.js';
import type { Json } from '../support/client.js';
import { createWorld, type World } from '../support/folders.js';
import { post, postModern } from '../support/http-server.js';

/** Is in the name, the description and the content of all that the reader may not see. */
const HIDDEN = 'zebra';

const ROLES = {
  reader: { skills: ['git', 'office:*'], resources: ['docs://public/**', 'page://en/w*'], tools: ['*'] },
  all: { skills: ['*'], resources: ['**'], tools: ['*'] },
  narrow: { skills: ['git'], resources: [], tools: ['skill', 'list_skills'] },
};

const PAGES = ['welcome', `${HIDDEN}-page`];

function resources() {
  const text = (content: string) => async () => content;
  return defineResources([
    defineResource({ uri: 'docs://public/intro', name: 'intro', description: 'How to begin', read: text('Begin here.') }),
    defineResource({
      uri: `docs://private/${HIDDEN}`,
      name: HIDDEN,
      description: `About the ${HIDDEN}`,
      read: text(`The ${HIDDEN} runs.`),
    }),
    defineResource({
      uri: 'page://{language}/{page}',
      name: 'pages',
      variables: { language: { complete: async () => ['en', HIDDEN] }, page: { complete: async () => PAGES } },
      read: async ({ language, page }: { language: string; page: string }) => `${page} in ${language}`,
    }),
    defineResource({ uri: `${HIDDEN}://{id}`, name: `${HIDDEN}s`, read: async ({ id }: { id: string }) => `${HIDDEN} ${id}` }),
    defineResource({ uri: 'docs://public/admin', name: 'admin', requiresAdmin: true, read: text('For admins.') }),
  ]);
}

function skills(world: World) {
  world.skill('project/.agents/skills/git');
  world.skill('project/.agents/skills/office/pdf');
  world.skill(`project/.agents/skills/${HIDDEN}`, { description: `Feeds the ${HIDDEN}`, body: `The ${HIDDEN} eats.` });
  world.skill('project/.agents/skills/stable/git', { description: `Rides the ${HIDDEN}` });
  world.write(`project/.agents/skills/${HIDDEN}/notes.md`, `More on the ${HIDDEN}.`);
  return skillFolders({ folders: [`${world.project}/.agents/skills`], standardFolders: false, watch: true });
}

async function start(world: World) {
  const tokens = ['reader', 'all', 'narrow', 'stranger', 'none'].map((name) => ({
    name,
    sha256: createHash('sha256').update(`token-${name}`).digest('hex'),
    roles: name === 'none' ? [] : name === 'all' ? ['all', 'admin'] : [name],
  }));
  const server = await serveHttp({
    host: '127.0.0.1',
    port: 0,
    sources: [skills(world), resources()],
    access: { tokens, roles: ROLES },
    prompts: true,
    log: createRequestLog('silent'),
  });
  onTestFinished(() => server.close());
  return server.endpoint;
}

const bearer = (name: string) => ({ authorization: `Bearer token-${name}` });

/** Every surface asked for everything, among it for what may be hidden; gives all that came back. */
async function everything(endpoint: string, name: string): Promise<readonly Json[]> {
  const modern = async (method: string, params: Record<string, unknown> = {}) =>
    (await postModern(endpoint, method, params, { headers: bearer(name) })).message;
  const legacy = async (method: string, params: Record<string, unknown> = {}) =>
    (await post(endpoint, { jsonrpc: '2.0', id: 1, method, params }, bearer(name))).message;
  const uris = [
    'docs://public/intro',
    'docs://private/zebr',
    'page://en/welcom',
    'page://fr/welcome',
    'skill://zebr/SKILL.md',
    'skill://git/SKILL.md',
    'skill://git/nothing.md',
    'nothing://here',
  ];
  const complete = (uri: string, argument: string, value: string) => ({
    ref: { type: 'ref/resource', uri },
    argument: { name: argument, value },
  });
  const calls: readonly [string, Record<string, unknown>][] = [
    ['tools/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['skills/list', {}],
    ['completion/complete', complete('page://{language}/{page}', 'language', '')],
    ['completion/complete', complete('skill://{+path}', 'path', '')],
    ['completion/complete', complete('skill://{+path}', 'path', 'z')],
    ['tools/call', { name: 'list_skills', arguments: {} }],
    ['tools/call', { name: 'list_skills', arguments: { query: 'feeds eats rides' } }],
    ['tools/call', { name: 'skill', arguments: { name: 'zebr' } }],
    ['tools/call', { name: 'skill', arguments: { name: 'git' } }],
    ['tools/call', { name: 'get_resource', arguments: {} }],
    ['prompts/get', { name: 'zebr' }],
    ['tools/call', { name: 'get_resource', arguments: { uri: 'page://{language}/{page}', variables: { language: 'en' } } }],
    ...uris.flatMap((uri): [string, Record<string, unknown>][] => [
      ['resources/read', { uri }],
      ['tools/call', { name: 'get_resource', arguments: { uri } }],
      ['tools/call', { name: 'get_skill', arguments: { uri } }],
      ['tools/call', { name: 'get_resources', arguments: { uris: [uri] } }],
    ]),
  ];
  const answers: Json[] = [];
  for (const [method, params] of calls)
    for (const ask of [modern, legacy]) answers.push({ asked: [method, params], answer: await ask(method, params) });
  return answers;
}

const answersOnly = (answers: readonly Json[]) => answers.map(({ answer }) => JSON.stringify(answer)).join('\n');

describe('roles', () => {
  it('hide everything else on every route', async () => {
    const endpoint = await start(createWorld());
    const seen = await everything(endpoint, 'reader');
    // No call names it, so an answer that does has it from what is hidden.
    for (const { asked, answer } of seen) expect(JSON.stringify(answer).toLowerCase(), JSON.stringify(asked)).not.toContain(HIDDEN);
    const all = answersOnly(await everything(endpoint, 'all'));
    for (const word of [`Feeds the ${HIDDEN}`, `About the ${HIDDEN}`, `Rides the ${HIDDEN}`, `skill://${HIDDEN}/SKILL.md`])
      expect(all).toContain(word);
    expect(answersOnly(seen)).toContain('Begin here.');
    expect(answersOnly(seen)).toContain('skill://office/pdf/SKILL.md');
  });

  it('return the same error as for missing content', async () => {
    const endpoint = await start(createWorld());
    const read = async (uri: string) =>
      (await postModern(endpoint, 'resources/read', { uri }, { headers: bearer('reader') })).message.error;
    const like = (error: Json, uri: string) => JSON.parse(JSON.stringify(error).replaceAll(uri, 'URI'));
    const pairs = [
      [`docs://private/${HIDDEN}`, 'docs://private/qqqqq'],
      [`${HIDDEN}://5`, 'qqqqq://5'],
      [`skill://${HIDDEN}/SKILL.md`, 'skill://qqqqq/SKILL.md'],
      [`skill://${HIDDEN}/notes.md`, 'skill://qqqqq/notes.md'],
    ] as const;
    for (const [hidden, absent] of pairs) expect(like(await read(hidden), hidden)).toEqual(like(await read(absent), absent));
    expect((await read('page://fr/welcome')).code).toBe(-32602);
  });

  it('apply to tools, and an unknown role sees nothing', async () => {
    const endpoint = await start(createWorld());
    const tools = async (name: string) =>
      (await postModern(endpoint, 'tools/list', {}, { headers: bearer(name) })).message.result.tools.map((tool: Json) => tool.name);
    expect(await tools('narrow')).toEqual(['skill', 'list_skills']);
    expect(await tools('stranger')).toEqual([]);
    expect(await tools('none')).toEqual([]);
    const called = await postModern(endpoint, 'tools/call', { name: 'get_skill', arguments: {} }, { headers: bearer('narrow') });
    expect(called.message.error.message).toBe("Unknown tool 'get_skill'. Available tools: skill, list_skills.");
    const read = await postModern(endpoint, 'resources/read', { uri: 'skill://git/SKILL.md' }, { headers: bearer('stranger') });
    expect(read.message.error.code).toBe(-32602);
  });

  it('do not include admin, a role of its own', async () => {
    const endpoint = await start(createWorld());
    const read = async (name: string) =>
      (await postModern(endpoint, 'resources/read', { uri: 'docs://public/admin' }, { headers: bearer(name) })).message;
    expect((await read('all')).result.contents[0].text).toBe('For admins.');
    expect((await read('reader')).error.data.error).toBe('Unauthorized');
  });

  it('require a known token', async () => {
    const endpoint = await start(createWorld());
    for (const headers of [{}, { authorization: 'Bearer nobody' }, { authorization: 'Basic dG9rZW4=' }] as Record<string, string>[]) {
      const answer = await postModern(endpoint, 'tools/list', {}, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer realm="footbridge"/);
    }
    for (const path of ['/sse', '/api/catalog', '/metrics']) expect((await fetch(new URL(path, endpoint))).status).toBe(401);
    for (const path of ['/healthz', '/readyz']) expect((await fetch(new URL(path, endpoint))).status).toBe(200);
    expect((await fetch(new URL('/metrics', endpoint), { headers: bearer('reader') })).status).toBe(403);
    expect(await (await fetch(new URL('/metrics', endpoint), { headers: bearer('all') })).text()).toContain('footbridge_requests_total');
  });

  it('of others are shown on the catalog page to administrators only', async () => {
    const endpoint = await start(createWorld());
    const page = async (name: string) => {
      const data: Json = await (await fetch(new URL('/api/catalog', endpoint), { headers: bearer(name) })).json();
      return new Map<string, readonly string[]>(
        [...data.skills, ...data.resources, ...data.templates].map(({ uri, seenBy }: Json) => [uri, seenBy]),
      );
    };
    for (const name of ['reader', 'narrow']) expect(new Set([...(await page(name)).values()].flat())).toEqual(new Set([name]));
    expect((await page('all')).get('skill://git/SKILL.md')).toEqual(['reader', 'all', 'narrow']);
  });

  it('restrict a session to its owner', async () => {
    const endpoint = await start(createWorld());
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const begun = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params }, bearer('all'));
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
    const list = { jsonrpc: '2.0', id: 1, method: 'resources/list' };
    expect((await post(endpoint, list, { ...session, ...bearer('all') })).status).toBe(200);
    expect((await post(endpoint, list, { ...session, ...bearer('reader') })).status).toBe(404);
    expect((await post(endpoint, list, session)).status).toBe(401);
  });
});
