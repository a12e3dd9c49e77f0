/** Streams that stay open: counted, kept alive, and ended when their reader falls behind. */
import type { ServerResponse } from 'node:http';
import type { Visit } from './visit.js';

/** What may lie unread before the reader is taken for gone: they can connect again and get what they missed. */
const MOST_UNREAD = 1024 * 1024;

/** How often streams are looked at that others write to. */
const CHECK_MS = 1000;

export class OpenStreams {
  /** With the second that their reader's token ends, where it does. */
  readonly #open = new Map<ServerResponse, number | undefined>();
  readonly #watch = setInterval(() => this.#checkAll(), CHECK_MS).unref();

  get size(): number {
    return this.#open.size;
  }

  /** Counts a stream until the returned function is called. It ends with its reader's token. */
  enter(response: ServerResponse, { authInfo }: Visit): () => void {
    this.#open.set(response, authInfo?.expiresAt);
    return () => this.#open.delete(response);
  }

  write(response: ServerResponse, chunk: Uint8Array | string): void {
    if (response.destroyed || response.writableEnded) return;
    response.write(chunk);
    if (response.writableLength > MOST_UNREAD) response.destroy();
  }

  closeAll(): void {
    clearInterval(this.#watch);
    for (const response of this.#open.keys()) response.end();
  }

  #checkAll(): void {
    const now = Date.now() / 1000;
    for (const [response, expiresAt = Number.POSITIVE_INFINITY] of this.#open) {
      if (response.writableLength > MOST_UNREAD) response.destroy();
      else if (expiresAt < now) response.end();
    }
  }
}
