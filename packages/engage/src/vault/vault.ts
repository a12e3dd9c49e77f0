/** Secrets at rest: one private, encrypted file each, with clear-text fields authenticated along with it. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { link, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, systemCode } from 'footbridge/pack';
import { createPrivate, seal, sweepDrafts, unseal, writePrivate } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { canonicalJson, deriveKey, GENERATE_KEY } from './encryption.js';

const FOLDER = 'connections';
const EXTENSION = '.sealed';
const ID = /^[A-Za-z0-9_-]{1,128}$/;
const HEX = z.string().regex(/^(?:[0-9a-f]{2})+$/);
const FILE = z.strictObject({ clear: z.unknown(), nonce: HEX, sealed: HEX, version: z.literal(1) });

export interface VaultOptions<T extends object> {
  readonly stateFolder: string;
  /** Without a key, nothing is stored. */
  readonly key: Buffer | undefined;
  /** Of the clear-text fields. */
  readonly schema: z.ZodType<T>;
}

export interface VaultEntry<T> {
  readonly clear: T;
  readonly secret: string;
}

/** Nothing is cached: other processes, or the operator, may change the folder at any time. */
export class Vault<T extends object> {
  readonly #folder: string;
  readonly #header: VaultHeader;
  readonly #key: Buffer | undefined;
  readonly #schema: z.ZodType<T>;

  constructor({ stateFolder, key, schema }: VaultOptions<T>) {
    this.#folder = join(stateFolder, FOLDER);
    this.#header = new VaultHeader(this.#folder, async () => (await this.#ids()).length > 0);
    this.#key = key;
    this.#schema = schema;
  }

  async assertReady(): Promise<void> {
    await this.#open();
  }

  async put(id: string, clear: T, secret: string): Promise<void> {
    const file = this.#file(id);
    const { header, key } = await this.#open();
    await writePrivate(file, canonicalJson({ ...seal(key, secret, associatedData(id, clear)), clear, version: 1 }));
    // Another process may have replaced the header while the vault was empty: this record would be unreadable.
    if ((await this.#header.read()) !== header) {
      await rm(file, { force: true });
      throw wrongKey();
    }
  }

  /** Undefined if not found; throws if damaged. `id` may be untrusted. */
  async get(id: string): Promise<VaultEntry<T> | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readText(this.#file(id));
    if (text === undefined) return undefined;
    const { key } = await this.#open();
    const entry = this.#parse(id, text, key);
    if (entry === undefined) throw damaged();
    return entry;
  }

  /** All entries by id. Throws if one is damaged, unless `onDamaged` is given: then it is left out. */
  async all(onDamaged?: (id: string) => void): Promise<ReadonlyMap<string, VaultEntry<T>>> {
    const found = new Map<string, VaultEntry<T>>();
    const ids = await this.#ids();
    if (ids.length > 0) await this.#open();
    for (const id of ids) {
      try {
        const entry = await this.get(id);
        if (entry !== undefined) found.set(id, entry);
      } catch (cause) {
        if (onDamaged === undefined || !(cause instanceof Failure)) throw cause;
        onDamaged(id);
      }
    }
    return found;
  }

  async remove(id: string): Promise<void> {
    if (ID.test(id)) await rm(this.#file(id), { force: true });
  }

  /** Removes drafts left behind by a process that was killed. */
  async sweep(): Promise<void> {
    await sweepDrafts(this.#folder);
  }

  async #open(): Promise<OpenHeader> {
    if (this.#key === undefined) {
      throw new Failure('vault_key_required', 'This server has no encryption key, so it cannot store secrets.', GENERATE_KEY);
    }
    const { header, key } = await this.#header.open(this.#key);
    if (header === undefined) throw damaged();
    if (key === undefined) throw wrongKey();
    return { header, key };
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((cause: unknown) => (systemCode(cause) === 'ENOENT' ? [] : Promise.reject(cause)));
    return names.filter((name) => name.endsWith(EXTENSION)).map((name) => name.slice(0, -EXTENSION.length));
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new TypeError('Invalid record id.');
    return join(this.#folder, `${id}${EXTENSION}`);
  }

  #parse(id: string, text: string, key: Buffer): VaultEntry<T> | undefined {
    const file = FILE.safeParse(parseJson(text));
    if (!file.success || canonicalJson(file.data) !== text) return undefined;
    const secret = unseal(key, file.data, associatedData(id, file.data.clear));
    const clear = this.#schema.safeParse(file.data.clear);
    return secret === undefined || !clear.success ? undefined : { clear: clear.data, secret };
  }
}

const ACTION = `Start the server with the original key, or remove the folder \`${FOLDER}\` from its state folder and connect again.`;

function wrongKey(): Failure {
  return new Failure('vault_refused', 'The stored connections were encrypted with another key.', ACTION);
}

function damaged(): Failure {
  return new Failure('vault_refused', 'A stored connection is damaged.', ACTION);
}

/** Binds a secret to its id and clear-text fields. */
function associatedData(id: string, clear: unknown): string {
  return canonicalJson({ clear, id, version: 1 });
}

const NAME = 'vault.json';
const HEX_256 = z.string().regex(/^[0-9a-f]{64}$/);
const HEADER = z.strictObject({ check: HEX_256, salt: HEX_256, version: z.literal(1) });

interface OpenHeader {
  readonly header: string;
  /** Encrypts the records. */
  readonly key: Buffer;
}

/** Nothing is cached: another process may do the same at any time, with another key. */
class VaultHeader {
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
    // and a new one would make them permanently unreadable.
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
async function readText(file: string): Promise<string | undefined> {
  try {
    const bytes = await readFile(file);
    const text = bytes.toString('utf8');
    return Buffer.from(text).equals(bytes) ? text : '';
  } catch (cause) {
    if (systemCode(cause) === 'ENOENT') return undefined;
    throw cause;
  }
}
