/** The state that replicas share through Redis or Valkey. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../../log.js';
import { RedisBus } from './redis-bus.js';
import { RedisChannels } from './redis-channels.js';
import { RedisLink } from './redis-link.js';
import { RedisSessions } from './redis-sessions.js';
import type { MessagePost, SharedState, UsageLedger } from './shared-state.js';

const USAGE_CHANNEL = 'usage';
const FLUSH_MS = 150;

/** Throws for an invalid URL. Returns before Redis is connected, and behaves like a single replica while it is unreachable. */
export function redisState(url: string, log: Log): SharedState {
  const replica = randomUUID();
  const link = new RedisLink(url, log);
  const channels = new RedisChannels(link, log);
  const bus = new RedisBus(link, replica, log);
  const sessions = new RedisSessions(link, channels, replica, log);
  const usage = new RedisUsage(channels, replica);
  link.start([channels, bus, sessions]);
  return {
    bus,
    sessions,
    usage,
    post: redisPost(channels),
    onRemoteChange: (listener) => bus.onRemoteChange(listener),
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
class RedisUsage implements UsageLedger {
  readonly #channels: RedisChannels;
  readonly #replica: string;
  readonly #listeners = new Set<(key: string, amount: number) => void>();
  #spent = new Map<string, number>();
  #flush: NodeJS.Timeout | undefined;

  constructor(channels: RedisChannels, replica: string) {
    this.#channels = channels;
    this.#replica = replica;
    void channels.listen(USAGE_CHANNEL, (message) => {
      for (const [key, amount] of parseSpent(message, replica)) for (const listener of this.#listeners) listener(key, amount);
    });
  }

  spend(key: string, amount: number): void {
    this.#spent.set(key, (this.#spent.get(key) ?? 0) + amount);
    this.#flush ??= setTimeout(() => this.#send(), FLUSH_MS).unref();
  }

  onSpentElsewhere(listener: (key: string, amount: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#flush);
  }

  #send(): void {
    const message = JSON.stringify([this.#replica, ...this.#spent]);
    this.#spent = new Map();
    this.#flush = undefined;
    void this.#channels.send(USAGE_CHANNEL, message);
  }
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
