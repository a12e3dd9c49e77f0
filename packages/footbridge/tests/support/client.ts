/** A client that speaks to a real process, line by line, in any revision of the protocol. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';
import { command, environment, LOADER } from './environment.js';
import { type Started, start } from './start.js';

export { command, environment, LOADER as ENTRY };

export const LEGACY_VERSIONS = ['2024-11-05', '2025-06-18', '2025-11-25'] as const;
export const MODERN_VERSION = '2026-07-28';
export const VERSIONS = [...LEGACY_VERSIONS, MODERN_VERSION] as const;
export type Version = (typeof VERSIONS)[number];

export interface StartOptions {
  /** What is started instead of the program: a server in a script. */
  readonly script?: string;
  readonly args?: readonly string[];
  readonly workingFolder: string;
  readonly home: string;
  readonly version?: Version;
  /** The name and version in `clientInfo`. */
  readonly clientName?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Runs without root's privilege to read any file. */
  readonly unprivileged?: boolean;
  /** A program with its options that starts it, for example as another user. */
  readonly through?: readonly string[];
}

/** Drops root's privileges over files; empty for other users. */
export const UNPRIVILEGED =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-dac_override,-dac_read_search'] : [];

/** Any JSON value: answers have many shapes. */
export type Json = ReturnType<typeof JSON.parse>;

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Json;
  readonly error?: { code: number; message: string; data?: unknown };
}

export class RawClient {
  readonly notifications: Message[] = [];
  /** Every line of stdout, to check that something is absent. */
  readonly lines: string[] = [];
  stderr = '';
  /** The answer to `initialize`, in versions that have it. */
  handshake: Json;
  readonly #waiting = new Map<number, { method: string; resolve(message: Message): void; reject(error: Error): void }>();
  #exitCode: number | null | undefined;
  readonly #listeners = new Set<() => void>();
  #lastId = 0;

  private constructor(
    readonly program: Started,
    readonly version: Version,
    /** Sent with each request of 2026-07-28. */
    public clientName: string,
  ) {
    createInterface({ input: program.stdout }).on('line', (line) => this.#receive(line));
    program.stderr.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    void program.exited.then((code) => {
      this.#exitCode = code;
      for (const { method, reject } of this.#waiting.values())
        reject(new Error(`the program ended before it answered ${method}: ${this.stderr}`));
    });
  }

  /** The process of a program test. */
  get process(): ChildProcessWithoutNullStreams {
    if (this.program.child === undefined) throw new Error('There is no process: the test is not a program test.');
    return this.program.child;
  }

  /** Starts the program and performs the handshake of the version. */
  static async start(options: StartOptions): Promise<RawClient> {
    const { args = [], env, home, script, through = options.unprivileged === true ? UNPRIVILEGED : [], workingFolder } = options;
    const program = await start({ args, cwd: workingFolder, home, env, script, through });
    const client = new RawClient(program, options.version ?? '2025-11-25', options.clientName ?? 'test');
    if (client.version !== MODERN_VERSION) {
      const opening = { protocolVersion: client.version, capabilities: {}, clientInfo: { name: client.clientName, version: '1' } };
      client.handshake = (await client.request('initialize', opening)).result;
      client.#send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    }
    return client;
  }

  /** Sends a request; resolves with the whole answer, a result or an error. */
  request(method: string, params: Record<string, unknown> = {}): Promise<Message> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      if (this.#exitCode !== undefined) reject(new Error(`the program has ended: ${this.stderr}`));
      this.#waiting.set(id, { method, resolve, reject });
      this.#send({ jsonrpc: '2.0', id, method, params: this.#withEnvelope(params) });
    });
  }

  /** Calls a tool; resolves with its result. */
  async call(name: string, args?: unknown): Promise<Json> {
    const answer = await this.request('tools/call', { name, ...(args === undefined ? {} : { arguments: args }) });
    if (answer.error !== undefined) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
    return answer.result;
  }

  /** Subscribes to changes of the lists and of the given resources, as the version defines it. */
  async listen(resources: readonly string[] = []): Promise<void> {
    if (this.version !== MODERN_VERSION) {
      for (const uri of resources) await this.request('resources/subscribe', { uri });
      return;
    }
    const id = ++this.#lastId;
    const lists = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true };
    const params = { notifications: { ...lists, ...(resources.length === 0 ? {} : { resourceSubscriptions: resources }) } };
    this.#send({ jsonrpc: '2.0', id, method: 'subscriptions/listen', params: this.#withEnvelope(params) });
    await this.waitFor(() => this.notifications.some((each) => each.method === 'notifications/subscriptions/acknowledged'));
  }

  /** Resolves when the condition holds, looked at after each message and, less and less often, after 20 to 100 ms. */
  async waitFor(condition: () => boolean | Promise<boolean>, milliseconds = 20_000): Promise<void> {
    const end = performance.now() + milliseconds;
    for (let pause = 20; !(await condition()); pause = Math.min(100, pause * 1.5)) {
      if (performance.now() > end) throw new Error(`what was waited for did not happen within ${milliseconds} ms\n${this.stderr}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#listeners.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, pause);
        this.#listeners.add(wake);
      });
    }
  }

  count(method: string): number {
    return this.notifications.filter((each) => each.method === method).length;
  }

  /** Ends the program as a host does, by closing its stdin; resolves with the exit code. */
  async close(): Promise<number | null> {
    this.program.stdin.end();
    return this.program.exited;
  }

  /** Writes a line unchanged. */
  write(line: string): void {
    this.program.stdin.write(`${line}\n`);
  }

  #send(message: object): void {
    this.write(JSON.stringify(message));
  }

  #withEnvelope(params: Record<string, unknown>): Record<string, unknown> {
    if (this.version !== MODERN_VERSION) return params;
    return {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
        'io.modelcontextprotocol/clientInfo': { name: this.clientName, version: '1' },
        'io.modelcontextprotocol/clientCapabilities': {},
        ...(typeof params['_meta'] === 'object' ? params['_meta'] : {}),
      },
    };
  }

  #receive(line: string): void {
    this.lines.push(line);
    const message = JSON.parse(line) as Message;
    if (message.id === undefined) this.notifications.push(message);
    else {
      this.#waiting.get(message.id)?.resolve(message);
      this.#waiting.delete(message.id);
    }
    for (const listener of this.#listeners) listener();
  }
}
