/** JSON-RPC over a pair of streams, one message a line. A line that is not a message gets an error, and the connection goes on. */
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { MAX_VALUES } from '../json.js';
import { bytesOf, isLargeJson, jsonInTurns } from '../json-pieces.js';
import { JsonQueue } from '../json-queue.js';
import { writeJson } from '../json-text.js';
import { MAX_KEYS, type ParsedJson } from '../json-turns.js';
import { LineReader } from '../lines.js';
import { cancelledId, isMessage, messageId } from './messages.js';

/** A longer line is refused unread. */
const MAX_LINE_BYTES = 6 * 1024 * 1024;
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
/** How long calls may take after the host has closed its side, or a shutdown was requested. */
const DRAIN_MS = 2000;
/** How long a slow reader may take for the answers. */
const READ_MS = 7000;

/** A message that waits for the reader. */
interface Queued {
  readonly message: object;
  /** The text to write: the message, or an error in its place. */
  readonly written: object;
  /** Its approximate size in bytes; 0 if the reader was ready when it was queued. */
  readonly weight: number;
}

export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #lines = new LineReader(
    MAX_LINE_BYTES,
    (line) => this.#incoming.push(line),
    () => this.#refuse(null, -32600, `The message is longer than ${MAX_LINE_BYTES} bytes and was not read.`),
  );
  readonly #incoming = new JsonQueue(
    { pause: () => this.input.pause(), resume: () => this.#parsed() },
    { values: MAX_VALUES, depth: Number.POSITIVE_INFINITY },
    (parsed) => this.#handle(parsed),
    isUrgent,
  );
  #queue: Queued[] = [];
  /** The approximate size of the messages queued while the reader was not ready. */
  #waitingBytes = 0;
  /** Messages whose sender waits until they are read. */
  readonly #followed = new Map<object, () => void>();
  #next = 0;
  #flushing = false;
  #blocked = false;
  /** Whether a large message is being written, which the others wait for. */
  #inPieces = false;
  /** Requests that have no answer yet. */
  readonly #pending = new Set<string | number>();
  #ended = false;
  #lastCall: NodeJS.Timeout | undefined;
  #closed = false;
  #settle: () => void = () => {};
  /** Resolves when the connection is over. */
  readonly closed = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(
    readonly input: Readable,
    readonly output: Writable,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', this.#lines.push);
    this.input.on('end', this.#end);
    this.input.on('close', this.#end);
    this.output.on('error', this.#fail);
    this.output.on('drain', this.#resume);
  }

  /** Rejects when the connection is closed. A message that the reader is not ready for waits as an object, not as text. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#pending.delete(message.id);
    this.#enqueue(message);
  }

  /** Resolves when the reader has taken a message that was just sent, or is gone. */
  sent(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve) => {
      if (this.#closed) resolve();
      else this.#followed.set(message, resolve);
    });
  }

  /** Stops reading. Resolves when all requests are answered and the answers are read, or after a timeout. */
  async finish(): Promise<void> {
    this.input.off('data', this.#lines.push).pause();
    const begin = performance.now();
    while (!this.#closed && (this.#blocked || this.#flushing || this.#incoming.idle !== undefined || this.#pending.size > 0)) {
      if (performance.now() - begin > (this.#blocked ? READ_MS : DRAIN_MS)) return;
      await pause(20);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#write();
    this.#closed = true;
    clearTimeout(this.#lastCall);
    this.input.off('data', this.#lines.push).off('end', this.#end).off('close', this.#end);
    this.input.pause();
    this.output.off('drain', this.#resume);
    this.#queue = [];
    this.#waitingBytes = 0;
    for (const taken of this.#followed.values()) taken();
    this.#followed.clear();
    this.onclose?.();
    this.#settle();
  }

  #handle(parsed: ParsedJson): void {
    if (this.#closed) return;
    if ('problem' in parsed) {
      if (parsed.problem === 'values')
        this.#refuse(null, -32600, `The message has more than ${MAX_VALUES} values, or an object with more than ${MAX_KEYS} keys.`);
      else this.#refuse(null, -32700, 'Parse error: the line is not valid JSON.');
      return;
    }
    const { value } = parsed;
    if (!isMessage(value)) {
      this.#refuse(
        messageId(value),
        -32600,
        'Invalid JSON-RPC 2.0 message: it needs jsonrpc "2.0", a method, an id that is a string or an integer, params that are an object with an object as _meta, and nothing else.',
      );
      return;
    }
    if ('method' in value) {
      // A subscription is answered when it ends, so a shutdown does not wait for it.
      if ('id' in value && value.method !== 'subscriptions/listen') this.#pending.add(value.id);
      else if (value.method === 'notifications/cancelled') this.#pending.delete(cancelledId(value.params) ?? '');
    }
    this.onmessage?.(value);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.onerror?.(new Error(message));
    if (!this.#closed) this.#enqueue({ jsonrpc: '2.0', id, error: { code, message } });
  }

  #enqueue(message: object): void {
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
      if (waiting > HIGH_WATER_MARK || this.#waitingBytes > HIGH_WATER_BYTES) this.input.pause();
    } else if (!this.#flushing) {
      this.#flushing = true;
      // Other answers of this turn are part of the same write.
      process.nextTick(this.#flush);
    }
  }

  readonly #flush = (): void => {
    this.#flushing = false;
    this.#write();
    this.#closeWhenDone();
  };

  #write(): void {
    while (!this.#blocked && this.#next < this.#queue.length) {
      let text = '';
      const followers: (() => void)[] = [];
      for (let next = this.#queue[this.#next]; next !== undefined && text.length < MAX_WRITE; next = this.#queue[this.#next]) {
        const { message, weight, written } = next;
        const isLarge = isLargeJson(written);
        if (isLarge && text !== '') break;
        this.#queue[this.#next++] = WRITTEN;
        this.#waitingBytes -= weight;
        if (isLarge) return void this.#writeLarge(message);
        text += `${toLine(written)}\n`;
        const follower = this.#followerOf(message);
        if (follower !== undefined) followers.push(follower);
      }
      const taken = () => {
        for (const follower of followers) follower();
      };
      this.#blocked = !this.output.write(text, followers.length === 0 ? undefined : taken);
    }
    if (this.#next === this.#queue.length) {
      this.#queue = [];
      this.#next = 0;
    }
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
        if (last !== '' && !this.output.write(last)) await once(this.output, 'drain');
        last = piece;
      }
      if (this.#closed) return;
      isReady = this.output.write(`${last}\n`, this.#followerOf(message));
    } catch {
      // The part that was written is a line that no host can parse.
      isReady = this.output.write(`\n${unwritable(message)}\n`, this.#followerOf(message));
    }
    this.#inPieces = false;
    // Otherwise it goes on when the reader is ready.
    if (isReady) this.#resume();
  }

  #followerOf(message: object): (() => void) | undefined {
    const follower = this.#followed.size === 0 ? undefined : this.#followed.get(message);
    if (follower !== undefined) this.#followed.delete(message);
    return follower;
  }

  readonly #resume = (): void => {
    if (this.#inPieces) return;
    this.#blocked = false;
    this.#write();
    if (this.#blocked) return;
    if (!this.#ended && this.#incoming.idle === undefined) this.input.resume();
    this.#closeWhenDone();
  };

  /** Large messages were parsed. If the reader is slow, reading goes on when it is ready. */
  #parsed(): void {
    if (!this.#closed && !this.#blocked) this.#resume();
  }

  /** A host that closes its side still gets the answers to its requests, if these do not take too long. */
  readonly #end = (): void => {
    if (this.#ended || this.#closed) return;
    this.#lines.end();
    this.#ended = true;
    this.#lastCall = setTimeout(() => {
      this.#pending.clear();
      this.#lastCall = setTimeout(() => void this.close(), READ_MS - DRAIN_MS);
      this.#closeWhenDone();
    }, DRAIN_MS);
    this.#closeWhenDone();
  };

  #closeWhenDone(): void {
    const isBusy = this.#blocked || this.#flushing || this.#incoming.idle !== undefined || this.#pending.size > 0;
    if (this.#ended && !isBusy) void this.close();
  }

  readonly #fail = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };
}

/** Longer messages are never pings. */
const LONGEST_URGENT = 1024;

/** Whether a line is a ping, which should not wait until a large message is parsed. */
function isUrgent(line: string): boolean {
  return line.length <= LONGEST_URGENT && /^\{[^{}]*"method"\s*:\s*"(?:ping|server\/discover)"/.test(line);
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
