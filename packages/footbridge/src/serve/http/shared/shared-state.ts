/** State that the replicas of a server share: in this process for a single one, in Redis for several. */
import type { EventStore, JSONRPCMessage, ServerEventBus } from '@modelcontextprotocol/server';
import type { UseStore } from '../../telemetry/skill-uses.js';

export const SESSION_IDLE_MS = 30 * 60_000;

/** What another replica needs to continue a session. */
export interface SessionRecord {
  /** Digest of the caller that started it; no other caller may use it. */
  readonly owner: string;
  /** The `initialize` request as the client sent it. */
  readonly initialize: JSONRPCMessage;
  readonly subscriptions: readonly string[];
}

/** What another replica did with a record. */
export type SessionChange = 'saved' | 'removed';

/** Sessions of the 2025 revisions. A record and its events expire after the idle time, or are evicted when memory is short. */
export interface SessionRecords {
  save(id: string, record: SessionRecord): Promise<void>;
  /** Counts as use. Returns `unknown` when the other replicas cannot be asked at the moment. */
  find(id: string): Promise<SessionRecord | 'unknown' | undefined>;
  /** Marks a session as used; cheap enough for every request. */
  touch(id: string): void;
  /** Resolves when no replica serves the session any more. A disconnected replica is notified when it reconnects. */
  remove(id: string): Promise<void>;
  /**
   * Calls `listener` when another replica has saved or removed a record; `find` then returns the new state. The removal counts as
   * known here when `listener` returns. Changes during an outage are reported afterwards, for the records that this replica has used.
   * Returns a function that unsubscribes.
   */
  onChanged(listener: (id: string, change: SessionChange) => void): () => void;
  /** The messages sent to a session, for replay after a broken connection. */
  events(id: string): EventStore;
}

/** Quota that each caller has used on all replicas. */
export interface UsageLedger {
  /** Records usage on this replica and returns at once. `key` names the caller and the kind of use, without a secret. */
  spend(key: string, amount: number): void;
  /** Calls `listener` with usage on other replicas, shortly afterwards. Returns a function that unsubscribes. */
  onSpentElsewhere(listener: (key: string, amount: number) => void): () => void;
}

/** Delivers messages of the HTTP+SSE transport (2024-11-05) to the replica that holds the stream. */
export interface MessagePost {
  /** Receives the messages sent to `address`. Resolves to a function that unsubscribes. */
  receive(address: string, take: (message: string) => void): Promise<() => void>;
  /** Whether a replica received the message. */
  send(address: string, message: string): Promise<boolean>;
}

/** Small values with a limited life. Rejects when the other replicas cannot be reached. */
export interface SharedValues {
  get(key: string): Promise<string | undefined>;
  /** Without a life it stays. */
  set(key: string, value: string, lifeMs?: number): Promise<void>;
  /** Returns the value that was removed: of several that remove it, one gets it. */
  take(key: string): Promise<string | undefined>;
  /** A lock that ends by itself after its life, or a few seconds after its holder was killed; undefined while another holds it. */
  lock(key: string, lifeMs: number): Promise<(() => Promise<void>) | undefined>;
  /** Notifies the other replicas that a value has changed. Unreachable replicas miss it. */
  announce(key: string): void;
  /** Calls `listener` with each key that another replica announced. Returns a function that stops that. */
  onAnnounced(listener: (key: string) => void): () => void;
}

export interface SharedState {
  /** Changes of lists and resources: every listener on every replica receives each of them. */
  readonly bus: ServerEventBus;
  readonly sessions: SessionRecords;
  readonly usage: UsageLedger;
  readonly post: MessagePost;
  readonly values: SharedValues;
  /** Uses of skills on all replicas; undefined for a single one. */
  readonly uses?: UseStore;
  /** Calls `listener` before the bus delivers changes of another replica, and waits for it up to two seconds. */
  onRemoteChange(listener: () => void | Promise<void>): () => void;
  /** Whether the other replicas can be reached; requests are served either way. */
  readonly connected: boolean;
  close(): Promise<void>;
}
