/** What callers use up, told to the other replicas a few times a second. */
import type { RedisChannels } from './redis-channels.js';
import type { UsageLedger } from './shared-state.js';

const CHANNEL = 'usage';
const FLUSH_MS = 150;

type SpentListener = Parameters<UsageLedger['onSpentElsewhere']>[0];

export class RedisUsage implements UsageLedger {
  readonly #channels: RedisChannels;
  readonly #replica: string;
  readonly #listeners = new Set<SpentListener>();
  #spent = new Map<string, number>();
  #flush: NodeJS.Timeout | undefined;

  constructor(channels: RedisChannels, replica: string) {
    this.#channels = channels;
    this.#replica = replica;
    void channels.listen(CHANNEL, (message) => this.#hear(message));
  }

  spend(key: string, amount: number): void {
    this.#spent.set(key, (this.#spent.get(key) ?? 0) + amount);
    this.#flush ??= setTimeout(() => this.#tell(), FLUSH_MS).unref();
  }

  onSpentElsewhere(listener: SpentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#flush);
  }

  #tell(): void {
    const message = JSON.stringify([this.#replica, ...this.#spent]);
    this.#spent = new Map();
    this.#flush = undefined;
    void this.#channels.send(CHANNEL, message);
  }

  #hear(message: string): void {
    for (const [key, amount] of readSpent(message, this.#replica)) for (const listener of this.#listeners) listener(key, amount);
  }
}

/** The amounts in a message of another replica. */
function readSpent(message: string, own: string): [key: string, amount: number][] {
  try {
    const parts: unknown = JSON.parse(message);
    if (!Array.isArray(parts) || parts[0] === own) return [];
    return parts.slice(1).filter(isSpent);
  } catch {
    return [];
  }
}

function isSpent(part: unknown): part is [string, number] {
  return Array.isArray(part) && typeof part[0] === 'string' && Number.isFinite(part[1]) && part[1] > 0;
}
