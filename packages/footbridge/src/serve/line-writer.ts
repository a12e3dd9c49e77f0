/** Writes JSON-RPC messages as lines: all of one turn at once, large ones in pieces, and none faster than the reader takes them. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { bytesOf, isLargeJson, jsonInTurns } from '../json-pieces.js';
import { writeJson } from '../json-text.js';
import { messageId } from './messages.js';

/** Messages that may wait for a slow reader before no more requests are read. */
const HIGH_WATER_MARK = 64;
/** The same in bytes. */
const HIGH_WATER_BYTES = 1024 * 1024;
/** Messages that may wait before notifications are dropped. */
const MAX_QUEUED = 10_000;
/** The same in bytes: then answers become errors, too. */
const MAX_QUEUED_BYTES = 64 * 1024 * 1024;
/** Characters in one write. */
const MAX_WRITE = 64 * 1024;

/** A message that waits for the reader. */
interface Queued {
  readonly message: object;
  /** The text to write: the message, or an error in its place. */
  readonly written: object;
  /** Its approximate size in bytes; 0 if the reader was ready when it was queued. */
  readonly weight: number;
}

export interface LineWriterEvents {
  /** So many messages wait that no more requests should be read. */
  full(): void;
  /** The reader has taken everything and is ready for more. */
  ready(): void;
  /** The messages of a turn were written, as far as the reader was ready. */
  flushed(): void;
}

export class LineWriter {
  readonly #output: Writable;
  readonly #events: LineWriterEvents;
  #queue: Queued[] = [];
  #next = 0;
  /** The approximate size of the messages queued while the reader was not ready. */
  #waitingBytes = 0;
  /** Messages whose sender waits until they are read. */
  readonly #followed = new Map<object, () => void>();
  #flushing = false;
  #blocked = false;
  /** Whether a large message is being written, which the others wait for. */
  #inPieces = false;
  #closed = false;

  constructor(output: Writable, events: LineWriterEvents) {
    this.#output = output;
    this.#events = events;
  }

  /** Whether messages wait for the reader. */
  get isBlocked(): boolean {
    return this.#blocked;
  }

  /** Whether any message is not written yet. */
  get isBusy(): boolean {
    return this.#blocked || this.#flushing;
  }

  start(): void {
    this.#output.on('drain', this.#drained);
  }

  /** Resolves when the reader has taken a message that was just written, or is gone. */
  taken(message: object): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed) resolve();
      else this.#followed.set(message, resolve);
    });
  }

  /** Queues a message; it is written with others of the same turn. Throws for a request when too many messages wait, and when closed. */
  write(message: object): void {
    if (this.#closed) throw new Error('the connection is closed');
    const waiting = this.#queue.length - this.#next;
    if ((waiting > MAX_QUEUED || this.#waitingBytes > MAX_QUEUED_BYTES) && 'method' in message) {
      // A reader that falls behind misses notifications; answers wait for it.
      if (!('id' in message)) return;
      throw new Error('the host does not read its messages');
    }
    const written = this.#waitingBytes > MAX_QUEUED_BYTES ? unread(message) : message;
    // Most are written at once, so their size does not matter.
    const weight = this.#blocked || waiting > HIGH_WATER_MARK ? bytesOf(written, MAX_QUEUED_BYTES) : 0;
    this.#waitingBytes += weight;
    this.#queue.push({ message, written, weight });
    if (this.#blocked) {
      if (waiting > HIGH_WATER_MARK || this.#waitingBytes > HIGH_WATER_BYTES) this.#events.full();
    } else if (!this.#flushing) {
      this.#flushing = true;
      // Other answers of this turn are part of the same write.
      process.nextTick(this.#flushTurn);
    }
  }

  /** Goes on writing. */
  readonly resume = (): void => {
    if (this.#inPieces) return;
    this.#blocked = false;
    this.#flush();
    if (!this.#blocked) this.#events.ready();
  };

  /** Writes what the reader is ready for, and drops the rest. */
  close(): void {
    while (!this.#blocked && this.#next < this.#queue.length) this.#blocked = !this.#writeSome();
    this.#closed = true;
    this.#output.off('drain', this.#drained);
    this.#queue = [];
    this.#waitingBytes = 0;
    for (const taken of this.#followed.values()) taken();
    this.#followed.clear();
  }

  readonly #flushTurn = (): void => {
    this.#flushing = false;
    this.#flush();
    this.#events.flushed();
  };

  /** A pipe has room again at once, in the same turn: what is left waits for another, since there may be thousands of messages. */
  readonly #drained = (): void => {
    if (this.#next === this.#queue.length) this.resume();
    else setImmediate(this.resume);
  };

  #flush(): void {
    if (this.#blocked || this.#next === this.#queue.length) return;
    const isReady = this.#writeSome();
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
      this.#blocked ||= !isReady;
    } else if (!this.#blocked) {
      this.#blocked = true;
      if (isReady) setImmediate(this.resume);
    }
  }

  /** Writes some messages together, or begins a large one. False if the reader is not ready for more. */
  #writeSome(): boolean {
    let text = '';
    const followers: (() => void)[] = [];
    for (let next = this.#queue[this.#next]; next !== undefined && text.length < MAX_WRITE; next = this.#queue[this.#next]) {
      const { message, weight, written } = next;
      const isLarge = isLargeJson(written);
      if (isLarge && text !== '') break;
      this.#queue[this.#next++] = WRITTEN;
      this.#waitingBytes -= weight;
      if (isLarge) {
        void this.#writeLarge(message);
        return false;
      }
      text += `${toLine(written)}\n`;
      const follower = this.#followerOf(message);
      if (follower !== undefined) followers.push(follower);
    }
    const taken = () => {
      for (const follower of followers) follower();
    };
    return this.#output.write(text, followers.length === 0 ? undefined : taken);
  }

  /** Writes a message in pieces, as the reader takes them. */
  async #writeLarge(message: object): Promise<void> {
    this.#blocked = true;
    this.#inPieces = true;
    let isReady = true;
    try {
      let last = '';
      for await (const piece of jsonInTurns(message)) {
        if (this.#closed) return;
        if (last !== '' && !this.#output.write(last)) await once(this.#output, 'drain');
        last = piece;
      }
      if (this.#closed) return;
      isReady = this.#output.write(`${last}\n`, this.#followerOf(message));
    } catch {
      // The part that was written is a line that no host can parse.
      isReady = this.#output.write(`\n${unwritable(message)}\n`, this.#followerOf(message));
    }
    this.#inPieces = false;
    // Otherwise it goes on when the reader is ready.
    if (isReady) this.resume();
  }

  #followerOf(message: object): (() => void) | undefined {
    const follower = this.#followed.size === 0 ? undefined : this.#followed.get(message);
    if (follower !== undefined) this.#followed.delete(message);
    return follower;
  }
}

/** Frees a message that was written while others wait. */
const WRITTEN: Queued = { message: {}, written: {}, weight: 0 };

/** Replaces an answer that does not fit. */
function unread(message: object): object {
  const error = {
    code: -32000,
    message: `The answer was dropped: ${MAX_QUEUED_BYTES / 1024 / 1024} MiB of answers wait to be read. Read them, then try again.`,
  };
  return { jsonrpc: '2.0', id: messageId(message), error };
}

/** A message as text. One that cannot be serialized, such as a value that is nested too deeply, becomes an error. */
function toLine(message: object): string {
  try {
    return writeJson(message);
  } catch {
    return unwritable(message);
  }
}

function unwritable(message: object): string {
  const error = { code: -32603, message: 'The answer cannot be serialized as JSON.' };
  return JSON.stringify({ jsonrpc: '2.0', id: messageId(message), error });
}
