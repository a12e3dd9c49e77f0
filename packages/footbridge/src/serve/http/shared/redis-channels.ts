/** Pub/sub channels of Redis, subscribed to again after every reconnect. Messages reach only the replicas that are connected. */
import { reasonOf } from '../../../errors.js';
import type { Log } from '../../../log.js';
import type { LinkUser, RedisConnections, RedisLink } from './redis-link.js';

type Listener = (message: string) => void;

/** One listener per channel; channels are named without their prefix. */
export class RedisChannels implements LinkUser {
  readonly #link: RedisLink;
  /** By full channel name. */
  readonly #listeners = new Map<string, Listener>();
  readonly #receive: (message: string, channel: string) => void;

  constructor(link: RedisLink, log: Log) {
    this.#link = link;
    this.#receive = (message, channel) => {
      try {
        this.#listeners.get(channel)?.(message);
      } catch (error) {
        // An exception would break the connection.
        log.warn(`A message listener failed: ${reasonOf(error)}`);
      }
    };
  }

  listener(name: string): Listener | undefined {
    return this.#listeners.get(this.#channelOf(name));
  }

  /** Resolves once subscribed, or at once while Redis is unreachable. */
  async listen(name: string, listener: Listener): Promise<() => void> {
    const channel = this.#channelOf(name);
    this.#listeners.set(channel, listener);
    await this.#link.ask((redis) => redis.subscribe(channel, this.#receive));
    return () => {
      if (this.#listeners.get(channel) !== listener) return;
      this.#listeners.delete(channel);
      void this.#link.ask((redis) => redis.unsubscribe(channel, this.#receive));
    };
  }

  /** The number of replicas that received the message. */
  async send(name: string, message: string): Promise<number> {
    return (await this.#link.ask((redis) => redis.publish(this.#channelOf(name), message))) ?? 0;
  }

  async prepare({ commands }: RedisConnections): Promise<void> {
    if (this.#listeners.size > 0) await commands.subscribe([...this.#listeners.keys()], this.#receive);
  }

  /** Covers the listeners added during `prepare`; the client skips channels it is subscribed to. */
  resume(): void {
    if (this.#listeners.size > 0) void this.#link.ask((redis) => redis.subscribe([...this.#listeners.keys()], this.#receive));
  }

  /** Channels span all databases of a server, unlike keys, so their names include the database. */
  #channelOf(name: string): string {
    return `footbridge:${this.#link.database}:${name}`;
  }
}
