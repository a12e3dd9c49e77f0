/** The state that replicas share through Redis or Valkey. */
import { randomUUID } from 'node:crypto';
import {
  InMemoryServerEventBus,
  isJSONRPCNotification,
  parseJSONRPCMessage,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { type Fields, isFields } from '../../../json.js';
import type { Log } from '../../../log.js';
import {
  type LinkUser,
  type RedisChannels,
  type RedisConnection,
  type RedisConnections,
  type RedisLink,
  redisChannels,
  redisLink,
  withTimeout,
} from './redis-link.js';
import { redisSessions } from './redis-sessions.js';
import { redisUses } from './redis-uses.js';
import { redisValues } from './redis-values.js';
import type { MessagePost, SharedState, UsageLedger } from './shared-state.js';

const USAGE_CHANNEL = 'usage';
const FLUSH_MS = 150;

/** Throws for an invalid URL. Returns before Redis is connected, and behaves like a single replica while it is unreachable. */
export function redisState(url: string, log: Log): SharedState {
  const replica = randomUUID();
  const link = redisLink(url, log);
  const channels = redisChannels(link, log);
  const bus = redisBus(link, replica, log);
  const sessions = redisSessions(link, channels, replica, log);
  const usage = redisUsage(channels, replica);
  link.start([channels, bus, sessions]);
  return {
    bus,
    sessions,
    usage,
    post: redisPost(channels),
    values: redisValues(link, channels, replica),
    uses: redisUses(link),
    onRemoteChange: bus.onRemoteChange,
    get connected() {
      return link.connected;
    },
    async close() {
      usage.close();
      bus.close();
      await link.close();
    },
  };
}

function redisPost(channels: RedisChannels): MessagePost {
  return {
    receive: (address, take) => channels.listen(`post:${address}`, take),
    async send(address, message) {
      const channel = `post:${address}`;
      const take = channels.listener(channel);
      if (take === undefined) return (await channels.send(channel, message)) > 0;
      take(message);
      return true;
    },
  };
}

/** Sends usage to the other replicas a few times a second, summed up by key. */
function redisUsage(channels: RedisChannels, replica: string): UsageLedger & { close(): void } {
  const listeners = new Set<(key: string, amount: number) => void>();
  const spent = new Map<string, number>();
  let flush: NodeJS.Timeout | undefined;
  void channels.listen(USAGE_CHANNEL, (message) => {
    for (const [key, amount] of parseSpent(message, replica)) for (const listener of listeners) listener(key, amount);
  });
  const send = () => {
    flush = undefined;
    void channels.send(USAGE_CHANNEL, JSON.stringify([replica, ...spent]));
    spent.clear();
  };
  return {
    spend(key, amount) {
      spent.set(key, (spent.get(key) ?? 0) + amount);
      flush ??= setTimeout(send, FLUSH_MS).unref();
    },
    onSpentElsewhere(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => clearTimeout(flush),
  };
}

/** The amounts in a message of another replica; anything else is ignored. */
function parseSpent(message: string, ownReplica: string): [key: string, amount: number][] {
  try {
    const [replica, ...parts]: unknown[] = JSON.parse(message);
    return replica === ownReplica ? [] : parts.filter(isSpent);
  } catch {
    return [];
  }
}

function isSpent(part: unknown): part is [string, number] {
  return Array.isArray(part) && typeof part[0] === 'string' && Number.isFinite(part[1]) && part[1] > 0;
}

const STREAM = 'footbridge:events';
const STREAM_LENGTH = 1000;
const BEGINNING = '0-0';
const BATCH_SIZE = 100;
const BLOCK_MS = 2000;
const LISTENER_TIMEOUT_MS = 2000;
const MAX_UNSENT = 1000;
const RETRY_MS = 1000;

/** Published after an outage, when events may have been missed. */
const ALL_LISTS_CHANGED: readonly ServerEvent[] = [
  { kind: 'tools_list_changed' },
  { kind: 'prompts_list_changed' },
  { kind: 'resources_list_changed' },
];

interface StreamEntry {
  readonly id: string;
  readonly message: Readonly<Record<string, string>>;
}

type ChangeListener = Parameters<SharedState['onRemoteChange']>[0];

function redisBus(link: RedisLink, replica: string, log: Log) {
  const local = new InMemoryServerEventBus((error) => log.warn(`A change listener failed: ${error.message}`));
  const changeListeners = new Set<ChangeListener>();
  /** Events waiting for Redis, by what they are about. */
  const unsent = new Map<string, ServerEvent>();
  let lastRead: string | undefined;
  let retry: NodeJS.Timeout | undefined;

  async function send(event: ServerEvent): Promise<void> {
    const fields = { from: replica, event: JSON.stringify(event) };
    const trim = { strategy: 'MAXLEN', strategyModifier: '~', threshold: STREAM_LENGTH } as const;
    if ((await link.ask((redis) => redis.xAdd(STREAM, '*', fields, { TRIM: trim }))) !== undefined) return;
    // Of two events about the same thing, the later one suffices.
    const subject = event.kind === 'resource_updated' ? `${event.kind} ${event.uri}` : event.kind;
    if (unsent.size < MAX_UNSENT || unsent.has(subject)) unsent.set(subject, event);
    if (!link.connected) return;
    clearTimeout(retry);
    retry = setTimeout(sendAgain, RETRY_MS).unref();
  }

  function sendAgain(): void {
    const events = [...unsent.values()];
    unsent.clear();
    for (const event of events) void send(event);
  }

  /** Continues after the last event read, or at the beginning when the stream has been recreated. */
  async function findPosition(reader: RedisConnection, outage: boolean): Promise<void> {
    const newest = await reader.xRevRange(STREAM, '+', '-', { COUNT: 1 });
    const newestId = newest?.[0]?.id ?? BEGINNING;
    if (lastRead === undefined) lastRead = outage ? BEGINNING : newestId;
    else if (isBefore(newestId, lastRead)) lastRead = BEGINNING;
  }

  async function read(connections: RedisConnections, outage: boolean): Promise<void> {
    if (outage) await deliver(ALL_LISTS_CHANGED);
    const { reader } = connections;
    try {
      for (;;) {
        const streams = await reader.xRead({ key: STREAM, id: lastRead ?? BEGINNING }, { BLOCK: BLOCK_MS, COUNT: BATCH_SIZE });
        const entries: readonly StreamEntry[] = streams?.[0]?.messages ?? [];
        lastRead = entries.at(-1)?.id ?? lastRead;
        if (entries.length === 0) await findPosition(reader, false);
        const others = entries.filter(({ message }) => message['from'] !== replica);
        await deliver(others.map(({ message }) => parseEvent(message['event'])).filter((event) => event !== undefined));
      }
    } catch (error) {
      link.lose(connections, error);
    }
  }

  async function deliver(events: readonly ServerEvent[]): Promise<void> {
    if (events.length === 0) return;
    const notified = Promise.allSettled([...changeListeners].map(async (listener) => listener()));
    await withTimeout(LISTENER_TIMEOUT_MS, notified).catch(() => {});
    for (const event of events) local.publish(event);
  }

  return {
    publish(event) {
      local.publish(event);
      void send(event);
    },
    subscribe: (listener) => local.subscribe(listener),
    onRemoteChange(listener) {
      changeListeners.add(listener);
      return () => changeListeners.delete(listener);
    },
    prepare: ({ reader }, outage) => findPosition(reader, outage),
    resume(connections, outage) {
      sendAgain();
      void read(connections, outage);
    },
    close: () => clearTimeout(retry),
  } satisfies ServerEventBus & LinkUser & Pick<SharedState, 'onRemoteChange'> & { close(): void };
}

function parseEvent(text: string | undefined): ServerEvent | undefined {
  try {
    const event: unknown = JSON.parse(text ?? '');
    const known = isFields(event) ? knownEvent(event) : undefined;
    if (known === undefined || !isFields(event) || event['params'] === undefined) return known;
    const notification = parseJSONRPCMessage({ jsonrpc: '2.0', method: known.kind, params: event['params'] });
    return isJSONRPCNotification(notification) ? { ...known, params: notification.params } : undefined;
  } catch {
    return undefined;
  }
}

function knownEvent({ kind, uri }: Fields): ServerEvent | undefined {
  if (kind === 'resource_updated') return typeof uri === 'string' ? { kind, uri } : undefined;
  return ALL_LISTS_CHANGED.find((event) => event.kind === kind);
}

/** Compares two stream IDs (`milliseconds-sequence`). */
function isBefore(id: string, other: string): boolean {
  const [time = 0, number = 0] = id.split('-').map(Number);
  const [otherTime = 0, otherNumber = 0] = other.split('-').map(Number);
  return time < otherTime || (time === otherTime && number < otherNumber);
}
