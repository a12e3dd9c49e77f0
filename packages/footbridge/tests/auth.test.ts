/** Authentication over HTTP: configured tokens, JWTs, and how a host discovers the authorization server. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { Catalog, createLog, createServer, defineResource, defineResources } from 'footbridge';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Authenticator,
  type AuthOptions,
  challengeHeader,
  createAuthenticator,
  isProtected,
  metadataPath,
  protectedResourceMetadata,
} from '../src/serve/http/auth/index.js';
import { jwtVerifier } from '../src/serve/http/auth/oauth.js';
import type { OAuthOptions } from '../src/serve/http/options.js';
import { AuthorizationServer, type AuthorizationServerOptions, type Claims, type IssueOptions } from './support/authorization-server.js';
import { followChallenge, type ProtectedServer, signIn, signInV1 } from './support/sign-in.js';

const AUDIENCE = 'footbridge';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** An authenticator that is closed with the test, and its log lines. */
function authenticator(options: AuthOptions) {
  const lines: string[] = [];
  const made = createAuthenticator(
    options,
    createLog('debug', (line) => lines.push(line)),
  );
  onTestFinished(() => made.close());
  return { lines, ask: async (token: string) => made.authenticate(`Bearer ${token}`), authenticate: made.authenticate };
}

async function withOAuth(options: Partial<OAuthOptions> = {}, serverOptions: Partial<AuthorizationServerOptions> = {}) {
  const server = await AuthorizationServer.start({ audience: AUDIENCE, ...serverOptions });
  return { server, ...authenticator({ oauth: { issuer: server.issuer, audience: AUDIENCE, ...options } }) };
}

/** Fakes only the clock, so that sockets keep working. */
function holdClock(): { advance(milliseconds: number): void } {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  return { advance: (milliseconds) => void vi.setSystemTime(Date.now() + milliseconds) };
}

const INVALID = { ok: false, status: 401, error: 'invalid_token' };
const UNAVAILABLE = { ok: false, status: 503, error: 'temporarily_unavailable', message: expect.stringContaining('unreachable') };

describe('a configured token', () => {
  const tokens = [
    { name: 'build-agent', sha256: sha256('s3cret').toUpperCase(), roles: ['admin', 'reader'] },
    { name: 'guest', sha256: sha256('a.b.c') },
  ];

  it('authenticates its caller with the configured roles', async () => {
    const { ask, lines } = authenticator({ tokens });
    expect(await ask('s3cret')).toEqual({
      ok: true,
      caller: { id: expect.any(String), name: 'build-agent', roles: ['admin', 'reader'], admin: true },
      authInfo: { token: 's3cret', clientId: 'build-agent', scopes: ['admin', 'reader'] },
    });
    expect(await ask('a.b.c')).toMatchObject({ caller: { name: 'guest', roles: [], admin: false } });
    expect(await ask('a.b.d')).toMatchObject(INVALID);
    expect(await ask(sha256('s3cret'))).toMatchObject(INVALID);
    expect(lines).toEqual([]);
  });

  it('works next to an authorization server, even if it looks like a JWT', async () => {
    const server = await AuthorizationServer.start({ audience: AUDIENCE });
    const { ask } = authenticator({ tokens, oauth: { issuer: server.issuer, audience: AUDIENCE } });
    expect(await ask('a.b.c')).toMatchObject({ caller: { name: 'guest' } });
    expect(await ask('opaque')).toMatchObject(INVALID);
    expect(server.requests).toEqual([]);
    expect(await ask(await server.issue())).toMatchObject({ caller: { name: 'ada' } });
  });

  it.each(['Bearer s3cret', 'bearer s3cret', 'BEARER   s3cret'])('is read from %j', async (header) => {
    expect(await authenticator({ tokens }).authenticate(header)).toMatchObject({ ok: true });
  });

  it.each([
    's3cret',
    'Bearer',
    'Bearer ',
    'Basic s3cret',
    'Bearer s3cret, Bearer s3cret',
    'Bearer s3cret other',
    'Bearer s3=cret',
    'Bearer "s3cret"',
    'Bearer s3crét',
    'Bearer s3cret\n',
    'Bearer\ts3cret',
    `Bearer ${'a'.repeat(16 * 1024)}`,
  ])('is not read from %j', async (header) => {
    expect(await authenticator({ tokens }).authenticate(header)).toMatchObject({ ok: false, status: 401, error: 'invalid_request' });
  });

  it.each([undefined, ''])('is required when the header is %j', async (header) => {
    const refused = await authenticator({ tokens }).authenticate(header);
    expect(refused).toEqual({ ok: false, status: 401, message: expect.stringContaining('Authorization: Bearer') });
  });

  it('is required as soon as tokens or OAuth are configured', () => {
    expect(isProtected({})).toBe(false);
    expect(isProtected({ tokens: [] })).toBe(false);
    expect(isProtected({ tokens })).toBe(true);
    expect(isProtected({ oauth: { issuer: 'https://id.example', audience: AUDIENCE } })).toBe(true);
  });
});

describe('a JWT', () => {
  const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset;

  it.each<[string, IssueOptions]>([
    ['RS256', {}],
    ['ES256', { signedWith: 'ES256' }],
    ['no typ', { typ: null }],
    ['typ JWT', { typ: 'JWT' }],
    ['typ application/at+jwt', { typ: 'application/AT+JWT' }],
    ['no kid', { kid: null }],
  ])('is accepted with %s', async (_, options) => {
    const { server, ask } = await withOAuth();
    const token = await server.issue({ scope: 'read write', preferred_username: 'Ada' }, options);
    expect(await ask(token)).toEqual({
      ok: true,
      caller: { id: `jwt ${server.issuer} ada`, name: 'Ada', roles: ['read', 'write'], admin: false },
      authInfo: {
        token,
        clientId: 'Ada',
        scopes: ['read', 'write'],
        expiresAt: expect.any(Number),
        extra: { subject: 'ada', issuer: server.issuer },
      },
    });
  });

  it.each<[string, Claims, IssueOptions?]>([
    ['another issuer', { iss: 'https://other.example' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'other' }],
    ['other audiences', { aud: ['other', 'footbridge2'] }],
    ['no audience', { aud: undefined }],
    ['an end in the past', { exp: seconds(-60) }],
    ['no end', { exp: undefined }],
    ['a beginning in the future', { nbf: seconds(3600) }],
    ['nobody as its subject', { sub: undefined }],
    ['an empty subject', { sub: ' ' }],
    ['algorithm none', {}, { signedWith: 'none' }],
    ['algorithm none, spelt otherwise', {}, { signedWith: 'none', header: { alg: 'nOnE' } }],
    ['HS256 and the public key as its secret', {}, { signedWith: 'HS256' }],
    ['a key nobody published', {}, { signedWith: 'other' }],
    ['a key nobody published, and no name for it', {}, { signedWith: 'other', kid: null }],
    ['an unknown key', {}, { kid: 'unknown' }],
    ['a key of its own in the header', {}, { signedWith: 'other', kid: null, header: { jwk: { kty: 'oct', k: 'AAAA' } } }],
    ['an extension that is critical', {}, { header: { crit: ['x'], x: 1 } }],
    ['another typ', {}, { typ: 'dpop+jwt' }],
    ['the typ of a logout', {}, { typ: 'logout+jwt' }],
    ['another payload than was signed', {}, { tampered: 'payload' }],
    ['another signature', {}, { tampered: 'signature' }],
  ])('is rejected with %s', async (_, claims, options) => {
    const { server, ask, lines } = await withOAuth();
    const token = await server.issue(claims, options);
    const refused = await ask(token);
    expect(refused).toMatchObject({ ...INVALID, message: expect.stringMatching(/\.$/) });
    // Neither the token nor its claims are revealed.
    expect(JSON.stringify([refused, lines])).not.toMatch(new RegExp(`${token.split('.')[1]}|other|ada`));
    expect(await ask(await server.issue())).toMatchObject({ ok: true });
  });

  it.each(['a.b.c', 'e30.e30.', `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.e30.AAAA`, 'x.y', 'a.b.c.d.e'])(
    'is rejected when it is malformed: %s',
    async (token) => {
      const { ask } = await withOAuth();
      expect(await ask(token)).toMatchObject(INVALID);
    },
  );

  it('tolerates a few seconds of clock skew', async () => {
    const { server, ask } = await withOAuth();
    holdClock();
    expect(await ask(await server.issue({ exp: seconds(-3), nbf: seconds(3) }))).toMatchObject({ ok: true });
  });

  it('is rejected with a message that states the reason', async () => {
    const { server, ask } = await withOAuth();
    const reported = async (claims: Claims) => {
      const answer = await ask(await server.issue(claims));
      return answer.ok ? 'signed in' : answer.message;
    };
    expect(await reported({ exp: seconds(-60) })).toBe('The token has expired. Sign in again.');
    expect(await reported({ exp: undefined })).toBe('The token has no "exp" claim.');
    expect(await reported({ aud: 'other' })).toBe('The token\'s "aud" claim is not accepted.');
    expect(await reported({ nbf: seconds(3600) })).toBe('The token is not valid yet.');
  });

  it.each<[string, Claims, object, Partial<OAuthOptions>?]>([
    ['roles of the claim', { roles: ['admin', 7, 'reader'] }, { roles: ['admin', 'reader'], admin: true }],
    ['one role', { roles: 'reader' }, { roles: ['reader'], admin: false }],
    ['roles deeper down', { realm_access: { roles: ['admin'] } }, { roles: ['admin'], admin: true }, { rolesClaim: 'realm_access.roles' }],
    ['roles in a claim named by a URL', { 'https://x.example/roles': ['a'] }, { roles: ['a'] }, { rolesClaim: 'https://x.example/roles' }],
    ['no roles where there is no such claim', { roles: ['admin'] }, { roles: [], admin: false }, { rolesClaim: 'constructor.name' }],
    ['roles and scopes, each once', { roles: ['a', 'b'], scope: ' b  c ', scp: ['c', 'd'] }, { roles: ['a', 'b', 'c', 'd'] }],
    ['scp as text', { scp: 'read admin' }, { roles: ['read', 'admin'], admin: true }],
    ['nothing from claims of other types', { roles: { admin: true }, scope: 5 }, { roles: [], admin: false }],
    ['a name', { name: 'Ada Lovelace' }, { name: 'Ada Lovelace' }],
    ['the subject for an empty name', { preferred_username: '', name: 5 }, { name: 'ada' }],
    ['a name on one line', { name: 'Ada\n\u001b[31mroot' }, { name: 'Ada [31mroot' }],
    ['a program by client_id', { sub: undefined, client_id: 'job' }, { name: 'job', id: expect.stringMatching(/^jwt-client .* job$/) }],
    ['a program by azp', { sub: undefined, azp: 'job' }, { name: 'job', id: expect.stringMatching(/^jwt-client .* job$/) }],
  ])('gives %s', async (_, claims, caller, options = {}) => {
    const { server, ask } = await withOAuth(options);
    expect(await ask(await server.issue(claims))).toMatchObject({ ok: true, caller });
  });

  it('has its name truncated', async () => {
    const { server, ask } = await withOAuth();
    const answer = await ask(await server.issue({ name: 'x'.repeat(5000) }));
    expect(answer.ok && answer.caller.name.length).toBeLessThan(300);
  });

  it('is accepted for any of several audiences', async () => {
    const { server, ask } = await withOAuth({ audience: ['one', 'two'] });
    expect(await ask(await server.issue({ aud: ['two', 'three'] }))).toMatchObject({ ok: true });
    expect(await ask(await server.issue({ aud: 'three' }))).toMatchObject(INVALID);
  });

  it('is accepted only with the configured algorithms, which must be safe', async () => {
    const { server, ask } = await withOAuth({ algorithms: ['ES256'] });
    expect(await ask(await server.issue({}, { signedWith: 'ES256' }))).toMatchObject({ ok: true });
    expect(await ask(await server.issue())).toMatchObject(INVALID);
    for (const algorithm of ['none', 'HS256', 'RS1']) {
      expect(() => authenticator({ oauth: { issuer: server.issuer, audience: AUDIENCE, algorithms: [algorithm] } })).toThrow(algorithm);
    }
  });

  it('without a key ID is verified with each matching key', async () => {
    const { server, ask } = await withOAuth();
    const old = await server.issue({}, { kid: null });
    const expired = await server.issue({ exp: seconds(-60) }, { kid: null });
    await server.rotate({ keep: true });
    expect(await ask(old)).toMatchObject({ ok: true });
    expect(await ask(expired)).toMatchObject({ message: expect.stringContaining('expired') });
    expect(await ask(await server.issue({}, { kid: null, signedWith: 'other' }))).toMatchObject(INVALID);
  });
});

describe('a verified JWT', () => {
  it('is cached for a minute, but not beyond its expiry', async () => {
    const { server, authenticate } = await withOAuth();
    const clock = holdClock();
    const header = `Bearer ${await server.issue({ exp: Math.floor(Date.now() / 1000) + 90 })}`;
    expect(authenticate(header)).toBeInstanceOf(Promise);
    expect(await authenticate(header)).toMatchObject({ ok: true });
    clock.advance(50_000);
    expect(authenticate(header)).toMatchObject({ ok: true, authInfo: { token: header.slice(7) } });
    clock.advance(11_000);
    const again = authenticate(header);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toMatchObject({ ok: true });
    expect(authenticate(header)).toMatchObject({ ok: true });
    clock.advance(35_000);
    expect(await authenticate(header)).toMatchObject({ ...INVALID, message: expect.stringContaining('expired') });
  });

  it('is evicted from the cache by newer ones', async () => {
    const { server } = await withOAuth();
    holdClock();
    const verifier = jwtVerifier({ issuer: server.issuer, audience: AUDIENCE }, createLog('silent'));
    onTestFinished(() => verifier.close());
    const token = await server.issue();
    await verifier.verify(token, 'first');
    expect(verifier.verify(token, 'first')).not.toBeInstanceOf(Promise);
    // The cache knows a token by its digest, so one token can stand for ten thousand.
    for (let count = 0; count < 10_000; count++) await verifier.verify(token, `${count}`);
    expect(verifier.verify(token, 'first')).toBeInstanceOf(Promise);
  });
});

describe('the keys', () => {
  const METADATA = '/.well-known/oauth-authorization-server';

  it.each<[string, Partial<AuthorizationServerOptions>, string[]]>([
    ['OAuth metadata', {}, [METADATA, '/jwks']],
    ['OAuth metadata of one issuer of several', { path: '/realms/a' }, [`${METADATA}/realms/a`, '/realms/a/jwks']],
    ['OpenID metadata', { metadata: 'openid' }, [METADATA, '/.well-known/openid-configuration', '/jwks']],
    [
      'OpenID metadata of one issuer of several',
      { metadata: 'openid', path: '/realms/a' },
      [`${METADATA}/realms/a`, '/realms/a/.well-known/openid-configuration', '/realms/a/jwks'],
    ],
  ])('are found by %s, once for all tokens', async (_, serverOptions, requests) => {
    const { server, ask } = await withOAuth({}, serverOptions);
    const tokens = await Promise.all([
      server.issue({ sub: 'a' }),
      server.issue({ sub: 'b' }),
      server.issue({ sub: 'c' }, { kid: 'unknown' }),
    ]);
    const answers = await Promise.all(tokens.map(ask));
    expect(answers.map((answer) => answer.ok)).toEqual([true, true, false]);
    expect(server.requests).toEqual(requests);
  });

  it('are fetched from the configured jwksUri', async () => {
    const server = await AuthorizationServer.start({ audience: AUDIENCE });
    const { ask } = authenticator({ oauth: { issuer: server.issuer, audience: AUDIENCE, jwksUri: server.jwksUri } });
    expect(await ask(await server.issue())).toMatchObject({ ok: true });
    expect(server.requests).toEqual(['/jwks']);
  });

  it('are fetched again when a token has an unknown key', async () => {
    const { server, ask } = await withOAuth();
    const clock = holdClock();
    const old = await server.issue({ sub: 'old' });
    expect(await ask(await server.issue())).toMatchObject({ ok: true });
    await server.rotate();
    const young = await server.issue({ sub: 'young' });
    // Not again so soon: unknown key ids must not cause a request to the authorization server each time.
    expect(await ask(young)).toMatchObject(INVALID);
    clock.advance(10_000);
    expect(await ask(young)).toMatchObject({ ok: true });
    expect(await ask(old)).toMatchObject(INVALID);
  });

  it('expire after ten minutes', async () => {
    const { server, ask } = await withOAuth();
    const clock = holdClock();
    const exp = Math.floor(Date.now() / 1000) + 3600;
    expect(await ask(await server.issue({ exp }))).toMatchObject({ ok: true });
    const [before, after] = [await server.issue({ exp, sub: 'before' }), await server.issue({ exp, sub: 'after' })];
    await server.rotate();
    clock.advance(599_000);
    expect(await ask(before)).toMatchObject({ ok: true });
    clock.advance(1000);
    expect(await ask(after)).toMatchObject(INVALID);
  });

  it('keep working while the authorization server is unreachable', async () => {
    const { server, ask, lines } = await withOAuth();
    const clock = holdClock();
    const exp = Math.floor(Date.now() / 1000) + 7200;
    expect(await ask(await server.issue({ exp }))).toMatchObject({ ok: true });
    await server.stop();
    clock.advance(3_600_000);
    expect(await ask(await server.issue({ exp, sub: 'bob' }))).toMatchObject({ ok: true });
    expect(lines.join('')).toContain(`Cannot fetch the keys of ${server.issuer}`);
    await server.rotate();
    const young = await server.issue({ exp, sub: 'young' });
    expect(await ask(young)).toMatchObject(UNAVAILABLE);
    await server.restart();
    clock.advance(10_000);
    expect(await ask(young)).toMatchObject({ ok: true });
  });

  it('are requested again ten seconds after a failure', async () => {
    const { server, ask, lines } = await withOAuth();
    const clock = holdClock();
    const token = await server.issue();
    await server.stop();
    expect(await ask(token)).toMatchObject(UNAVAILABLE);
    await server.restart();
    clock.advance(9000);
    expect(await ask(token)).toMatchObject(UNAVAILABLE);
    expect(server.requests).toEqual([]);
    clock.advance(1000);
    expect(await ask(token)).toMatchObject({ ok: true });
    expect(lines).toHaveLength(1);
    expect(lines.join('')).not.toContain(token);
  });

  type Tamper = (server: AuthorizationServer) => void;
  const instead =
    (path: string, status: number, body: (server: AuthorizationServer) => string, headers = {}): Tamper =>
    (server) => {
      server.instead.set(path, (response) => void response.writeHead(status, headers).end(body(server)));
    };

  it.each<[string, Tamper, string]>([
    [
      'metadata of another issuer',
      instead(METADATA, 200, ({ origin }) => `{"issuer":"${origin}/","jwks_uri":"${origin}/jwks"}`),
      'another issuer',
    ],
    ['metadata without keys', instead(METADATA, 200, ({ issuer }) => `{"issuer":"${issuer}"}`), 'no valid jwks_uri'],
    ['keys at no address', instead(METADATA, 200, ({ issuer }) => `{"issuer":"${issuer}","jwks_uri":"jwks"}`), 'no valid jwks_uri'],
    ['keys in a file', instead(METADATA, 200, ({ issuer }) => `{"issuer":"${issuer}","jwks_uri":"file:///etc/passwd"}`), 'not https'],
    ['metadata elsewhere', instead(METADATA, 302, () => '', { location: '/elsewhere' }), 'redirect'],
    ['keys elsewhere', instead('/jwks', 302, () => '', { location: '/elsewhere' }), 'redirect'],
    ['an error', instead('/jwks', 500, () => '{"keys":[]}'), '/jwks: HTTP 500'],
    ['no JSON', instead('/jwks', 200, () => '<html>'), 'JSON'],
    ['a list', instead('/jwks', 200, () => '[]'), 'not a JSON object'],
    ['no key set', instead('/jwks', 200, () => '{"keys":{}}'), 'not a JSON Web Key Set'],
    ['a key set of nothing', instead('/jwks', 200, () => '{"keys":[null]}'), 'malformed'],
    ['far too much', instead('/jwks', 200, () => `{"keys":[],"x":"${'x'.repeat(2_000_000)}"}`), 'larger than'],
    [
      'half an answer',
      ({ instead }) => void instead.set('/jwks', (response) => void response.writeHead(200).write('{"keys":', () => response.destroy())),
      '/jwks: ',
    ],
  ])('are unavailable after %s', async (_, tamper, reason) => {
    const { server, ask, lines } = await withOAuth();
    tamper(server);
    expect(await ask(await server.issue())).toMatchObject(UNAVAILABLE);
    expect(server.requests).not.toContain('/elsewhere');
    expect(lines.join('')).toContain(reason);
  });

  it('are no longer fetched after close', async () => {
    const server = await AuthorizationServer.start({ audience: AUDIENCE });
    const lines: string[] = [];
    const log = createLog('debug', (line) => lines.push(line));
    const made = createAuthenticator({ oauth: { issuer: server.issuer, audience: AUDIENCE } }, log);
    const asked = new Promise<void>((resolve) => server.instead.set(METADATA, () => resolve()));
    const answer = made.authenticate(`Bearer ${await server.issue()}`);
    await asked;
    made.close();
    expect(await answer).toMatchObject(UNAVAILABLE);
    expect(lines).toEqual([]);
  });

  it('require a valid URL, and warn about http', () => {
    expect(() => authenticator({ oauth: { issuer: 'id.example', audience: AUDIENCE } })).toThrow('http.oauth: invalid URL id.example.');
    expect(authenticator({ oauth: { issuer: 'http://id.example', audience: AUDIENCE } }).lines.join('')).toContain('Use https.');
    expect(authenticator({ oauth: { issuer: 'https://id.example', audience: AUDIENCE } }).lines).toEqual([]);
  });
});

describe('a challenge', () => {
  it('contains the error and the metadata URL', () => {
    const refused = { ok: false, status: 401, error: 'invalid_token', message: 'No "good" \\ token — so\r\nsorry.' } as const;
    expect(challengeHeader(refused, 'https://x.example/a"b')).toBe(
      `Bearer realm="footbridge", error="invalid_token", error_description="No 'good' / token ? so??sorry.", resource_metadata="https://x.example/a\\"b"`,
    );
  });

  it('contains no error for a request without credentials', () => {
    expect(challengeHeader({ ok: false, status: 401, message: 'x' })).toBe('Bearer realm="footbridge"');
  });

  it.each([
    ['/mcp', '/.well-known/oauth-protected-resource/mcp'],
    ['/mcp/', '/.well-known/oauth-protected-resource/mcp'],
    ['/', '/.well-known/oauth-protected-resource'],
  ])('has its metadata for %s at %s', (path, expected) => {
    expect(metadataPath(path)).toBe(expected);
  });

  it('points to metadata with the authorization server', () => {
    const oauth = { issuer: 'https://id.example', audience: AUDIENCE };
    expect(protectedResourceMetadata('https://x.example/mcp', oauth)).toEqual({
      resource: 'https://x.example/mcp',
      authorization_servers: ['https://id.example'],
      bearer_methods_supported: ['header'],
      resource_name: 'Footbridge',
    });
  });
});

describe('a host that knows only the URL', () => {
  /** As small as a server can be that lets in only those who signed in. */
  async function protectedServer(server: AuthorizationServer): Promise<ProtectedServer> {
    const oauth = { issuer: server.issuer, audience: AUDIENCE };
    const access: Authenticator = createAuthenticator({ oauth }, createLog('silent'));
    const catalog = await Catalog.open([
      defineResources([defineResource({ uri: 'team://me', name: 'Me', read: (_, { caller }) => caller.name })]),
    ]);
    const handler = createMcpHandler(() => createServer({ catalog, announce: false }));
    const answer = async (request: Request): Promise<Response> => {
      const { origin, pathname } = new URL(request.url);
      const resource = `${origin}/mcp`;
      if (pathname === metadataPath('/mcp')) return Response.json(protectedResourceMetadata(resource, oauth));
      if (pathname !== '/mcp') return new Response(null, { status: 404 });
      const outcome = await access.authenticate(request.headers.get('authorization') ?? undefined);
      if (outcome.ok) return handler.fetch(request, { authInfo: outcome.authInfo });
      const challenge = challengeHeader(outcome, `${origin}${metadataPath('/mcp')}`);
      return new Response(outcome.message, { status: outcome.status, headers: { 'www-authenticate': challenge } });
    };
    const listener = serve({ fetch: answer, hostname: '127.0.0.1', port: 0 });
    await once(listener, 'listening');
    onTestFinished(async () => {
      access.close();
      await handler.close();
      listener.close();
    });
    const address = listener.address();
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    return { origin, endpoint: `${origin}/mcp` };
  }

  it.each(['auto', 'legacy'] as const)('signs in with SDK v2, negotiation %s', async (mode) => {
    const client = await signIn(await protectedServer(await AuthorizationServer.start({ audience: AUDIENCE })), mode);
    expect((await client.listTools()).tools).not.toEqual([]);
    const { contents } = await client.readResource({ uri: 'team://me' });
    expect(contents).toMatchObject([{ text: 'ada' }]);
  });

  it('signs in with SDK v1', async () => {
    const client = await signInV1(await protectedServer(await AuthorizationServer.start({ audience: AUDIENCE, path: '/realms/team' })));
    expect((await client.listTools()).tools).not.toEqual([]);
    const { contents } = await client.readResource({ uri: 'team://me' });
    expect(contents).toMatchObject([{ text: 'ada' }]);
  });

  it('finds the authorization server by following the challenge', async () => {
    const server = await AuthorizationServer.start({ audience: AUDIENCE });
    const running = await protectedServer(server);
    const { status, challenge, metadata } = await followChallenge(running);
    expect(status).toBe(401);
    expect(challenge).toMatch(/^Bearer realm="footbridge", /);
    expect(challenge).not.toContain('error');
    expect(metadata).toMatchObject({ resource: running.endpoint, authorization_servers: [server.issuer] });
  });
});
