/** Streams that stay open: counted, kept alive, and ended when their reader falls behind. */
import type { ServerResponse } from 'node:http';

/** What may lie unread before the reader is taken for gone: they can connect again and get what they missed. */
const MOST_UNREAD = 1024 * 1024;

/** How often streams are looked at that others write to. */
const CHECK_MS = 1000;

export class OpenStreams {
  readonly #open = new Set<ServerResponse>();
  readonly #watch = setInterval(() => this.#checkAll(), CHECK_MS).unref();

  get size(): number {
    return this.#open.size;
  }

  /** Counts a stream until the returned function is called. */
  enter(response: ServerResponse): () => void {
    this.#open.add(response);
    return () => this.#open.delete(response);
  }

  write(response: ServerResponse, chunk: Uint8Array | string): void {
    if (response.destroyed || response.writableEnded) return;
    response.write(chunk);
    if (response.writableLength > MOST_UNREAD) response.destroy();
  }

  closeAll(): void {
    clearInterval(this.#watch);
    for (const response of this.#open) response.end();
  }

  #checkAll(): void {
    for (const response of this.#open) if (response.writableLength > MOST_UNREAD) response.destroy();
  }
}
