/** Uses of skills in Redis: a hash for each day, which expires by itself. */
import { countsIn, USE_DAYS, type UseCounts, type UseStore } from '../../telemetry/skill-uses.js';
import type { RedisLink } from './redis-link.js';

const LIFE_SECONDS = (USE_DAYS + 1) * 24 * 3600;

const keyOf = (day: string) => `footbridge:uses:${day}`;

export function redisUses(link: RedisLink): UseStore {
  return {
    async add(day, counts) {
      const reply = await link.ask((redis) => {
        const commands = redis.multi();
        for (const [skill, count] of counts) commands.hIncrBy(keyOf(day), skill, count);
        return commands.expire(keyOf(day), LIFE_SECONDS).exec();
      });
      return reply !== undefined;
    },
    async sum(days) {
      const replies = await link.ask((redis) => Promise.all(days.map((day) => redis.hGetAll(keyOf(day)))));
      if (replies === undefined) return undefined;
      const sum = new Map<string, number>();
      for (const reply of replies) for (const [skill, count] of countsIn({ ...reply })) sum.set(skill, (sum.get(skill) ?? 0) + count);
      return sum satisfies UseCounts;
    },
  };
}
