/** Tokens of team callers are exchanged for tokens for an upstream server, and never forwarded. */
import { expect, it } from 'vitest';
import { createWorld } from '../support/folders.js';
import { type HttpProcess, postModern, startHttp, until } from '../support/http-server.js';
import { type ProtectedWorld, startProtected } from '../support/protected-server.js';
import { secretsIn } from '../support/secret-forms.js';
import { AUDIENCE, callerKeys, EXCHANGE_CLIENT } from '../support/token-exchange-grant.js';
import { bearer, tokensOf } from '../support/tokens.js';

const SECRET = { GATEWAY_SECRET: EXCHANGE_CLIENT.client_secret };

function gateway(upstream: ProtectedWorld, issuer = upstream.issuer): Promise<HttpProcess> {
  const oauth = { clientId: EXCHANGE_CLIENT.client_id, clientSecretEnv: 'GATEWAY_SECRET' };
  return startHttp(createWorld(), {
    env: SECRET,
    config: {
      standardFolders: false,
      mcpServers: { docs: { url: upstream.url, signIn: 'exchange', oauth } },
      http: { oauth: { issuer, audience: AUDIENCE }, tokens: tokensOf('robot') },
    },
  });
}

async function ask(
  { endpoint }: HttpProcess,
  method: string,
  params: Readonly<Record<string, unknown>>,
  authorization: string,
): Promise<string> {
  return JSON.stringify((await postModern(endpoint, method, params, { headers: { authorization } })).message);
}

async function whoami(server: HttpProcess, authorization: string): Promise<string> {
  await until(async () => /whoami|server_unavailable/.test(await ask(server, 'tools/list', {}, authorization)));
  const tools = await ask(server, 'tools/list', {}, authorization);
  return ask(server, 'tools/call', { name: tools.includes('whoami') ? 'whoami' : 'server_unavailable', arguments: {} }, authorization);
}

it('each caller has a separate token, which is reused until it expires', async () => {
  const keys = await callerKeys();
  const upstream = await startProtected({ registration: false, clients: [EXCHANGE_CLIENT], callers: keys });
  const server = await gateway(upstream);
  const callers = await Promise.all(['alice', 'bob'].map(async (name) => ({ name, token: await keys.tokenFor(name, upstream.issuer) })));
  for (const { name, token } of callers) {
    upstream.used.clear();
    expect(await whoami(server, `Bearer ${token}`)).toContain('ada');
    expect([...upstream.used].map((used) => upstream.exchanged.get(used))).toEqual([name]);
  }
  expect(upstream.grants).toHaveLength(2);
  upstream.expire();
  const [alice] = callers;
  expect(await whoami(server, `Bearer ${alice?.token}`)).toContain('ada');
  expect(upstream.grants).toHaveLength(3);
  for (const { token } of callers) expect(upstream.received.has(token)).toBe(false);
  const secrets = [...upstream.secrets, ...callers.map(({ token }) => token)];
  expect(secretsIn(server.output() + server.stderr(), secrets)).toEqual([]);
});

it('a token is sent only to its own authorization server, whatever the upstream names', async () => {
  const keys = await callerKeys();
  const [own, other] = [await startProtected({ callers: keys }), await startProtected({ clients: [EXCHANGE_CLIENT], callers: keys })];
  const server = await gateway(other, own.issuer);
  const token = await keys.tokenFor('alice', own.issuer);
  expect(await whoami(server, `Bearer ${token}`)).toContain('not the one in http.oauth');
  expect(other.grants).toEqual([]);
  expect(other.received.has(token)).toBe(false);
});

it.each([
  ['where it is not offered', {}, 'alice', 'does not offer token exchange'],
  ['to a caller with a token of http.tokens', { callers: true }, 'robot', 'Only callers with a current token'],
])('says what to do %s', async (_title, { callers }: { callers?: boolean }, name, words) => {
  const keys = await callerKeys();
  const offered = { clients: [EXCHANGE_CLIENT], callers: keys };
  const metadata = (found: Record<string, unknown>) => ({ ...found, grant_types_supported: ['authorization_code'] });
  const upstream = await startProtected(callers === true ? offered : { ...offered, metadata });
  const server = await gateway(upstream);
  const authorization = name === 'robot' ? bearer('robot').authorization : `Bearer ${await keys.tokenFor(name, upstream.issuer)}`;
  expect(await whoami(server, authorization)).toContain(words);
  expect(upstream.grants).toEqual([]);
});

it('requires http.oauth', async () => {
  const config = { mcpServers: { docs: { url: 'http://127.0.0.1:9/mcp', signIn: 'exchange' } }, http: { tokens: tokensOf('alice') } };
  await expect(startHttp(createWorld(), { config })).rejects.toThrow('requires http.oauth');
});
