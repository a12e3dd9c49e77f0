/** Responses that are not finished: open streams, and answers that the client has not read yet. */
import type { ServerResponse } from 'node:http';
import type { MemoryHold } from '../../memory-budget.js';
import { slicesOf } from '../../text.js';
import type { IncomingCall } from './incoming-call.js';
import { HttpRefusal } from './reply.js';
import type { HttpResponse, LargeBody } from './response.js';

/** A client that reads nothing for this long is disconnected. */
const READ_TIMEOUT_S = 30;
/** Unread bytes on one stream. */
export const MAX_UNREAD = 64 * 1024 * 1024;
/** A smaller answer is not tracked. */
const SMALL = 64 * 1024;

/** Of a large body that is there already: characters or bytes in a piece. */
const PIECE = 64 * 1024;

/** Who a response is for, and what counts its bytes. */
export type Reader = Pick<IncomingCall, 'account' | 'authInfo' | 'memory'>;

/** One response, and the progress of its reader. */
interface Flow {
  readonly account: string;
  /** When the reader's token expires, in seconds since the epoch. */
  readonly expiresAt: number | undefined;
  written: number;
  idleSeconds: number;
  /** Ends the response after what was sent. */
  end(): void;
}

export class OpenResponses {
  readonly #mostStreams: number;
  readonly #streams = new Map<ServerResponse, Flow>();
  readonly #answers = new Map<ServerResponse, Flow>();
  /** The waits for a reader. */
  readonly #waiting = new Map<ServerResponse, Promise<void>>();
  readonly #watch = setInterval(() => this.#check(), 1000).unref();

  constructor(mostStreams: number) {
    this.#mostStreams = mostStreams;
  }

  /** The number of open streams. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Throws a refusal when all streams are in use; one account may have half of them. */
  checkRoom({ account }: IncomingCall): void {
    const retry = { reason: 'sessions', headers: { 'retry-after': '30' } } as const;
    if (this.#streams.size >= this.#mostStreams)
      throw new HttpRefusal(503, `All ${this.#mostStreams} streams are in use. Try again later.`, retry);
    if (!account.limited) return;
    const own = [...this.#streams.values()].filter((flow) => flow.account === account.id).length;
    if (own >= Math.ceil(this.#mostStreams / 2))
      throw new HttpRefusal(429, `All ${own} streams that one caller may have are in use. Close one first.`, retry);
  }

  /** Counts a stream until the returned function is called. It ends when the token expires or nothing is read. */
  enter(response: ServerResponse, call: IncomingCall, end: () => void = () => response.end()): () => void {
    this.#streams.set(response, flowOf(call, end));
    return () => this.#streams.delete(response);
  }

  /**
   * Resolves when the reader is ready for more, or disconnected, as one is that leaves too much unread. Until then the chunk counts
   * in `memory`.
   */
  async write(response: ServerResponse, chunk: Uint8Array | string, memory?: MemoryHold): Promise<void> {
    if (response.destroyed || response.writableEnded || response.write(chunk)) return;
    if (memory?.queue(chunk.length) === false || response.writableLength > MAX_UNREAD) response.destroy();
    else await this.#ready(response);
    memory?.queue(-chunk.length);
  }

  /** Pending waits, by reader. */
  #ready(response: ServerResponse): Promise<void> {
    let ready = this.#waiting.get(response);
    if (ready === undefined) {
      ready = new Promise((resolve) => {
        const done = () => {
          response.off('drain', done).off('close', done);
          this.#waiting.delete(response);
          resolve();
        };
        response.on('drain', done).on('close', done);
      });
      this.#waiting.set(response, ready);
    }
    return ready;
  }

  /** Writes one piece after the other, as the reader takes them; stops when it is disconnected. */
  async writeAll(response: ServerResponse, pieces: AsyncIterable<string>): Promise<void> {
    for await (const piece of pieces) {
      if (response.destroyed) return;
      await this.write(response, piece);
    }
  }

  /** Resolves when the reader has taken what was written so far, or is disconnected. */
  flushed(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      if (response.destroyed) return resolve();
      response.once('close', resolve);
      response.write('', () => {
        response.off('close', resolve);
        resolve();
      });
    });
  }

  /** Disconnects a client that does not read its answer. `isUnfinished`: whether more is to be written. */
  follow(response: ServerResponse, call: Reader, isUnfinished = false): void {
    if (!isUnfinished && response.writableLength < SMALL) return;
    this.#answers.set(
      response,
      flowOf(call, () => void response.end()),
    );
    response.once('close', () => this.#answers.delete(response));
  }

  /** Has a large body written in pieces, as the reader takes it, when there is memory for it; its reader is disconnected if not. */
  pace(response: HttpResponse, call: Reader): void {
    this.follow(response, call, true);
    response.writeLarge = (body) => {
      const written = async () => {
        await call.memory.take(body.length);
        for (const piece of piecesOf(body)) await this.write(response, piece);
      };
      written().then(
        () => response.end(),
        () => response.destroy(),
      );
    };
  }

  closeAll(): void {
    clearInterval(this.#watch);
    for (const { end } of this.#streams.values()) end();
  }

  #check(): void {
    const now = Date.now() / 1000;
    for (const [response, flow] of [...this.#streams, ...this.#answers]) {
      const written = response.socket?.bytesWritten ?? 0;
      flow.idleSeconds = response.writableLength > 0 && written === flow.written ? flow.idleSeconds + 1 : 0;
      flow.written = written;
      if (flow.idleSeconds > READ_TIMEOUT_S || response.writableLength > MAX_UNREAD) response.destroy();
      else if (flow.expiresAt !== undefined && flow.expiresAt < now) flow.end();
    }
  }
}

function* piecesOf(body: LargeBody): Generator<LargeBody, void, undefined> {
  if (typeof body === 'string') yield* slicesOf(body, PIECE);
  else for (let from = 0; from < body.length; from += PIECE) yield body.subarray(from, from + PIECE);
}

function flowOf({ account, authInfo }: Reader, end: () => void): Flow {
  return { account: account.id, expiresAt: authInfo?.expiresAt, written: -1, idleSeconds: 0, end };
}
