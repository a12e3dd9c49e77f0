/** Small values with a limited life, in Redis. */
import { randomUUID } from 'node:crypto';
import type { RedisChannels, RedisConnection, RedisLink } from './redis-link.js';
import type { SharedValues } from './shared-state.js';

const keyOf = (key: string) => `footbridge:value:${key}`;

/** A lock that ended by itself may be another's by now. */
const UNLOCK = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

const CHANNEL = 'values';

export function redisValues(link: RedisLink, channels: RedisChannels, replica: string): SharedValues {
  const listeners = new Set<(key: string) => void>();
  void channels.listen(CHANNEL, (message) => {
    const at = message.indexOf(' ');
    if (message.slice(0, at) !== replica) for (const listener of listeners) listener(message.slice(at + 1));
  });
  const ask = async <T>(command: (redis: RedisConnection) => Promise<T>): Promise<T> => {
    // Some replies are null, so they are wrapped.
    const reply = await link.ask(async (redis) => ({ value: await command(redis) }));
    if (reply === undefined) throw new Error('Redis is unreachable.');
    return reply.value;
  };
  return {
    get: async (key) => (await ask((redis) => redis.get(keyOf(key)))) ?? undefined,
    async set(key, value, lifeMs) {
      const expiration = lifeMs === undefined ? {} : { expiration: { type: 'PX', value: lifeMs } as const };
      await ask((redis) => redis.set(keyOf(key), value, expiration));
    },
    take: async (key) => (await ask((redis) => redis.getDel(keyOf(key)))) ?? undefined,
    async lock(key, lifeMs) {
      const holder = randomUUID();
      const taken = await ask((redis) => redis.set(keyOf(key), holder, { condition: 'NX', expiration: { type: 'PX', value: lifeMs } }));
      if (taken === null) return undefined;
      return async () => {
        await ask((redis) => redis.eval(UNLOCK, { keys: [keyOf(key)], arguments: [holder] })).catch(() => {});
      };
    },
    announce: (key) => void channels.send(CHANNEL, `${replica} ${key}`),
    onAnnounced(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
