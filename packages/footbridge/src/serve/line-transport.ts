/** JSON-RPC, one message a line, over a pair of streams. What is no message is answered, and the connection goes on. */
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** A longer line is refused unread. */
const LONGEST_LINE = 10 * 1024 * 1024;
const NEWLINE = 0x0a;

interface Outgoing {
  readonly message: object;
  resolve(): void;
  reject(cause: Error): void;
}

export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  readonly #parts: Buffer[] = [];
  #length = 0;
  #skipping = false;
  readonly #queue: Outgoing[] = [];
  #blocked = false;
  #closed = false;

  constructor(
    readonly input: Readable,
    readonly output: Writable,
  ) {}

  async start(): Promise<void> {
    this.input.on('data', this.#receive);
    this.input.on('end', this.#end);
    this.input.on('close', this.#end);
    this.output.on('error', this.#fail);
    this.output.on('drain', this.#resume);
  }

  /** Resolves when the message is written. One that the reader is not ready for waits as it is, not as text. */
  send(message: JSONRPCMessage): Promise<void> {
    return this.#enqueue(message);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.input.off('data', this.#receive).off('end', this.#end).off('close', this.#end);
    this.input.pause();
    this.output.off('drain', this.#resume);
    for (const { reject } of this.#queue.splice(0)) reject(new Error('the connection is closed'));
    this.onclose?.();
  }

  readonly #receive = (chunk: Buffer): void => {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, end));
      this.#finishLine();
      rest = rest.subarray(end + 1);
    }
    this.#keep(rest);
  };

  #keep(part: Buffer): void {
    if (this.#skipping) return;
    this.#length += part.length;
    if (this.#length > LONGEST_LINE) {
      this.#skipping = true;
      this.#parts.length = 0;
      this.#refuse(null, -32600, `A message may have ${LONGEST_LINE} bytes at most; this one was not read.`);
    } else if (part.length > 0) this.#parts.push(part);
  }

  #finishLine(): void {
    const [only] = this.#parts;
    const line = (this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts)).toString('utf8').trim();
    const skipped = this.#skipping;
    this.#parts.length = 0;
    this.#length = 0;
    this.#skipping = false;
    if (!skipped && line !== '') this.#handleLine(line);
  }

  #handleLine(line: string): void {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      this.#refuse(null, -32700, 'The line is not JSON.');
      return;
    }
    if (isMessage(value)) this.onmessage?.(value);
    else
      this.#refuse(
        idOf(value),
        -32600,
        'This is no JSON-RPC 2.0 message: it needs jsonrpc "2.0", a method, an id that is text or a number, and params that are an object.',
      );
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.onerror?.(new Error(message));
    this.#enqueue({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }

  #enqueue(message: object): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the connection is closed'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, resolve, reject });
      if (!this.#blocked) this.#flush();
    });
  }

  #flush(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#blocked = !this.output.write(`${JSON.stringify(next.message)}\n`);
      next.resolve();
      if (this.#blocked) return;
    }
  }

  readonly #resume = (): void => {
    this.#blocked = false;
    this.#flush();
  };

  readonly #end = (): void => void this.close();

  readonly #fail = (error: Error): void => {
    this.onerror?.(error);
    void this.close();
  };
}

/** Whether a value has the outer form of a message; what is inside is judged by whoever handles it. */
function isMessage(value: unknown): value is JSONRPCMessage {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return false;
  const { id, method, params, result, error } = value;
  const identified = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') return (identified || id === undefined) && (params === undefined || isObject(params));
  return identified && (isObject(result) || isObject(error));
}

function idOf(value: unknown): string | number | null {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
