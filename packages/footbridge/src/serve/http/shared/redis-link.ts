/** The way to Redis: made again for as long as it takes, and waited for by nobody. */
import { createClient } from '@redis/client';
import type { Log } from '../../../log.js';
import { redact } from '../../../redact.js';
import { within } from './within.js';

/** How long a command may take before it counts as not answered. */
const COMMAND_MS = 1000;
/** How long both connections have to be made and prepared. */
const CONNECT_MS = 3000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;
/** How often it is asked whether Redis still answers, and how long it has to: longer than a read may block. */
const PING_EVERY_MS = 2000;
const PING_MS = 5000;
/** How long what was sent last may take to leave when all ends. */
const FAREWELL_MS = 500;
const MAX_UNANSWERED = 10_000;

export type RedisConnection = ReturnType<typeof openConnection>;

/** One for commands and channels, one for reads that block; losing one is losing both. */
export interface RedisConnections {
  readonly commands: RedisConnection;
  readonly reader: RedisConnection;
}

/** Part of the state that has something to do whenever Redis is there. */
export interface LinkUser {
  /** Before others may use the connections. `outage`: there was a time without. */
  prepare?(connections: RedisConnections, outage: boolean): Promise<void>;
  /** As soon as others may use them. */
  resume?(connections: RedisConnections, outage: boolean): void;
}

export class RedisLink {
  /** The number of the database that the URL names. */
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
    if (database === undefined)
      throw new Error('The address of Redis must be a URL such as redis://host:6379 or rediss://user:password@host:6379/0.');
    this.database = database;
    this.#url = url;
    this.#log = log;
  }

  get connected(): boolean {
    return this.#ready;
  }

  /** Begins to connect, for these. */
  start(users: readonly LinkUser[]): void {
    this.#users.push(...users);
    void this.#connect();
  }

  /** What Redis answers; undefined when it cannot be reached, refuses, or takes too long. Never rejects. */
  async ask<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T | undefined> {
    const connections = this.#current;
    if (connections === undefined || !this.#ready) return undefined;
    try {
      return await within(COMMAND_MS, command(connections.commands));
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('READONLY')) this.lose(connections, error);
      return undefined;
    }
  }

  /** Gives these connections up, and makes new ones after a pause. */
  lose(connections: RedisConnections, reason: unknown): void {
    if (this.#current !== connections) return;
    this.#end(connections);
    if (!this.#outage) this.#log.warn(`Redis ${complaint(describe(reason))}; this replica goes on by itself until it is back`);
    this.#outage = true;
    this.#retry = setTimeout(() => void this.#connect(), Math.min(FIRST_PAUSE_MS * 2 ** this.#failures++, LONGEST_PAUSE_MS)).unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#retry);
    const connections = this.#current;
    const ready = this.#ready;
    // From here on nothing is lost any more, so nothing is made again.
    this.#current = undefined;
    this.#ready = false;
    if (connections === undefined) return;
    if (ready) await within(FAREWELL_MS, connections.commands.close()).catch(() => {});
    this.#end(connections);
  }

  async #connect(): Promise<void> {
    const connections = { commands: openConnection(this.#url), reader: openConnection(this.#url) };
    this.#current = connections;
    for (const connection of Object.values(connections)) connection.on('error', (error) => this.lose(connections, error));
    const limit = setTimeout(() => this.lose(connections, new Error(`no answer within ${CONNECT_MS} ms`)), CONNECT_MS).unref();
    try {
      await this.#prepare(connections);
    } catch (error) {
      this.lose(connections, error);
    }
    clearTimeout(limit);
    if (this.#current !== connections) return;
    const outage = this.#outage;
    this.#ready = true;
    this.#outage = false;
    this.#ping = setInterval(() => void this.#check(connections), PING_EVERY_MS).unref();
    if (outage) this.#log.info('Redis is back');
    for (const user of this.#users) user.resume?.(connections, outage);
  }

  async #prepare(connections: RedisConnections): Promise<void> {
    await Promise.all(Object.values(connections).map((connection) => connection.connect()));
    // One that answers but cannot be written to, as the old primary after a failover, is of no use.
    await connections.commands.set('footbridge:writable', 'yes', { expiration: { type: 'PX', value: PING_MS } });
    await Promise.all(this.#users.map((user) => user.prepare?.(connections, this.#outage)));
  }

  /** A connection can be dead without having been closed. */
  async #check(connections: RedisConnections): Promise<void> {
    try {
      await within(PING_MS, Promise.all(Object.values(connections).map((connection) => connection.ping())));
      // Not before it has held for a while: one that breaks again and again is left alone for longer and longer.
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
      // One that is still being made is not ended by destroy, and would be made for nobody.
      connection.on('connect', () => connection.destroy());
      connection.destroy();
    }
  }
}

/** The database at a URL; undefined when Redis cannot be there. Why not would show the URL, and with it the password. */
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

/** One attempt: a client that neither connects again nor keeps what it cannot send. */
function openConnection(url: string) {
  const connection = createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_UNANSWERED,
    maintNotifications: 'disabled',
    socket: { reconnectStrategy: false, connectTimeout: COMMAND_MS },
  });
  connection.unref();
  return connection;
}

function complaint(reason: string): string {
  if (/NOAUTH|WRONGPASS|NOPERM/.test(reason)) return `refuses us (${reason}). Give it a name and password: redis://user:password@host:6379`;
  return `cannot be reached (${reason})`;
}

function describe(reason: unknown): string {
  if (!(reason instanceof Error)) return 'for no known reason';
  const code = 'code' in reason && typeof reason.code === 'string' ? reason.code : 'no reason given';
  return redact(reason.message === '' ? code : reason.message);
}
