/** What docs/team.md says of a team's server is so. */
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { DEFAULT_HTTP_LIMITS } from '../src/serve/http/options.js';
import type { Json } from './support/client.js';
import { blocksOf, textOfDocument } from './support/documents.js';
import { createWorld } from './support/folders.js';
import { type HttpProcess, type HttpProcessOptions, post, startHttp } from './support/http-server.js';
import { freePort } from './support/programs.js';

const page = textOfDocument('docs/team.md');
const blocks = blocksOf(page);
const [file] = blocks.filter(({ language }) => language === 'jsonc');
const TOKEN = 'fb_team';
const sha256 = createHash('sha256').update(TOKEN).digest('hex');
/** The file that the page begins with, for a token that is known here. */
const CONFIGURATION: Json = JSON.parse((file?.code ?? '').replace(/ \/\/ .*$/gm, '').replace(/[0-9a-f]{64}/g, sha256));

async function start(http: Json = {}, options: HttpProcessOptions = {}): Promise<HttpProcess> {
  const world = createWorld();
  world.skill('project/team-skills/git');
  const config = { ...CONFIGURATION, http: { ...CONFIGURATION.http, ...http } };
  return startHttp(world, { config, address: `127.0.0.1:${await freePort()}`, ...options });
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_skills', arguments: {} } };

describe('a host connects with', () => {
  const hosts = blocks.filter(({ language }) => language === 'json');
  it.each(hosts)('the configuration in line $line', async ({ code }) => {
    const { origin } = await start();
    const { mcpServers, servers = mcpServers }: Json = JSON.parse(code);
    const { url, headers } = servers.footbridge;
    expect(url).toBe(`${CONFIGURATION.http.publicUrl}/mcp`);
    const sent = { authorization: headers.Authorization.replace(/\$\{[^}]+\}/, TOKEN) };
    expect((await post(`${origin}${new URL(url).pathname}`, CALL, sent)).text).toContain('git');
  });

  it('the configuration that the program prints', async () => {
    const { output } = await start();
    const command = blocks.find(({ code }) => code.startsWith('claude mcp add'))?.code.trim() ?? '';
    expect(output()).toContain(command.replace('$FOOTBRIDGE_TOKEN', '<token>'));
  });
});

it('the table of limits is complete, with the defaults', () => {
  const rows = rowsOf('## Limits').map(([name = '', value]) => [name.replaceAll('`', ''), Number(value)]);
  expect(Object.fromEntries(rows.slice(1))).toEqual(DEFAULT_HTTP_LIMITS);
});

it('the table of metrics is complete', async () => {
  const { origin } = await start({ tokens: [{ name: 'watch', sha256, roles: ['metrics'] }] });
  const text = await (await fetch(`${origin}/metrics`, { headers: bearer })).text();
  const served = [...text.matchAll(/^# TYPE (footbridge_\w+) /gm)].map(([, name]) => name);
  expect(new Set(page.match(/footbridge_\w+/g))).toEqual(new Set(served));
});

describe('the troubleshooting table', () => {
  let server: HttpProcess;
  const limits = { burst: 1, callsPerMinute: 1, bodyBytes: 1000 };
  const session = { 'mcp-session-id': 'none', 'mcp-protocol-version': '2025-06-18' };
  const keysAway = { issuer: 'https://127.0.0.1:9', audience: 'footbridge', jwksUri: 'https://127.0.0.1:9/keys' };
  const jwt = ['{"alg":"RS256","kid":"one"}', '{"iss":"https://127.0.0.1:9"}', 'signature'].map((part) =>
    Buffer.from(part).toString('base64url'),
  );

  /** What gets each answer. */
  const CASES: readonly (readonly [answer: string, send: () => Promise<{ status: number; text: string }>])[] = [
    ['401', () => post(server.endpoint, LIST)],
    ['403, "is not allowed. Add it to http.hosts"', () => raw('/healthz', { host: 'elsewhere.example' })],
    ['403, "is not allowed. Add it to http.origins"', () => raw('/healthz', { origin: 'https://elsewhere.example' })],
    ['403 from `/metrics`', () => raw('/metrics', bearer)],
    ['404, "Session not found"', () => post(server.endpoint, LIST, { ...bearer, ...session })],
    ['404, "The MCP endpoint is /mcp"', () => raw('/nothing', bearer)],
    ['413', () => post(server.endpoint, { ...LIST, params: { long: 'x'.repeat(1000) } }, bearer)],
    ['415', () => post(server.endpoint, LIST, { ...bearer, 'content-type': 'text/plain' })],
    ['429', () => post(server.endpoint, CALL, bearer).then(() => post(server.endpoint, CALL, bearer))],
    ['503, "authorization server"', () => post(server.endpoint, LIST, { authorization: `Bearer ${jwt.join('.')}` })],
  ];

  it('contains the responses to rejected requests', async () => {
    server = await start({ limits, oauth: keysAway });
    for (const [answer, send] of CASES) {
      const { status, text } = await send();
      expect(status, answer).toBe(Number.parseInt(answer, 10));
      expect(text).toContain(/"(.+)"/.exec(answer)?.[1] ?? '');
    }
    const shown = rowsOf('## Troubleshooting').map(([answer = '']) => answer);
    expect(shown.filter((answer) => /^\d/.test(answer))).toEqual([
      ...CASES.map(([answer]) => answer),
      '503, "are in use. Try again later"',
      '503, "The server is busy"',
      '503, "cannot be looked up at the moment"',
      '503 from `/readyz`',
    ]);
  });

  it('contains the 503 for too many streams', async () => {
    server = await start({ limits: { subscriptions: 1 } });
    expect((await raw('/sse', bearer, 'headers')).status).toBe(200);
    expect(await raw('/sse', bearer)).toMatchObject({ status: 503, text: expect.stringContaining('are in use. Try again later') });
  });

  function raw(path: string, headers: Record<string, string>, until: 'end' | 'headers' = 'end') {
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const call = request(new URL(path, server.origin), { headers }, (response) => {
        let text = '';
        if (until === 'headers') resolve({ status: response.statusCode ?? 0, text });
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
        response.on('error', () => {});
      });
      call.on('error', reject);
      call.end();
    });
  }
});

/** The cells of the first table below a heading, its head first. */
function rowsOf(heading: string): string[][] {
  const [, section = ''] = page.split(`\n${heading}\n`);
  const table = /(?:^\|.*\n)+/m.exec(section)?.[0] ?? '';
  const lines = table.trim().split('\n');
  return lines
    .filter((_, index) => index !== 1)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
