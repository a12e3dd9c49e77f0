/** Caches the lists of a server, so that hosts see them while it starts. */
import { createHash } from 'node:crypto';
import { statSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ProtocolEra } from '@modelcontextprotocol/server';
import { isFields } from '../../json.js';
import { keepFile, readKept } from '../../kept-file.js';
import { VERSION } from '../../version.js';
import type { HostPeer } from '../forwarding.js';
import { type UpstreamListing, wholeListing } from './listing.js';
import type { MemoryPacks } from './memory-pack.js';
import type { UpstreamServer } from './options.js';

/** Increase when the stored format changes. */
const FORMAT = 5;
const PREFIX = 'server-';
/** Reading a larger file would take too long. */
const LARGEST = 32 * 1024 * 1024;
/** Older lists are read again, even without calls. */
const FRESH_MS = 24 * 3600_000;
/** In place of lists, before the state of the program. */
const SLOW = 'slow\n';

export type Remembered = Omit<UpstreamListing, 'notices'>;

export interface Memory {
  /** `variant`: what else the lists may depend on. */
  load(variant: string): UpstreamListing | undefined;
  /**
   * After `load`: whether the lists are of today, and of the same program; `newer` are those that another process has stored since
   * they were packed.
   */
  check(variant: string): { readonly isFresh: boolean; readonly newer?: UpstreamListing };
  /** Also confirms unchanged lists. `isComplete`: whether every list has been read. */
  save(variant: string, listing: Remembered, isComplete: boolean): void;
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

/** A file as it was stored. */
export interface StoredLists extends ListsState {
  readonly listing: UpstreamListing;
}

/** What says whether it still holds. */
export interface ListsState {
  readonly program: string;
  /** Of the text that was stored. */
  readonly digest: string;
  /** When it was stored or confirmed. */
  readonly at: number;
}

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

  load(variant: string): UpstreamListing | undefined {
    const packed = this.#packs?.find(variant, this.#name);
    if (packed !== undefined) return packed;
    const stored = this.#files.read(variant);
    if (stored === undefined) return undefined;
    this.#packs?.missed(variant);
    return this.#take(stored);
  }

  check(variant: string): ReturnType<Memory['check']> {
    const { at, digest } = this.#stored(variant);
    const storedAt = this.#files.timeOf(variant);
    const stored = storedAt === undefined || storedAt === at ? undefined : this.#files.read(variant);
    const isSame = stored === undefined || stored.digest === digest;
    if (stored !== undefined) {
      this.#take(stored);
      if (!isSame) this.#packs?.changed(variant);
    }
    const { at: confirmedAt, program } = this.#stored(variant);
    this.#isConfirmed = Date.now() - confirmedAt < FRESH_MS && program === programOf(this.#server);
    return { isFresh: this.#isConfirmed, ...(isSame ? {} : { newer: stored.listing }) };
  }

  save(variant: string, listing: Remembered): void {
    const text = this.#files.textOf(variant, listing);
    if (text.length > LARGEST) return;
    const digest = listsDigest(text);
    const stored = this.#stored(variant);
    if (digest === stored.digest) {
      if (!this.#isConfirmed) this.#files.confirm(variant);
      this.#isConfirmed = true;
      return;
    }
    this.#known = { ...stored, digest };
    this.#isConfirmed = true;
    this.#files.write(variant, `${digest}\n${text}`);
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

/** The files of one server: the digest of a text, and the text. */
export class ListFiles {
  readonly #folder: string;
  readonly #server: UpstreamServer;
  readonly #oneHost: boolean;
  #key: string | undefined;
  /** Whether what was read last says that the same program was too slow to list something. */
  wasSlow = false;

  constructor(folder: string, server: UpstreamServer, oneHost: boolean) {
    this.#folder = folder;
    this.#server = server;
    this.#oneHost = oneHost;
  }

  /** When the file was written or confirmed; undefined where there is none. */
  timeOf(variant: string): number | undefined {
    return statSync(this.#fileOf(variant), { throwIfNoEntry: false })?.mtimeMs;
  }

  read(variant: string): StoredLists | undefined {
    try {
      const file = this.#fileOf(variant);
      const { mtimeMs, size } = statSync(file);
      if (size > 4 * LARGEST) return undefined;
      const stored = readKept(file).toString('utf8');
      this.wasSlow = stored.startsWith(SLOW) && stored.slice(SLOW.length) === programOf(this.#server);
      const end = stored.indexOf('\n');
      const digest = stored.slice(0, end);
      const text = stored.slice(end + 1);
      if (listsDigest(text) !== digest) return undefined;
      const value: unknown = JSON.parse(text);
      if (!isFields(value) || value['key'] !== this.#keyOf() || value['variant'] !== variant) return undefined;
      const { listing, program } = value;
      // The digest matched, so the lists need no check.
      return isRemembered(listing) && typeof program === 'string'
        ? { listing: wholeListing({ ...listing, notices: [] }), program, digest, at: mtimeMs }
        : undefined;
    } catch {
      return undefined;
    }
  }

  textOf(variant: string, listing: Remembered): string {
    return JSON.stringify({ key: this.#keyOf(), variant, program: programOf(this.#server), listing });
  }

  write(variant: string, content: string): void {
    keepFile(this.#folder, PREFIX, this.#nameOf(variant), content);
  }

  writeSlow(variant: string): void {
    this.write(variant, `${SLOW}${programOf(this.#server)}`);
  }

  confirm(variant: string): void {
    try {
      utimesSync(this.#fileOf(variant), new Date(), new Date());
    } catch {
      // it is confirmed next time
    }
  }

  #fileOf(variant: string): string {
    return join(this.#folder, `${PREFIX}${this.#nameOf(variant)}`);
  }

  #nameOf(variant: string): string {
    return `${listsDigest(`${this.#keyOf()} ${variant}`).slice(0, 32)}.json`;
  }

  #keyOf(): string {
    this.#key ??= listsKeyOf(this.#server, this.#oneHost);
    return this.#key;
  }
}

/** What lists depend on: the settings that start the server or connect to it. Their values may be secrets, so this is a digest. */
export function listsKeyOf(server: UpstreamServer, oneHost: boolean, ...more: readonly string[]): string {
  return listsDigest(JSON.stringify([FORMAT, VERSION, oneHost, startSettings(server), ...more]));
}

/** What starts a server or leads to it. */
export function startSettings(server: UpstreamServer): readonly unknown[] {
  if ('command' in server) return [server.command, server.args, server.env, server.cwd ?? process.cwd()];
  return 'url' in server ? [server.url, server.headers] : [];
}

/** Size and time of the program that the command names: a server that was edited may list something else. */
export function programOf(server: UpstreamServer): string {
  if (!('command' in server)) return '';
  const { args = [], command, cwd = '' } = server;
  const words = [...(/[/\\]/.test(command) ? [command] : []), ...args.slice(0, MOST_WORDS).filter((word) => SCRIPT.test(word))];
  return words
    .map((word) => {
      const found = statSync(resolve(cwd, word), { throwIfNoEntry: false });
      return found?.isFile() === true ? `${found.size} ${found.mtimeMs}` : '';
    })
    .join();
}

/** Other files may be the server's data, which change whenever it runs. */
const SCRIPT = /^[^\0]{1,1000}\.(?:[cm]?[jt]s|py|rb|sh|pl|php|lua|jar|wasm)$/;
const MOST_WORDS = 8;

export function listsDigest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}

function isRemembered(listing: unknown): listing is Remembered {
  return isFields(listing) && isFields(listing['handshake']);
}
