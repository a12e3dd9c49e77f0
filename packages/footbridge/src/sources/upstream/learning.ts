/** Obtains the lists of a server: from another replica that has asked it, otherwise from the server. */
import { announcesAll } from './listing.js';
import { LIFE_MS, type SharedListing } from './shared-lists.js';
import type { Remembered } from './stored-lists.js';
import { type ConnectionSettings, startsOnDemand } from './supervised-connection.js';

export interface LearningOptions extends Pick<ConnectionSettings, 'idleMs' | 'server'> {
  /** Undefined for a single replica. */
  readonly shared: SharedListing | undefined;
  adopt(listing: Remembered): Promise<void>;
  /** Asks the server. */
  connect(): Promise<unknown>;
  isConnected(): boolean;
}

export class Learning {
  readonly #options: LearningOptions;
  #running: Promise<void> | undefined;
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: LearningOptions) {
    this.#options = options;
  }

  start(): void {
    const { shared } = this.#options;
    if (shared === undefined) this.#connect();
    else
      this.#running ??= this.#find(shared).finally(() => {
        this.#running = undefined;
      });
  }

  /** Resolves when it is known whether another replica has asked. */
  async settled(): Promise<void> {
    await this.#running;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#again);
  }

  async #find(shared: SharedListing): Promise<void> {
    const { adopt, isConnected } = this.#options;
    const found = await shared.find();
    if (this.#isClosed) return;
    clearTimeout(this.#again);
    if (found !== undefined) await adopt(found);
    if (this.#isClosed) return;
    if (found === undefined || this.#needsConnection(found)) this.#connect();
    // The replica that asked may be gone by then.
    else
      this.#again = setTimeout(() => {
        if (!isConnected()) this.start();
      }, LIFE_MS).unref();
  }

  /** Whether changes would otherwise go unnoticed. */
  #needsConnection({ handshake }: Remembered): boolean {
    return !startsOnDemand(this.#options) && ('command' in this.#options.server || !announcesAll(handshake));
  }

  #connect(): void {
    const { connect, shared } = this.#options;
    connect().catch(() => shared?.release());
  }
}
