/** Messages to replicas that are there; who is not, does not get them. */
import type { Log } from '../../../log.js';
import type { LinkUser, RedisConnections, RedisLink } from './redis-link.js';

type Take = (message: string) => void;

/** Channels of Redis that are listened to again whenever it is back. One listener a channel, which is known by its short name. */
export class RedisChannels implements LinkUser {
  readonly #link: RedisLink;
  /** By the whole name of the channel. */
  readonly #takers = new Map<string, Take>();
  readonly #hear: (message: string, channel: string) => void;

  constructor(link: RedisLink, log: Log) {
    this.#link = link;
    this.#hear = (message, channel) => {
      try {
        this.#takers.get(channel)?.(message);
      } catch (error) {
        // It would break the connection.
        log.warn(`a listener to messages failed: ${error instanceof Error ? error.message : 'for no known reason'}`);
      }
    };
  }

  taker(name: string): Take | undefined {
    return this.#takers.get(this.#channelOf(name));
  }

  /** Resolves when messages come in, or will as soon as Redis is there. */
  async listen(name: string, take: Take): Promise<() => void> {
    const channel = this.#channelOf(name);
    this.#takers.set(channel, take);
    await this.#link.ask((redis) => redis.subscribe(channel, this.#hear));
    return () => {
      if (this.#takers.get(channel) !== take) return;
      this.#takers.delete(channel);
      void this.#link.ask((redis) => redis.unsubscribe(channel, this.#hear));
    };
  }

  /** How many replicas got it. */
  async send(name: string, message: string): Promise<number> {
    return (await this.#link.ask((redis) => redis.publish(this.#channelOf(name), message))) ?? 0;
  }

  async prepare({ commands }: RedisConnections): Promise<void> {
    if (this.#takers.size > 0) await commands.subscribe([...this.#takers.keys()], this.#hear);
  }

  /** For those that came while it was prepared; Redis is not asked again for the others. */
  resume(): void {
    if (this.#takers.size > 0) void this.#link.ask((redis) => redis.subscribe([...this.#takers.keys()], this.#hear));
  }

  /** Channels are the same in all databases of a server, unlike keys, so the database is in their name. */
  #channelOf(name: string): string {
    return `footbridge:${this.#link.database}:${name}`;
  }
}
