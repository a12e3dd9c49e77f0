/** Per-caller connections to a server with `isolation: 'caller'`. */
import type { HostPeer } from '../forwarding.js';
import { ServerError } from '../server/channel.js';
import { CONNECTION_CLOSED } from './json-rpc.js';
import type { SupervisedConnection } from './supervised-connection.js';

interface Own extends SupervisedConnection {
  running: number;
  /** Whether to close it when its last request ends. */
  abandoned: boolean;
  usedAt: number;
}

const MAX = 64;
/** How long an unused one is kept. */
const IDLE_MS = 10 * 60_000;
/** How long a recently used one is kept when all slots are taken. */
const RECENT_MS = 60_000;

export class CallerConnections {
  readonly #name: string;
  readonly #open: (host: HostPeer) => SupervisedConnection;
  readonly #isThere: (key: string) => boolean;
  /** By host key, least recently used first. */
  readonly #own = new Map<string, Own>();
  #sweeper: NodeJS.Timeout | undefined;
  #closed = false;

  /** `isThere`: whether a host with that key is connected. */
  constructor(name: string, open: (host: HostPeer) => SupervisedConnection, isThere: (key: string) => boolean) {
    this.#name = name;
    this.#open = open;
    this.#isThere = isThere;
  }

  get(key: string): SupervisedConnection | undefined {
    return this.#own.get(key);
  }

  all(): Iterable<SupervisedConnection> {
    return this.#own.values();
  }

  /** Runs a function with a host's connection, which stays open meanwhile. */
  async use<T>(host: HostPeer, run: (connection: SupervisedConnection) => Promise<T>): Promise<T> {
    const own = this.#of(host);
    own.running++;
    own.abandoned = false;
    try {
      return await run(own);
    } finally {
      own.running--;
      own.usedAt = Date.now();
      if (own.abandoned && own.running === 0) this.#end(host.key, own);
    }
  }

  /** Closes a host's connection, after its running requests. */
  drop(key: string): void {
    const own = this.#own.get(key);
    if (own === undefined) return;
    // A call that waits for the user's input is running, too.
    if (own.running > 0 || own.supervisor.current?.isBusy === true) own.abandoned = true;
    else this.#end(key, own);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweeper);
    for (const { subscriptions } of this.#own.values()) subscriptions.close();
    await Promise.all([...this.#own.values()].map(({ supervisor }) => supervisor.close()));
  }

  #end(key: string, own: Own): void {
    if (this.#own.get(key) === own) this.#own.delete(key);
    own.subscriptions.close();
    own.supervisor.close().catch(() => {});
  }

  #of(host: HostPeer): Own {
    if (this.#closed) throw this.#refusal('is closed');
    const { key } = host;
    let own = this.#own.get(key);
    if (own === undefined) {
      this.#makeRoom();
      own = { ...this.#open(host), running: 0, abandoned: false, usedAt: Date.now() };
      this.#sweeper ??= setInterval(() => this.#sweep(), IDLE_MS / 10).unref();
    } else this.#own.delete(key);
    this.#own.set(key, own);
    return own;
  }

  #makeRoom(): void {
    if (this.#own.size < MAX) return;
    const recently = Date.now() - RECENT_MS;
    const isFree = ([key, { running, usedAt, subscriptions }]: [string, Own]) =>
      running === 0 && ((usedAt < recently && subscriptions.isEmpty) || !this.#isThere(key));
    const [unused] = [...this.#own].find(isFree) ?? [];
    if (unused !== undefined) this.drop(unused);
    if (this.#own.size >= MAX) throw this.#refusal(`already has ${MAX} callers, the maximum. Try again later`);
  }

  #sweep(): void {
    const oldest = Date.now() - IDLE_MS;
    for (const [key, { usedAt }] of this.#own) if (usedAt < oldest && !this.#isThere(key)) this.drop(key);
  }

  #refusal(reason: string): ServerError {
    return new ServerError(CONNECTION_CLOSED, `The server '${this.#name}' ${reason}.`, { server: this.#name, retryable: true });
  }
}
