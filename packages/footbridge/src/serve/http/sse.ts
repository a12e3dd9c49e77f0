/** `/sse` and `/messages`: the transport of 2024, for clients that know no other. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage, McpServer } from '@modelcontextprotocol/server';
import { SSEServerTransport } from '@modelcontextprotocol/server-legacy/sse';
import { isFields } from '../../json.js';
import type { Log } from '../../log.js';
import type { Audiences } from '../audiences.js';
import type { Observer } from '../observer.js';
import { createServer } from '../server.js';
import { observe } from '../telemetry/observed.js';
import { targetOf } from '../work.js';
import type { Admission, Ticket } from './admission.js';
import { readJson } from './body.js';
import type { Changes } from './changes.js';
import type { HttpLimits } from './options.js';
import type { Outgoing } from './outgoing.js';
import { Refusal } from './reply.js';
import type { MessagePost } from './shared/shared-state.js';
import { type Tap, tapped } from './tap.js';
import { ownerOf, type Visit } from './visit.js';

export interface SseEndpointOptions {
  readonly audiences: Audiences;
  readonly admission: Admission;
  readonly changes: Changes;
  readonly outgoing: Outgoing;
  readonly post: MessagePost;
  readonly limits: HttpLimits;
  readonly prompts: boolean;
  /** Whether other replicas cannot be asked at the moment. */
  isAlone(): boolean;
  /** Where clients post, as they reach it. */
  readonly messagesPath: string;
  readonly keepAliveMs: number;
  readonly observer: Observer;
  readonly tap: Tap | undefined;
  readonly log: Log;
}

export class SseEndpoint {
  readonly #options: SseEndpointOptions;
  readonly #servers = new Set<McpServer>();

  constructor(options: SseEndpointOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#servers.size;
  }

  /** Opens the stream that answers come on; resolves when it is over. */
  async open(response: ServerResponse, visit: Visit): Promise<void> {
    const { admission, audiences, changes, keepAliveMs, limits, log, messagesPath, observer, outgoing, post, prompts, tap } = this.#options;
    admission.take(visit, [undefined]);
    outgoing.checkRoom(visit);
    // From here on it is no call but a stream.
    visit.ticket?.release();
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    const leave = outgoing.enter(response, visit);
    const { caller } = visit;
    const transport = new SSEServerTransport(messagesPath, response);
    const calls = new Calls(admission, visit, transport);
    const undo: (() => unknown)[] = [leave, () => calls.end()];
    try {
      const audience = await audiences.of(caller);
      undo.push(await post.receive(addressOf(transport.sessionId, visit), (text) => calls.receive(text, log)));
      if (response.destroyed) return;
      const { catalog, tools } = audience;
      const events = changes.feedFor(audience);
      const server = createServer({ catalog, tools, prompts, log, events, caller, mostWatched: limits.subscriptions });
      this.#servers.add(server);
      undo.push(
        () => this.#servers.delete(server),
        () => server.close(),
      );
      const about = { transport: 'http', sessionId: transport.sessionId, caller: caller.name } as const;
      await server.connect(observe(tapped(transport, tap, transport.sessionId), observer, about));
      const heartbeat = setInterval(() => void outgoing.write(response, ': keepalive\n\n'), keepAliveMs).unref();
      undo.push(() => clearInterval(heartbeat));
      await ended;
    } finally {
      for (const each of undo) await each();
    }
  }

  /** Hands a message to whoever holds the stream, on this replica or another. */
  async receive(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    const { admission, isAlone, limits, post } = this.#options;
    const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('sessionId');
    const message = await readJson(request, limits.bodyBytes);
    if (!isFields(message) || message['jsonrpc'] !== '2.0') throw new Refusal(400, 'The body is no message of JSON-RPC.', { code: -32600 });
    if (typeof message['method'] === 'string') visit.asked = { method: message['method'], target: targetOf(message) };
    admission.take(visit, [message]);
    // Who holds the stream has a place for it.
    visit.ticket?.release();
    const taken = id !== null && /^[\w-]{1,64}$/.test(id) && (await post.send(addressOf(id, visit), JSON.stringify(message)));
    if (!taken && isAlone())
      throw new Refusal(503, 'Whether there is such a stream cannot be known at the moment. Try again.', {
        headers: { 'retry-after': '2' },
      });
    if (!taken) throw new Refusal(404, 'There is no such stream. Open one at /sse.', { code: -32001 });
    response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => server.close()));
  }
}

/** Only who opened the stream can name it. */
function addressOf(sessionId: string, { caller }: Visit): string {
  return `${sessionId} ${ownerOf(caller)}`;
}

/** The calls on one stream that are not answered yet: each has a place among those that are served side by side. */
class Calls {
  readonly #admission: Admission;
  readonly #visit: Visit;
  readonly #transport: SSEServerTransport;
  readonly #running = new Map<unknown, Ticket>();

  constructor(admission: Admission, visit: Visit, transport: SSEServerTransport) {
    this.#admission = admission;
    this.#visit = visit;
    this.#transport = transport;
    const send = transport.send.bind(transport);
    transport.send = async (message: JSONRPCMessage) => {
      await send(message);
      if (!('method' in message)) this.#over(message.id);
    };
  }

  receive(text: string, log: Log): void {
    const message: unknown = JSON.parse(text);
    const id = isFields(message) && typeof message['method'] === 'string' ? message['id'] : undefined;
    try {
      if (id !== undefined) {
        const ticket = this.#admission.enter(this.#visit);
        ticket.begin();
        this.#over(id);
        this.#running.set(id, ticket);
      }
      const { authInfo } = this.#visit;
      this.#transport.handleMessage(message, authInfo === undefined ? {} : { authInfo }).catch(() => {
        log.debug('protocol: a message that is none');
        this.#over(id);
      });
    } catch (cause) {
      if (!(cause instanceof Refusal) || (typeof id !== 'string' && typeof id !== 'number')) throw cause;
      void this.#transport.send({ jsonrpc: '2.0', id, error: { code: -32000, message: cause.message } });
    }
  }

  end(): void {
    for (const ticket of this.#running.values()) ticket.release();
    this.#running.clear();
  }

  #over(id: unknown): void {
    this.#running.get(id)?.release();
    this.#running.delete(id);
  }
}
