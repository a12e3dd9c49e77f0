/** JSON-RPC over a pair of streams, one message a line. A line that is not a message gets an error, and the connection goes on. */
import type { Readable, Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { writeJson } from '../json-text.js';
import { LineReader } from '../lines.js';
import { silentLog } from '../log.js';
import { HostViews } from '../surfaces/hosts/view.js';
import { connectTransport } from './connection.js';
import { catalogEvents } from './events.js';
import { callerOf } from './identity.js';
import { cancelledId, isMessage, messageId } from './messages.js';
import type { ServerOptions } from './server.js';
import { stopSignal } from './stop-signal.js';
import { warnOfTakenNames } from './taken-names.js';
import { debugLogged } from './telemetry/debug-log.js';
import { type Observer, observed } from './telemetry/observer.js';

/** A longer line is refused unread. */
const MAX_LINE_BYTES = 10 * 1024 * 1024;
/** Messages that may wait for a slow reader before no more requests are read. */
const HIGH_WATER_MARK = 64;
/** Messages that may wait before notifications are dropped. */
const MAX_QUEUED = 10_000;
/** Characters in one write. */
const MAX_WRITE = 64 * 1024;
/** How long calls may take after the host has closed its side, or we are to stop. */
const DRAIN_MS = 2000;
/** How long a slow reader may take for the answers. */
const READ_MS = 7000;

export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #lines = new LineReader(
    MAX_LINE_BYTES,
    (line) => this.#handleLine(line),
    () => this.#refuse(null, -32600, `The message is longer than ${MAX_LINE_BYTES} bytes and was not read.`),
  );
  #queue: object[] = [];
  /** Messages whose sender waits until they are read. */
  readonly #followed = new Map<object, () => void>();
  #next = 0;
  #flushing = false;
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

  /** Reads nothing more; resolves when what was read is answered and the reader has taken the answers, or when that takes too long. */
  async finish(): Promise<void> {
    this.input.off('data', this.#lines.push).pause();
    const begin = performance.now();
    while (!this.#closed && (this.#blocked || this.#flushing || this.#pending.size > 0)) {
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
    for (const taken of this.#followed.values()) taken();
    this.#followed.clear();
    this.onclose?.();
    this.#settle();
  }

  #handleLine(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(null, -32700, 'Parse error: the line is not valid JSON.');
      return;
    }
    if (!isMessage(value)) {
      this.#refuse(
        messageId(value),
        -32600,
        'Invalid JSON-RPC 2.0 message: it needs jsonrpc "2.0", a method, an id that is a string or an integer, params that are an object with an object as _meta, and nothing else.',
      );
      return;
    }
    if ('method' in value) {
      // A subscription is answered when it ends: nothing waits for that.
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
    // A reader that falls behind misses notifications; answers wait for it.
    if (waiting > MAX_QUEUED && 'method' in message && !('id' in message)) return;
    this.#queue.push(message);
    if (this.#blocked) {
      if (waiting > HIGH_WATER_MARK) this.input.pause();
    } else if (!this.#flushing) {
      this.#flushing = true;
      // Whatever else is answered in this turn goes out with the same write.
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
        text += `${toLine(next)}\n`;
        this.#queue[this.#next++] = WRITTEN;
        const follower = this.#followed.size === 0 ? undefined : this.#followed.get(next);
        if (follower === undefined) continue;
        this.#followed.delete(next);
        followers.push(follower);
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

  readonly #resume = (): void => {
    this.#blocked = false;
    this.#write();
    if (this.#blocked) return;
    if (!this.#ended) this.input.resume();
    this.#closeWhenDone();
  };

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
    if (this.#ended && !this.#blocked && !this.#flushing && this.#pending.size === 0) void this.close();
  }

  readonly #fail = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };
}

/** Frees a message that was written while others wait. */
const WRITTEN = {};

/** A message as text. One that cannot be serialized, such as a value that is nested too deeply, becomes an error. */
function toLine(message: object): string {
  try {
    return writeJson(message);
  } catch {
    const id = messageId(message);
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32603, message: 'The answer cannot be serialized as JSON.' } });
  }
}

interface ServeStdioOptions extends ServerOptions {
  /** Default: those of the process. */
  readonly stdin?: Readable;
  readonly stdout?: Writable;
  /** Resolves when serving should end although stdin is open. Default: on SIGINT, SIGTERM and SIGHUP. */
  readonly stopped?: () => Promise<void>;
  readonly observer?: Observer;
  /** Called as soon as the host is gone: it may end us soon after, whatever still runs. */
  readonly ending?: () => Promise<void>;
}

/** Serves until stdin ends or the process is asked to stop; resolves then. */
export async function serveStdio(options: ServeStdioOptions): Promise<void> {
  const { catalog, ending, hosts = new HostViews(), log = silentLog, observer, prompts = false, tools = {} } = options;
  const { stdin = process.stdin, stdout = process.stdout, stopped = stopSignal } = options;
  const caller = options.caller ?? callerOf(options.identity, undefined);
  const transport = new LineTransport(stdin, stdout);
  transport.onerror = (error) => log.debug(`protocol: ${error.message}`);
  warnOfTakenNames(catalog, tools, log);
  const connection = await connectTransport(transport, {
    catalog,
    tools,
    hosts,
    prompts,
    log,
    middleware: [...(observer === undefined ? [] : [observed(observer)]), ...(log.debugs === false ? [] : [debugLogged(log)])],
    callerOf: () => caller,
    key: options.hostKey,
    subscribed: options.subscribed,
    maxSubscriptions: options.maxSubscriptions,
    events: options.events ?? catalogEvents(catalog, prompts, hosts),
    transport: 'stdio',
  });
  await Promise.race([transport.closed, stopped()]);
  const close = async () => {
    await transport.finish();
    await connection.close();
    await transport.close();
  };
  await Promise.all([close(), ending?.()]);
}
