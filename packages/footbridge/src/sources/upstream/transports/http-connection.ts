/** A connection to a server over HTTP: requests, notifications, cancellation and the fallback to HTTP+SSE. */
import type { IncomingMessage } from 'node:http';
import type { Fields } from '../../../json.js';
import { takeJson } from '../../../json-pieces.js';
import type { Log } from '../../../log.js';
import type { UpstreamFailure } from '../failure.js';
import { postAuthorized, postMessage, type Sent } from './authorized-post.js';
import { failedAnswer } from './failed-answer.js';
import { HttpCall, type HttpCallConnection, SILENCE_MS, sessionGone } from './http-call.js';
import type { HttpClient } from './http-client.js';
import type { HttpFailure } from './http-failure.js';
import type { LoginHeader } from './http-headers.js';
import { isOutgoingRequest, withdrawnId } from './http-messages.js';
import { HttpSession, type HttpSessionOptions } from './http-session.js';
import { LegacySse } from './legacy-sse.js';
import { openServerStream, type ServerStream } from './server-stream.js';
import type { TransportEvents } from './transport.js';

/** For the DELETE that ends the session. */
const FAREWELL_MS = 2000;
/** Messages without an answer, such as answers to the server, that it may not have taken yet. Further ones are dropped. */
const MAX_UNTAKEN = 1024;

export interface HttpConnectionOptions extends HttpSessionOptions {
  readonly url: URL;
  readonly client: HttpClient;
  readonly events: TransportEvents;
  readonly log: Log;
}

export class HttpConnection implements HttpCallConnection {
  readonly client: HttpClient;
  readonly #options: HttpConnectionOptions;
  readonly #calls = new Map<unknown, HttpCall>();
  #state: 'open' | 'lost' | 'closed' = 'open';
  readonly #session: HttpSession;
  /** Whether the server has answered as Streamable HTTP. */
  #understood = false;
  /** Messages held until the handshake is accepted. */
  #held: Fields[] | undefined;
  /** The handshake that other messages wait for. */
  #first: HttpCall | undefined;
  #listening: ServerStream | undefined;
  /** The HTTP+SSE fallback, if the server supports nothing else. */
  #legacy: LegacySse | undefined;
  #stopLooking: (() => void) | undefined;
  /** Messages without an answer that the server has not taken yet. */
  #untaken = 0;
  #closing: Promise<void> | undefined;

  constructor(options: HttpConnectionOptions) {
    this.#options = options;
    this.client = options.client;
    this.#session = new HttpSession(options);
  }

  agreed(protocolVersion: string): void {
    this.#session.version = protocolVersion;
  }

  send(message: Fields): void {
    if (this.#state !== 'open')
      this.#undelivered(message, { kind: 'disconnected', message: `The connection to the server at ${this.client.host} is closed.` });
    else if (this.#held !== undefined && this.#canWait(message)) this.#held.push(message);
    // Without a session, calls and the stream are independent.
    else if (!this.hasSession || this.#listening?.hold(message) !== true) this.#deliverSafely(message);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  get login(): LoginHeader | undefined {
    return this.#options.login;
  }

  get hasSession(): boolean {
    return this.#session.id !== undefined;
  }

  postHeaders(message: Fields, body: string): string[] {
    return this.#session.postHeaders(message, body);
  }

  streamHeaders(lastEventId?: string): string[] {
    return this.#session.streamHeaders(lastEventId);
  }

  receive(message: Fields): void {
    if (this.#state !== 'open') return;
    const call = message['method'] === undefined ? this.#calls.get(message['id']) : undefined;
    if (call !== undefined) {
      call.settle();
      this.#calls.delete(call.id);
    }
    this.#options.events.receive(message);
    if (call !== undefined) this.#passed(call);
  }

  accepted(call: HttpCall, { headers }: IncomingMessage): void {
    this.#understood = true;
    const session = headers['mcp-session-id'];
    if (call.message['method'] === 'initialize') this.#session.id = typeof session === 'string' && session !== '' ? session : undefined;
    this.#passed(call);
  }

  misunderstood(call: HttpCall, failure: HttpFailure): boolean {
    const { status = 0 } = failure;
    const mayBeOlder =
      status >= 400 && status !== 401 && status !== 403 && status !== 413 && status !== 429 && (status < 500 || status === 501);
    if (this.#understood || call !== this.#first || !mayBeOlder) return false;
    this.#lookForLegacy(call, failure, true);
    return true;
  }

  lost(failure: UpstreamFailure): void {
    if (this.#state !== 'open') return;
    this.#state = 'lost';
    const sent = [...this.#calls.values()].map(({ message }) => message);
    const waiting = [...sent, ...(this.#held ?? []), ...this.#end()];
    this.client.destroy();
    for (const message of waiting) if (isOutgoingRequest(message)) this.#options.events.receive(failedAnswer(message['id'], failure));
    this.#options.events.closed(failure);
  }

  /** Answers and cancellations must not wait. */
  #canWait(message: Fields): boolean {
    const { method } = message;
    return method !== undefined && !(method === 'notifications/cancelled' && this.#calls.has(withdrawnId(message)));
  }

  #deliverSafely(message: Fields): void {
    try {
      this.#deliver(message);
    } catch {
      // Node rejects invalid headers.
      this.#calls.delete(message['id']);
      this.#undelivered(message, { kind: 'invalid', message: 'The message cannot be sent: it would need an invalid header.' });
      this.#first = undefined;
      this.#release();
    }
  }

  #deliver(message: Fields): void {
    const { method } = message;
    if (isOutgoingRequest(message)) this.#call(message);
    else if (method === 'notifications/cancelled') this.#cancel(message);
    else if (method === 'notifications/initialized') this.#initialized(message);
    else this.#notify(message);
  }

  #call(message: Fields): void {
    const call = new HttpCall(message, this);
    this.#calls.set(call.id, call);
    const { method } = message;
    if (!this.#understood && (method === 'initialize' || method === 'server/discover')) {
      this.#first = call;
      this.#held ??= [];
    }
    if (this.#legacy === undefined) call.post();
    else this.#callLegacy(this.#legacy, call);
  }

  /** `failure`: that of the POST, if the server does not support HTTP+SSE either. */
  #lookForLegacy(call: HttpCall, failure: HttpFailure, isFirst: boolean): void {
    const { login } = this;
    const legacy = new LegacySse(this.client, this.#options.url, this.streamHeaders(), login?.header, {
      found: (there, refusal) => {
        if (there) {
          this.#understood = true;
          this.#legacy = legacy;
          this.#callLegacy(legacy, call);
          this.#passed(call);
        } else if (refusal === undefined || login === undefined) call.fail(refusal?.failure ?? failure);
        else
          void login.challenged(refusal.challenge, refusal.sent).then((again) => {
            if (again && isFirst && this.#state === 'open') this.#lookForLegacy(call, failure, false);
            else call.fail(refusal.failure);
          });
      },
      message: (message) => this.receive(message),
      ended: () => this.lost({ kind: 'disconnected', message: `The event stream from the server at ${this.client.host} ended.` }),
    });
    this.#stopLooking = () => legacy.stop();
  }

  #callLegacy(legacy: LegacySse, call: HttpCall): void {
    this.#postToLegacy(legacy, call.message, (failure) => {
      if (failure !== undefined) call.fail(failure);
    });
  }

  #initialized(message: Fields): void {
    // Requests that overtake it would be rejected.
    this.#held = [];
    this.#notify(message, (taken) => {
      if (taken && this.#legacy === undefined) this.#listen();
      this.#release();
    });
  }

  #notify(message: Fields, done: (taken: boolean) => void = () => {}): void {
    if (this.#untaken >= MAX_UNTAKEN) {
      this.#options.log.debug(`The server at ${this.client.host} takes no messages; one was dropped.`);
      done(false);
      return;
    }
    this.#untaken++;
    const ended = (failure?: HttpFailure) => {
      this.#untaken--;
      if (failure !== undefined) this.#options.log.debug(failure.message);
      if (failure?.unreachable) this.lost({ kind: failure.kind, message: failure.message });
      else if (failure?.status === 404 && this.hasSession) this.lost(sessionGone(this.client.host));
      else done(failure === undefined);
    };
    if (this.#legacy !== undefined) {
      this.#postToLegacy(this.#legacy, message, ended);
      return;
    }
    postAuthorized(this.login, (sent) => this.#post(message, sent), ended);
  }

  #post(message: Fields, sent: Sent): void {
    const body = takeJson(message);
    postMessage(this.client, { headers: this.postHeaders(message, body), body, silenceMs: SILENCE_MS, repeatable: true }, sent);
  }

  #postToLegacy(legacy: LegacySse, message: Fields, done: (failure?: HttpFailure) => void): void {
    const send = (sent: Sent) => {
      const body = takeJson(message);
      legacy.post(message, body, this.postHeaders(message, body), sent);
    };
    postAuthorized(this.login, send, done);
  }

  #cancel(message: Fields): void {
    const call = this.#calls.get(withdrawnId(message));
    const end = () => {
      if (call === undefined || this.#calls.get(call.id) !== call) return;
      this.#calls.delete(call.id);
      call.abort();
      this.#passed(call);
    };
    const stateless = call?.modern ?? this.#session.isStateless;
    // Older servers do not treat a closed stream as a cancellation, and keep that of a cancelled call open.
    if (stateless) end();
    else this.#notify(message, end);
  }

  #listen(): void {
    if (this.#state !== 'open' || this.#listening !== undefined) return;
    this.#listening = openServerStream({
      client: this.client,
      headers: (lastEventId) => this.streamHeaders(lastEventId),
      receive: (message) => this.receive(message),
      release: (message) => this.send(message),
      gone: () => this.lost(sessionGone(this.client.host)),
      login: this.login,
    });
  }

  /** Sends the held messages once the handshake is settled. */
  #passed(call: HttpCall): void {
    if (call !== this.#first) return;
    this.#first = undefined;
    this.#release();
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const message of held) this.send(message);
  }

  #undelivered(message: Fields, failure: UpstreamFailure): void {
    if (isOutgoingRequest(message)) queueMicrotask(() => this.#options.events.receive(failedAnswer(message['id'], failure)));
  }

  /** Returns the requests that were held. */
  #end(): readonly Fields[] {
    const held = this.#listening?.stop() ?? [];
    this.#stopLooking?.();
    for (const call of this.#calls.values()) call.abort();
    this.#calls.clear();
    this.#held = undefined;
    this.#first = undefined;
    return held;
  }

  async #close(): Promise<void> {
    const wasOpen = this.#state === 'open';
    this.#state = 'closed';
    this.#end();
    if (wasOpen && this.hasSession) await this.#endSession();
    this.client.destroy();
  }

  #endSession(): Promise<void> {
    return new Promise((resolve) => {
      const headers = this.#session.headers();
      const timer = setTimeout(resolve, FAREWELL_MS).unref();
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      this.client.send({ method: 'DELETE', headers, silenceMs: FAREWELL_MS }, { answered: done, failed: done });
    });
  }
}
