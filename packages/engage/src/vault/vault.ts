/** Secrets at rest: one private file each, encrypted, with what may be read in clear bound to it. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, systemCode } from 'footbridge/pack';
import { sweepDrafts, writePrivate } from 'footbridge/state';
import * as z from 'zod/v4';
import { Failure } from '../failure.js';
import { canonicalJson } from './canonical.js';
import { HeaderFile, type Opened, readText } from './header-file.js';
import { HOW_TO_MAKE_A_KEY } from './key.js';
import { seal, unseal } from './seal.js';

const FOLDER = 'connections';
const ENDING = '.sealed';
const ID = /^[A-Za-z0-9_-]{1,128}$/;
const HEX = z.string().regex(/^(?:[0-9a-f]{2})+$/);
const FILE = z.strictObject({ clear: z.unknown(), nonce: HEX, sealed: HEX, version: z.literal(1) });

export interface VaultOptions<T extends object> {
  readonly stateFolder: string;
  /** Without one nothing is ever stored. */
  readonly key: Buffer | undefined;
  /** What is kept in clear beside the secret. */
  readonly schema: z.ZodType<T>;
}

export interface Kept<T> {
  readonly clear: T;
  readonly secret: string;
}

/** Nothing is remembered between calls, so that several processes, or an operator, may change the folder meanwhile. */
export class Vault<T extends object> {
  readonly #folder: string;
  readonly #header: HeaderFile;
  readonly #key: Buffer | undefined;
  readonly #schema: z.ZodType<T>;

  constructor({ stateFolder, key, schema }: VaultOptions<T>) {
    this.#folder = join(stateFolder, FOLDER);
    this.#header = new HeaderFile(this.#folder, async () => (await this.#ids()).length > 0);
    this.#key = key;
    this.#schema = schema;
  }

  /** Refuses as `put` would, before anyone goes to the trouble of having a secret. */
  async ready(): Promise<void> {
    await this.#open();
  }

  async put(id: string, clear: T, secret: string): Promise<void> {
    const file = this.#file(id);
    const { header, key } = await this.#open();
    await writePrivate(file, canonicalJson({ ...seal(key, secret, bound(id, clear)), clear, version: 1 }));
    // Another process may have begun the vault anew, while there was no record in it: nobody could ever read this one.
    if ((await this.#header.read()) !== header) {
      await rm(file, { force: true });
      throw anotherKey();
    }
  }

  /** Undefined where there is none; refuses one that is not as it was put. `id` may be anything a caller wrote. */
  async get(id: string): Promise<Kept<T> | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readText(this.#file(id));
    if (text === undefined) return undefined;
    const { key } = await this.#open();
    const kept = this.#parse(id, text, key);
    if (kept === undefined) throw damaged();
    return kept;
  }

  /** Every record by its id. Refuses if one is refused, unless someone hears of it: then that one is left out. */
  async all(refused?: (id: string, failure: Failure) => void): Promise<ReadonlyMap<string, Kept<T>>> {
    const found = new Map<string, Kept<T>>();
    const ids = await this.#ids();
    if (ids.length > 0) await this.#open();
    for (const id of ids) {
      try {
        const kept = await this.get(id);
        if (kept !== undefined) found.set(id, kept);
      } catch (cause) {
        if (refused === undefined || !(cause instanceof Failure)) throw cause;
        refused(id, cause);
      }
    }
    return found;
  }

  async remove(id: string): Promise<void> {
    if (ID.test(id)) await rm(this.#file(id), { force: true });
  }

  /** Removes what a process that was killed while it wrote left behind. */
  async sweep(): Promise<void> {
    await sweepDrafts(this.#folder);
  }

  async #open(): Promise<Opened> {
    if (this.#key === undefined) {
      throw new Failure('vault_key_required', 'This server has no key to keep secrets with, so it takes none.', HOW_TO_MAKE_A_KEY);
    }
    const { header, key } = await this.#header.open(this.#key);
    if (header === undefined) throw damaged();
    if (key === undefined) throw anotherKey();
    return { header, key };
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((cause: unknown) => (systemCode(cause) === 'ENOENT' ? [] : Promise.reject(cause)));
    return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new TypeError('this is no id of a record');
    return join(this.#folder, `${id}${ENDING}`);
  }

  #parse(id: string, text: string, key: Buffer): Kept<T> | undefined {
    const file = FILE.safeParse(parseJson(text));
    if (!file.success || canonicalJson(file.data) !== text) return undefined;
    const secret = unseal(key, file.data, bound(id, file.data.clear));
    const clear = this.#schema.safeParse(file.data.clear);
    return secret === undefined || !clear.success ? undefined : { clear: clear.data, secret };
  }
}

const ACTION = `Start the server with the key they were made with, or remove the folder \`${FOLDER}\` of its state folder and connect anew.`;

function anotherKey(): Failure {
  return new Failure('vault_refused', 'The connections stored here were made with another key.', ACTION);
}

function damaged(): Failure {
  return new Failure('vault_refused', 'What is stored of a connection is not as this server wrote it.', ACTION);
}

/** What a secret is bound to: a record under another name, or with another field, does not open. */
function bound(id: string, clear: unknown): string {
  return canonicalJson({ clear, id, version: 1 });
}
