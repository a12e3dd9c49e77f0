/** The header where a vault keeps it: made by whoever is first, and replaced only while it protects nothing. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from 'footbridge/pack';
import { createPrivate } from 'footbridge/state';
import { newHeader, recordKey } from './header.js';

const NAME = 'vault.json';

/** A header with the key of the records that it stands for. */
export interface Opened {
  readonly header: string;
  readonly key: Buffer;
}

/** Nothing is remembered: another process may do all of this at the same time, under another key. */
export class HeaderFile {
  readonly #file: string;
  readonly #hasRecords: () => Promise<boolean>;

  constructor(folder: string, hasRecords: () => Promise<boolean>) {
    this.#file = join(folder, NAME);
    this.#hasRecords = hasRecords;
  }

  /** Undefined where there is none. */
  read(): Promise<string | undefined> {
    return readText(this.#file);
  }

  /** What records are under now; without a header where it is lost, and without a key where they were made with another. */
  async open(key: Buffer): Promise<Partial<Opened>> {
    const found = openedBy(await this.#readOrMake(key), key);
    if (found.key !== undefined || found.header === undefined || (await this.#hasRecords())) return found;
    await this.#giveUp(found.header);
    return openedBy(await this.#readOrMake(key), key);
  }

  async #readOrMake(key: Buffer): Promise<string | undefined> {
    const text = await this.read();
    if (text !== undefined) return text;
    // A header is there before the first record, so records without one have lost it, unless someone makes both at this moment.
    // A new one would make them unreadable for ever.
    if (!(await this.#hasRecords())) await createPrivate(this.#file, newHeader(key));
    return this.read();
  }

  /**
   * Takes a header away that is in nobody's use. Who put a record under it meanwhile either finds it gone afterwards, and takes
   * the record back, or was earlier: then the record is seen here, and the header put back.
   */
  async #giveUp(header: string): Promise<void> {
    const aside = `${this.#file}.${randomBytes(8).toString('hex')}.aside`;
    try {
      await rename(this.#file, aside);
      const isAnother = (await readText(aside)) !== header;
      if (isAnother || (await this.#hasRecords())) await link(aside, this.#file);
    } catch (cause) {
      // Somebody else was faster.
      const code = systemCode(cause);
      if (code !== 'ENOENT' && code !== 'EEXIST') throw cause;
    } finally {
      await rm(aside, { force: true });
    }
  }
}

function openedBy(header: string | undefined, key: Buffer): Partial<Opened> {
  if (header === undefined) return {};
  const own = recordKey(header, key);
  return own === undefined ? { header } : { header, key: own };
}

/** Undefined where there is no file. Bytes that are no text make one that no record has. */
export async function readText(file: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) ? text : '';
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
