/** HTTP+SSE, the transport of 2024: one event stream from the server, and a URL to post to. */
import type { IncomingMessage } from 'node:http';
import type { Fields } from '../../../json.js';
import { postMessage, type Sent } from './authorized-post.js';
import { discard, type HttpClient, mediaType, type SentRequest } from './http-client.js';
import { type HttpFailure, statusFailure } from './http-failure.js';
import { challengeOf, type HttpChallenge } from './http-headers.js';
import { readStream } from './http-messages.js';

/** For the `endpoint` event. */
const ENDPOINT_MS = 3000;
/** For a POST; the answer arrives on the stream. */
const POST_MS = 60_000;

export interface Refusal {
  readonly failure: HttpFailure;
  readonly challenge: HttpChallenge;
  /** The header Authorization of the request. */
  readonly sent: string | undefined;
}

export interface LegacySseHandler {
  /** Whether the server uses this transport; `refusal` if that requires a login. */
  found(there: boolean, refusal?: Refusal): void;
  message(message: Fields): void;
  /** The stream ended. */
  ended(): void;
}

export class LegacySse {
  readonly #client: HttpClient;
  readonly #url: URL;
  readonly #login: string | undefined;
  readonly #handler: LegacySseHandler;
  readonly #sent: SentRequest;
  readonly #timer: NodeJS.Timeout;
  #state: 'waiting' | 'open' | 'over' = 'waiting';
  #path = '';

  /** Opens the stream and calls `found` first. `login`: the header Authorization among the others. */
  constructor(client: HttpClient, url: URL, headers: readonly string[], login: string | undefined, handler: LegacySseHandler) {
    this.#client = client;
    this.#url = url;
    this.#login = login;
    this.#handler = handler;
    this.#timer = setTimeout(() => this.#end(), ENDPOINT_MS).unref();
    this.#sent = client.send(
      { method: 'GET', headers, silenceMs: 0 },
      { answered: (response) => this.#answered(response), failed: () => this.#end() },
    );
  }

  post(message: Fields, body: string, headers: readonly string[], done: Sent): void {
    const repeatable = message['method'] !== 'tools/call';
    postMessage(this.#client, { path: this.#path, headers, body, silenceMs: POST_MS, repeatable }, done);
  }

  stop(): void {
    this.#state = 'over';
    clearTimeout(this.#timer);
    this.#sent.abort();
  }

  #answered(response: IncomingMessage): void {
    if (response.statusCode !== 200 || mediaType(response) !== 'text/event-stream') {
      discard(response);
      const challenge = challengeOf(response);
      this.#end(challenge && { challenge, sent: this.#login, failure: statusFailure(this.#client.host, response) });
      return;
    }
    readStream(response, this.#client.host, {
      event: (name, data) => {
        if (name === 'endpoint' && this.#state === 'waiting') this.#open(data);
      },
      message: (message) => {
        if (this.#state === 'open') this.#handler.message(message);
      },
      ended: () => this.#end(),
    });
  }

  #open(endpoint: string): void {
    const target = URL.canParse(endpoint, this.#url.href) ? new URL(endpoint, this.#url) : undefined;
    // Messages carry secrets and must stay within the origin.
    if (target?.origin !== this.#url.origin) {
      this.#end();
      return;
    }
    this.#state = 'open';
    this.#path = target.pathname + target.search;
    clearTimeout(this.#timer);
    this.#handler.found(true);
  }

  #end(refusal?: Refusal): void {
    const before = this.#state;
    this.stop();
    if (before === 'waiting') this.#handler.found(false, refusal);
    else if (before === 'open') this.#handler.ended();
  }
}
