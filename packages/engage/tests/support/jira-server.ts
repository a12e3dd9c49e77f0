/**
 * A Jira server on loopback with the REST API v2: `myself`, attachments of an issue, and uploads.
 *
 *     const jira = await startJira({ pat: 'a-token' });
 *     jira.misbehave('413');            // every request from now on
 *     jira.misbehave('401', 'ABC-1');   // requests for one issue
 *     jira.behave();                    // normal again
 *     jira.attachments;                 // uploads with their bytes
 *     jira.requests;                    // recorded requests
 *     await jira.close();
 */
import http, { type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Misbehaviour, misbehave } from './jira-misbehaviour.js';
import { parseMultipart } from './multipart-parser.js';

export interface JiraOptions {
  /** The valid token. */
  readonly pat?: string;
  /** The valid Jira Cloud account. */
  readonly account?: { readonly email: string; readonly token: string };
  /** The context path, such as `/jira`. */
  readonly path?: string;
  /** The existing issues. */
  readonly issues?: readonly string[];
  /** Serves https with these. */
  readonly certificate?: { readonly key: string; readonly cert: string };
}

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
}

export interface ReceivedAttachment {
  readonly issueKey: string;
  readonly id: string;
  readonly filename: string;
  readonly created: string;
  readonly bytes: Buffer;
}

export interface JiraServer {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedRequest[];
  readonly attachments: readonly ReceivedAttachment[];
  /** For one issue or all requests. */
  misbehave(how: Misbehaviour, issueKey?: string): void;
  behave(): void;
  /** Connections that are open now. */
  openConnections(): number;
  close(): Promise<void>;
}

export async function startJira(options: JiraOptions = {}): Promise<JiraServer> {
  const { path = '', issues = ['ABC-1', 'ABC-2'] } = options;
  const requests: ReceivedRequest[] = [];
  const attachments: ReceivedAttachment[] = [];
  const misbehaviours = new Map<string, Misbehaviour>();
  const sockets = new Set<Socket>();

  const listener: RequestListener = (request, response) => {
    answer(request, response).catch(() => response.destroy());
  };
  const server = serverFor(options, listener);
  // Some responses are sent before the body.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!isEarly(request)) response.writeContinue();
    listener(request, response);
  });
  server.on(options.certificate === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function badWay(request: IncomingMessage): Misbehaviour | undefined {
    return misbehaviours.get(issueOf(request.url ?? '') ?? '') ?? misbehaviours.get('');
  }

  function isEarly(request: IncomingMessage): boolean {
    return badWay(request)?.startsWith('early ') === true || !isKnown(request);
  }

  function isKnown({ headers }: IncomingMessage): boolean {
    const { pat, account } = options;
    if (pat !== undefined && headers.authorization === `Bearer ${pat}`) return true;
    if (account === undefined) return false;
    return headers.authorization === `Basic ${Buffer.from(`${account.email}:${account.token}`).toString('base64')}`;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, headers });
    const how = badWay(request);
    if (how !== undefined) return misbehave(how, request, response);
    if (!isKnown(request)) return send(response, 401, 'Unauthorized', { 'X-Seraph-LoginReason': 'AUTHENTICATED_FAILED' });
    const place = url.startsWith(`${path}/rest/api/2/`) ? url.slice(`${path}/rest/api/2/`.length) : '';
    if (method === 'GET' && place === 'myself') return send(response, 200, { name: 'jdoe', displayName: 'Jane Doe', active: true });
    const key = issueOf(url);
    if (key === undefined || !issues.includes(key)) return send(response, 404, { errorMessages: ['Issue Does Not Exist'], errors: {} });
    if (method === 'GET' && place === `issue/${key}?fields=attachment`) {
      const own = attachments.filter(({ issueKey }) => issueKey === key);
      return send(response, 200, { id: '10000', key, fields: { attachment: own.map(shown) } });
    }
    if (method === 'POST' && place === `issue/${key}/attachments`) return attach(key, request, response);
    send(response, 404, { errorMessages: ['no such resource'] });
  }

  async function attach(issueKey: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers['x-atlassian-token'] !== 'no-check') return send(response, 403, 'XSRF check failed');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const part = parseMultipart(Buffer.concat(chunks), request.headers['content-type'] ?? '');
    if (part === undefined || part.field !== 'file') return send(response, 400, { errorMessages: ['no file'] });
    const id = String(10_000 + attachments.length);
    const attachment = { issueKey, id, filename: part.filename, created: '2025-02-03T04:05:06.789+0000', bytes: part.bytes };
    attachments.push(attachment);
    send(response, 200, [shown(attachment)]);
  }

  const { port } = addressOf(server);
  return {
    baseUrl: `http${options.certificate === undefined ? '' : 's'}://127.0.0.1:${port}${path}`,
    requests,
    attachments,
    misbehave: (how, issueKey = '') => void misbehaviours.set(issueKey, how),
    behave: () => misbehaviours.clear(),
    openConnections: () => sockets.size,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function serverFor({ certificate }: JiraOptions, listener: RequestListener): Server | https.Server {
  return certificate === undefined ? http.createServer(listener) : https.createServer({ ...certificate }, listener);
}

function addressOf(server: Server | https.Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  return address;
}

function issueOf(url: string): string | undefined {
  return /\/rest\/api\/2\/issue\/([^/?]+)/.exec(url)?.[1];
}

function shown({ id, filename, created, bytes }: ReceivedAttachment): object {
  return { self: `http://jira/attachment/${id}`, id, filename, author: { name: 'jdoe' }, created, size: bytes.length, mimeType: 'a/b' };
}

function send(response: ServerResponse, status: number, body: object | string, headers: Record<string, string> = {}): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'Content-Type': isText ? 'text/plain' : 'application/json;charset=UTF-8', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}
