/** The connection to Redis and its pub/sub channels. Commands never wait for a reconnect: they fail at once. */
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
export type RedisLink = ReturnType<typeof redisLink>;
export type RedisChannels = ReturnType<typeof redisChannels>;

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
 * keeps using a primary that was demoted, and resets its back-off after every connect. Throws for an invalid URL.
 */
export function redisLink(url: string, log: Log) {
  const database = databaseOf(url);
  if (database === undefined) throw new Error('Invalid Redis URL. Use redis://host:6379 or rediss://user:password@host:6379/0.');
  let users: readonly LinkUser[] = [];
  let current: RedisConnections | undefined;
  let ready = false;
  let outage = false;
  let failures = 0;
  let retry: NodeJS.Timeout | undefined;
  let ping: NodeJS.Timeout | undefined;

  async function connect(): Promise<void> {
    const connections = { commands: openConnection(url), reader: openConnection(url) };
    current = connections;
    for (const connection of Object.values(connections)) connection.on('error', (error) => lose(connections, error));
    try {
      await withTimeout(CONNECT_TIMEOUT_MS, prepare(connections));
    } catch (error) {
      lose(connections, error);
    }
    if (current !== connections) return;
    const wasOut = outage;
    ready = true;
    outage = false;
    ping = setInterval(() => void check(connections), PING_INTERVAL_MS).unref();
    if (wasOut) log.info('Reconnected to Redis');
    for (const user of users) user.resume?.(connections, wasOut);
  }

  async function prepare(connections: RedisConnections): Promise<void> {
    await Promise.all(Object.values(connections).map((connection) => connection.connect()));
    // Fails on a read-only replica, such as the old primary after a failover.
    await connections.commands.set('footbridge:writable', 'yes', { expiration: { type: 'PX', value: PING_TIMEOUT_MS } });
    await Promise.all(users.map((user) => user.prepare?.(connections, outage)));
  }

  /** Detects connections that are dead but not closed. */
  async function check(connections: RedisConnections): Promise<void> {
    try {
      await withTimeout(PING_TIMEOUT_MS, Promise.all(Object.values(connections).map((connection) => connection.ping())));
      // Reset only now, so that the back-off grows for a connection that keeps breaking.
      failures = 0;
    } catch (error) {
      lose(connections, error);
    }
  }

  /** Closes these connections, and opens new ones after a back-off. */
  function lose(connections: RedisConnections, reason: unknown): void {
    if (current !== connections) return;
    end(connections);
    if (!outage) log.warn(`${describe(reason)}. This replica continues on its own until it reconnects.`);
    outage = true;
    retry = setTimeout(() => void connect(), Math.min(FIRST_RETRY_MS * 2 ** failures++, MAX_RETRY_MS)).unref();
  }

  function end(connections: RedisConnections): void {
    current = undefined;
    ready = false;
    clearInterval(ping);
    for (const connection of Object.values(connections)) {
      // destroy() does not stop a connection attempt in progress.
      connection.on('connect', () => connection.destroy());
      connection.destroy();
    }
  }

  return {
    /** The database number in the URL. */
    database,
    lose,
    get connected() {
      return ready;
    },
    /** Starts connecting, and keeps reconnecting until `close`. */
    start(linkUsers: readonly LinkUser[]): void {
      users = linkUsers;
      void connect();
    },
    /** The reply of Redis; undefined when it is unreachable, returns an error or times out. Never rejects. */
    async ask<T>(command: (connection: RedisConnection) => Promise<T>): Promise<T | undefined> {
      const connections = current;
      if (connections === undefined || !ready) return undefined;
      try {
        return await withTimeout(COMMAND_TIMEOUT_MS, command(connections.commands));
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('READONLY')) lose(connections, error);
        return undefined;
      }
    },
    async close(): Promise<void> {
      clearTimeout(retry);
      const connections = current;
      const wasReady = ready;
      // `lose` now ignores them, so nothing reconnects.
      current = undefined;
      ready = false;
      if (connections === undefined) return;
      if (wasReady) await withTimeout(CLOSE_TIMEOUT_MS, connections.commands.close()).catch(() => {});
      end(connections);
    },
  };
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

export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${milliseconds} ms`)), milliseconds);
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

type Listener = (message: string) => void;

/** One listener per channel, subscribed again after every reconnect. Messages reach only the replicas that are connected. */
export function redisChannels(link: RedisLink, log: Log) {
  /** By full channel name. */
  const listeners = new Map<string, Listener>();
  // Channels span all databases of a server, unlike keys, so their names include the database.
  const channelOf = (name: string) => `footbridge:${link.database}:${name}`;
  const receive = (message: string, channel: string) => {
    try {
      listeners.get(channel)?.(message);
    } catch (error) {
      // An exception would break the connection.
      log.warn(`A message listener failed: ${reasonOf(error)}`);
    }
  };
  return {
    listener: (name: string) => listeners.get(channelOf(name)),
    /** Resolves once subscribed, or at once while Redis is unreachable. */
    async listen(name: string, listener: Listener): Promise<() => void> {
      const channel = channelOf(name);
      listeners.set(channel, listener);
      await link.ask((redis) => redis.subscribe(channel, receive));
      return () => {
        if (listeners.get(channel) !== listener) return;
        listeners.delete(channel);
        void link.ask((redis) => redis.unsubscribe(channel, receive));
      };
    },
    /** The number of replicas that received the message. */
    async send(name: string, message: string): Promise<number> {
      return (await link.ask((redis) => redis.publish(channelOf(name), message))) ?? 0;
    },
    async prepare({ commands }: RedisConnections): Promise<void> {
      if (listeners.size > 0) await commands.subscribe([...listeners.keys()], receive);
    },
    /** Covers the listeners added during `prepare`; the client skips channels it is subscribed to. */
    resume(): void {
      if (listeners.size > 0) void link.ask((redis) => redis.subscribe([...listeners.keys()], receive));
    },
  };
}
