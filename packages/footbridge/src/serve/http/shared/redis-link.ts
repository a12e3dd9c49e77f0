/** The connection to Redis. Commands never wait for a reconnect: they fail at once. */
import { createClient } from '@redis/client';
import { reasonOf } from '../../../errors.js';
import type { Log } from '../../../log.js';
import { redact } from '../../../redact.js';

const COMMAND_TIMEOUT_MS = 1000;
/** For connecting and preparing both connections. */
const CONNECT_TIMEOUT_MS = 3000;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 2000;
const PING_INTERVAL_MS = 2000;
/** Longer than a read may block. */
const PING_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 500;
const MAX_PENDING_COMMANDS = 10_000;

export type RedisConnection = ReturnType<typeof openConnection>;

/** One for commands and channels, one for blocking reads. They are opened and closed together. */
export interface RedisConnections {
  readonly commands: RedisConnection;
  readonly reader: RedisConnection;
}

/** A part of the state that has work to do after every (re)connect. */
export interface LinkUser {
  /** Before the connections are in general use. `outage`: Redis was unreachable before. */
  prepare?(connections: RedisConnections, outage: boolean): Promise<void>;
  /** Once they are in general use. */
  resume?(connections: RedisConnections, outage: boolean): void;
}

/**
 * Replaces both connections when one fails, stops answering or turns read-only. The client's own `reconnectStrategy` is off: it
 * keeps using a primary that was demoted, and resets its back-off after every connect.
 */
export class RedisLink {
  /** The database number in the URL. */
  readonly database: number;
  readonly #url: string;
  readonly #log: Log;
  readonly #users: LinkUser[] = [];
  #current: RedisConnections | undefined;
  #ready = false;
  #outage = false;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  #ping: NodeJS.Timeout | undefined;

  constructor(url: string, log: Log) {
    const database = databaseOf(url);
    if (database === undefined) throw new Error('Invalid Redis URL. Use redis://host:6379 or rediss://user:password@host:6379/0.');
    this.database = database;
    this.#url = url;
    this.#log = log;
  }

  get connected(): boolean {
    return this.#ready;
  }

  /** Starts connecting, and keeps reconnecting until `close`. */
  start(users: readonly LinkUser[]): void {
    this.#users.push(...users);
    void this.#connect();
  }

  /** The reply of Redis; undefined when it is unreachable, returns an error or times out. Never rejects. */
  async ask<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T | undefined> {
    const connections = this.#current;
    if (connections === undefined || !this.#ready) return undefined;
    try {
      return await withTimeout(COMMAND_TIMEOUT_MS, command(connections.commands));
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('READONLY')) this.lose(connections, error);
      return undefined;
    }
  }

  /** Closes these connections, and opens new ones after a back-off. */
  lose(connections: RedisConnections, reason: unknown): void {
    if (this.#current !== connections) return;
    this.#end(connections);
    if (!this.#outage) this.#log.warn(`${describe(reason)}. This replica continues on its own until it reconnects.`);
    this.#outage = true;
    this.#retry = setTimeout(() => void this.#connect(), Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, MAX_RETRY_MS)).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    const connections = this.#current;
    const ready = this.#ready;
    // `lose` now ignores them, so nothing reconnects.
    this.#current = undefined;
    this.#ready = false;
    if (connections === undefined) return;
    if (ready) await withTimeout(CLOSE_TIMEOUT_MS, connections.commands.close()).catch(() => {});
    this.#end(connections);
  }

  async #connect(): Promise<void> {
    const connections = { commands: openConnection(this.#url), reader: openConnection(this.#url) };
    this.#current = connections;
    for (const connection of Object.values(connections)) connection.on('error', (error) => this.lose(connections, error));
    try {
      await withTimeout(CONNECT_TIMEOUT_MS, this.#prepare(connections));
    } catch (error) {
      this.lose(connections, error);
    }
    if (this.#current !== connections) return;
    const outage = this.#outage;
    this.#ready = true;
    this.#outage = false;
    this.#ping = setInterval(() => void this.#check(connections), PING_INTERVAL_MS).unref();
    if (outage) this.#log.info('Reconnected to Redis');
    for (const user of this.#users) user.resume?.(connections, outage);
  }

  async #prepare(connections: RedisConnections): Promise<void> {
    await Promise.all(Object.values(connections).map((connection) => connection.connect()));
    // Fails on a read-only replica, such as the old primary after a failover.
    await connections.commands.set('footbridge:writable', 'yes', { expiration: { type: 'PX', value: PING_TIMEOUT_MS } });
    await Promise.all(this.#users.map((user) => user.prepare?.(connections, this.#outage)));
  }

  /** Detects connections that are dead but not closed. */
  async #check(connections: RedisConnections): Promise<void> {
    try {
      await withTimeout(PING_TIMEOUT_MS, Promise.all(Object.values(connections).map((connection) => connection.ping())));
      // Reset only now, so that the back-off grows for a connection that keeps breaking.
      this.#failures = 0;
    } catch (error) {
      this.lose(connections, error);
    }
  }

  #end(connections: RedisConnections): void {
    this.#current = undefined;
    this.#ready = false;
    clearInterval(this.#ping);
    for (const connection of Object.values(connections)) {
      // destroy() does not stop a connection attempt in progress.
      connection.on('connect', () => connection.destroy());
      connection.destroy();
    }
  }
}

/** Undefined for an invalid URL. The client's own error would show the URL and its password. */
function databaseOf(url: string): number | undefined {
  if (url === '') return undefined;
  try {
    const connection = openConnection(url);
    connection.destroy();
    return connection.options.database ?? 0;
  } catch {
    return undefined;
  }
}

/** A client that neither reconnects nor queues commands while disconnected. */
function openConnection(url: string) {
  const connection = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_PENDING_COMMANDS,
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: COMMAND_TIMEOUT_MS },
  });
  connection.unref();
  return connection;
}

function describe(reason: unknown): string {
  const text = redact(reasonOf(reason));
  if (/NOAUTH|WRONGPASS|NOPERM/.test(text))
    return `Redis denied access (${text}). Set the credentials in the URL: redis://user:password@host:6379`;
  return `Redis is unreachable (${text})`;
}

/** Rejects when `promise` takes longer. */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
