/** Messages of the 2024 transport, on a channel for each address. */
import type { RedisChannels } from './redis-channels.js';
import type { MessagePost } from './shared-state.js';

export function redisPost(channels: RedisChannels): MessagePost {
  const channelOf = (address: string) => `post:${address}`;
  return {
    receive: (address, take) => channels.listen(channelOf(address), take),
    async send(address, message) {
      const channel = channelOf(address);
      const here = channels.taker(channel);
      if (here === undefined) return (await channels.send(channel, message)) > 0;
      here(message);
      return true;
    },
  };
}
