/** Calls that are answered without the SDK: the same to the last field as those that go through it. */
import { describe, expect, it } from 'vitest';
import type { Json } from '../support/client.js';
import { createWorld } from '../support/folders.js';
import { post, postModern, startHttp } from '../support/http-server.js';

type Call = readonly [method: string, params: Record<string, unknown>];

/** One of each kind of answer, made from what is listed. */
async function calls(endpoint: string): Promise<readonly Call[]> {
  const { tools } = (await postModern(endpoint, 'tools/list')).message.result;
  const { resources } = (await postModern(endpoint, 'resources/list')).message.result;
  const uris = resources.map(({ uri }: Json) => uri);
  return [
    ['tools/list', {}],
    ...uris.flatMap((uri: string): Call[] => [
      ['resources/read', { uri }],
      ['tools/call', { name: 'get_skill', arguments: { uri } }],
      ['tools/call', { name: 'get_resource', arguments: { uri } }],
    ]),
    ...tools.flatMap(({ name }: Json): Call[] => [
      ['tools/call', { name }],
      ['tools/call', { name, arguments: {} }],
      ['tools/call', { name, arguments: { name: 'git', uri: 5 } }],
      ['tools/call', { name, arguments: 'none' }],
    ]),
    ['tools/call', { name: 'unknown' }],
    ['tools/call', { name: 'skill', arguments: { name: 'nope' } }],
    ['resources/read', { uri: 'skill://nope/SKILL.md' }],
    ['resources/read', { uri: '' }],
    ['resources/read', { uri: 'skill://git/../../etc/passwd' }],
  ];
}

/** What differs from one moment to the next. */
function timeless(message: Json): Json {
  return JSON.parse(JSON.stringify(message).replace(/(\\?"timestamp\\?":\s*\\?")[^"\\]+/g, '$1'));
}

function world() {
  const made = createWorld();
  made.skill('project/.agents/skills/git');
  made.skill('project/.agents/skills/office/pdf');
  made.write('project/.agents/skills/git/logo.png', Buffer.from('89504e470d0a1a0a', 'hex'));
  return made;
}

describe('the short way and the way through the SDK', () => {
  it('answer alike in 2026-07-28', async () => {
    const { endpoint } = await startHttp(world());
    const all = await calls(endpoint);
    expect(all.length).toBeGreaterThan(20);
    for (const [method, params] of all) {
      for (const id of [7, 'seven']) {
        const short = await postModern(endpoint, method, params, { id });
        // Something unusual beside the call makes it take the other way.
        const long = await postModern(endpoint, method, params, { id, meta: { 'example.org/unusual': true } });
        expect([short.status, timeless(short.message)], `${method} ${JSON.stringify(params)}`).toEqual([
          long.status,
          timeless(long.message),
        ]);
      }
    }
  });

  it('answer alike in older revisions, with and without a session', async () => {
    const { endpoint } = await startHttp(world());
    const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const begun = await post(endpoint, { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening });
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-06-18' };
    for (const [method, params] of await calls(endpoint)) {
      const message = { jsonrpc: '2.0', id: 7, method, params };
      const long = await post(endpoint, [message]);
      for (const headers of [{}, session]) {
        const short = await post(endpoint, message, headers);
        expect(short.headers.get('content-type')).toBe('application/json');
        expect([short.status, timeless(short.message)], `${method} ${JSON.stringify(params)}`).toEqual([
          long.status,
          timeless(long.message),
        ]);
      }
    }
  });
});
