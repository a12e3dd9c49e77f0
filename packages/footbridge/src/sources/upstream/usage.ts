/** Whether a server that starts on demand is in use, and stopping it when it was not for a while. */
import type { UpstreamConnection } from './connection.js';
import type { OpenTasks } from './open-tasks.js';
import type { SlotUser } from './process-slots.js';

export interface UsageOptions {
  /** How long it may be unused; undefined if it always runs. */
  readonly idleMs: number | undefined;
  /** Whether callers wait for its messages. */
  hasSubscriptions(): boolean;
  /** How long it has to be unused before it makes room for others. */
  readonly keptMs?: number;
  current(): UpstreamConnection | undefined;
  readonly tasks: OpenTasks;
  stop(): void;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Usage implements SlotUser {
  readonly #options: UsageOptions;
  #held = 0;
  #isWanted = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UsageOptions) {
    this.#options = options;
  }

  get isOnDemand(): boolean {
    return this.#options.idleMs !== undefined;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  get isAwaited(): boolean {
    return this.#held > 0;
  }

  get isIdle(): boolean {
    const { current, hasSubscriptions, keptMs = 0, tasks } = this.#options;
    const connection = current();
    if (this.#held > 0 || connection === undefined || connection.isBusy || hasSubscriptions() || !tasks.isEmpty) return false;
    return keptMs === 0 || Date.now() - connection.usedAt >= keptMs;
  }

  get usedAt(): number {
    return this.#options.current()?.usedAt ?? 0;
  }

  /** Records a use by a caller. */
  want(): void {
    this.#isWanted = true;
  }

  /** Prevents it from being stopped until the work is done. */
  async hold<T>(work: Promise<T>): Promise<T> {
    this.#held++;
    try {
      return await work;
    } finally {
      this.#held--;
    }
  }

  /** Call when it is connected. */
  began(): void {
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#look(idleMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#isWanted = false;
    this.#options.stop();
  }

  #look(delay: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), Math.min(delay, LONGEST_TIMER_MS)).unref();
  }

  #check(): void {
    const { current, idleMs } = this.#options;
    const connection = current();
    if (idleMs === undefined || connection === undefined) return;
    const left = connection.usedAt + idleMs - Date.now();
    if (left <= 0 && this.isIdle) this.stop();
    else this.#look(Math.max(left, Math.min(idleMs, 1000)));
  }
}
