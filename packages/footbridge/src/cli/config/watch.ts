/** Applies edits of the configuration while it is served. */
import { resolve } from 'node:path';
import type { Log } from '../../log.js';
import { FileWatch } from '../file-watch.js';
import { withoutLinks } from '../folders.js';
import type { Surroundings } from '../io.js';
import { settingsDigest } from '../trust/check.js';
import { trustNotice } from '../trust/notice.js';
import { trustFile } from '../trust/record.js';
import type { Config } from './index.js';
import { loadConfig } from './load.js';

/** Keys that take effect after a restart. */
const LASTING = [
  'skills',
  'standardFolders',
  'update',
  'locked',
  'serveSecrets',
  'idle',
  'running',
  'packs',
  'tools',
  'showing',
  'identity',
  'http',
] as const satisfies readonly (keyof Config)[];

export interface ConfigWatchOptions {
  readonly config: Config;
  /** Called when the servers have changed, or what of the file is trusted. */
  readonly changed: (next: Pick<Config, 'mcpServers' | 'untrusted'>) => void;
  readonly log: Log;
  readonly io: Pick<Surroundings, 'cwd' | 'env' | 'home'>;
}

/** An invalid edit is logged once, and the previous configuration stays in effect. */
export class ConfigWatch {
  readonly #file: string;
  readonly #options: ConfigWatchOptions;
  readonly #watch: FileWatch;
  /** Of the record of trust, for a file that needs it. */
  readonly #trust: FileWatch | undefined;
  #current: Config;
  /** As they were last applied. */
  #servers: Config['mcpServers'];
  #reading: Promise<void> = Promise.resolve();
  #lastWarning: string | undefined;

  constructor(file: string, options: ConfigWatchOptions) {
    this.#file = file;
    this.#options = options;
    this.#current = options.config;
    this.#servers = options.config.mcpServers;
    const failed = (cause: unknown) => this.#warn(cause instanceof Error ? cause.message : String(cause));
    const read = () => this.#readNext();
    const { io, log } = options;
    this.#watch = new FileWatch(resolve(io.cwd, file), { read, missing: () => this.#warn(`${file} is gone.`), failed, log });
    if (options.config.isDiscovered === true)
      this.#trust = new FileWatch(trustFile(withoutLinks(io.cwd), io), { read, missing() {}, failed, log });
  }

  close(): void {
    this.#watch.close();
    this.#trust?.close();
  }

  /** One after the other, so that the last one read is the newest. */
  #readNext(): Promise<void> {
    this.#reading = this.#reading.catch(() => {}).then(() => this.#read());
    return this.#reading;
  }

  async #read(): Promise<void> {
    const next = await loadConfig(this.#file, this.#options.io, this.#options.config.isDiscovered === true);
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
    const servers = this.#startable(next);
    const isTrustChanged = differ(next, previous, 'untrusted');
    if (next.untrusted !== undefined && isTrustChanged) log.warn(trustNotice(next.untrusted, this.#options.io));
    if (!isTrustChanged && JSON.stringify(servers) === JSON.stringify(this.#servers)) return;
    this.#servers = servers;
    const names = Object.keys(servers);
    log.info(`${this.#file}: ${names.length === 0 ? 'no servers are configured now' : `the servers are now ${names.join(', ')}`}`);
    changed({ mcpServers: servers, untrusted: next.untrusted });
  }

  /** While an edit is not trusted, only unchanged servers stay. */
  #startable({ mcpServers }: Config): Config['mcpServers'] {
    return Object.fromEntries(
      Object.entries(mcpServers).map(([name, server]) => {
        const before = this.#servers[name];
        const isSame = before !== undefined && 'held' in server && !('held' in before) && settingsDigest(before) === server.settings;
        return [name, isSame ? before : server];
      }),
    );
  }
}

/** The order of servers matters. */
function differ(one: Config, other: Config, key: keyof Config): boolean {
  return JSON.stringify(one[key]) !== JSON.stringify(other[key]);
}
