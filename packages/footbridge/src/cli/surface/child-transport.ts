/**
 * A connection to a server that is started by a command. Unlike the SDK's, it hands on the whole environment, ends all that
 * the command started, and remembers what went wrong.
 */
import type { ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import spawn from 'cross-spawn';
import { LineReader } from '../../lines.js';
import { endTree, isAlive, killTree, OWN_GROUP } from '../../sources/upstream/wires/process-tree.js';

/** A longer line is no message that anybody would take. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** A longer line of stderr is not looked at. */
const LONGEST_REMARK = 64 * 1024;

export interface ChildTransportOptions {
  /** Besides our own variables, which it gets all. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Given each line of its stderr, which else is ours. */
  readonly remark?: (line: string) => void;
}

export class ChildTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;

  /** The first line of stdout that is no message. */
  noise: string | undefined;
  /** How the process ended by itself, such as "exit code 1". */
  outcome: string | undefined;
  readonly #decoder = new StringDecoder('utf8');
  #rest = '';
  #child: ChildProcess | undefined;
  #ending: Promise<void> | undefined;
  #closed = false;

  constructor(
    readonly command: string,
    readonly args: readonly string[],
    readonly options: ChildTransportOptions = {},
  ) {}

  start(): Promise<void> {
    const { env, cwd, remark } = this.options;
    const child = spawn(this.command, [...this.args], {
      stdio: ['pipe', 'pipe', remark === undefined ? 'inherit' : 'pipe'],
      detached: OWN_GROUP,
      windowsHide: true,
      ...(env === undefined ? {} : { env: { ...process.env, ...env } }),
      cwd,
    });
    this.#child = child;
    process.on('exit', this.#kill);
    if (remark !== undefined) child.stderr?.on('data', new LineReader(LONGEST_REMARK, remark, () => {}).push);
    child.stdout?.on('data', (chunk: Buffer) => this.#receive(chunk));
    // Its end is told by 'close'.
    child.stdin?.on('error', () => {});
    child.on('close', (code, signal) => {
      if (this.#ending === undefined) this.outcome = signal === null ? `exit code ${code}` : signal;
      this.#tellClosed();
    });
    return new Promise((resolve, reject) => {
      child.on('spawn', resolve);
      child.on('error', reject);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#child?.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  /** Resolves when the process and all that it started are gone. */
  close(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  /** Closes its stdin, and gives it time to end by itself what it has started. */
  async leave(milliseconds: number): Promise<void> {
    const child = this.#child;
    if (child === undefined || !isAlive(child)) return;
    this.#ending ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      child.once('exit', () => {
        clearTimeout(timer);
        resolve();
      });
      child.stdin?.end();
    }).then(() => this.#end());
    await this.#ending;
  }

  async #end(): Promise<void> {
    if (this.#child !== undefined) await endTree(this.#child);
    process.off('exit', this.#kill);
    this.#tellClosed();
  }

  #tellClosed(): void {
    if (!this.#closed) this.onclose?.();
    this.#closed = true;
  }

  readonly #kill = (): void => {
    if (this.#child !== undefined) killTree(this.#child);
  };

  #receive(chunk: Buffer): void {
    const [first = '', ...others] = this.#decoder.write(chunk).split('\n');
    const lines = [this.#rest + first, ...others];
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#handle(line.trim());
    if (this.#rest.length <= LONGEST_LINE) return;
    this.noise ??= this.#rest.slice(0, 200);
    this.#rest = '';
    void this.close();
  }

  #handle(line: string): void {
    if (line === '') return;
    const message = parseMessage(line);
    if (message === undefined) this.noise ??= line.slice(0, 200);
    else this.onmessage?.(message);
  }
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}
