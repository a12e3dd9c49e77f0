/** Small values with a limited life, in this process. */
import type { SharedValues } from './shared-state.js';

/** Beyond this, the oldest are dropped. */
const MAX = 10_000;

export function valuesInProcess(now: () => number = Date.now): SharedValues {
  const values = new Map<string, { readonly value: string; readonly until: number }>();
  const current = (key: string): string | undefined => {
    const found = values.get(key);
    if (found === undefined || now() < found.until) return found?.value;
    values.delete(key);
    return undefined;
  };
  return {
    get: async (key) => current(key),
    async set(key, value, lifeMs = Number.POSITIVE_INFINITY) {
      values.delete(key);
      values.set(key, { value, until: now() + lifeMs });
      const [oldest] = values.size > MAX ? values.keys() : [];
      if (oldest !== undefined) values.delete(oldest);
    },
    async take(key) {
      const value = current(key);
      values.delete(key);
      return value;
    },
    async lock(key, lifeMs) {
      if (current(key) !== undefined) return undefined;
      const held = { value: '', until: now() + lifeMs };
      values.set(key, held);
      return async () => {
        if (values.get(key) === held) values.delete(key);
      };
    },
    announce: () => {},
    onAnnounced: () => () => {},
  };
}
