/** The key that encrypts logins: in the system keychain where there is one, otherwise in a file beside them. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemCode } from '../../../errors.js';
import { isFields, parseJson } from '../../../json.js';
import { claimPrivateFolder, createPrivate, writePrivate } from '../../../state/index.js';
import { withLock } from '../../../state/lock-file.js';
import type { KeyPlace } from './login-storage.js';

const FILE = 'key';
/** Names the item in the keychain. While both exist, new logins use the file: some process cannot reach the keychain. */
const MARKER = 'keychain';
/** Its age is the time since the keychain last refused. */
const REFUSED = 'keychain-refused';
const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}$/;
const ADVICE = 'Set XDG_STATE_HOME to a folder of your own.';
/** A keychain may ask the user for a password. */
const ASK_MS = 60_000;
/** The longest delay of a start. */
const KEYCHAIN_TIMEOUT_MS = 2000;
/** How long to wait after a keychain has refused: each access may open a dialog. */
const PAUSE_MS = 60_000;

/** The keychain of the system. Every method rejects where it is locked or missing. */
export interface Keychain {
  read(account: string): Promise<string | undefined>;
  write(account: string, secret: string): Promise<void>;
  remove(account: string): Promise<void>;
}

export interface KeyPlaces {
  /** Absent where it must not be used. */
  readonly keychain?: Keychain | undefined;
  /** A folder in memory that ends with the user's session. There a start finds the key faster than in the keychain. */
  readonly sessionFolder?: string | undefined;
}

interface Marker {
  readonly account: string;
  /** The digest of the key: the keychain may have lost it, or have another one. */
  readonly digest: string;
}

export class LoginKeys {
  readonly #folder: string;
  readonly #places: KeyPlaces;
  /** From the keychain. */
  #key: Buffer | undefined;
  #asking: Promise<void> | undefined;

  constructor(folder: string, places: KeyPlaces) {
    this.#folder = folder;
    this.#places = places;
  }

  /** The keys that are known without waiting. */
  known(): readonly (readonly [KeyPlace, Buffer])[] {
    const [file, keychain] = [this.#inFile(), this.#inKeychain()];
    return [...(file === undefined ? [] : [['file', file] as const]), ...(keychain === undefined ? [] : [['keychain', keychain] as const])];
  }

  /** Whether the keychain has a key that is not known yet. */
  get isLocked(): boolean {
    return this.#marker() !== undefined && this.#inKeychain() === undefined;
  }

  /** Accesses the keychain, which may prompt the user. Never rejects, and waits only briefly: `opened` is called if it answers later. */
  async open(opened: () => void = () => {}, timeoutMs = KEYCHAIN_TIMEOUT_MS): Promise<void> {
    if (!this.isLocked || this.#places.keychain === undefined) return;
    this.#asking ??= this.#openLocked().finally(() => {
      this.#asking = undefined;
    });
    const asking = this.#asking;
    if (await Promise.race([asking.then(() => true), setTimeout(timeoutMs, false, { ref: false })])) return;
    void asking.then(() => this.isLocked || opened());
  }

  /** The key for new logins, which is created if there is none that can be used. */
  async forWriting(): Promise<Buffer> {
    const usable = () => this.#inFile() ?? this.#inKeychain();
    const found = usable();
    if (found !== undefined) return found;
    await claimPrivateFolder(this.#folder, ADVICE);
    return this.#locked(async () => {
      await this.#ask();
      return usable() ?? (await this.#create());
    });
  }

  /** Moves the key from the file to the keychain, unless a process could not reach that before. */
  async moveToKeychain(): Promise<void> {
    if (this.#places.keychain === undefined || this.#inFile() === undefined) return;
    await this.open();
    await this.#locked(async () => {
      const key = this.#inFile();
      if (key === undefined) return;
      const marker = this.#marker();
      const isInKeychain = marker === undefined ? await this.#store(key) : marker.digest === digestOf(key) && !this.isLocked;
      if (isInKeychain) await rm(this.#path(FILE), { force: true });
    });
  }

  /** Removes all keys: what they encrypt cannot be read again. */
  async remove(): Promise<void> {
    const marker = this.#marker();
    if (marker !== undefined) await this.#places.keychain?.remove(marker.account).catch(() => {});
    const session = this.#sessionFile();
    const files = [...[FILE, MARKER, REFUSED].map((name) => this.#path(name)), ...(session === undefined ? [] : [session])];
    await Promise.all(files.map((file) => rm(file, { force: true })));
    this.#key = undefined;
  }

  async #create(): Promise<Buffer> {
    const key = randomBytes(KEY_BYTES);
    if (this.#marker() === undefined && (await this.#store(key))) return key;
    if (await createPrivate(this.#path(FILE), key.toString('hex'))) return key;
    const created = this.#inFile();
    if (created !== undefined) return created;
    // What it encrypted cannot be read again.
    await writePrivate(this.#path(FILE), key.toString('hex'));
    return key;
  }

  /** False where the keychain does not take it. */
  async #store(key: Buffer): Promise<boolean> {
    const { keychain } = this.#places;
    if (keychain === undefined || this.#hasRefused) return false;
    const [account, text] = [`logins in ${this.#folder}`, key.toString('hex')];
    try {
      await keychain.write(account, text);
      if ((await keychain.read(account)) !== text) throw new Error('The keychain does not return what was stored.');
    } catch {
      await this.#refuse();
      return false;
    }
    await writePrivate(this.#path(MARKER), JSON.stringify({ account, digest: digestOf(key) } satisfies Marker));
    await this.#remember(key);
    return true;
  }

  async #openLocked(): Promise<void> {
    if (!this.#hasRefused) await this.#locked(() => this.#ask()).catch(() => {});
  }

  /** Not while another process does: one prompt is enough. */
  async #ask(): Promise<void> {
    const marker = this.#marker();
    if (marker === undefined || !this.isLocked || this.#hasRefused) return;
    const text = await this.#places.keychain?.read(marker.account).catch(() => undefined);
    const key = text !== undefined && KEY_TEXT.test(text) ? Buffer.from(text, 'hex') : undefined;
    if (key === undefined || digestOf(key) !== marker.digest) await this.#refuse();
    else await this.#remember(key);
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    return withLock(this.#path('key.lock'), ASK_MS, work);
  }

  get #hasRefused(): boolean {
    const stats = statIfThere(this.#path(REFUSED));
    return stats !== undefined && Date.now() - stats.mtimeMs < PAUSE_MS;
  }

  async #refuse(): Promise<void> {
    await writePrivate(this.#path(REFUSED), '');
  }

  async #remember(key: Buffer): Promise<void> {
    this.#key = key;
    await rm(this.#path(REFUSED), { force: true });
    const file = this.#sessionFile();
    // Without it, the next start asks the keychain.
    if (file !== undefined) await writePrivate(file, key.toString('hex')).catch(() => {});
  }

  #inFile(): Buffer | undefined {
    return keyIn(this.#path(FILE));
  }

  #inKeychain(): Buffer | undefined {
    const marker = this.#marker();
    if (marker === undefined) return undefined;
    if (this.#key === undefined || digestOf(this.#key) !== marker.digest) {
      const file = this.#places.keychain === undefined ? undefined : this.#sessionFile();
      const key = file === undefined ? undefined : keyIn(file);
      this.#key = key !== undefined && digestOf(key) === marker.digest ? key : undefined;
    }
    return this.#key;
  }

  #marker(): Marker | undefined {
    const stored = parseJson(readIfThere(this.#path(MARKER)) ?? '');
    if (!isFields(stored)) return undefined;
    const { account, digest } = stored;
    return typeof account === 'string' && typeof digest === 'string' ? { account, digest } : undefined;
  }

  #sessionFile(): string | undefined {
    const { sessionFolder } = this.#places;
    return sessionFolder === undefined ? undefined : join(sessionFolder, `${sha256(this.#folder).slice(0, 32)}.key`);
  }

  #path(name: string): string {
    return join(this.#folder, name);
  }
}

function keyIn(file: string): Buffer | undefined {
  const text = readIfThere(file);
  return text !== undefined && KEY_TEXT.test(text) ? Buffer.from(text, 'hex') : undefined;
}

/** Reveals nothing about the key, which is random. */
function digestOf(key: Buffer): string {
  return sha256(key).slice(0, 32);
}

function sha256(value: string | Buffer): string {
  return createHash('sha256').update(value).digest('hex');
}

/** Undefined where the file cannot be read. */
export function readIfThere(file: string): string | undefined {
  return ifThere(() => readFileSync(file, 'utf8'));
}

export function statIfThere(file: string): Stats | undefined {
  return ifThere(() => statSync(file, { throwIfNoEntry: false }));
}

function ifThere<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (cause) {
    if (systemCode(cause) === undefined) throw cause;
    return undefined;
  }
}
