/** A host of either protocol era that sends raw messages over stdio or HTTP and answers requests of the server. */
import { createInterface } from 'node:readline';
import { ENTRY, type Json, MODERN_VERSION } from './client.js';
import { start } from './start.js';

export type Era = 'legacy' | 'modern';

/** The transport of a host. */
export interface HostWire {
  send(message: Json): void;
  /** Cancels a request, on transports that need no message for it. */
  abort?(id: string | number): void;
  /** Resolves when messages without a request are received; never resolves otherwise. */
  listening?(): Promise<void>;
  close(): Promise<void>;
}

export type OpenWire = (receive: (message: Json) => void, era: Era) => HostWire;

export interface HostOptions {
  readonly era: Era;
  readonly open: OpenWire;
  /** Default: all of them. */
  readonly capabilities?: Json;
  /** Answers requests, by method; a thrown error is sent with its `code`, `message` and `data`. */
  readonly answers?: Readonly<Record<string, (params: Json) => Json>>;
  readonly name?: string;
}

export const ALL_CAPABILITIES = { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } };
const LEGACY_VERSION = '2025-11-25';
const MAX_ROUNDS = 8;

export class Host {
  /** All received messages, in order. */
  readonly received: Json[] = [];
  /** The requests that it received, as `[method, params]`; in the newer era as part of results. */
  readonly questions: Json[] = [];
  readonly era: Era;
  readonly #wire: HostWire;
  readonly #options: HostOptions;
  #watchers: (() => void)[] = [];
  #count = 0;

  private constructor(options: HostOptions) {
    this.era = options.era;
    this.#options = options;
    this.#wire = options.open((message) => this.#receive(message), options.era);
  }

  /** Connects and performs the handshake of its era. */
  static async connect(options: HostOptions): Promise<Host & { readonly handshake: Json }> {
    const host = new Host(options);
    const { capabilities = ALL_CAPABILITIES } = options;
    const opening = { protocolVersion: LEGACY_VERSION, capabilities, clientInfo: host.#info };
    const answer = await (options.era === 'modern' ? host.request('server/discover') : host.request('initialize', opening));
    if (answer.result === undefined) throw new Error(JSON.stringify(answer));
    if (options.era === 'legacy') host.notify('notifications/initialized');
    if (options.era === 'legacy') await host.#wire.listening?.();
    return Object.assign(host, { handshake: answer.result });
  }

  /** Sends a request; resolves with the whole answer. */
  request(method: string, params: Json = {}, id: string | number = ++this.#count): Promise<Json> {
    this.send(method, params, id);
    return this.seen((message) => message.id === id && message.method === undefined);
  }

  /** Sends a request without waiting for its answer. */
  send(method: string, params: Json = {}, id: string | number = ++this.#count): string | number {
    this.#wire.send({ jsonrpc: '2.0', id, method, params: this.era === 'modern' ? this.#withEnvelope(params) : params });
    return id;
  }

  notify(method: string, params?: Json): void {
    this.#wire.send({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) });
  }

  /** Cancels a request as its era does on this transport. */
  cancel(requestId: string | number): void {
    if (this.era === 'modern' && this.#wire.abort !== undefined) this.#wire.abort(requestId);
    else this.notify('notifications/cancelled', { requestId, reason: 'Never mind' });
  }

  /** Sends a request and answers the requests of the server; resolves with the final answer. */
  async converse(method: string, params: Json = {}): Promise<Json> {
    let answer = await this.request(method, params);
    for (let round = 0; answer.result?.resultType === 'input_required' && round < MAX_ROUNDS; round++) {
      const { inputRequests = {}, requestState } = answer.result;
      const inputResponses: Json = {};
      for (const [key, { method: asked, params: about }] of Object.entries<Json>(inputRequests)) {
        this.questions.push([asked, about]);
        inputResponses[key] = this.#answer(asked, about);
      }
      answer = await this.request(method, { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) });
    }
    return answer;
  }

  /** Calls a tool and answers its requests; resolves with the text of its result. */
  async call(name: string, args: Json = {}, meta?: Json): Promise<string> {
    const { result, error } = await this.converse('tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) });
    if (error !== undefined) throw Object.assign(new Error(error.message), error);
    return result.content.map(({ text }: Json) => text ?? '').join('\n');
  }

  /** Like `call`, for a text that is JSON. */
  async ask(name: string, args?: Json, meta?: Json): Promise<Json> {
    const text = await this.call(name, args, meta);
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${name} says: ${text}`);
    }
  }

  /** Subscribes to changes, including those of the given resources. */
  async listen(uris: readonly string[] = [], id: string | number = ++this.#count): Promise<string | number> {
    if (this.era === 'legacy') for (const uri of uris) await this.request('resources/subscribe', { uri });
    else {
      const lists = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      this.send('subscriptions/listen', { notifications: { ...lists, resourceSubscriptions: uris } }, id);
      await this.seen(({ method }) => method === 'notifications/subscriptions/acknowledged');
    }
    return id;
  }

  heard(method: string): Json[] {
    return this.received.filter((message) => message.method === method).map(({ params }) => params);
  }

  /** The first matching message, received or still to come. */
  async seen(fits: (message: Json) => boolean): Promise<Json> {
    await this.until(() => this.received.some(fits));
    return this.received.find(fits);
  }

  /** Resolves when the condition holds; checks it after each message. */
  until(holds: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watch = () => {
        if (!holds()) return;
        this.#watchers = this.#watchers.filter((each) => each !== watch);
        resolve();
      };
      this.#watchers = [...this.#watchers, watch];
      watch();
    });
  }

  /** Abandons a request without cancelling it. */
  leave(requestId: string | number): void {
    this.#wire.abort?.(requestId);
  }

  close(): Promise<void> {
    return this.#wire.close();
  }

  get #info(): Json {
    return { name: this.#options.name ?? 'host', version: '1' };
  }

  #withEnvelope(params: Json): Json {
    return {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
        'io.modelcontextprotocol/clientInfo': this.#info,
        'io.modelcontextprotocol/clientCapabilities': this.#options.capabilities ?? ALL_CAPABILITIES,
        ...params._meta,
      },
    };
  }

  #answer(method: string, params: Json): Json {
    const answer = this.#options.answers?.[method];
    if (answer === undefined) throw Object.assign(new Error(`no answer to ${method}`), { code: -32601 });
    return answer(params);
  }

  async #receive(message: Json): Promise<void> {
    const { id, method, params } = message;
    const isQuestion = method !== undefined && id !== undefined;
    this.received.push(message);
    if (isQuestion) this.questions.push([method, params]);
    for (const watch of this.#watchers) watch();
    if (!isQuestion) return;
    try {
      // Some requests are never answered.
      this.#wire.send({ jsonrpc: '2.0', id, result: await this.#answer(method, params) });
    } catch (cause) {
      const { code = -32603, message: words, data } = cause as Json;
      this.#wire.send({ jsonrpc: '2.0', id, error: { code, message: words, ...(data === undefined ? {} : { data }) } });
    }
  }
}

/** A program over stdio: the command line after ENTRY, or another script. */
export function stdio([entry = '', ...args]: readonly string[], folder: string): OpenWire & { readonly pid: () => number | undefined } {
  let pid: number | undefined;
  const open: OpenWire = (receive) => {
    const script = entry === ENTRY ? undefined : entry;
    const starting = start({ args, cwd: folder, home: folder, script }).then((program) => {
      pid = program.child?.pid;
      program.stderr.resume();
      createInterface({ input: program.stdout }).on('line', (line) => receive(JSON.parse(line)));
      return program;
    });
    let sent: Promise<unknown> = starting;
    return {
      send(message) {
        sent = Promise.all([starting, sent]).then(([{ stdin }]) => stdin.write(`${JSON.stringify(message)}\n`));
      },
      async close() {
        await sent;
        const program = await starting;
        program.stdin.end();
        // Other servers may ignore the end of stdin.
        if (script !== undefined) program.stop();
        await program.exited;
      },
    };
  };
  return Object.assign(open, { pid: () => pid });
}

export interface HttpOpening extends OpenWire {
  /** Whether a request was answered with JSON or a stream. */
  readonly kinds: Map<string | number, string>;
  /** Requests whose response, JSON or a stream, has ended. */
  readonly over: Set<string | number>;
  readonly session: () => string | undefined;
}

/** Streamable HTTP in either era; an older client has a session and opens a stream. */
export function http(endpoint: string, headers: Readonly<Record<string, string>> = {}): HttpOpening {
  const kinds = new Map<string | number, string>();
  const over = new Set<string | number>();
  let session: string | undefined;
  const open: OpenWire = (receive, era) => {
    const running = new Map<string | number, AbortController>();
    const all = new AbortController();
    const own = () => ({
      ...headers,
      ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY_VERSION }),
    });
    const take = async (response: Response) => {
      if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
        const text = await response.text();
        if (text !== '') receive(JSON.parse(text));
        return;
      }
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        const events = text.split('\n\n');
        text = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: (.+)$/m.exec(event)?.[1];
          if (data !== undefined) receive(JSON.parse(data));
        }
      }
    };
    let hears: () => void = () => {};
    const listening = new Promise<void>((resolve) => {
      hears = resolve;
    });
    const listen = async () => {
      const response = await fetch(endpoint, { headers: { accept: 'text/event-stream', ...own() }, signal: all.signal });
      hears();
      await take(response);
    };
    const post = async (message: Json) => {
      const { id, method, params } = message;
      const controller = new AbortController();
      if (method !== undefined && id !== undefined) running.set(id, controller);
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...own(),
          ...(era === 'modern' ? headersOf(method, params) : {}),
        },
        body: JSON.stringify(message),
        signal: AbortSignal.any([all.signal, controller.signal]),
      });
      if (method === 'initialize') session = response.headers.get('mcp-session-id') ?? undefined;
      if (id !== undefined) kinds.set(id, response.headers.get('content-type') ?? '');
      await take(response);
      if (id !== undefined) over.add(id);
      if (method === 'notifications/initialized') listen().catch(() => {});
    };
    return {
      send: (message) => void post(message).catch(() => {}),
      abort: (id) => running.get(id)?.abort(),
      listening: () => listening,
      async close() {
        if (session !== undefined) await fetch(endpoint, { method: 'DELETE', headers: own() }).catch(() => {});
        all.abort();
      },
    };
  };
  return Object.assign(open, { kinds, over, session: () => session });
}

function headersOf(method: string, { name, uri }: Json): Record<string, string> {
  const named = method === 'resources/read' ? uri : method === 'tools/call' || method === 'prompts/get' ? name : undefined;
  return { 'mcp-protocol-version': MODERN_VERSION, 'mcp-method': method, ...(named === undefined ? {} : { 'mcp-name': named }) };
}
