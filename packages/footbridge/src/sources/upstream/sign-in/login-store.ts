/** The logins of one person to servers: an encrypted file each, shared by all processes. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../../../errors.js';
import { sealText, unsealText } from '../../../state/encryption.js';
import { claimPrivateFolder, createPrivate, sweepDrafts, writePrivate } from '../../../state/index.js';
import { isLocked, tryLock, withLock } from '../../../state/lock-file.js';
import type { OAuthSettings } from '../options.js';
import type { LoginRecord, LoginStorage } from './login-storage.js';

const KEY = 'key';
const EXTENSION = '.login';
const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}$/;
const NAME = /^[0-9a-f]{32}\.login$/;
const ADVICE = 'Set XDG_STATE_HOME to a folder of your own.';
/** How often another process's changes are looked for. */
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

export class LoginStore implements LoginStorage {
  readonly folder: string;
  readonly #given: Buffer | undefined;

  /** Without a key, one is created in the folder. */
  constructor(folder: string, key?: Buffer) {
    this.folder = folder;
    this.#given = key;
  }

  read(id: string): LoginRecord | undefined {
    const key = this.#key();
    const text = key === undefined ? undefined : readText(this.#file(id));
    return key === undefined || text === undefined ? undefined : (unsealText(key, text, id) as LoginRecord | undefined);
  }

  async write(id: string, record: LoginRecord): Promise<void> {
    if (this.#given !== undefined) await claimPrivateFolder(this.folder, ADVICE);
    const key = this.#key() ?? (await this.#createKey());
    await writePrivate(this.#file(id), sealText(key, record, id));
  }

  async remove(id: string): Promise<void> {
    await rm(this.#file(id), { force: true });
  }

  async all(): Promise<ReadonlyMap<string, LoginRecord>> {
    const names = await readdir(this.folder).catch(() => []);
    await sweepDrafts(this.folder);
    const ids = names.filter((name) => NAME.test(name)).map((name) => name.slice(0, -EXTENSION.length));
    return new Map(
      ids.flatMap((id): [string, LoginRecord][] => {
        const record = this.read(id);
        return record === undefined ? [] : [[id, record]];
      }),
    );
  }

  locked<T>(id: string, patienceMs: number, work: () => Promise<T>): Promise<T> {
    return withLock(this.#lock(id), patienceMs, work);
  }

  alone(id: string, work: () => Promise<void>): Promise<boolean> {
    return tryLock(join(this.folder, `${id}.renewing`), work);
  }

  isLocked(id: string): Promise<boolean> {
    return isLocked(this.#lock(id));
  }

  watch(id: string, changed: () => void): () => void {
    const file = this.#file(id);
    watchFile(file, { interval: LOOK_MS, persistent: false }, changed);
    return () => unwatchFile(file, changed);
  }

  #key(): Buffer | undefined {
    if (this.#given !== undefined) return this.#given;
    const text = readText(join(this.folder, KEY));
    return text !== undefined && KEY_TEXT.test(text) ? Buffer.from(text, 'hex') : undefined;
  }

  async #createKey(): Promise<Buffer> {
    await claimPrivateFolder(this.folder, ADVICE);
    await createPrivate(join(this.folder, KEY), randomBytes(KEY_BYTES).toString('hex'));
    // Another process may have been faster.
    const key = this.#key();
    if (key === undefined)
      throw new Error('The key that encrypts logins is damaged. Remove the file `key` from the folder `logins`, and sign in again.');
    return key;
  }

  #file(id: string): string {
    return join(this.folder, `${id}${EXTENSION}`);
  }

  #lock(id: string): string {
    return join(this.folder, `${id}.lock`);
  }
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (systemCode(cause) === undefined) throw cause;
    return undefined;
  }
}
