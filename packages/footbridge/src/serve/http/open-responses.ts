/** What is on its way to clients: streams that stay open, and answers that are not read yet. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { IncomingCall } from './incoming-call.js';
import { HttpRefusal } from './reply.js';

/** Whoever read nothing for so long is taken for gone. */
const PATIENCE_S = 30;
/** What may lie unread on one stream, and for one account on all answers together. */
const MOST_UNREAD = 64 * 1024 * 1024;
/** An answer that leaves at once needs no following. */
const SMALL = 64 * 1024;

/** One response, and how its reader gets on. */
interface Flow {
  readonly account: string;
  /** The second in which the reader's token ends, where it does. */
  readonly expiresAt: number | undefined;
  written: number;
  idleSeconds: number;
}

export class OpenResponses {
  readonly #mostStreams: number;
  readonly #streams = new Map<ServerResponse, Flow>();
  readonly #answers = new Map<ServerResponse, Flow>();
  readonly #watch = setInterval(() => this.#check(), 1000).unref();

  constructor(mostStreams: number) {
    this.#mostStreams = mostStreams;
  }

  /** How many streams are open. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Throws a refusal when there is no room for one more stream: one account may have half of it. */
  checkRoom({ account }: IncomingCall): void {
    const retry = { reason: 'sessions', headers: { 'retry-after': '30' } } as const;
    if (this.#streams.size >= this.#mostStreams)
      throw new HttpRefusal(503, `All ${this.#mostStreams} streams are in use. Try again later.`, retry);
    if (!account.limited) return;
    const own = [...this.#streams.values()].filter((flow) => flow.account === account.id).length;
    if (own >= Math.ceil(this.#mostStreams / 2))
      throw new HttpRefusal(429, `All ${own} streams that one caller may have are in use. Close one first.`, retry);
  }

  /** Counts a stream until the returned function is called. It ends with its reader's token, or when nobody reads it. */
  enter(response: ServerResponse, call: IncomingCall): () => void {
    this.#streams.set(response, flowOf(call));
    return () => this.#streams.delete(response);
  }

  /** Resolves when the reader is ready for more, or gone. */
  async write(response: ServerResponse, chunk: Uint8Array | string): Promise<void> {
    if (response.destroyed || response.writableEnded || response.write(chunk)) return;
    const controller = new AbortController();
    const { signal } = controller;
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
    controller.abort();
  }

  /** Sees to it that an answer, all of which is written, does not wait for ever to be read. */
  follow(response: ServerResponse, call: IncomingCall): void {
    if (response.writableLength < SMALL) return;
    this.#answers.set(response, flowOf(call));
    response.once('close', () => this.#answers.delete(response));
  }

  /** Whether so much lies unread for an account that it gets no more. */
  isUnread(account: string): boolean {
    let unread = 0;
    for (const [response, flow] of this.#answers) if (flow.account === account) unread += response.writableLength;
    return unread > MOST_UNREAD;
  }

  closeAll(): void {
    clearInterval(this.#watch);
    for (const response of this.#streams.keys()) response.end();
  }

  #check(): void {
    const now = Date.now() / 1000;
    for (const [response, flow] of [...this.#streams, ...this.#answers]) {
      const written = response.socket?.bytesWritten ?? 0;
      flow.idleSeconds = response.writableLength > 0 && written === flow.written ? flow.idleSeconds + 1 : 0;
      flow.written = written;
      if (flow.idleSeconds > PATIENCE_S || response.writableLength > MOST_UNREAD) response.destroy();
      else if (flow.expiresAt !== undefined && flow.expiresAt < now) response.end();
    }
  }
}

function flowOf({ account, authInfo }: IncomingCall): Flow {
  return { account: account.id, expiresAt: authInfo?.expiresAt, written: -1, idleSeconds: 0 };
}
