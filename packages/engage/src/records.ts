/** Small records that outlive the process: one private file of JSON each, so that several processes can share a folder. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivate, sweepDrafts, writePrivate } from 'footbridge/state';
import type * as z from 'zod/v4';

const ID = /^[A-Za-z0-9_-]{1,128}$/;
const ENDING = '.json';

export class Records<T> {
  readonly #folder: string;
  readonly #schema: z.ZodType<T>;

  constructor(folder: string, schema: z.ZodType<T>) {
    this.#folder = folder;
    this.#schema = schema;
  }

  /** Undefined where there is none, or none that can be understood. `id` may be anything a caller wrote. */
  async get(id: string): Promise<T | undefined> {
    if (!ID.test(id)) return undefined;
    const text = await readFile(this.#file(id), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : this.#parse(text);
  }

  async put(id: string, record: T): Promise<void> {
    await writePrivate(this.#file(id), JSON.stringify(record));
  }

  /** Puts a record where none is, and says whether that was so, also when several processes try at once. */
  create(id: string, record: T): Promise<boolean> {
    return createPrivate(this.#file(id), JSON.stringify(record));
  }

  async remove(id: string): Promise<void> {
    if (ID.test(id)) await rm(this.#file(id), { force: true });
  }

  /** Every record by its id. */
  async all(): Promise<ReadonlyMap<string, T>> {
    const names = await readdir(this.#folder).catch(() => []);
    const found = new Map<string, T>();
    for (const name of names) {
      if (!name.endsWith(ENDING)) continue;
      const id = name.slice(0, -ENDING.length);
      const record = await this.get(id);
      if (record !== undefined) found.set(id, record);
    }
    return found;
  }

  /** Removes what is over, and what a process that ended half-way left behind. */
  async sweep(isOver: (record: T) => boolean): Promise<void> {
    for (const [id, record] of await this.all()) if (isOver(record)) await this.remove(id);
    await sweepDrafts(this.#folder);
  }

  #file(id: string): string {
    if (!ID.test(id)) throw new TypeError('this is no id of a record');
    return join(this.#folder, `${id}${ENDING}`);
  }

  #parse(text: string): T | undefined {
    try {
      const parsed = this.#schema.safeParse(JSON.parse(text));
      return parsed.success ? parsed.data : undefined;
    } catch {
      return undefined;
    }
  }
}
