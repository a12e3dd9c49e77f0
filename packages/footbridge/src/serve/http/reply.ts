/** The reply to a POST: JSON if it is answered at once, otherwise a stream of events, from the first notification or a timeout on. */
import type { ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Deadline, Deadlines, Limited } from '../../catalog/deadlines.js';
import { bytesOf, isLargeJson, jsonInTurns } from '../../json-pieces.js';
import { writeJson } from '../../json-text.js';
import type { MemoryHold } from '../../memory-budget.js';
import type { Cancellation } from '../../sources/context.js';
import type { Answer } from '../messages.js';
import type { RefusalReason } from '../telemetry/metrics.js';
import { countUnread, fittingAnswer } from '../unread.js';
import type { EventStream } from './event-stream.js';
import type { IncomingCall } from './incoming-call.js';
import type { OpenResponses } from './open-responses.js';

/** The stream of an upgraded reply. */
export interface ReplyStream {
  send(message: JSONRPCMessage): Promise<void>;
  /** Ends the stream after what was sent. */
  end(): void;
}

export interface ReplyOptions {
  readonly call: IncomingCall;
  readonly responses: OpenResponses;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** Whether the answers are a list even when there is only one. */
  readonly isBatch: boolean;
  /** Cancelled when the client leaves before the reply streams. */
  readonly cancellation: Cancellation;
  readonly deadlines: Deadlines;
  /** How long an answer may take before the reply becomes a stream, which is kept alive. */
  readonly upgradeMs: number;
  /** Opens the stream. */
  upgrade(): ReplyStream;
}

/** Bytes of the answers of a batch that are sent together. With more, each is sent as an event when it is there. */
const MAX_OF_BATCH = 1024 * 1024;

export class HttpReply implements Limited {
  readonly #response: ServerResponse;
  readonly #options: ReplyOptions;
  readonly #answers: Answer[] = [];
  /** Of a batch. */
  #bytes = 0;
  readonly #deadline: Deadline;
  #stream: ReplyStream | undefined;

  constructor(response: ServerResponse, options: ReplyOptions) {
    this.#response = response;
    this.#options = options;
    this.#deadline = options.deadlines.add(this, options.upgradeMs);
    options.call.running = options.cancellation;
  }

  get isStream(): boolean {
    return this.#stream !== undefined;
  }

  /** Sends a message that belongs to a request, before its answer. */
  readonly send = (message: JSONRPCMessage): Promise<void> => this.#upgrade().send(message);

  /** Takes an answer: a stream sends it, JSON waits for all of a batch. Resolves when the memory of its request is not needed any more. */
  add(answer: Answer, memory: MemoryHold): Promise<void> | undefined {
    if (this.#stream !== undefined) return this.#stream.send(fittingAnswer(answer, memory)).catch(() => {});
    this.#answers.push(answer);
    if (!this.#options.isBatch) return undefined;
    const bytes = bytesOf(answer, MAX_OF_BATCH);
    this.#bytes += bytes;
    this.#options.call.memory.queue(bytes);
    if (this.#bytes > MAX_OF_BATCH) this.#upgrade();
    return undefined;
  }

  /** Ends the reply. False if its client has to read other answers first: then nothing was sent. */
  finish(status: number): boolean {
    this.#settle();
    if (this.#stream !== undefined) {
      this.#stream.end();
      return true;
    }
    const { call, headers, isBatch, responses } = this.#options;
    const answer = isBatch ? this.#answers : (this.#answers[0] ?? {});
    if (isLargeJson(answer)) {
      if (!isBatch && !countUnread(answer, call.memory)) return false;
      this.#sendLarge(answer, status);
      return true;
    }
    const text = writeJson(answer);
    if (!isBatch && !call.memory.queue(text.length)) return false;
    sendJson(this.#response, status, text, headers);
    responses.follow(this.#response, call);
    return true;
  }

  /** What was answered before. */
  async #sendAll(stream: ReplyStream): Promise<void> {
    await Promise.all(this.#answers.splice(0).map((answer) => stream.send(answer).catch(() => {})));
    this.#options.call.memory.queue(-this.#bytes);
  }

  /** Sends an answer piece by piece, as the client reads it. */
  #sendLarge(answer: object, status: number): void {
    const { call, headers, responses } = this.#options;
    if (this.#response.headersSent || this.#response.destroyed) return;
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
    responses.follow(this.#response, call, true);
    responses.writeAll(this.#response, jsonInTurns(answer)).then(
      () => this.#response.end(),
      // It cannot be taken back.
      () => this.#response.destroy(),
    );
  }

  /** Leaves the response to an error, or ends the stream. */
  abort(): void {
    this.#settle();
    this.#stream?.end();
  }

  expire(): void {
    this.#upgrade();
  }

  #upgrade(): ReplyStream {
    if (this.#stream === undefined) {
      this.#settle();
      this.#stream = this.#options.upgrade();
      void this.#sendAll(this.#stream);
    }
    return this.#stream;
  }

  #settle(): void {
    const { call, deadlines, upgradeMs } = this.#options;
    deadlines.remove(this.#deadline, upgradeMs);
    call.running = undefined;
  }
}

/** A reply that cannot be resumed. */
export function plainStream(stream: EventStream, onClose: () => void): ReplyStream {
  stream.onClose(onClose);
  let tail: Promise<void> = Promise.resolve();
  return {
    send: (message) => {
      tail = stream.send(message);
      return tail;
    },
    end: () => void tail.then(() => stream.end()),
  };
}

interface RefusalOptions {
  /** The JSON-RPC error code. Default -32000. */
  readonly code?: number;
  /** For the metrics. Undefined for a mistake of the client. */
  readonly reason?: RefusalReason;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to close the connection, as when a body is left unread. */
  readonly close?: boolean;
}

/** A rejected request. The reason is JSON-RPC in the body, since MCP clients read it there. */
export class HttpRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly options: RefusalOptions = {},
  ) {
    super(message);
  }
}

export function sendRefusal(response: ServerResponse, { status, message, options }: HttpRefusal): void {
  const { code = -32000, headers, close = false } = options;
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
  sendJson(response, status, body, { ...headers, ...(close ? { connection: 'close' } : {}) });
}

/** One write for all complete answers of the same turn. */
export function sendJson(response: ServerResponse, status: number, body: string, headers?: Readonly<Record<string, string>>): void {
  // The client may have gone.
  if (response.headersSent || response.destroyed) return;
  const length = Buffer.byteLength(body);
  const list: (string | number)[] = ['content-type', 'application/json', 'content-length', length];
  for (const name in headers) list.push(name, headers[name] ?? '');
  response.writeHead(status, list);
  response.cork();
  // ASCII text is copied as Latin-1, not converted.
  response.write(body, length === body.length ? 'latin1' : 'utf8');
  const count = corked.push(response);
  if (count === MAX_CORKED) flush();
  else if (count === 1) setImmediate(flush);
}

/** Complete answers that are not written yet. */
let corked: ServerResponse[] = [];
/** The first one is written at once. */
const MAX_CORKED = 32;

/** A write that wakes the client takes as long as answering a call. One of many wakes it for all. */
function flush(): void {
  const responses = corked;
  corked = [];
  for (const response of responses) {
    // One text is written directly. `end` with a body would add an empty chunk, and Node would join both.
    response.uncork();
    response.end();
  }
}
