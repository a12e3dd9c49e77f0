/** The files of one server: the digest of a text, and the text. Long ones are written and read in several turns. */
import { createHash } from 'node:crypto';
import { closeSync, readFile, statSync, utimesSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { LARGE_JSON, parseText } from '../../json-turns.js';
import { keepFile, keepInTurns, openKept, readKept } from '../../kept-file.js';
import { atOnce, inTurns, Turns } from '../../turns.js';
import { VERSION } from '../../version.js';
import type { UpstreamListing } from './listing.js';
import type { UpstreamServer } from './options.js';
import { type Remembered, StoredReader, storedPieces } from './stored-lists.js';

/** Increase when the stored format changes. */
const FORMAT = 6;
const PREFIX = 'server-';
/** Reading a larger file would take too long. */
const LARGEST = 32 * 1024 * 1024;
/** Bytes of a file that is read at once. */
const SHORT = LARGE_JSON;
/** Characters of a piece that is written, and bytes of one that is read. */
const PIECE = 128 * 1024;
const LINE_END = 0x0a;
/** In place of lists, before the state of the program. */
const SLOW = 'slow\n';

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

/** The text of lists, to be written. */
export interface ListsText {
  readonly digest: string;
  readonly pieces: readonly Uint8Array[];
}

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

  /** When the file was written or confirmed; undefined if it does not exist. */
  timeOf(variant: string): number | undefined {
    return statSync(this.#fileOf(variant), { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Whether its lists are too long to be read at once. */
  isLong(variant: string): boolean {
    return (statSync(this.#fileOf(variant), { throwIfNoEntry: false })?.size ?? 0) > SHORT;
  }

  /** Lists that are not long. */
  read(variant: string): StoredLists | undefined {
    try {
      const file = this.#fileOf(variant);
      const { mtimeMs, size } = statSync(file);
      if (size > SHORT) return undefined;
      const bytes = readKept(file);
      this.wasSlow = bytes.indexOf(SLOW) === 0 && bytes.toString('utf8', SLOW.length) === programOf(this.#server);
      const start = bytes.indexOf(LINE_END) + 1;
      const text = bytes.subarray(start);
      const digest = bytes.toString('latin1', 0, Math.max(0, start - 1));
      if (listsDigest(text) !== digest) return undefined;
      const reader = new StoredReader();
      for (const line of text.toString('utf8').trimEnd().split('\n')) reader.take(JSON.parse(line));
      return this.#stored(reader, variant, digest, mtimeMs);
    } catch {
      return undefined;
    }
  }

  /** Any lists, in several turns. */
  async readInTurns(variant: string): Promise<StoredLists | undefined> {
    try {
      const file = this.#fileOf(variant);
      const { mtimeMs, size } = statSync(file);
      if (size > LARGEST) return undefined;
      const bytes = await readLong(file);
      const start = bytes.indexOf(LINE_END) + 1;
      const digest = bytes.toString('latin1', 0, Math.max(0, start - 1));
      const turns = new Turns();
      const hash = createHash('sha256');
      for (let at = start; at < bytes.length; at += PIECE) {
        hash.update(bytes.subarray(at, at + PIECE));
        if (turns.isOver) await turns.next();
      }
      if (hash.digest('hex') !== digest) return undefined;
      const reader = new StoredReader();
      for (let at = start; at < bytes.length; ) {
        const end = bytes.indexOf(LINE_END, at);
        const parsed = await parseText(bytes.toString('utf8', at, end));
        if (!('value' in parsed)) return undefined;
        reader.take(parsed.value);
        at = end + 1;
        if (turns.isOver) await turns.next();
      }
      return this.#stored(reader, variant, digest, mtimeMs);
    } catch {
      return undefined;
    }
  }

  #stored(reader: StoredReader, variant: string, digest: string, at: number): StoredLists | undefined {
    const found = reader.finish({ key: this.#keyOf(), variant });
    return found === undefined ? undefined : { ...found, digest, at };
  }

  /** What `write` stores; undefined where it is too much. */
  textOf(variant: string, listing: Remembered): ListsText | undefined {
    return atOnce(this.#textSteps(variant, listing));
  }

  textInTurns(variant: string, listing: Remembered): Promise<ListsText | undefined> {
    return inTurns(this.#textSteps(variant, listing));
  }

  *#textSteps(variant: string, listing: Remembered): Generator<void, ListsText | undefined> {
    const hash = createHash('sha256');
    const pieces: Uint8Array[] = [];
    let size = 0;
    let text = '';
    const add = () => {
      const piece = Buffer.from(text);
      hash.update(piece);
      pieces.push(piece);
      size += piece.length;
      text = '';
    };
    for (const piece of storedPieces({ key: this.#keyOf(), variant, program: programOf(this.#server) }, listing)) {
      text += piece;
      if (text.length > PIECE) add();
      if (size > LARGEST) return undefined;
      yield;
    }
    add();
    const digest = hash.digest('hex');
    return { digest, pieces: [Buffer.from(`${digest}\n`), ...pieces] };
  }

  write(variant: string, { pieces }: ListsText): void {
    keepFile(this.#folder, PREFIX, this.#nameOf(variant), [Buffer.concat(pieces)]);
  }

  writeInTurns(variant: string, { pieces }: ListsText): Promise<void> {
    return keepInTurns(this.#folder, PREFIX, this.#nameOf(variant), pieces);
  }

  writeSlow(variant: string): void {
    keepFile(this.#folder, PREFIX, this.#nameOf(variant), [Buffer.from(`${SLOW}${programOf(this.#server)}`)]);
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

async function readLong(file: string): Promise<Buffer> {
  const { descriptor } = openKept(file);
  try {
    return await promisify(readFile)(descriptor);
  } finally {
    closeSync(descriptor);
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
  const words = [...(/[/\\]/.test(command) ? [command] : []), ...args.slice(0, MAX_WORDS).filter((word) => SCRIPT.test(word))];
  return words
    .map((word) => {
      const found = statSync(resolve(cwd, word), { throwIfNoEntry: false });
      return found?.isFile() === true ? `${found.size} ${found.mtimeMs}` : '';
    })
    .join();
}

/** Other files may be the server's data, which change whenever it runs. */
const SCRIPT = /^[^\0]{1,1000}\.(?:[cm]?[jt]s|py|rb|sh|pl|php|lua|jar|wasm)$/;
const MAX_WORDS = 8;

export function listsDigest(text: string | Uint8Array): string {
  return createHash('sha256').update(text).digest('hex');
}
