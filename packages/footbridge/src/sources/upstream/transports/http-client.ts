/** HTTP requests to one origin over connections that are kept: the cheapest way there, with bounds. */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import { systemCode } from '../../../errors.js';
import { type HttpFailure, networkFailure, SILENT } from './http-failure.js';

/** How long a connection may take to be made. */
const CONNECT_MS = 15_000;
/** Servers often end a connection after 5 s without a request; one that is taken up just then would lose it. */
const IDLE_MS = 4000;
/** Calls side by side; more wait. What answers the server does not wait behind them. */
const MOST_CALLS = 256;
const MOST_REDIRECTS = 3;
/** So much of a body that nobody wants is read to keep its connection. */
const MOST_DISCARDED = 64 * 1024;

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Where to, in the same origin. Default: the server's URL. */
  readonly path?: string;
  readonly headers: readonly string[];
  readonly body?: string;
  /** How long nothing may come before the request is given up; 0 for ever. */
  readonly silenceMs: number;
  /** A call that somebody waits for; its connections are counted. */
  readonly call?: boolean;
  /** Whether it does no harm when the server gets it twice. */
  readonly repeatable?: boolean;
}

/** One of the two is called, once, unless the request is aborted before. */
export interface ResponseHandler {
  answered(response: IncomingMessage): void;
  failed(failure: HttpFailure): void;
}

export interface SentRequest {
  /** Ends the request and its answer; the handler hears nothing more. */
  abort(): void;
}

export class HttpClient {
  readonly host: string;
  readonly #url: URL;
  readonly #secure: boolean;
  readonly #hostname: string;
  readonly #calls: PlainAgent;
  readonly #others: PlainAgent;
  #path: string;
  #destroyed = false;

  constructor(url: URL) {
    this.#url = url;
    this.host = url.host;
    this.#secure = url.protocol === 'https:';
    this.#hostname = url.hostname.replace(/^\[|\]$/g, '');
    this.#path = url.pathname + url.search;
    const Agent = this.#secure ? SecureAgent : PlainAgent;
    const options = { keepAlive: true, keepAliveInitialDelay: 30_000, timeout: IDLE_MS, autoSelectFamilyAttemptTimeout: 1000 };
    this.#calls = new Agent({ ...options, maxSockets: MOST_CALLS });
    this.#others = new Agent(options);
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
        const target = redirects < MOST_REDIRECTS ? this.#redirected(incoming, path) : undefined;
        if (target !== undefined) {
          redirects++;
          discard(incoming);
          // Most often a slash that the URL lacks: asked once, it need not be asked with each message.
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

  /** Ends all that is left; nobody hears of it. */
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

/** Whether a kept connection had ended at the other side before the request got there. */
function isStale(error: unknown): boolean {
  const code = systemCode(error);
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Lets a body pass, so that its connection can be used again; a long one is not waited for. */
export function discard(response: IncomingMessage): void {
  // A stream may never end.
  if (mediaType(response) === 'text/event-stream') response.destroy();
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MOST_DISCARDED) response.destroy();
  });
}

/** What became of a body: `text`, or why there is none. */
export type Body = { readonly text: string } | { readonly failure: 'broken' | 'too long' };

/** Reads a body of at most `longest` bytes. */
export function readBody(response: IncomingMessage, longest: number, done: (body: Body) => void): void {
  const chunks: Buffer[] = [];
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
    } else chunks.push(chunk);
  });
  response.on('end', () => {
    const [only] = chunks;
    finish({ text: (chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)).toString('utf8') });
  });
  response.on('close', () => finish({ failure: 'broken' }));
}

/** The media type of an answer, without its parameters. */
export function mediaType({ headers }: IncomingMessage): string {
  const type = headers['content-type'] ?? '';
  const end = type.indexOf(';');
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
}
