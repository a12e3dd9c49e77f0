/** Announces the end of a session to the other replicas, and waits until they no longer serve it. */
import type { RedisChannels } from './redis-link.js';

/** How long a replica may take; one that takes longer is cut off, or hangs. */
const ACKNOWLEDGE_MS = 1000;

interface Announcement {
  acknowledged: number;
  /** Unknown until Redis has delivered the announcement. */
  receivers: number | undefined;
  settle(): void;
}

/** Replicas acknowledge on a channel of the replica that announces. `send` delivers an announcement and returns how many received it. */
export class Removals {
  readonly #replica: string;
  readonly #channels: RedisChannels;
  readonly #announcements = new Map<string, Announcement>();
  #count = 0;

  constructor(replica: string, channels: RedisChannels) {
    this.#replica = replica;
    this.#channels = channels;
    void channels.listen(channelOf(replica), (key) => this.#acknowledged(key));
  }

  /** Resolves when every replica that received the announcement has acknowledged it, or when one takes too long. */
  async announce(send: (key: string) => Promise<number>): Promise<void> {
    const key = String(++this.#count);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ACKNOWLEDGE_MS).unref();
      const announcement: Announcement = {
        acknowledged: 0,
        receivers: undefined,
        settle() {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#announcements.set(key, announcement);
      void send(key).then((receivers) => {
        announcement.receivers = receivers;
        check(announcement);
      });
    });
    this.#announcements.delete(key);
  }

  /** Called with the key of an announcement once the session is closed here. */
  acknowledge(replica: string, key: string): void {
    if (replica === this.#replica) this.#acknowledged(key);
    else void this.#channels.send(channelOf(replica), key);
  }

  #acknowledged(key: string): void {
    const announcement = this.#announcements.get(key);
    if (announcement === undefined) return;
    announcement.acknowledged++;
    check(announcement);
  }
}

function check({ acknowledged, receivers, settle }: Announcement): void {
  if (receivers !== undefined && acknowledged >= receivers) settle();
}

function channelOf(replica: string): string {
  return `sessions:${replica}`;
}
