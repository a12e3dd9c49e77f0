/** One session of the older revisions: its server, and what it takes to go on with it elsewhere. */
import type { JSONRPCMessage, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import type { Cancellation } from '../../sources/context.js';
import type { Audience } from '../audiences.js';
import type { SessionRecord } from './shared/shared-state.js';
import type { Visit } from './visit.js';

export interface SessionParts {
  readonly id: string;
  /** Of whoever began it, with their roles. */
  readonly callerId: string;
  readonly account: string;
  readonly audience: Audience;
  readonly owner: string;
  readonly initialize: JSONRPCMessage;
  readonly watching: Set<string>;
  readonly server: McpServer;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly save: (record: SessionRecord) => Promise<void>;
}

export class Session {
  readonly parts: SessionParts;
  readonly #running = new Map<string | number, Cancellation>();
  #present = 0;
  #missed = false;
  usedAt = Date.now();

  constructor(parts: SessionParts) {
    this.parts = parts;
  }

  get id(): string {
    return this.parts.id;
  }

  /** Whether somebody listens or waits. */
  get busy(): boolean {
    return this.#present > 0;
  }

  get record(): SessionRecord {
    const { owner, initialize, watching } = this.parts;
    return { owner, initialize, subscriptions: [...watching] };
  }

  /** Says that somebody listens or waits, until the returned function is called. */
  enter(): () => void {
    this.#present++;
    return () => {
      this.#present--;
      this.usedAt = Date.now();
    };
  }

  /** Takes note of a call that can be cancelled by its id; returns what to call when it is over. */
  begin(requestId: string | number, cancellation: Cancellation): () => void {
    this.#running.set(requestId, cancellation);
    return () => {
      if (this.#running.get(requestId) === cancellation) this.#running.delete(requestId);
    };
  }

  async handle(request: Request, body: unknown, { authInfo }: Visit): Promise<Response> {
    this.#cancel(body);
    const answer = await this.parts.transport.handleRequest(request, {
      authInfo,
      parsedBody: body,
    });
    if (isFields(body) && (body['method'] === 'resources/subscribe' || body['method'] === 'resources/unsubscribe'))
      return this.#savedAfter(answer);
    if (request.method === 'GET' && answer.ok && this.#missed) this.#tellAll();
    return answer;
  }

  /** Brings the server to where the session was; what was said meanwhile is told when the client listens again. */
  async resume(visit: Visit): Promise<void> {
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    });
    const answer = await this.handle(request, this.parts.initialize, visit);
    await answer.text();
    this.#missed = true;
  }

  /** Takes over what another replica was told to watch. */
  watch(uris: readonly string[]): void {
    const { watching } = this.parts;
    watching.clear();
    for (const uri of uris) watching.add(uri);
  }

  async close(): Promise<void> {
    await this.parts.server.close();
  }

  #cancel(body: unknown): void {
    if (!isFields(body) || body['method'] !== 'notifications/cancelled' || !isFields(body['params'])) return;
    const { requestId } = body['params'];
    if (typeof requestId === 'string' || typeof requestId === 'number') this.#running.get(requestId)?.abort();
  }

  /** The answer is read to its end first, since only then is it known what is watched. */
  async #savedAfter(answer: Response): Promise<Response> {
    const text = await answer.text();
    await this.parts.save(this.record);
    return new Response(text, { status: answer.status, headers: answer.headers });
  }

  /** Each list may have changed while nobody here knew of the session. */
  #tellAll(): void {
    this.#missed = false;
    const { server, watching } = this.parts;
    server.sendToolListChanged();
    server.sendResourceListChanged();
    for (const uri of watching) server.server.sendResourceUpdated({ uri }).catch(() => {});
  }
}
