/** HTTP requests to one origin over keep-alive connections, with limits. */
import { type Agent, type ClientRequest, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { systemCode } from '../../../errors.js';
import { outgoingAgent } from '../../../outgoing/agent.js';
import { type HttpFailure, networkFailure, SILENT } from './http-failure.js';

const CONNECT_MS = 15_000;
/** Below the usual keep-alive timeout of 5 s: a request on a connection that just closed would be lost. */
const IDLE_MS = 4000;
/** Concurrent calls; others are queued. Answers to the server are not. */
const MAX_CALLS = 256;
const MAX_REDIRECTS = 3;
/** How much of an unneeded body is read to keep its connection. */
const MAX_DISCARDED = 64 * 1024;
/** How long an unneeded body is read. */
const DISCARD_MS = 2000;

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Default: the path of the server's URL. */
  readonly path?: string;
  readonly headers: readonly string[];
  readonly body?: string;
  /** Timeout without any data; 0 for none. */
  readonly silenceMs: number;
  /** Whether it counts as a concurrent call. */
  readonly call?: boolean;
  /** Whether it may be sent twice. */
  readonly repeatable?: boolean;
}

/** One of the two is called, once, unless the request is aborted first. */
export interface ResponseHandler {
  answered(response: IncomingMessage): void;
  failed(failure: HttpFailure): void;
}

export interface SentRequest {
  /** Ends the request; the handler is not called any more. */
  abort(): void;
}

export class HttpClient {
  readonly host: string;
  readonly #url: URL;
  readonly #secure: boolean;
  readonly #hostname: string;
  readonly #calls: Agent;
  readonly #others: Agent;
  #path: string;
  #destroyed = false;

  private constructor(url: URL, calls: Agent, others: Agent) {
    this.#url = url;
    this.host = url.host;
    this.#secure = url.protocol === 'https:';
    this.#hostname = url.hostname.replace(/^\[|\]$/g, '');
    this.#path = url.pathname + url.search;
    this.#calls = calls;
    this.#others = others;
  }

  /** Throws a `NetworkSettingsError`. The first request connects. */
  static async create(url: URL): Promise<HttpClient> {
    const options = { keepAlive: true, keepAliveInitialDelay: 30_000, timeout: IDLE_MS, autoSelectFamilyAttemptTimeout: 1000 };
    const calls = await outgoingAgent(url, { ...options, maxSockets: MAX_CALLS });
    return new HttpClient(url, calls, await outgoingAgent(url, options));
  }

  send(outgoing: HttpRequest, handler: ResponseHandler): SentRequest {
    let request: ClientRequest;
    let response: IncomingMessage | undefined;
    let over = false;
    let redirects = 0;
    let repeated = false;

    const attempt = (path: string) => {
      request = this.#request(outgoing, path);
      request.on('response', (incoming: IncomingMessage) => {
        if (over) return;
        const target = redirects < MAX_REDIRECTS ? this.#redirected(incoming, path) : undefined;
        if (target !== undefined) {
          redirects++;
          discard(incoming);
          // Most often a missing slash: remember it for later messages.
          if (outgoing.path === undefined) this.#path = target;
          return attempt(target);
        }
        over = true;
        response = incoming;
        handler.answered(incoming);
      });
      request.on('error', (error) => {
        if (over || this.#destroyed) return;
        if (outgoing.repeatable && !repeated && request.reusedSocket && isStale(error)) {
          repeated = true;
          return attempt(path);
        }
        over = true;
        handler.failed(networkFailure(this.host, error));
      });
      request.on('timeout', () => {
        request.destroy(Object.assign(new Error('nothing came'), { code: SILENT }));
        response?.destroy();
      });
      request.end(outgoing.body);
    };

    attempt(outgoing.path ?? this.#path);
    return {
      abort: () => {
        over = true;
        request.destroy();
      },
    };
  }

  /** Closes all connections; no handler is called any more. */
  destroy(): void {
    this.#destroyed = true;
    this.#calls.destroy();
    this.#others.destroy();
  }

  #request({ method, headers, silenceMs, call = false }: HttpRequest, path: string): ClientRequest {
    const options = {
      agent: call ? this.#calls : this.#others,
      host: this.#hostname,
      port: this.#url.port,
      method,
      path,
      headers,
      timeout: silenceMs,
    };
    const request = this.#secure ? requestSecure(options) : requestPlain(options);
    request.on('socket', this.#secure ? boundSecure : boundPlain);
    return request;
  }

  #redirected({ statusCode, headers: { location } }: IncomingMessage, from: string): string | undefined {
    if ((statusCode !== 307 && statusCode !== 308) || location === undefined) return undefined;
    const base = new URL(from, this.#url);
    if (!URL.canParse(location, base.href)) return undefined;
    const target = new URL(location, base);
    return target.origin === this.#url.origin ? target.pathname + target.search : undefined;
  }
}

const boundPlain = (socket: Socket) => boundConnecting(socket, 'connect');
const boundSecure = (socket: Socket) => boundConnecting(socket, 'secureConnect');

function boundConnecting(socket: Socket, connected: string): void {
  if (!socket.connecting) return;
  const late = () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(late, CONNECT_MS).unref();
  const done = () => clearTimeout(timer);
  socket.once(connected, done).once('close', done);
}

/** Whether a keep-alive connection was closed by the server. */
function isStale(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Drains a short body, so that its connection can be reused. */
export function discard(response: IncomingMessage): void {
  // A stream may never end.
  if (mediaType(response) === 'text/event-stream') response.destroy();
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_DISCARDED) response.destroy();
  });
  endWithin(response, DISCARD_MS);
}

/** Aborts a response that takes longer than that to end. */
export function endWithin(response: IncomingMessage, ms: number): void {
  if (response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), ms).unref();
  response.once('close', () => clearTimeout(timer));
}

export type Body = { readonly text: string } | { readonly failure: 'broken' | 'too long' };

export function readBody(response: IncomingMessage, longest: number, done: (body: Body) => void): void {
  // Decoded as it arrives. Decoding all of it at the end would block other tasks, and take twice the memory.
  const decoder = new StringDecoder('utf8');
  let text = '';
  let length = 0;
  let over = false;
  const finish = (body: Body) => {
    if (over) return;
    over = true;
    done(body);
  };
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > longest) {
      finish({ failure: 'too long' });
      response.destroy();
    } else text += decoder.write(chunk);
  });
  response.on('end', () => finish({ text: text + decoder.end() }));
  response.on('close', () => finish({ failure: 'broken' }));
}

/** Without parameters. */
export function mediaType({ headers }: IncomingMessage): string {
  const type = headers['content-type'] ?? '';
  const end = type.indexOf(';');
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
}
