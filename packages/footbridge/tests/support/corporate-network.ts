/** A corporate network: its own certificate authority, and a proxy, which also makes addresses of the internet reachable in tests. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createSecureServer } from 'node:tls';
import { onTestFinished } from 'vitest';

/** An address of the internet that the certificate `server` names. */
export const PUBLIC_ADDRESS = '8.8.8.8';

export interface Certificates {
  /** A PEM file: `ca.pem`; `server.pem` and `client.pem` with their keys; `locked.key`, that of the client with the passphrase `swordfish`. */
  file(name: string): string;
  remove(): void;
}

export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'footbridge-certificates-'));
  const openssl = (...args: readonly string[]) => execFileSync('openssl', args, { stdio: 'ignore', cwd: folder });
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  openssl('req', '-x509', ...ec, '-nodes', '-days', '1', '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Authority of a company');
  const names = `subjectAltName=DNS:localhost,IP:127.0.0.1,IP:${PUBLIC_ADDRESS}`;
  for (const [name, ...extra] of [['server', '-addext', names], ['client']]) {
    openssl('req', ...ec, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`, ...extra);
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-copy_extensions', 'copy', '-days', '1'];
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signed);
  }
  openssl('ec', '-in', 'client.key', '-aes256', '-passout', 'pass:swordfish', '-out', 'locked.key');
  return { file: (name) => join(folder, name), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Listens on a free port until the test is over. */
export async function listening(server: Server): Promise<number> {
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

export interface Proxy {
  readonly port: number;
  /** The addresses that it was asked to connect to. */
  readonly asked: readonly string[];
}

/** Connects to the port of this machine, whatever the host is called. */
export async function startProxy({ status = 200, login }: { readonly status?: number; readonly login?: string } = {}): Promise<Proxy> {
  const asked: string[] = [];
  const proxy = createServer((_, response) => response.writeHead(400).end());
  proxy.on('connect', ({ headers, url = '' }, socket: Socket) => {
    asked.push(url);
    const required = login === undefined ? undefined : `Basic ${Buffer.from(login).toString('base64')}`;
    const answer = headers['proxy-authorization'] === required ? status : 407;
    if (answer !== 200) return socket.end(`HTTP/1.1 ${answer} No\r\ncontent-length: 0\r\n\r\n`);
    return pipeTo(socket, Number(url.split(':').at(-1)), () => socket.write('HTTP/1.1 200 Connection established\r\n\r\n'));
  });
  return { port: await listening(proxy), asked };
}

/** TLS in front of a port of this machine, which may become known later. Returns its own port. */
export async function startTls({ file }: Certificates, portOf: () => number): Promise<number> {
  const certificate = { key: readFileSync(file('server.key')), cert: readFileSync(file('server.pem')) };
  return listening(createSecureServer(certificate, (socket) => pipeTo(socket, portOf())));
}

function pipeTo(socket: Socket, port: number, connected = () => {}): Socket {
  const far = connect(port, '127.0.0.1', () => {
    connected();
    socket.pipe(far).pipe(socket);
  });
  socket.on('error', () => far.destroy());
  return far.on('error', () => socket.destroy());
}
