/** Applies edits of the configuration while it is served. */
import { resolve } from 'node:path';
import type { Log } from '../../log.js';
import { FileWatch } from '../file-watch.js';
import type { Surroundings } from '../io.js';
import type { Config } from './index.js';
import { loadConfig } from './load.js';

/** Keys that take effect after a restart. */
const LASTING = [
  'skills',
  'standardFolders',
  'locked',
  'packs',
  'tools',
  'showing',
  'identity',
  'http',
] as const satisfies readonly (keyof Config)[];

export interface ConfigWatchOptions {
  readonly config: Config;
  /** Called when the servers have changed. */
  readonly changed: (servers: Config['mcpServers']) => void;
  readonly log: Log;
  readonly io: Pick<Surroundings, 'cwd' | 'env' | 'home'>;
}

/** An invalid edit is logged once, and the previous configuration stays in effect. */
export class ConfigWatch {
  readonly #file: string;
  readonly #options: ConfigWatchOptions;
  readonly #watch: FileWatch;
  #current: Config;
  #lastWarning: string | undefined;

  constructor(file: string, options: ConfigWatchOptions) {
    this.#file = file;
    this.#options = options;
    this.#current = options.config;
    this.#watch = new FileWatch(resolve(options.io.cwd, file), {
      read: () => this.#read(),
      missing: () => this.#warn(`${file} is gone.`),
      failed: (cause) => this.#warn(cause instanceof Error ? cause.message : String(cause)),
      log: options.log,
    });
  }

  close(): void {
    this.#watch.close();
  }

  async #read(): Promise<void> {
    const next = await loadConfig(this.#file, this.#options.io);
    this.#lastWarning = undefined;
    if (!this.#watch.isClosed) this.#take(next);
  }

  /** Logs each warning once until the file is valid again. */
  #warn(message: string): void {
    if (message === this.#lastWarning) return;
    this.#lastWarning = message;
    this.#options.log.warn(`${message.replace(/\s+/g, ' ')} The previous configuration stays in effect.`);
  }

  #take(next: Config): void {
    const { changed, config, log } = this.#options;
    const previous = this.#current;
    this.#current = next;
    const lasting = LASTING.filter((key) => differ(next, previous, key) && differ(next, config, key));
    if (lasting.length > 0) log.warn(`${this.#file}: changes of ${lasting.join(', ')} take effect after a restart.`);
    if (!differ(next, previous, 'mcpServers')) return;
    const names = Object.keys(next.mcpServers);
    log.info(`${this.#file}: ${names.length === 0 ? 'no servers are configured now' : `the servers are now ${names.join(', ')}`}`);
    changed(next.mcpServers);
  }
}

/** The order of servers matters. */
function differ(one: Config, other: Config, key: keyof Config): boolean {
  return JSON.stringify(one[key]) !== JSON.stringify(other[key]);
}
