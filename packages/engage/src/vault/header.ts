/** The vault's header file: a salt and a key check value. Created by the first process, replaced only while the vault is empty. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { link, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, systemCode } from 'footbridge/pack';
import { createPrivate } from 'footbridge/state';
import * as z from 'zod/v4';
import { canonicalJson, deriveKey } from './encryption.js';

const NAME = 'vault.json';
const HEX = z.string().regex(/^[0-9a-f]{64}$/);
const HEADER = z.strictObject({ check: HEX, salt: HEX, version: z.literal(1) });

export interface OpenHeader {
  readonly header: string;
  /** Encrypts the records. */
  readonly key: Buffer;
}

/** Nothing is cached: another process may do the same at any time, with another key. */
export class VaultHeader {
  readonly #file: string;
  readonly #hasRecords: () => Promise<boolean>;

  constructor(folder: string, hasRecords: () => Promise<boolean>) {
    this.#file = join(folder, NAME);
    this.#hasRecords = hasRecords;
  }

  read(): Promise<string | undefined> {
    return readText(this.#file);
  }

  /** `header` is missing if it was lost, `key` if the records were encrypted with another operator key. */
  async open(operatorKey: Buffer): Promise<Partial<OpenHeader>> {
    const found = openedBy(await this.#readOrCreate(operatorKey), operatorKey);
    if (found.key !== undefined || found.header === undefined || (await this.#hasRecords())) return found;
    await this.#discard(found.header);
    return openedBy(await this.#readOrCreate(operatorKey), operatorKey);
  }

  async #readOrCreate(operatorKey: Buffer): Promise<string | undefined> {
    const text = await this.read();
    if (text !== undefined) return text;
    // The header is written before the first record. If there are records, it was lost (or is being written right now),
    // and a new one would make them unreadable for good.
    if (!(await this.#hasRecords())) await createPrivate(this.#file, newHeader(operatorKey));
    return this.read();
  }

  /**
   * Removes an unused header. A concurrent writer either finds it gone after writing its record and removes the record, or
   * wrote earlier: then the record is found here, and the header is put back.
   */
  async #discard(header: string): Promise<void> {
    const aside = `${this.#file}.${randomBytes(8).toString('hex')}.aside`;
    try {
      await rename(this.#file, aside);
      const isAnother = (await readText(aside)) !== header;
      if (isAnother || (await this.#hasRecords())) await link(aside, this.#file);
    } catch (cause) {
      // Another process was faster.
      const code = systemCode(cause);
      if (code !== 'ENOENT' && code !== 'EEXIST') throw cause;
    } finally {
      await rm(aside, { force: true });
    }
  }
}

function newHeader(operatorKey: Buffer): string {
  const salt = randomBytes(32);
  return canonicalJson({ check: deriveKey('check', operatorKey, salt).toString('hex'), salt: salt.toString('hex'), version: 1 });
}

function openedBy(header: string | undefined, operatorKey: Buffer): Partial<OpenHeader> {
  const { data } = HEADER.safeParse(header === undefined ? undefined : parseJson(header));
  if (data === undefined || canonicalJson(data) !== header) return { header };
  const salt = Buffer.from(data.salt, 'hex');
  const isSameKey = timingSafeEqual(deriveKey('check', operatorKey, salt), Buffer.from(data.check, 'hex'));
  return isSameKey ? { header, key: deriveKey('records', operatorKey, salt) } : { header };
}

/** Undefined if the file does not exist; empty if it is not valid UTF-8. */
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
