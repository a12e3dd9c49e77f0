/** Small values with a limited life, in Redis. */
import { randomUUID } from 'node:crypto';
import type { RedisChannels, RedisConnection, RedisLink } from './redis-link.js';
import type { SharedValues } from './shared-state.js';

const keyOf = (key: string) => `footbridge:value:${key}`;

/** How long a lock outlives the process that holds it. */
const LEASE_MS = 5000;
const EXTEND_MS = LEASE_MS / 4;

/** A lock that Redis has lost is taken again, unless another has it by now. */
const EXTEND =
  "local holder = redis.call('get', KEYS[1]) if holder and holder ~= ARGV[1] then return 0 end redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1";

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
      const lease = Math.min(lifeMs, LEASE_MS);
      const end = performance.now() + lifeMs;
      const taken = await ask((redis) => redis.set(keyOf(key), holder, { condition: 'NX', expiration: { type: 'PX', value: lease } }));
      if (taken === null) return undefined;
      const extending = setInterval(async () => {
        const left = Math.min(end - performance.now(), lease);
        const options = { keys: [keyOf(key)], arguments: [holder, `${Math.ceil(left)}`] };
        const isHeld = left > 0 && (await ask((redis) => redis.eval(EXTEND, options)).catch(() => 1)) === 1;
        if (!isHeld) clearInterval(extending);
      }, EXTEND_MS).unref();
      return async () => {
        clearInterval(extending);
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
