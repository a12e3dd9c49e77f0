/** One session of the legacy revisions: its connection, its streams, and the record with which another replica can resume it. */
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import { Cancellation } from '../../sources/context.js';
import type { CallerView } from '../caller-views.js';
import type { Connection, RequestParts } from '../connection.js';
import { type Answer, notificationOf } from '../messages.js';
import type { EventStream } from './event-stream.js';
import type { ReplyStream } from './reply.js';
import type { SessionStreams } from './session-streams.js';
import type { SessionRecord } from './shared/shared-state.js';

export interface SessionParts {
  readonly id: string;
  /** The caller that began it, with its roles. */
  readonly callerId: string;
  readonly accountId: string;
  readonly view: CallerView;
  readonly owner: string;
  readonly initialize: JSONRPCRequest;
  readonly subscribed: Set<string>;
  readonly connection: Connection;
  readonly streams: SessionStreams;
  readonly save: (record: SessionRecord) => Promise<void>;
  /** Removes the session on all replicas. */
  readonly remove: () => Promise<void>;
}

export class Session {
  readonly parts: SessionParts;
  #present = 0;
  #missed = false;
  usedAt = Date.now();

  constructor(parts: SessionParts) {
    this.parts = parts;
  }

  get id(): string {
    return this.parts.id;
  }

  /** Whether a client listens or waits. */
  get busy(): boolean {
    return this.#present > 0;
  }

  get hasStream(): boolean {
    return this.parts.streams.hasStandalone;
  }

  get record(): SessionRecord {
    const { owner, initialize, subscribed } = this.parts;
    return { owner, initialize, subscriptions: [...subscribed] };
  }

  /** Marks the session as used until the returned function is called. */
  enter(): () => void {
    this.#present++;
    let entered = true;
    return () => {
      if (!entered) return;
      entered = false;
      this.#present--;
      this.usedAt = Date.now();
    };
  }

  async request(request: JSONRPCRequest, parts: RequestParts): Promise<Answer | undefined> {
    const answer = await this.parts.connection.request(request, parts);
    const { method } = request;
    if (method === 'resources/subscribe' || method === 'resources/unsubscribe') await this.parts.save(this.record);
    return answer;
  }

  /** Takes a notification, or an answer to a request of the server. */
  receive(message: JSONRPCMessage): void {
    this.parts.connection.receive(message);
  }

  /** The stream of one reply: it outlives its connection, so that the client can resume it. */
  openReply(streamId: string, stream: EventStream, prime: boolean): ReplyStream {
    const { streams } = this.parts;
    streams.open(streamId, stream, prime);
    return { send: (message) => streams.send(message, streamId), end: () => void streams.finish(streamId) };
  }

  /** Opens the standalone stream, or resumes the stream of the last event. */
  async openStream(stream: EventStream, lastEventId: string | undefined): Promise<void> {
    const { streams } = this.parts;
    if (lastEventId === undefined) streams.openStandalone(stream);
    else await streams.resume(lastEventId, stream);
    if (this.#missed) this.#announceAll();
  }

  /** Restores the session of another replica. */
  async resume(): Promise<void> {
    const { connection, initialize } = this.parts;
    await connection.request(initialize, { cancellation: new Cancellation(), era: 'legacy', send: async () => {} });
    connection.session.initialized();
    this.#missed = true;
  }

  /** Takes over the subscriptions of another replica. */
  subscribe(uris: readonly string[]): void {
    this.parts.connection.session.subscriptions.replace(uris);
  }

  /** Ends the session permanently. */
  async end(): Promise<void> {
    await this.parts.remove();
    this.close();
  }

  close(): void {
    const { connection, streams } = this.parts;
    connection.close().catch(() => {});
    streams.close();
  }

  /** Each list may have changed while this replica did not know the session. */
  #announceAll(): void {
    this.#missed = false;
    const { streams, subscribed } = this.parts;
    const notify = (method: string, params?: { uri: string }) => void streams.send(notificationOf(method, params));
    notify('notifications/tools/list_changed');
    notify('notifications/resources/list_changed');
    for (const uri of subscribed) notify('notifications/resources/updated', { uri });
  }
}
