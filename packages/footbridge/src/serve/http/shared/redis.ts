/** The state that replicas share through Redis or Valkey. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../../log.js';
import { redisBus } from './redis-bus.js';
import { type RedisChannels, redisChannels, redisLink } from './redis-link.js';
import { redisSessions } from './redis-sessions.js';
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

/** One channel per address. */
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
