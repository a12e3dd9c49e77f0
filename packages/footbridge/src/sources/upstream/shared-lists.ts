/** The lists of a server that replicas share, so that one of them asks the server. */
import { setTimeout } from 'node:timers/promises';
import { largeJson } from '../../json-pieces.js';
import { listsKeyOf, programOf } from './list-files.js';
import type { Memory } from './memory.js';
import type { UpstreamServer } from './options.js';
import { rememberedIn } from './remembered.js';
import type { Remembered } from './stored-lists.js';

/** Where replicas find what others have stored. Each operation may reject while they cannot be reached. */
export interface SharedLists {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, lifeMs: number): Promise<void>;
  /** A lock that ends by itself after its life, or a few seconds after its holder was killed; undefined while another holds it. */
  lock(key: string, lifeMs: number): Promise<(() => Promise<void>) | undefined>;
  /** Notifies the other replicas that a value has changed. */
  announce(key: string): void;
  /** Calls `listener` with each key that another replica announced. Returns a function that stops that. */
  onAnnounced(listener: (key: string) => void): () => void;
}

/** How long a list is valid without confirmation by the replica that stored it. */
export const LIFE_MS = 10 * 60_000;
const CONFIRM_MS = LIFE_MS / 3;
/** Longer than a start that installs packages. */
const LOCK_MS = 180_000;
/** How long another replica may take to list, before this one asks, too. */
const WAIT_MS = 10_000;
/** How long the store may take to be reached after the start. */
const CONNECT_MS = 500;
const LOOK_AGAIN_MS = 50;
/** Characters. Larger lists are not shared. */
const LARGEST = 4 * 1024 * 1024;

export class SharedListing {
  readonly #lists: SharedLists;
  readonly #server: UpstreamServer;
  /** Undefined until it is looked for. */
  #name: string | undefined;
  /** The text that was stored or found last. */
  #text = '';
  #release: (() => Promise<void>) | undefined;
  #confirmation: NodeJS.Timeout | undefined;
  readonly #stop: () => void;

  /** `changed` is called with what another replica has stored. */
  constructor(lists: SharedLists, server: UpstreamServer, changed: (listing: Remembered) => Promise<void>) {
    this.#lists = lists;
    this.#server = server;
    this.#stop = lists.onAnnounced((key) => {
      if (key === this.#name) void this.#reload(changed);
    });
  }

  /** The lists that another replica has stored, or is about to store; undefined if this replica has to ask the server. */
  async find(): Promise<Remembered | undefined> {
    // Another version of its program may list something else.
    const name = `upstream:${listsKeyOf(this.#server, false, programOf(this.#server))}`;
    if (name !== this.#name) this.#text = '';
    this.#name = name;
    try {
      const known = await this.#reach();
      if (known !== undefined) return known;
      this.#release = await this.#lists.lock(`${this.#name}:asking`, LOCK_MS);
      // It may have been stored just before.
      for (const end = Date.now() + WAIT_MS; ; await pause()) {
        const found = await this.#load();
        if (found !== undefined) {
          await this.release();
          return found;
        }
        if (this.#release !== undefined || Date.now() > end) return undefined;
      }
    } catch {
      // If the others cannot be reached, this replica asks the server.
      return undefined;
    }
  }

  /** Keeps lists in a memory, and stores them for the others, confirmed from time to time while `isCurrent` says so of when they were read. */
  around(memory: Memory | undefined, isCurrent: (readAt: number) => boolean): Memory {
    return {
      load: (variant) => memory?.load(variant),
      check: async (variant) => (await memory?.check(variant)) ?? { isFresh: false },
      save: async (variant, listing, isComplete) => {
        const readAt = Date.now();
        const saved = memory?.save(variant, listing, isComplete);
        if (isComplete) void this.#store(await largeJson(listing), isCurrent, readAt);
        await saved;
      },
      get wasSlow() {
        return memory?.wasSlow === true;
      },
      noteSlow: (variant) => memory?.noteSlow(variant),
    };
  }

  /** Lets another replica ask. */
  async release(): Promise<void> {
    const release = this.#release;
    this.#release = undefined;
    await release?.().catch(() => {});
  }

  close(): void {
    this.#name = undefined;
    this.#stop();
    clearTimeout(this.#confirmation);
    void this.release();
  }

  async #store(text: string, isCurrent: (readAt: number) => boolean, readAt: number): Promise<void> {
    const name = this.#name;
    if (name === undefined) return;
    if (text.length <= LARGEST) {
      const isNew = text !== this.#text;
      this.#text = text;
      await this.#lists.set(name, text, LIFE_MS).then(
        () => (isNew ? this.#lists.announce(name) : undefined),
        () => {},
      );
      clearTimeout(this.#confirmation);
      const confirm = () => void (this.#text === text && isCurrent(readAt) ? this.#store(text, isCurrent, readAt) : undefined);
      this.#confirmation = globalThis.setTimeout(confirm, CONFIRM_MS).unref();
    }
    await this.release();
  }

  /** Undefined where nothing is stored. Rejects when the others cannot be reached. */
  async #reach(): Promise<Remembered | undefined> {
    for (const end = Date.now() + CONNECT_MS; ; await pause()) {
      try {
        return await this.#load();
      } catch (cause) {
        if (Date.now() > end) throw cause;
      }
    }
  }

  async #load(): Promise<Remembered | undefined> {
    const text = this.#name === undefined ? undefined : await this.#lists.get(this.#name);
    if (text === undefined || text.length > LARGEST) return undefined;
    const remembered = await rememberedIn(text);
    if (remembered !== undefined) this.#text = text;
    return remembered;
  }

  async #reload(changed: (listing: Remembered) => Promise<void>): Promise<void> {
    const before = this.#text;
    const listing = await this.#load().catch(() => undefined);
    if (listing !== undefined && this.#text !== before && this.#name !== undefined) await changed(listing);
  }
}

/** The lists may differ between callers, and between hosts. */
export function isSharable({
  login,
  oneHost,
  server,
}: {
  readonly login: unknown;
  readonly oneHost: boolean;
  readonly server: UpstreamServer;
}) {
  return !oneHost && login === undefined && server.isolation !== 'caller' && ('command' in server || 'url' in server);
}

function pause(): Promise<void> {
  return setTimeout(LOOK_AGAIN_MS, undefined, { ref: false });
}
