/** Corporate networks: every outgoing request uses the proxy, the certificate authorities and the client certificate of the environment. */
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../src/log.js';
import { outgoingFetch } from '../src/outgoing/fetch.js';
import { jwtVerifier } from '../src/serve/http/auth/oauth.js';
import { fetchFor } from '../src/sources/upstream/sign-in/guarded-fetch.js';
import { httpTransport } from '../src/sources/upstream/transports/index.js';
import { type Certificates, createCertificates, listening, startProxy } from './support/corporate-network.js';
import { onTransport } from './support/on-transport.js';

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'];

let certificates: Certificates;
const file = (name: string) => certificates.file(name);
beforeAll(() => {
  certificates = createCertificates();
});
afterAll(() => certificates.remove());
beforeEach(() => {
  for (const name of VARIABLES) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

function mcpListener(): RequestListener {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'inside', version: '1' });
    server.registerTool('hello', {}, () => ({ content: [{ type: 'text', text: 'hello' }] }));
    return server;
  });
  return getRequestListener((request) => handler.fetch(request));
}

async function startServer(options: { readonly requestCert?: boolean } = {}, listener = mcpListener()) {
  const subjects: (string | undefined)[] = [];
  const identity = { key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')), ca: readFileSync(file('ca.pem')) };
  const server = createSecureServer({ ...identity, rejectUnauthorized: false, ...options }, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    subjects.push(subject?.CN as string | undefined);
    listener(request, response);
  });
  return { url: `https://localhost:${await listening(server)}/mcp`, subjects };
}

async function serverNameAt(url: string): Promise<unknown> {
  const connection = await onTransport(httpTransport({ url }, { log: silentLog }));
  const answered = connection.initialize().then(({ error, result }) => {
    if (error !== undefined) throw new Error(error.message);
    return result.serverInfo.name;
  });
  return answered;
}

const trustAuthority = () => vi.stubEnv('SSL_CERT_FILE', file('ca.pem'));

describe('a proxy', () => {
  it('is used for servers, for their sign-in and for the keys of tokens', async () => {
    const proxy = await startProxy();
    const { url } = await startServer();
    const { port } = new URL(url);
    trustAuthority();
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    /** What the proxy was asked meanwhile. */
    const askedBy = async (act: () => Promise<unknown>) => {
      const before = proxy.asked.length;
      await act();
      return new Set(proxy.asked.slice(before));
    };
    const through = new Set([`localhost:${port}`]);
    expect(await askedBy(async () => expect(await serverNameAt(url)).toBe('inside'))).toEqual(through);
    const fetch = fetchFor(true);
    expect(await askedBy(() => fetch(new URL('/.well-known/oauth-protected-resource', url)))).toEqual(through);
    const keys = jwtVerifier({ issuer: new URL(url).origin, audience: 'x' }, silentLog);
    onTestFinished(() => keys.close());
    expect(await askedBy(async () => keys.verify('eyJhbGciOiJSUzI1NiJ9.e30.AA', 'digest'))).toEqual(through);
  });

  it('may have no scheme, a lower-case variable, and a user and password', async () => {
    const proxy = await startProxy({ login: 'me:secret' });
    const { url } = await startServer();
    trustAuthority();
    vi.stubEnv('https_proxy', `me:secret@127.0.0.1:${proxy.port}`);
    expect(await serverNameAt(url)).toBe('inside');
    expect(proxy.asked).toHaveLength(1);
  });

  it('is not used for hosts in NO_PROXY', async () => {
    const proxy = await startProxy();
    const { url } = await startServer();
    trustAuthority();
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    vi.stubEnv('NO_PROXY', 'example.org, localhost');
    expect(await serverNameAt(url)).toBe('inside');
    expect(proxy.asked).toEqual([]);
  });

  it('is named without its password when it causes a failure', async () => {
    const proxy = await startProxy({ login: 'me:secret' });
    const { url } = await startServer();
    const failure = (value: string) => {
      vi.stubEnv('HTTPS_PROXY', value);
      return serverNameAt(url).catch((cause: Error) => cause.message);
    };
    const at = `127.0.0.1:${proxy.port}`;
    expect(await failure(`http://me:wrong-secret@${at}`)).toBe(
      `The proxy ${at} requires a user and a password (HTTP 407). Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`,
    );
    expect(await failure('http://127.0.0.1:1')).toContain('The proxy 127.0.0.1:1 cannot be reached (ECONNREFUSED).');
    expect(await failure('socks5://127.0.0.1:1')).toContain('HTTPS_PROXY has no valid address of an HTTP proxy');
    const refusing = await startProxy({ status: 403 });
    expect(await failure(`http://127.0.0.1:${refusing.port}`)).toContain('refused the connection (HTTP 403)');
  });

  it('does not lead a public server to a private network', async () => {
    const proxy = await startProxy();
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${proxy.port}`);
    const fetch = fetchFor(false);
    await expect(fetch('https://localhost/token')).rejects.toThrow('private network');
    await expect(fetch('https://10.0.0.1/token')).rejects.toThrow('private network');
    expect(proxy.asked).toEqual([]);
  });
});

describe('certificates', () => {
  it('of an authority in SSL_CERT_FILE are accepted, others are rejected', async () => {
    const { url } = await startServer();
    await expect(serverNameAt(url)).rejects.toThrow('A TLS connection to the server');
    trustAuthority();
    expect(await serverNameAt(url)).toBe('inside');
  });

  it('of the client are sent to a server that requests one, also through a proxy', async () => {
    const { subjects, url } = await startServer({ requestCert: true });
    trustAuthority();
    vi.stubEnv('FOOTBRIDGE_CLIENT_CERT', file('client.pem'));
    vi.stubEnv('FOOTBRIDGE_CLIENT_KEY', file('client.key'));
    expect(await serverNameAt(url)).toBe('inside');
    vi.stubEnv('FOOTBRIDGE_CLIENT_KEY', file('locked.key'));
    vi.stubEnv('FOOTBRIDGE_CLIENT_KEY_PASSPHRASE', 'swordfish');
    await outgoingFetch(new URL(url), { signal: AbortSignal.timeout(10_000), longestBody: 10_000 });
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(await startProxy()).port}`);
    expect(await serverNameAt(url)).toBe('inside');
    expect(subjects.length).toBeGreaterThanOrEqual(3);
    expect(new Set(subjects)).toEqual(new Set(['client']));
  });

  it('that cannot be used are reported by the name of their variable', async () => {
    const { url } = await startServer();
    vi.stubEnv('SSL_CERT_FILE', file('missing.pem'));
    await expect(serverNameAt(url)).rejects.toThrow('The file that SSL_CERT_FILE names cannot be read.');
    vi.stubEnv('SSL_CERT_FILE', file('ca.pem'));
    vi.stubEnv('FOOTBRIDGE_CLIENT_CERT', file('client.pem'));
    await expect(serverNameAt(url)).rejects.toThrow('Set both FOOTBRIDGE_CLIENT_CERT and FOOTBRIDGE_CLIENT_KEY, or neither.');
    vi.stubEnv('FOOTBRIDGE_CLIENT_KEY', file('locked.key'));
    await expect(serverNameAt(url)).rejects.toThrow('The certificates cannot be used.');
  });
});
