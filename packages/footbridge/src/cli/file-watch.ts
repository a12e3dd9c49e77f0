/** Watches one file. */
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Log } from '../log.js';
import { isSettled, type Stamp, sameStamp, stampOf } from '../sources/skills/stamp.js';

/** Delay after the last event, since editors write in several steps. */
const SETTLE_MS = 100;
/** Polling interval, for file systems that do not report every change. */
const POLL_MS = 2000;
/** An editor that replaces the file removes it for a moment. */
const MOMENT_MS = 1000;

interface FileWatchOptions {
  /** Called when the file may have changed. */
  readonly read: () => Promise<void>;
  /** Called at each poll while the file is missing for longer than an editor needs. */
  readonly missing: () => void;
  /** Receives what `read` threw, unless the file is missing for a moment only. */
  readonly failed: (cause: unknown) => void;
  readonly log: Log;
}

export class FileWatch {
  readonly #file: string;
  readonly #options: FileWatchOptions;
  readonly #watcher: FSWatcher | undefined;
  readonly #interval: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  /** Undefined while the file is so new that another write could leave the same time stamp. */
  #seen: Stamp | undefined;
  #missingSince: number | undefined;
  #looking = false;
  #closed = false;

  constructor(file: string, options: FileWatchOptions) {
    this.#file = file;
    this.#options = options;
    this.#watcher = this.#watchFolder();
    this.#interval = setInterval(() => this.#look(), POLL_MS).unref();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  close(): void {
    this.#closed = true;
    this.#watcher?.close();
    clearInterval(this.#interval);
    clearTimeout(this.#timer);
  }

  /** Watches the folder, because editors often replace the file. */
  #watchFolder(): FSWatcher | undefined {
    const path = resolve(this.#file);
    try {
      const watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
        if (name === null || name === basename(path)) this.#lookSoon();
      });
      return watcher.on('error', () => watcher.close());
    } catch (cause) {
      // Polling remains.
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
    // Changes during a read are read afterwards.
    if (this.#looking) {
      this.#lookSoon();
      return;
    }
    this.#looking = true;
    this.#read()
      .catch((cause: unknown) => {
        if (!this.#closed && (this.#missingSince !== undefined || existsSync(this.#file))) this.#options.failed(cause);
      })
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
    await this.#options.read();
  }

  #miss(): void {
    this.#seen = undefined;
    this.#missingSince ??= Date.now();
    if (Date.now() - this.#missingSince > MOMENT_MS) this.#options.missing();
  }
}
