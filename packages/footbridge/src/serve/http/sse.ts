/** `/sse` and `/messages`: the transport of 2024, for clients that know no other. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { SSEServerTransport } from '@modelcontextprotocol/server-legacy/sse';
import { isFields, parseJson } from '../../json.js';
import { isLargeJson, largeJson } from '../../json-pieces.js';
import type { Log } from '../../log.js';
import type { CallerViews } from '../caller-views.js';
import { connectTransport } from '../connection.js';
import type { Middleware } from '../dispatch/compose.js';
import { isMessage } from '../messages.js';
import type { SubscriptionQuota } from '../session/subscription-quota.js';
import type { Admission } from './admission.js';
import { readJson } from './body.js';
import type { Changes } from './changes.js';
import { EventWriter } from './event-writer.js';
import { askedIn, callerDigest, type IncomingCall } from './incoming-call.js';
import type { OpenResponses } from './open-responses.js';
import type { HttpLimits } from './options.js';
import { HttpRefusal } from './reply.js';
import type { MessagePost } from './shared/shared-state.js';

export interface SseEndpointOptions {
  readonly views: CallerViews;
  readonly admission: Admission;
  readonly changes: Changes;
  readonly responses: OpenResponses;
  readonly post: MessagePost;
  readonly limits: HttpLimits;
  readonly prompts: boolean;
  readonly quota: SubscriptionQuota;
  /** Whether other replicas cannot be asked at the moment. */
  isAlone(): boolean;
  /** Where clients post, as they reach it. */
  readonly messagesPath: string;
  readonly keepAliveMs: number;
  readonly middleware: readonly Middleware[];
  readonly log: Log;
}

export class SseEndpoint {
  readonly #options: SseEndpointOptions;
  readonly #open = new Set<SSEServerTransport>();

  constructor(options: SseEndpointOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Opens the stream of answers; resolves when it is closed. */
  async open(response: ServerResponse, call: IncomingCall): Promise<void> {
    const { admission, views, changes, keepAliveMs, limits, log, messagesPath, middleware, responses, post, prompts, quota } =
      this.#options;
    const { account, authInfo, caller } = call;
    admission.take(account, [undefined]);
    responses.checkRoom(call);
    // From here on it is a stream, not a call.
    call.ticket?.release();
    const ended = new Promise<void>((resolve) => response.once('close', resolve));
    const events = new EventWriter(response, responses, call.memory);
    const undo: (() => unknown)[] = [responses.enter(response, call, () => void events.written.then(() => response.end()))];
    const transport = new SSEServerTransport(messagesPath, response);
    const { sessionId } = transport;
    try {
      const view = await views.of(caller);
      const receive = (text: string) => {
        const message = parseJson(text);
        if (isMessage(message)) transport.onmessage?.(message, authInfo === undefined ? {} : { authInfo });
        else log.debug('protocol: a posted message is not JSON-RPC');
      };
      undo.push(await post.receive(addressOf(sessionId, call), receive));
      if (response.destroyed) return;
      const close = transport.close.bind(transport);
      // The SDK would write each message at once.
      const writing = {
        send: (message: JSONRPCMessage) => events.send(message),
        close: () => events.written.then(close),
        sent: () => events.written.then(() => responses.flushed(response)),
      };
      await connectTransport(Object.assign(transport, writing), {
        catalog: view.catalog,
        tools: view.tools,
        hosts: view.hosts,
        prompts,
        log,
        middleware,
        callerOf: () => caller,
        account,
        maxSubscriptions: limits.subscriptions,
        quota,
        events: changes.feedFor(view),
        transport: 'http',
        sessionId,
      });
      this.#open.add(transport);
      undo.push(() => this.#open.delete(transport));
      const heartbeat = setInterval(() => void events.write(': keepalive\n\n'), keepAliveMs).unref();
      undo.push(() => clearInterval(heartbeat));
      await ended;
    } finally {
      for (const each of undo) await each();
    }
  }

  /** Delivers a message to the replica that holds the stream. */
  async receive(request: IncomingMessage, response: ServerResponse, call: IncomingCall): Promise<void> {
    const { admission, isAlone, limits, post } = this.#options;
    const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('sessionId');
    const message = await readJson(request, limits.bodyBytes, call.memory);
    if (!isFields(message) || message['jsonrpc'] !== '2.0')
      throw new HttpRefusal(400, 'Invalid Request: the body is not a JSON-RPC message.', { code: -32600 });
    if (typeof message['method'] === 'string') call.asked = askedIn(message, message['method']);
    admission.checkUnread(call.account);
    admission.take(call.account, [message]);
    call.ticket?.release();
    const taken =
      id !== null &&
      /^[\w-]{1,64}$/.test(id) &&
      (await post.send(addressOf(id, call), isLargeJson(message) ? await largeJson(message) : JSON.stringify(message)));
    if (!taken && isAlone())
      throw new HttpRefusal(503, 'The stream cannot be looked up at the moment. Try again.', {
        headers: { 'retry-after': '2' },
      });
    if (!taken) throw new HttpRefusal(404, 'Stream not found. Open one at /sse.', { code: -32001 });
    response.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((transport) => transport.close()));
  }
}

/** Only the caller that opened the stream can address it. */
function addressOf(sessionId: string, { caller }: IncomingCall): string {
  return `${sessionId} ${callerDigest(caller)}`;
}
