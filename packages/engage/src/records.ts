/** A store of small JSON records, one private file each, that several processes can share. */
import { readdir, readFile, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson, systemCode } from 'footbridge/pack';
import { createPrivate, sweepDrafts, writePrivate } from 'footbridge/state';
import type * as z from 'zod/v4';

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const EXTENSION = '.json';

export class Records<T> {
  readonly #folder: string;
  readonly #schema: z.ZodType<T>;

  constructor(folder: string, schema: z.ZodType<T>) {
    this.#folder = folder;
    this.#schema = schema;
  }

  /** Undefined for an unknown id or an unreadable record. `id` may be untrusted. */
  async get(id: string): Promise<T | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readFile(this.#file(id), 'utf8').catch(() => '');
    return this.#schema.safeParse(parseJson(text)).data;
  }

  async put(id: string, record: T): Promise<void> {
    await writePrivate(this.#file(id), JSON.stringify(record));
  }

  /** Returns false if the record exists. Atomic across processes. */
  create(id: string, record: T): Promise<boolean> {
    return createPrivate(this.#file(id), JSON.stringify(record));
  }

  async remove(id: string): Promise<void> {
    if (ID.test(id)) await rm(this.#file(id), { force: true });
  }

  /** Removes a record; false if it does not exist. Of concurrent attempts, also of several processes, one succeeds. */
  async take(id: string): Promise<boolean> {
    try {
      await unlink(this.#file(id));
    } catch (cause) {
      if (systemCode(cause) === 'ENOENT') return false;
      throw cause;
    }
    return true;
  }

  async all(): Promise<ReadonlyMap<string, T>> {
    const found = new Map<string, T>();
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (!name.endsWith(EXTENSION)) continue;
      const id = name.slice(0, -EXTENSION.length);
      const record = await this.get(id);
      if (record !== undefined) found.set(id, record);
    }
    return found;
  }

  /** Removes expired records, and drafts left behind by a process that was killed. */
  async sweep(isExpired: (record: T) => boolean): Promise<void> {
    for (const [id, record] of await this.all()) if (isExpired(record)) await this.remove(id);
    await sweepDrafts(this.#folder);
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new TypeError('Invalid record id.');
    return join(this.#folder, `${id}${EXTENSION}`);
  }
}
