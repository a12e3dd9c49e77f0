/** Corporate networks: every outgoing request uses the proxy, the authorities and the client certificate of the environment. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { silentLog } from '../src/log.js';
import { outgoingFetch } from '../src/outgoing/fetch.js';
import { jwtVerifier } from '../src/serve/http/auth/oauth.js';
import { fetchFor } from '../src/sources/upstream/sign-in/guarded-fetch.js';
import { httpTransport } from '../src/sources/upstream/transports/index.js';
import { onTransport } from './support/on-transport.js';

const VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'];

let folder: string;
const file = (name: string) => join(folder, name);
const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore', cwd: folder });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'footbridge-certificates-'));
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  openssl('req', '-x509', ...ec, '-nodes', '-days', '1', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Authority of a company');
  for (const [name, ...extra] of [['server', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'], ['client']]) {
    openssl('req', ...ec, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`, ...extra);
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-copy_extensions', 'copy', '-days', '1'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed);
  }
  openssl('ec', '-in', 'client.key', '-aes256', '-passout', 'pass:swordfish', '-out', 'locked.key');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of VARIABLES) vi.stubEnv(name, undefined);
});
afterEach(() => vi.unstubAllEnvs());

async function listening(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = new Set<Socket>();
  server.on('connection', (socket) => open.add(socket.once('close', () => open.delete(socket))));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A proxy that records what it was asked to connect to. */
async function startProxy({ status = 200, login }: { readonly status?: number; readonly login?: string } = {}) {
  const asked: string[] = [];
  const proxy = createServer((_, response) => response.writeHead(400).end());
  proxy.on('connect', ({ headers, url = '' }, socket) => {
    asked.push(url);
    socket.on('error', () => {});
    const required = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
    const answer = headers['proxy-authorization'] === required ? status : 407;
    if (answer !== 200) return socket.end(`HTTP/1.1 ${answer} No\r\ncontent-length: 0\r\n\r\n`);
    const far = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    far.on('error', () => socket.destroy());
    return far;
  });
  return { port: await listening(proxy), asked };
}

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
  const certificates = { key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')), ca: readFileSync(file('ca.pem')) };
  const server = createSecureServer({ ...certificates, rejectUnauthorized: false, ...options }, (request, response) => {
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
    const fetch = await fetchFor(new URL(url));
    expect(await askedBy(() => fetch(new URL('/.well-known/oauth-protected-resource', url)))).toEqual(through);
    const keys = jwtVerifier({ issuer: new URL(url).origin, audience: 'x' }, silentLog);
    onTestFinished(() => keys.close());
    expect(await askedBy(async () => keys.verify('eyJhbGciOiJSUzI1NiJ9.e30.AA', 'digest'))).toEqual(through);
  });

  it('may be written without a scheme, in lower case, and with a user and password', async () => {
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

  it('is named when it is the reason of a failure, without its password', async () => {
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
    const fetch = await fetchFor(new URL('https://8.8.8.8/mcp'));
    await expect(fetch('https://localhost/token')).rejects.toThrow('private network');
    await expect(fetch('https://10.0.0.1/token')).rejects.toThrow('private network');
    expect(proxy.asked).toEqual([]);
  });
});

describe('certificates', () => {
  it('of an authority in SSL_CERT_FILE are accepted, others are not', async () => {
    const { url } = await startServer();
    await expect(serverNameAt(url)).rejects.toThrow('A TLS connection to the server');
    trustAuthority();
    expect(await serverNameAt(url)).toBe('inside');
  });

  it('of the client are sent to a server that asks for one, also through a proxy', async () => {
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
