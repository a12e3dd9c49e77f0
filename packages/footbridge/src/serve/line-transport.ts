/** JSON-RPC, one message a line, over a pair of streams. What is no message is answered, and the connection goes on. */

import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, RELATED_TASK_META_KEY, type Transport } from '@modelcontextprotocol/server';
import { isFields } from '../json.js';
import { writeJson } from '../json-text.js';
import { LineReader } from '../lines.js';

/** A longer line is refused unread. */
const LONGEST_LINE = 10 * 1024 * 1024;
/** Answers that may wait for a slow reader before no more questions are read. */
const PATIENCE = 64;
/** Messages that may wait before news are left out. */
const MOST_NEWS = 10_000;
/** How long answers may take after the other side has closed. */
const LAST_ANSWERS_MS = 2000;

interface Outgoing {
  readonly message: object;
  resolve(): void;
  reject(cause: Error): void;
}

export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #lines = new LineReader(
    LONGEST_LINE,
    (line) => this.#handleLine(line),
    () => this.#refuse(null, -32600, `A message may have ${LONGEST_LINE} bytes at most; this one was not read.`),
  );
  #queue: Outgoing[] = [];
  #next = 0;
  #blocked = false;
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

  /** Resolves when the message is written. One that the reader is not ready for waits as it is, not as text. */
  send(message: JSONRPCMessage): Promise<void> {
    if (!('method' in message) && message.id !== undefined) this.#pending.delete(message.id);
    const sent = this.#enqueue(message);
    this.#closeWhenDone();
    return sent;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#lastCall);
    this.input.off('data', this.#lines.push).off('end', this.#end).off('close', this.#end);
    this.input.pause();
    this.output.off('drain', this.#resume);
    for (const { reject } of this.#queue.splice(this.#next)) reject(new Error('the connection is closed'));
    this.onclose?.();
    this.#settle();
  }

  #handleLine(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(null, -32700, 'The line is not JSON.');
      return;
    }
    if (isMessage(value)) {
      // A subscription is answered by its end alone: nobody waits for that.
      if ('method' in value && 'id' in value && value.method !== 'subscriptions/listen') this.#pending.add(value.id);
      if ('method' in value && value.method === 'notifications/cancelled') this.#pending.delete(cancelledId(value.params));
      this.onmessage?.(value);
    } else
      this.#refuse(
        idOf(value),
        -32600,
        'This is no JSON-RPC 2.0 message: it needs jsonrpc "2.0", a method, an id that is text or a whole number, params that are an object with an object for _meta, and nothing else.',
      );
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.onerror?.(new Error(message));
    this.#enqueue({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }

  #enqueue(message: object): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the connection is closed'));
    // Whoever does not read is not told everything; answers wait for them.
    if (this.#queue.length - this.#next > MOST_NEWS && 'method' in message && !('id' in message)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, resolve, reject });
      if (!this.#blocked) this.#flush();
      else if (this.#queue.length - this.#next > PATIENCE) this.input.pause();
    });
  }

  #flush(): void {
    for (let next = this.#queue[this.#next]; next !== undefined; next = this.#queue[this.#next]) {
      this.#next++;
      this.#blocked = !this.output.write(`${toLine(next.message)}\n`);
      next.resolve();
      if (this.#blocked) return;
    }
    this.#queue = [];
    this.#next = 0;
  }

  readonly #resume = (): void => {
    this.#blocked = false;
    this.#flush();
    if (this.#blocked) return;
    if (!this.#ended) this.input.resume();
    this.#closeWhenDone();
  };

  /** Whoever closes their side still gets the answers to what they asked, if these do not take too long. */
  readonly #end = (): void => {
    if (this.#ended || this.#closed) return;
    this.#lines.end();
    this.#ended = true;
    this.#lastCall = setTimeout(() => void this.close(), LAST_ANSWERS_MS);
    this.#closeWhenDone();
  };

  #closeWhenDone(): void {
    if (this.#ended && !this.#blocked && this.#pending.size === 0) void this.close();
  }

  readonly #fail = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };
}

/** A message as text. One that cannot be written, as when it is nested too deeply, is answered all the same. */
function toLine(message: object): string {
  try {
    return writeJson(message);
  } catch {
    const id = idOf(message);
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'The answer cannot be written as JSON.' } });
  }
}

/** Whether a value has the form of a message that the SDK takes; one that it does not, it would leave unanswered. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isFields(value) || value['jsonrpc'] !== '2.0') return false;
  const { jsonrpc: _, id, method, params, result, error, ...more } = value;
  if (Object.keys(more).length > 0) return false;
  if (typeof method !== 'string') return isId(id) && (isFields(result) || isFields(error));
  const answered = result !== undefined || error !== undefined;
  return !answered && (id === undefined || isId(id)) && (params === undefined || isParams(params));
}

function isParams(value: unknown): boolean {
  if (!isFields(value)) return false;
  const meta = value['_meta'];
  if (meta === undefined) return true;
  if (!isFields(meta)) return false;
  const { progressToken, [RELATED_TASK_META_KEY]: task } = meta;
  return (progressToken === undefined || isId(progressToken)) && (task === undefined || isFields(task));
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isInteger(value);
}

function idOf(value: unknown): string | number | null {
  const id = isFields(value) ? value['id'] : undefined;
  return isId(id) ? id : null;
}

function cancelledId(params: Record<string, unknown> | undefined): string | number {
  const id = params?.['requestId'];
  return isId(id) ? id : '';
}
