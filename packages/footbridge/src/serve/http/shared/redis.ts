/** What the replicas of a server share, in Redis or Valkey. */
import { randomUUID } from 'node:crypto';
import type { Log } from '../../../log.js';
import { RedisBus } from './redis-bus.js';
import { RedisChannels } from './redis-channels.js';
import { RedisLink } from './redis-link.js';
import { redisPost } from './redis-post.js';
import { RedisSessions } from './redis-sessions.js';
import { RedisUsage } from './redis-usage.js';
import type { SharedState } from './shared-state.js';

/**
 * The state behind a `redis://` or `rediss://` URL; throws when it is none. Returns before Redis is reached, and works without it as
 * the state of one replica does.
 */
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
