/** Noticing that the configuration was edited while it is served. */
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Log } from '../../log.js';
import { isSettled, type Stamp, sameStamp, stampOf } from '../../sources/skills/stamp.js';
import type { Config } from './index.js';
import { loadConfig } from './load.js';

/** How long after the last sign of an edit the file is read: editors write in several steps. */
const SETTLE_MS = 100;
/** How often the file is looked at whatever happens: not every change on every file system is told. */
const POLL_MS = 2000;
/** An editor that writes by renaming leaves a moment without the file. */
const MOMENT_MS = 1000;

/** What counts from the next start. */
const LASTING = ['skills', 'standardFolders', 'packs', 'tools', 'identity', 'http'] as const satisfies readonly (keyof Config)[];

export interface ConfigWatchOptions {
  /** As it was read at the start. */
  readonly config: Config;
  /** Given the servers whenever they are others than before. */
  readonly changed: (servers: Config['mcpServers']) => void;
  readonly log: Log;
}

/** Watches a file until `close`. What is wrong with an edit is logged once, and what was there before goes on. */
export class ConfigWatch {
  readonly #file: string;
  readonly #options: ConfigWatchOptions;
  readonly #watcher: FSWatcher | undefined;
  readonly #interval: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #current: Config;
  /** Of the file as it was last read, unless it is so young that it may change without showing it. */
  #seen: Stamp | undefined;
  #complaint: string | undefined;
  #missingSince: number | undefined;
  #looking = false;
  #closed = false;

  constructor(file: string, options: ConfigWatchOptions) {
    this.#file = file;
    this.#options = options;
    this.#current = options.config;
    this.#watcher = this.#watchFolder();
    this.#interval = setInterval(() => this.#look(), POLL_MS).unref();
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    clearInterval(this.#interval);
    clearTimeout(this.#timer);
  }

  /** The folder and not the file, since an edit often puts another file in its place. */
  #watchFolder(): FSWatcher | undefined {
    const path = resolve(this.#file);
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(path)) this.#lookSoon();
      });
      return watcher.on('error', () => watcher.close());
    } catch (cause) {
      // Then looking now and then has to do.
      this.#options.log.debug(`${dirname(path)} cannot be watched: ${String(cause)}`);
      return undefined;
    }
  }

  #lookSoon(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), SETTLE_MS).unref();
  }

  #look(): void {
    // Another edit while the last one is read is looked at afterwards.
    if (this.#looking) {
      this.#lookSoon();
      return;
    }
    this.#looking = true;
    this.#read()
      .catch((cause: unknown) => this.#complain(cause instanceof Error ? cause.message : String(cause)))
      .finally(() => {
        this.#looking = false;
      });
  }

  async #read(): Promise<void> {
    const stats = statSync(this.#file, { throwIfNoEntry: false });
    if (stats === undefined) return this.#miss();
    this.#missingSince = undefined;
    if (this.#seen !== undefined && sameStamp(this.#seen, stats)) return;
    const stamp = stampOf(stats);
    this.#seen = isSettled(stamp, Date.now()) ? stamp : undefined;
    const next = await loadConfig(this.#file, process.env);
    this.#complaint = undefined;
    if (!this.#closed) this.#take(next);
  }

  #miss(): void {
    this.#seen = undefined;
    this.#missingSince ??= Date.now();
    if (Date.now() - this.#missingSince > MOMENT_MS) this.#complain(`${this.#file} is gone.`);
  }

  /** Each complaint once, until the file is good again. */
  #complain(message: string): void {
    if (this.#closed || message === this.#complaint || (this.#missingSince === undefined && !existsSync(this.#file))) return;
    this.#complaint = message;
    this.#options.log.warn(`${message.replace(/\s+/g, ' ')} What it said before goes on.`);
  }

  #take(next: Config): void {
    const { changed, config, log } = this.#options;
    const previous = this.#current;
    this.#current = next;
    const lasting = LASTING.filter((key) => differ(next, previous, key) && differ(next, config, key));
    if (lasting.length > 0) log.warn(`${this.#file}: what changed under ${lasting.join(', ')} counts from the next start.`);
    if (!differ(next, previous, 'mcpServers')) return;
    const names = Object.keys(next.mcpServers);
    log.info(`${this.#file}: ${names.length === 0 ? 'there are no servers any more' : `the servers are ${names.join(', ')} now`}`);
    changed(next.mcpServers);
  }
}

/** The order of servers counts too. */
function differ(one: Config, other: Config, key: keyof Config): boolean {
  return JSON.stringify(one[key]) !== JSON.stringify(other[key]);
}
