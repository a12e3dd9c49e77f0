/** What all replicas of a server have in common: in this process where there is only one, in Redis where there are several. */
import type { EventStore, JSONRPCMessage, ServerEventBus } from '@modelcontextprotocol/server';

/** What it takes to go on with a session on another replica. */
export interface SessionRecord {
  /** Digest of the caller that began it; nobody else may use it. */
  readonly owner: string;
  /** The message that began it, as the client sent it. */
  readonly initialize: JSONRPCMessage;
  /** Resources that the client watches. */
  readonly subscriptions: readonly string[];
}

/**
 * Sessions of the older revisions. A record is gone, and with it what was sent to the session, when nobody has used it for the idle
 * time; where only this process has it, also when it has to make room for others.
 */
export interface SessionRecords {
  save(id: string, record: SessionRecord): Promise<void>;
  /** Also counts as use. Undefined when there is none; `unknown` when other replicas may have one and cannot be asked at the moment. */
  find(id: string): Promise<SessionRecord | 'unknown' | undefined>;
  /** Says that it is still used; cheap enough for every call. */
  touch(id: string): void;
  remove(id: string): Promise<void>;
  /**
   * Calls `listener` when another replica has saved or removed a record; `find` then tells which. What happened while replicas could not
   * reach each other is told afterwards, of the records that this one has used. Returns the way to stop.
   */
  onChanged(listener: (id: string) => void): () => void;
  /** What was sent to a session, so that it can be sent again after a broken connection. */
  events(id: string): EventStore;
}

/** How much each caller has used up on other replicas. */
export interface UsageLedger {
  /** Takes note of what a caller used here; returns at once. `key` names the caller and the kind of use, without a secret. */
  spend(key: string, amount: number): void;
  /** Calls `listener` with what was used elsewhere, a moment after it was; returns the way to stop. */
  onSpentElsewhere(listener: (key: string, amount: number) => void): () => void;
}

/** Carries messages of the 2024 transport to the replica that holds its stream. */
export interface MessagePost {
  /** Takes what is sent to `address`, from now on; resolves to the way to stop. */
  receive(address: string, take: (message: string) => void): Promise<() => void>;
  /** Whether somebody took it. */
  send(address: string, message: string): Promise<boolean>;
}

export interface SharedState {
  /** Changes of lists and resources: each listener on each replica hears of each, whoever published it. */
  readonly bus: ServerEventBus;
  readonly sessions: SessionRecords;
  readonly usage: UsageLedger;
  readonly post: MessagePost;
  /** Calls `listener` when another replica saw a change; the bus delivers it when the listener is done, or after two seconds. Returns the way to stop. */
  onRemoteChange(listener: () => void | Promise<void>): () => void;
  /** Whether all replicas can be reached; calls go on either way. */
  readonly connected: boolean;
  close(): Promise<void>;
}

/** How long a session lives that nobody uses. */
export const SESSION_IDLE_MS = 30 * 60_000;
