/** Caches the lists of a server, so that hosts see them while it starts. */
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { isLargeJson } from '../../json-pieces.js';
import type { HostPeer } from '../forwarding.js';
import { ListFiles, type ListsState, programOf, type StoredLists } from './list-files.js';
import type { UpstreamListing } from './listing.js';
import type { MemoryPacks } from './memory-pack.js';
import type { UpstreamServer } from './options.js';
import type { Remembered } from './stored-lists.js';

/** Older lists are read again, even without calls. */
export const FRESH_MS = 24 * 3600_000;

export interface Memory {
  /** `variant`: what else the lists may depend on. A promise only where the lists are long. */
  load(variant: string): UpstreamListing | undefined | Promise<UpstreamListing | undefined>;
  /**
   * After `load`: whether the lists are of today, and of the same program; `newer` are those that another process has stored since
   * they were packed.
   */
  check(variant: string): Promise<{ readonly isFresh: boolean; readonly newer?: UpstreamListing }>;
  /** Also confirms unchanged lists. `isComplete`: whether every list has been read. At once, unless the lists are long. */
  save(variant: string, listing: Remembered, isComplete: boolean): Promise<void>;
  /** After `load`: whether nothing is cached because the server was too slow when it was asked last. */
  readonly wasSlow: boolean;
  /** Notes that the server did not list what it offers in time, where nothing is cached. */
  noteSlow(variant: string): void;
}

/** A server may list different things for another era, client or capability. */
export function variantOf(era: ProtocolEra, host: HostPeer | undefined): string {
  if (host === undefined) return era;
  const known = variants.get(host);
  if (known?.era === era) return known.variant;
  const variant = JSON.stringify([era, host.clientInfo['name'], host.capabilities]);
  variants.set(host, { era, variant });
  return variant;
}

/** Each of many servers asks for that of the same host. */
const variants = new WeakMap<HostPeer, { readonly era: ProtocolEra; readonly variant: string }>();

/** One file per configuration of a server and version of Footbridge; a pack has many of them in one. */
export class ServerMemory implements Memory {
  readonly #folder: string;
  readonly #name: string;
  readonly #server: UpstreamServer;
  readonly #oneHost: boolean;
  readonly #packs: MemoryPacks | undefined;
  /** What was loaded or saved last; undefined where that is still in the pack. */
  #known: ListsState | undefined;
  #isConfirmed = false;
  #ownFiles: ListFiles | undefined;

  private constructor(folder: string, name: string, server: UpstreamServer, oneHost: boolean, packs: MemoryPacks | undefined) {
    this.#folder = folder;
    this.#name = name;
    this.#server = server;
    this.#oneHost = oneHost;
    this.#packs = packs;
  }

  static of(
    folder: string,
    name: string,
    server: UpstreamServer,
    oneHost: boolean,
    packs: MemoryPacks | undefined,
  ): ServerMemory | undefined {
    // A server in this process needs no cache, and what an untrusted one listed before is not shown.
    return 'server' in server || 'held' in server ? undefined : new ServerMemory(folder, name, server, oneHost, packs);
  }

  load(variant: string): ReturnType<Memory['load']> {
    const packed = this.#packs?.find(variant, this.#name);
    if (packed !== undefined) return packed;
    const stored = this.#files.read(variant);
    if (stored !== undefined) {
      this.#packs?.missed(variant);
      return this.#take(stored);
    }
    // These are in no pack.
    return this.#files.isLong(variant) ? this.#files.readInTurns(variant).then((each) => each && this.#take(each)) : undefined;
  }

  async check(variant: string): ReturnType<Memory['check']> {
    const { at, digest } = this.#stored(variant);
    const storedAt = this.#files.timeOf(variant);
    const isOther = storedAt !== undefined && storedAt !== at;
    const stored = isOther ? (this.#files.read(variant) ?? (await this.#files.readInTurns(variant))) : undefined;
    const isSame = stored === undefined || stored.digest === digest;
    if (stored !== undefined) {
      this.#take(stored);
      if (!isSame) this.#packs?.changed(variant);
    }
    const { at: confirmedAt, program } = this.#stored(variant);
    this.#isConfirmed = Date.now() - confirmedAt < FRESH_MS && program === programOf(this.#server);
    return { isFresh: this.#isConfirmed, ...(isSame ? {} : { newer: stored.listing }) };
  }

  async save(variant: string, listing: Remembered): Promise<void> {
    const isLong = isLargeJson(listing);
    const text = isLong ? await this.#files.textInTurns(variant, listing) : this.#files.textOf(variant, listing);
    if (text === undefined) return;
    const { digest } = text;
    const stored = this.#stored(variant);
    if (digest === stored.digest) {
      if (!this.#isConfirmed) this.#files.confirm(variant);
      this.#isConfirmed = true;
      return;
    }
    this.#known = { ...stored, digest };
    this.#isConfirmed = true;
    if (isLong) await this.#files.writeInTurns(variant, text);
    else this.#files.write(variant, text);
    this.#packs?.changed(variant);
  }

  get wasSlow(): boolean {
    return this.#ownFiles?.wasSlow === true;
  }

  noteSlow(variant: string): void {
    if (this.#stored(variant).digest === '') this.#files.writeSlow(variant);
  }

  get #files(): ListFiles {
    this.#ownFiles ??= new ListFiles(this.#folder, this.#server, this.#oneHost);
    return this.#ownFiles;
  }

  #stored(variant: string): ListsState {
    this.#known ??= this.#packs?.storedStateOf(variant, this.#name) ?? NOTHING_STORED;
    return this.#known;
  }

  #take({ listing, ...stored }: StoredLists): UpstreamListing {
    this.#known = stored;
    return listing;
  }
}

const NOTHING_STORED: ListsState = { program: '', digest: '', at: 0 };
