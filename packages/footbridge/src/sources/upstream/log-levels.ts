/** What several hosts want to have logged by one server: all that any of them wants. */

/** Severities of log messages, least first. */
export const LEVELS: readonly string[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

export class LogLevels {
  readonly #wanted = new Map<string, string>();

  /** The level for all together; undefined while nobody said anything. */
  get lowest(): string | undefined {
    return [...this.#wanted.values()].sort((one, other) => LEVELS.indexOf(one) - LEVELS.indexOf(other))[0];
  }

  set(key: string, level: string): void {
    this.#wanted.set(key, level);
  }

  forget(key: string): void {
    this.#wanted.delete(key);
  }
}
