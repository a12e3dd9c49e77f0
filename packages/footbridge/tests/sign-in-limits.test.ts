/** A hostile server cannot delay a sign-in, flood it, or change its address in between. */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { fetchFor, isOnPrivateNetwork } from '../src/sources/upstream/sign-in/guarded-fetch.js';
import { startProtected } from './support/protected-server.js';
import { footbridge, linkIn, loginFolder } from './support/sign-in-bridge.js';
import { sendJson, serveWeb } from './support/web-server.js';

describe('a sign-in', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ends after 40 seconds, however many answers it needs', async () => {
    // Each answer comes in time, as the clock has it.
    const late = (found: Record<string, unknown>) => {
      vi.setSystemTime(Date.now() + 14_000);
      return found;
    };
    const world = await startProtected({ resource: late, metadata: (found) => late(late(found)) });
    const bridge = footbridge(world, loginFolder());
    await bridge.listed();
    vi.useFakeTimers({ toFake: ['Date'] });
    expect(await bridge.text('sign_in_to_docs')).toContain('takes too long');
    expect(world.grants).toEqual([]);
  });

  it('times out if the authorization server never finishes its answer', async () => {
    const silent = await serveWeb(({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).write('{'));
    const { origin } = new URL(silent.url);
    const world = await startProtected({ resource: (others) => ({ ...others, authorization_servers: [origin] }) });
    const bridge = footbridge(world, loginFolder());
    await bridge.listed();
    // The real limit is 15 seconds.
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => timeout(Math.min(milliseconds, 200)));
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await bridge.text('sign_in_to_docs')).toContain(`${new URL(origin).host} did not answer in time`);
  });
});

describe('a challenge', () => {
  it('of a megabyte is rejected with the reason', async () => {
    const server = await serveWeb(({ response }) => {
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${'x'.repeat(1_000_000)}"` }).end();
    });
    const bridge = footbridge(server, loginFolder());
    await bridge.listed();
    await expect.poll(() => bridge.failure?.message).toContain('headers that are too long');
  });

  it('is read up to 8 KB, and the metadata is then requested from the well-known URL', async () => {
    const world = await startProtected();
    const server = await serveWeb(({ request, response }) => {
      const { origin } = new URL(`http://${request.headers.host}`);
      const resource = { resource: `${origin}/mcp`, authorization_servers: [world.issuer] };
      if (request.method === 'GET') return sendJson(response, 200, resource);
      const challenge = `Bearer realm="${'x'.repeat(9000)}", resource_metadata="https://elsewhere.example/metadata"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    });
    const bridge = footbridge(server, loginFolder());
    await bridge.listed();
    expect(linkIn(await bridge.text('sign_in_to_docs'))).toContain(world.issuer);
  });

  it('is found behind those of other schemes', async () => {
    const world = await startProtected();
    const server = await serveWeb(({ request, response }) => {
      const { origin } = new URL(`http://${request.headers.host}`);
      const resource = { resource: `${origin}/mcp`, authorization_servers: [world.issuer] };
      if (request.url === '/metadata') return sendJson(response, 200, resource);
      const bearer = `Bearer resource_metadata="${origin}/metadata", scope="write"`;
      return response.writeHead(401, { 'www-authenticate': ['Negotiate', 'Basic realm="x"', bearer] }).end();
    });
    const bridge = footbridge(server, loginFolder());
    await bridge.listed();
    const link = new URL(linkIn(await bridge.text('sign_in_to_docs')));
    expect(link.origin).toBe(world.issuer);
    expect(link.searchParams.get('scope')).toContain('write');
  });
});

describe('a name whose address changes', () => {
  const [PUBLIC, PRIVATE] = ['203.0.113.7', '127.0.0.1'];

  /** Resolves any name to these addresses, one set after the other. */
  function resolveTo(...answers: readonly (readonly string[])[]): { asked: number } {
    const seen = { asked: 0 };
    const fake = (_name: string, _options: unknown, done: (error: null, found: readonly object[]) => void) => {
      const answer = answers[Math.min(seen.asked++, answers.length - 1)] ?? [];
      queueMicrotask(() =>
        done(
          null,
          answer.map((address) => ({ address, family: 4 })),
        ),
      );
    };
    const spy = vi.spyOn(dns, 'lookup').mockImplementation(fake as typeof dns.lookup);
    syncBuiltinESMExports();
    onTestFinished(() => {
      spy.mockRestore();
      syncBuiltinESMExports();
    });
    return seen;
  }

  it('is resolved once per request, and not contacted at a private address', async () => {
    const inside = await serveWeb(({ response }) => response.end('{}'));
    const { port } = new URL(inside.url);
    const seen = resolveTo([PRIVATE], [PUBLIC, PRIVATE], [PRIVATE]);
    const fetch = fetchFor(false);
    for (const count of [1, 2, 3]) {
      await expect(fetch(`https://login.example:${port}/token`)).rejects.toThrow('on a private network');
      expect(seen.asked).toBe(count);
    }
    expect(inside.calls).toHaveLength(0);
  });

  it('does not turn a server on the internet into one on the private network', async () => {
    const server = new URL('https://docs.example/mcp');
    resolveTo([PRIVATE]);
    expect(await isOnPrivateNetwork(server, PUBLIC)).toBe(false);
    expect(await isOnPrivateNetwork(server)).toBe(true);
    resolveTo([PUBLIC, PRIVATE]);
    expect(await isOnPrivateNetwork(server)).toBe(false);
    resolveTo([]);
    expect(await isOnPrivateNetwork(server)).toBe(false);
    expect(await isOnPrivateNetwork(server, PRIVATE)).toBe(true);
  });
});
