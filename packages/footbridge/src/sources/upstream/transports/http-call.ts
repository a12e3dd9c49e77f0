/** A request over HTTP: its POST, its answer, and the streams that are resumed for it. */
import type { IncomingMessage } from 'node:http';
import { asText, type Fields, isFields } from '../../../json.js';
import { takeJson } from '../../../json-pieces.js';
import { LARGE_JSON } from '../../../json-turns.js';
import type { UpstreamFailure } from '../failure.js';
import { MAX_REFUSALS } from './authorized-post.js';
import { failedAnswer } from './failed-answer.js';
import { discard, endWithin, type HttpClient, mediaType, readBody, type SentRequest } from './http-client.js';
import { type HttpFailure, statusFailure } from './http-failure.js';
import { challengeOf, claimedVersion, type HttpChallenge, type LoginHeader } from './http-headers.js';
import { messagesInTurns, parseMessages, readStream, type StreamEnd } from './http-messages.js';
import { LargeAnswer } from './large-answer.js';
import { MAX_FAILURES, pause } from './server-stream.js';
import { LONGEST_MESSAGE } from './transport.js';

/** How long a call may go without any data. */
export const SILENCE_MS = 10 * 60_000;
/** Longest error body that is read. */
const LONGEST_REFUSAL = 1024 * 1024;
/** How long it is read. The status is usually enough. */
const REFUSAL_MS = 3000;
/** The code of the SDKs for an unknown session. */
const SESSION_NOT_FOUND = -32_001;

export interface HttpCallConnection {
  readonly client: HttpClient;
  readonly hasSession: boolean;
  readonly login: LoginHeader | undefined;
  postHeaders(message: Fields, body: string): string[];
  streamHeaders(lastEventId: string | undefined): string[];
  /** Receives a message of the server; an answer settles its call. */
  receive(message: Fields): void;
  /** The server accepted the request; its answer is not read yet. */
  accepted(call: HttpCall, response: IncomingMessage): void;
  /** The server did not understand the request. Returns true if another transport is tried. */
  misunderstood(call: HttpCall, failure: HttpFailure): boolean;
  /** The connection cannot be used any more. */
  lost(failure: UpstreamFailure): void;
}

export class HttpCall {
  readonly message: Fields;
  readonly id: unknown;
  /** Of the stateless protocol version, whose streams cannot be resumed. */
  readonly modern: boolean;
  readonly #connection: HttpCallConnection;
  #sent: SentRequest | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled = false;
  /** The header Authorization that it was sent with. */
  #sentLogin: string | undefined;
  /** How often the server refused it. */
  #refusals = 0;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #failures = 0;
  #heard = Date.now();

  constructor(message: Fields, connection: HttpCallConnection) {
    this.message = message;
    this.id = message['id'];
    this.modern = claimedVersion(message) !== undefined;
    this.#connection = connection;
  }

  post(): void {
    const { login } = this.#connection;
    if (login?.isReady === false) void login.prepare().then(() => this.#settled || this.#post());
    else this.#post();
  }

  #post(): void {
    const { client, login } = this.#connection;
    const { method } = this.message;
    this.#sentLogin = login?.header;
    const body = takeJson(this.message);
    const headers = this.#connection.postHeaders(this.message, body);
    const silenceMs = method === 'subscriptions/listen' ? 0 : SILENCE_MS;
    this.#sent = client.send(
      { method: 'POST', headers, body, silenceMs, call: true, repeatable: method !== 'tools/call' },
      { answered: (response) => this.#answered(response), failed: (failure) => this.#failed(failure) },
    );
  }

  /** The answer arrived; the rest of the stream is still read. */
  settle(): void {
    this.#settled = true;
    clearTimeout(this.#timer);
  }

  /** Cancels the request. */
  abort(): void {
    this.settle();
    this.#sent?.abort();
  }

  fail(failure: UpstreamFailure & { readonly status?: number }): void {
    if (this.#settled) return;
    this.#connection.receive(failedAnswer(this.id, failure));
  }

  #failed({ kind, message, unreachable }: HttpFailure): void {
    if (unreachable) this.#connection.lost({ kind, message });
    else if (this.message['method'] !== 'tools/call') this.fail({ kind, message });
    else this.fail({ kind, message: `${message} The call may or may not have had an effect.` });
  }

  #answered(response: IncomingMessage): void {
    const { statusCode: status = 0 } = response;
    if (status < 200 || status >= 300) {
      const { login } = this.#connection;
      const challenge = challengeOf(response);
      if (login !== undefined && challenge !== undefined) this.#challenged(response, challenge, login);
      else this.#refused(response);
      return;
    }
    this.#connection.accepted(this, response);
    if (mediaType(response) === 'text/event-stream') this.#read(response);
    else if (status === 202 || status === 204) {
      discard(response);
      const message = `The server at ${this.#connection.client.host} accepted the request but did not answer it.`;
      this.fail({ kind: 'protocol', message, status });
    } else this.#readWhole(response);
  }

  #readWhole(response: IncomingMessage): void {
    const { host } = this.#connection.client;
    const answer = new LargeAnswer(response, host);
    let received = 0;
    response.on('data', (chunk: Buffer) => {
      received += chunk.length;
      answer.received(received);
    });
    readBody(response, LONGEST_MESSAGE, (body) => {
      if ('failure' in body) {
        answer.done();
        return this.#unfinished(body.failure === 'too long');
      }
      const take = (messages: readonly Fields[] = []) => {
        for (const message of messages) this.#connection.receive(message);
        answer.done();
        this.fail(statusFailure(host, response));
      };
      if (body.text.length > LARGE_JSON) void messagesInTurns(body.text).then(take);
      else take(parseMessages(body.text));
    });
  }

  /** A refused request had no effect, so it can be sent again: with a token found in the store, and with a new one. */
  #challenged(response: IncomingMessage, challenge: HttpChallenge, login: LoginHeader): void {
    const { client } = this.#connection;
    const isFirst = this.#refusals++ === 0;
    const isUnauthorized = challenge.status === 401;
    if ((isUnauthorized && !isFirst && login.isOwn(this.#sentLogin)) || this.#refusals >= MAX_REFUSALS) {
      if (isUnauthorized) login.refused(challenge);
      this.#refused(response);
      return;
    }
    discard(response);
    void login.challenged(challenge, this.#sentLogin).then((again) => {
      if (this.#settled) return;
      if (again) this.#post();
      else this.fail(statusFailure(client.host, response, login.scopeProblem));
    });
  }

  #refused(response: IncomingMessage): void {
    const failure = statusFailure(this.#connection.client.host, response);
    endWithin(response, REFUSAL_MS);
    readBody(response, LONGEST_REFUSAL, (body) => {
      const take = (messages: readonly Fields[] = []) => this.#refusedWith(messages.filter(isErrorAnswer), failure);
      if ('failure' in body) take();
      else if (body.text.length > LARGE_JSON) void messagesInTurns(body.text).then(take);
      else take(parseMessages(body.text));
    });
  }

  #refusedWith(errors: readonly Fields[], failure: HttpFailure): void {
    if (this.#settled) return;
    const { client, hasSession } = this.#connection;
    const own = errors.find(({ id }) => id === this.id);
    const [error] = errors;
    if (hasSession && isSessionGone(failure.status, own, error)) this.#connection.lost(sessionGone(client.host));
    else if (own !== undefined) this.#connection.receive(own);
    // A server that rejects the request before parsing it does not know the id.
    else if (error !== undefined && failure.status !== 401 && failure.status !== 403) this.#connection.receive({ ...error, id: this.id });
    else if (error !== undefined || !this.#connection.misunderstood(this, failure)) this.fail(failure);
  }

  #read(response: IncomingMessage): void {
    readStream(response, this.#connection.client.host, {
      message: (message) => {
        this.#heard = Date.now();
        this.#failures = 0;
        this.#connection.receive(message);
      },
      ended: (end) => this.#ended(end),
    });
  }

  #ended({ lastEventId = this.#lastEventId, retryMs = this.#retryMs, tooLong }: StreamEnd): void {
    if (this.#settled) return;
    this.#lastEventId = lastEventId;
    this.#retryMs = retryMs;
    if (tooLong || this.modern || lastEventId === undefined) this.#unfinished(tooLong);
    else this.#resumeLater();
  }

  #unfinished(tooLong: boolean): void {
    const { host } = this.#connection.client;
    if (tooLong)
      this.fail({
        kind: 'protocol',
        message: `The answer from the server at ${host} is larger than ${LONGEST_MESSAGE / 1024 / 1024} MiB.`,
      });
    else
      this.#failed({
        kind: 'disconnected',
        message: `The connection to the server at ${host} ended before the answer.`,
        unreachable: false,
      });
  }

  /** Resumes after the last event, with the server's delay. */
  #resumeLater(): void {
    if (this.#settled) return;
    if (this.#failures >= MAX_FAILURES || Date.now() - this.#heard > SILENCE_MS) this.#unfinished(false);
    else this.#timer = setTimeout(() => this.#resume(), pause(this.#failures, this.#retryMs)).unref();
  }

  #resume(): void {
    const { client } = this.#connection;
    this.#failures++;
    this.#sent = client.send(
      { method: 'GET', headers: this.#connection.streamHeaders(this.#lastEventId), silenceMs: SILENCE_MS },
      {
        answered: (response) => {
          const { statusCode: status = 0 } = response;
          if (status === 200 && mediaType(response) === 'text/event-stream') {
            this.#failures = 0;
            return this.#read(response);
          }
          discard(response);
          if (status === 404 && this.#connection.hasSession) this.#connection.lost(sessionGone(client.host));
          else if (status === 429 || status >= 500) this.#resumeLater();
          else this.#unfinished(false);
        },
        failed: () => this.#resumeLater(),
      },
    );
  }
}

export function sessionGone(host: string): UpstreamFailure {
  return { kind: 'disconnected', message: `The session with the server at ${host} has expired.` };
}

function isErrorAnswer(message: Fields): boolean {
  return message['jsonrpc'] === '2.0' && isFields(message['error']) && !('method' in message);
}

/** Besides 404, many servers answer 400 with an error about the session. */
function isSessionGone(status: number | undefined, own: Fields | undefined, other: Fields | undefined): boolean {
  if (status === 404) return own === undefined || (isFields(own['error']) && own['error']['code'] === SESSION_NOT_FOUND);
  return status === 400 && own === undefined && isFields(other?.['error']) && /\bsession\b/i.test(asText(other['error']['message']));
}
