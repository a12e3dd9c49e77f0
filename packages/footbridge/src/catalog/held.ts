/** Content of long texts that are returned in parts: each is read once, not once per part. */
import { normalizeUri } from '../uri-template.js';

/** How long a text is kept without asking its source again, if that is expensive. */
const HELD_MS = 60_000;
/** The maximum size of all texts, in bytes. The last one is kept regardless of its size. */
const MAX_BYTES = 16 * 1024 * 1024;

export interface Holdable {
  /** Whether the source is unchanged; absent if that can be found out only by reading it again. */
  isCurrent?(): boolean;
}

interface HeldValue<T> {
  readonly value: T;
  readonly bytes: number;
  readonly until: number;
}

export class Held<T extends Holdable> {
  /** Least recently used first. */
  readonly #values = new Map<string, HeldValue<T>>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** The content for this caller; undefined if it has to be read again. */
  get(uri: string, callerId: string): T | undefined {
    const key = keyOf(uri, callerId);
    const held = this.#values.get(key);
    if (held === undefined) return undefined;
    this.#values.delete(key);
    this.#values.set(key, held);
    if (held.until > performance.now() && held.value.isCurrent?.() !== false) return held.value;
    this.#drop(key);
    return undefined;
  }

  hold(uri: string, callerId: string, value: T, bytes: number): void {
    const key = keyOf(uri, callerId);
    this.#drop(key);
    this.#values.set(key, { value, bytes, until: performance.now() + HELD_MS });
    this.#bytes += bytes;
    for (const oldest of this.#values.keys()) {
      if (this.#bytes <= MAX_BYTES || this.#values.size === 1) break;
      this.#drop(oldest);
    }
    this.#timer ??= setTimeout(() => this.#expire(), HELD_MS).unref();
  }

  /** Drops the content of a URI, or everything. */
  forget(uri?: string): void {
    const same = (key: string) => uri === undefined || normalizeUri(key.slice(0, key.indexOf('\n'))) === normalizeUri(uri);
    for (const key of [...this.#values.keys()]) if (same(key)) this.#drop(key);
  }

  #expire(): void {
    const now = performance.now();
    for (const [key, { until }] of [...this.#values]) if (until <= now) this.#drop(key);
    this.#timer = this.#values.size === 0 ? undefined : setTimeout(() => this.#expire(), HELD_MS).unref();
  }

  #drop(key: string): void {
    this.#bytes -= this.#values.get(key)?.bytes ?? 0;
    this.#values.delete(key);
  }
}

function keyOf(uri: string, callerId: string): string {
  return `${uri}\n${callerId}`;
}
