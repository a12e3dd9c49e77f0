/** `/sse` and `/messages`: the transport of 2024, for clients that know no other. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer, ServerEventBus } from '@modelcontextprotocol/server';
import { SSEServerTransport } from '@modelcontextprotocol/server-legacy/sse';
import { isFields } from '../../json.js';
import type { Log } from '../../log.js';
import type { Audiences } from '../audiences.js';
import { filterEvents } from '../events.js';
import type { Observer } from '../observer.js';
import { createServer } from '../server.js';
import { observe } from '../telemetry/observed.js';
import { targetOf } from '../work.js';
import { admit } from './admission.js';
import { readJson } from './body.js';
import type { Limiter } from './limiter.js';
import type { HttpLimits } from './options.js';
import { Refusal } from './reply.js';
import type { MessagePost } from './shared/shared-state.js';
import type { OpenStreams } from './streams.js';
import { ownerOf, type Visit } from './visit.js';

export interface SseEndpointOptions {
  readonly audiences: Audiences;
  readonly streams: OpenStreams;
  readonly bus: ServerEventBus;
  readonly post: MessagePost;
  readonly limits: HttpLimits;
  readonly limiter: Limiter;
  readonly prompts: boolean;
  /** Where clients post, as they reach it. */
  readonly messagesPath: string;
  readonly keepAliveMs: number;
  readonly observer: Observer;
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
    const { audiences, bus, keepAliveMs, limits, log, messagesPath, observer, post, prompts, streams } = this.#options;
    if (this.#servers.size >= limits.sessions)
      throw new Refusal(503, `There are ${limits.sessions} streams, the most that are kept. Try again later.`, {
        reason: 'sessions',
        headers: { 'retry-after': '30' },
      });
    const { catalog, tools, sees } = await audiences.of(visit.caller);
    const server = createServer({
      catalog,
      tools,
      prompts,
      log,
      events: filterEvents(bus, sees),
      mostWatched: limits.subscriptions,
      caller: visit.caller,
    });
    const transport = new SSEServerTransport(messagesPath, response);
    const owner = ownerOf(visit);
    const stopReceiving = await post.receive(transport.sessionId, (envelope) => {
      const { from, message } = parseEnvelope(envelope);
      if (from === owner) transport.handleMessage(message, authOf(visit)).catch(() => log.debug('protocol: a message that is none'));
    });
    this.#servers.add(server);
    const leave = streams.enter(response, visit);
    const heartbeat = setInterval(() => streams.write(response, ': keepalive\n\n'), keepAliveMs).unref();
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    try {
      await server.connect(observe(transport, observer, { transport: 'http', sessionId: transport.sessionId, caller: visit.caller.name }));
      await ended;
    } finally {
      clearInterval(heartbeat);
      leave();
      stopReceiving();
      this.#servers.delete(server);
      await server.close();
    }
  }

  /** Hands a message to whoever holds the stream, on this replica or another. */
  async receive(request: IncomingMessage, response: ServerResponse, visit: Visit): Promise<void> {
    const { limiter, limits, post } = this.#options;
    const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('sessionId');
    const message = await readJson(request, limits.bodyBytes);
    if (!isFields(message) || message['jsonrpc'] !== '2.0') throw new Refusal(400, 'The body is no message of JSON-RPC.', { code: -32600 });
    if (typeof message['method'] === 'string') visit.asked = { method: message['method'], target: targetOf(message) };
    const release = admit(limiter, visit, [message]);
    try {
      const taken = id !== null && /^[\w-]{1,64}$/.test(id) && (await post.send(id, JSON.stringify({ from: ownerOf(visit), message })));
      if (!taken) throw new Refusal(404, 'There is no such stream. Open one at /sse.', { code: -32001 });
      response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted');
    } finally {
      release();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#servers].map((server) => server.close()));
  }
}

function parseEnvelope(envelope: string): { from: unknown; message: unknown } {
  const parsed: unknown = JSON.parse(envelope);
  return isFields(parsed) ? { from: parsed['from'], message: parsed['message'] } : { from: undefined, message: undefined };
}

function authOf({ authInfo }: Visit) {
  return authInfo === undefined ? {} : { authInfo };
}
