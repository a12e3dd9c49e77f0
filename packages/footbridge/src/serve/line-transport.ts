/** JSON-RPC over a pair of streams, one message per line. An invalid line gets an error, and the connection goes on. */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { MAX_VALUES } from '../json.js';
import { JsonQueue } from '../json-queue.js';
import { MAX_KEYS, type ParsedJson } from '../json-turns.js';
import { LineReader } from '../lines.js';
import { LineWriter } from './line-writer.js';
import { cancelledId, isMessage, messageId } from './messages.js';

/** A longer line is refused unread. */
const MAX_LINE_BYTES = 6 * 1024 * 1024;
/** How long calls may take after the host has closed its side, or a shutdown was requested. */
const DRAIN_MS = 2000;
/** How long a slow reader may take for the answers. */
const READ_MS = 7000;

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
  readonly #writer: LineWriter;
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
  ) {
    this.#writer = new LineWriter(output, {
      full: () => this.input.pause(),
      ready: () => {
        if (!this.#ended && this.#incoming.idle === undefined) this.input.resume();
        this.#closeWhenDone();
      },
      flushed: () => this.#closeWhenDone(),
    });
  }

  async start(): Promise<void> {
    this.input.on('data', this.#lines.push);
    this.input.on('end', this.#end);
    this.input.on('close', this.#end);
    this.output.on('error', this.#fail);
    this.#writer.start();
  }

  /** Rejects when the connection is closed. A message that the reader is not ready for waits as an object, not as text. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#pending.delete(message.id);
    this.#writer.write(message);
  }

  /** Resolves when the reader has taken a message that was just sent, or is gone. */
  sent(message: JSONRPCMessage): Promise<void> {
    return this.#writer.taken(message);
  }

  /** Stops reading. Resolves when all requests are answered and the answers are read, or after a timeout. */
  async finish(): Promise<void> {
    this.input.off('data', this.#lines.push).pause();
    const begin = performance.now();
    while (!this.#closed && this.#isBusy) {
      if (performance.now() - begin > (this.#writer.isBlocked ? READ_MS : DRAIN_MS)) return;
      await pause(20);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#lastCall);
    this.input.off('data', this.#lines.push).off('end', this.#end).off('close', this.#end);
    this.input.pause();
    this.#writer.close();
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
    if (!this.#closed) this.#writer.write({ jsonrpc: '2.0', id, error: { code, message } });
  }

  /** Large messages were parsed. If the reader is slow, reading goes on when it is ready. */
  #parsed(): void {
    if (!this.#closed && !this.#writer.isBlocked) this.#writer.resume();
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
    if (this.#ended && !this.#isBusy) void this.close();
  }

  /** Whether requests have no answer yet, or answers are not written. */
  get #isBusy(): boolean {
    return this.#writer.isBusy || this.#incoming.idle !== undefined || this.#pending.size > 0;
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
