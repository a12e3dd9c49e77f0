/** The logins of one person to servers: an encrypted file each, shared by all processes. */
import { createHash } from 'node:crypto';
import { existsSync, unwatchFile, watchFile } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sealText, unsealText } from '../../../state/encryption.js';
import { claimPrivateFolder, sweepDrafts, writePrivate } from '../../../state/index.js';
import { isLocked, tryLock, withLock } from '../../../state/lock-file.js';
import type { OAuthSettings } from '../options.js';
import { type KeyPlaces, LoginKeys, readIfThere, statIfThere } from './login-keys.js';
import { type KeyPlace, type LoginRecord, type LoginStorage, loginRecordIn } from './login-storage.js';

const EXTENSION = '.login';
const NAME = /^[0-9a-f]{32}\.login$/;
const ADVICE = 'Set XDG_STATE_HOME to a folder of your own.';
/** Longer than a renewal may take. */
const CLAIM_MS = 60_000;
/** The polling interval for changes by other processes. */
const LOOK_MS = 1000;

/** Equal for servers that share a login. */
export function loginId(url: string, settings: OAuthSettings): string {
  const { clientId = '', grant = '', scopes = [] } = settings;
  const address = new URL(url);
  address.hash = '';
  return createHash('sha256')
    .update(JSON.stringify([address.href, clientId, grant, scopes]))
    .digest('hex')
    .slice(0, 32);
}

export interface StoredLogin {
  readonly record: LoginRecord;
  /** Where the key is that opens it. */
  readonly place: KeyPlace;
}

export class LoginStore implements LoginStorage {
  readonly folder: string;
  /** Undefined for a key that the deployment gives. */
  readonly keys: LoginKeys | undefined;
  readonly #given: Buffer | undefined;
  readonly #watchers = new Set<() => void>();

  /** `key`: one, or where to store one. By default it is in the folder. */
  constructor(folder: string, key: Buffer | KeyPlaces = {}) {
    this.folder = folder;
    this.#given = Buffer.isBuffer(key) ? key : undefined;
    this.keys = Buffer.isBuffer(key) ? undefined : new LoginKeys(folder, key);
  }

  read(id: string): LoginRecord | undefined {
    return this.#find(id)?.record;
  }

  placeOf(id: string): KeyPlace | undefined {
    return this.#given === undefined ? this.#find(id)?.place : undefined;
  }

  isSealed(id: string): boolean {
    return this.keys?.isLocked === true && existsSync(this.#file(id)) && this.#find(id) === undefined;
  }

  revision(id: string): string | undefined {
    const stats = statIfThere(this.#file(id));
    return stats === undefined ? undefined : `${stats.ino} ${stats.mtimeMs}`;
  }

  async update(id: string): Promise<void> {
    if (!this.isSealed(id)) return;
    await this.keys?.open(() => {
      for (const changed of this.#watchers) changed();
    });
  }

  async claim(id: string): Promise<void> {
    await claimPrivateFolder(this.folder, ADVICE).catch(explained);
    await this.locked(id, CLAIM_MS, async () => {});
  }

  async write(id: string, record: LoginRecord): Promise<void> {
    await this.#write(id, record).catch(explained);
  }

  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  /** Removes logins that cannot be read, and the keys. */
  async clear(): Promise<void> {
    const names = await readdir(this.folder).catch(() => []);
    await Promise.all(names.filter((name) => NAME.test(name)).map((name) => rm(join(this.folder, name), { force: true })));
    await this.keys?.remove();
  }

  /** All that can be read, by id, and how many need the keychain, which does not answer. */
  async all(): Promise<{ readonly found: ReadonlyMap<string, StoredLogin>; readonly sealed: number }> {
    const names = await readdir(this.folder).catch(() => []);
    await sweepDrafts(this.folder);
    const ids = names.filter((name) => NAME.test(name)).map((name) => name.slice(0, -EXTENSION.length));
    for (const id of ids) await this.update(id);
    const found = ids.flatMap((id): [string, StoredLogin][] => {
      const login = this.#find(id);
      return login === undefined ? [] : [[id, login]];
    });
    return { found: new Map(found), sealed: ids.filter((id) => this.isSealed(id)).length };
  }

  locked<T>(id: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    return withLock(this.#lock(id), timeoutMs, work).catch(explained);
  }

  alone(id: string, work: () => Promise<void>): Promise<boolean> {
    return tryLock(join(this.folder, `${id}.renewing`), work).catch(explained);
  }

  isLocked(id: string): Promise<boolean> {
    return isLocked(this.#lock(id));
  }

  watch(id: string, changed: () => void): () => void {
    const file = this.#file(id);
    watchFile(file, { interval: LOOK_MS, persistent: false }, changed);
    this.#watchers.add(changed);
    return () => {
      unwatchFile(file, changed);
      this.#watchers.delete(changed);
    };
  }

  async #write(id: string, record: LoginRecord): Promise<void> {
    if (this.#given !== undefined) await claimPrivateFolder(this.folder, ADVICE);
    const key = this.#given ?? (await this.keys?.forWriting());
    if (key !== undefined) await writePrivate(this.#file(id), sealText(key, record, id));
  }

  #find(id: string): StoredLogin | undefined {
    const text = readIfThere(this.#file(id));
    if (text === undefined) return undefined;
    const keys = this.#given === undefined ? (this.keys?.known() ?? []) : [['file', this.#given] as const];
    for (const [place, key] of keys) {
      const record = loginRecordIn(unsealText(key, text, id));
      if (record !== undefined) return { record, place };
    }
    return undefined;
  }

  #file(id: string): string {
    return join(this.folder, `${id}${EXTENSION}`);
  }

  #lock(id: string): string {
    return join(this.folder, `${id}.lock`);
  }
}

async function explained(cause: unknown): Promise<never> {
  const { storageProblem } = await import('./sign-in-error.js');
  throw storageProblem(cause);
}
