/** A response as a stream of server-sent events. */
import type { ServerResponse } from 'node:http';
import { EventWriter } from './event-writer.js';
import type { IncomingCall } from './incoming-call.js';
import type { OpenResponses } from './open-responses.js';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};

export interface EventStreamOptions {
  readonly responses: OpenResponses;
  readonly call: IncomingCall;
  /** The interval of comments that keep the connection alive. */
  readonly keepAliveMs: number;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether answers to other calls are sent on it, which may be over. */
  readonly countsAnswers?: boolean;
}

export class EventStream {
  readonly #response: ServerResponse;
  readonly #events: EventWriter;
  #ended = false;

  /** Sends the headers. */
  constructor(response: ServerResponse, { headers, keepAliveMs, responses, call, countsAnswers }: EventStreamOptions) {
    this.#response = response;
    this.#events = new EventWriter(response, responses, call.memory, countsAnswers);
    if (response.destroyed) return;
    response.writeHead(200, { ...HEADERS, ...headers });
    response.flushHeaders();
    const leave = responses.enter(response, call, () => this.end());
    const heartbeat = setInterval(() => void this.#write(': keepalive\n\n'), keepAliveMs).unref();
    response.once('close', () => {
      clearInterval(heartbeat);
      leave();
    });
  }

  get isOpen(): boolean {
    return !this.#ended && !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Calls `listener` when the client is gone or the stream has ended. */
  onClose(listener: () => void): void {
    if (this.isOpen) this.#response.once('close', listener);
    else listener();
  }

  /** Resolves when the reader is ready for more, or gone. */
  send(message: object, id?: string): Promise<void> {
    return this.#ended ? this.#events.written : this.#events.send(message, id);
  }

  /** An event without data, whose id a client can resume from before anything was sent. */
  prime(id: string, retryMs: number): Promise<void> {
    return this.#write(`id: ${id}\nretry: ${retryMs}\ndata: \n\n`);
  }

  /** Ends the stream after what was sent. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    void this.#events.written.then(() => this.#response.end());
  }

  #write(text: string): Promise<void> {
    return this.#ended ? this.#events.written : this.#events.write(text);
  }
}
