/** Noticing that one file was written, replaced or removed, until it is closed. */
import { existsSync, type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Log } from '../log.js';
import { isSettled, type Stamp, sameStamp, stampOf } from '../sources/skills/stamp.js';

/** How long after the last sign of an edit the file is read: editors write in several steps. */
const SETTLE_MS = 100;
/** How often the file is looked at whatever happens: not every change on every file system is told. */
const POLL_MS = 2000;
/** An editor that writes by renaming leaves a moment without the file. */
const MOMENT_MS = 1000;

export interface FileWatchOptions {
  /** Called when the file may be another than before. */
  readonly read: () => Promise<void>;
  /** Called each time that it is looked for in vain, once it is gone for longer than an editor needs. */
  readonly missing: () => void;
  /** Given what `read` threw, unless the file is merely gone for a moment. */
  readonly failed: (cause: unknown) => void;
  readonly log: Log;
}

export class FileWatch {
  readonly #file: string;
  readonly #options: FileWatchOptions;
  readonly #watcher: FSWatcher | undefined;
  readonly #interval: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  /** Of the file as it was last read, unless it is so young that it may change without showing it. */
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
