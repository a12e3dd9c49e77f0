/** The log levels that hosts set. A shared server logs at the lowest of them. */
import { LEVELS } from './eras.js';

export class LogLevels {
  /** Few hosts set any. */
  #byHost: Map<string, string> | undefined;

  get lowest(): string | undefined {
    const set = new Set(this.#byHost?.values());
    return LEVELS.find((level) => set.has(level));
  }

  of(hostKey: string): string | undefined {
    return this.#byHost?.get(hostKey);
  }

  set(hostKey: string, level: string): void {
    this.#byHost ??= new Map();
    this.#byHost.set(hostKey, level);
  }

  forget(hostKey: string): void {
    this.#byHost?.delete(hostKey);
  }
}

export function isLogLevel(level: unknown): level is string {
  return typeof level === 'string' && LEVELS.includes(level);
}
